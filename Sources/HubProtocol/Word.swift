// Words of the interface.

/// A possible word of a member. The type is open: a newer hub may send another word, which is shown unchanged.
public protocol Word: RawRepresentable, Codable, Sendable, Hashable, CustomStringConvertible
where RawValue == String {
  init(rawValue: String)
}

extension Word {
  /// The word by its name in the hub.
  public init(_ text: String) { self.init(rawValue: text) }

  public var description: String { rawValue }

  /// Text for people, without underscores.
  public var spaced: String { String(rawValue.map { $0 == "_" ? " " : $0 }) }
}
