// Why the bytes of an item are kept without being understood: a number in the store, and a name for people.

/// What does not let the bytes of an item be read. They are kept as they are, and stay on the wearable.
public enum UnreadReason: UInt8, Sendable, Hashable, CaseIterable {
  /// Encrypted with a key that is not known here.
  case locked = 1
  /// Of a version or kind that this program does not know.
  case unknownVersion = 2
  /// Not what they should be.
  case defective = 3

  public var name: String {
    switch self {
    case .locked: "locked"
    case .unknownVersion: "unknown version"
    case .defective: "defective"
    }
  }
}

extension UnreadReason {
  /// Of a field. What a later writer may know is nothing that this program can read either.
  init?(stored number: UInt8) {
    if number == 0 { return nil }
    self = UnreadReason(rawValue: number) ?? .defective
  }

  /// Of a record without that field: writers before it told the reason by how the remark of an item begins that is not
  /// final.
  init?(formerRemark remark: String, isFinal: Bool) {
    let beginnings: [(String, UnreadReason)] = [
      ("locked: ", .locked), ("unknown version: ", .unknownVersion), ("defective: ", .defective),
    ]
    guard !isFinal, let former = beginnings.first(where: { remark.hasPrefix($0.0) }) else { return nil }
    self = former.1
  }
}
