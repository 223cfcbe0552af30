// Why the bytes of an item are stored undecoded: a number in the store, and a name for people.

/// The obstacle to decoding an item. The hub stores the bytes unchanged and leaves the item on the wearable.
public enum UnreadReason: UInt8, Sendable, Hashable, CaseIterable {
  /// Encrypted with a key that this hub does not have.
  case locked = 1
  /// Version or kind that this program does not know.
  case unknownVersion = 2
  /// Bytes not in the expected format.
  case defective = 3

  /// Name for people.
  public var name: String {
    switch self {
    case .locked: "locked"
    case .unknownVersion: "unknown version"
    case .defective: "defective"
    }
  }
}

extension UnreadReason {
  /// Reads the field. A number of a later writer counts as an unknown version.
  init?(stored number: UInt8) {
    if number == 0 { return nil }
    self = UnreadReason(rawValue: number) ?? .defective
  }

  /// Reads a record without that field: earlier writers stated the reason at the beginning of the remark of an item
  /// that is not final.
  init?(formerRemark remark: String, isFinal: Bool) {
    let beginnings: [(String, UnreadReason)] = [
      ("locked: ", .locked), ("unknown version: ", .unknownVersion), ("defective: ", .defective),
    ]
    guard !isFinal, let former = beginnings.first(where: { remark.hasPrefix($0.0) }) else { return nil }
    self = former.1
  }
}
