// A word of the interface.

/// One of the words that a member may be. Open: a hub of a later version may say another, which is shown as it came.
public protocol Word: RawRepresentable, Codable, Sendable, Hashable, CustomStringConvertible
where RawValue == String {
  init(rawValue: String)
}

extension Word {
  /// The word as the hub names it elsewhere.
  public init(_ text: String) { self.init(rawValue: text) }

  public var description: String { rawValue }

  /// For people: without underscores.
  public var spaced: String { String(rawValue.map { $0 == "_" ? " " : $0 }) }
}
