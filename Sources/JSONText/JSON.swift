// JSON as a value (RFC 8259). Small and total, because its input is untrusted. Objects keep their order, numbers keep
// every digit, and the daemon needs no Foundation for it.

/// JSON value.
public enum JSON: Sendable, Hashable {
  case null
  case bool(Bool)
  case integer(Int64)
  /// A number with a fraction, an exponent or more than 64 bits, as text. Made only by `init(_: Double)` or the parser,
  /// so it is always valid.
  case decimal(String)
  case string(String)
  case array([JSON])
  /// Members in order; the parser ensures unique keys.
  case object([Member])

  /// Member of an object.
  public struct Member: Sendable, Hashable {
    /// Name of the member.
    public var key: String
    /// Value of the member.
    public var value: JSON

    /// A member of an object.
    public init(_ key: String, _ value: JSON) {
      self.key = key
      self.value = value
    }
  }

  /// NaN and the infinities have no JSON form and become null.
  public init(_ number: Double) {
    if let whole = Int64(exactly: number) {
      self = .integer(whole)
    } else {
      self = number.isFinite ? .decimal("\(number)") : .null
    }
  }

  /// The member of this name; nil if it is missing or this is no object.
  public subscript(key: String) -> JSON? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.key == key }?.value
  }

  /// The text of a string; nil: another type.
  public var text: String? {
    if case .string(let text) = self { return text }
    return nil
  }

  /// True for `true` alone.
  public var isTrue: Bool { self == .bool(true) }

  /// Null for a missing value.
  public static func optional(_ text: String?) -> JSON { text.map { .string($0) } ?? .null }
  /// A number, or null for nil.
  public static func optional(_ number: Int?) -> JSON { number.map { .integer(Int64($0)) } ?? .null }
}

extension JSON: ExpressibleByDictionaryLiteral, ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByBooleanLiteral
{
  public init(dictionaryLiteral members: (String, JSON)...) { self = .object(members.map { Member($0.0, $0.1) }) }
  public init(stringLiteral text: String) { self = .string(text) }
  public init(integerLiteral number: Int64) { self = .integer(number) }
  /// A truth value.
  public init(booleanLiteral truth: Bool) { self = .bool(truth) }
}

// MARK: - Writing

extension JSON {
  /// Compact text: a single line without spaces.
  public var compact: [UInt8] {
    var bytes: [UInt8] = []
    append(to: &bytes, indent: nil)
    return bytes
  }

  /// Indented text: two spaces per level.
  public var pretty: String {
    var bytes: [UInt8] = []
    append(to: &bytes, indent: 0)
    return String(decoding: bytes, as: UTF8.self)
  }

  func append(to bytes: inout [UInt8], indent: Int?) {
    switch self {
    case .null: bytes += "null".utf8
    case .bool(let truth): bytes += (truth ? "true" : "false").utf8
    case .integer(let number): bytes += "\(number)".utf8
    case .decimal(let number): bytes += number.utf8
    case .string(let text): bytes.append(json: text)
    case .array(let items):
      Self.appendItems(items, to: &bytes, "[", "]", indent) { $0.append(to: &$1, indent: $2) }
    case .object(let members):
      Self.appendItems(members, to: &bytes, "{", "}", indent) { member, bytes, indent in
        bytes.append(json: member.key)
        bytes += (indent == nil ? ":" : ": ").utf8
        member.value.append(to: &bytes, indent: indent)
      }
    }
  }

  private static func appendItems<Item>(
    _ items: [Item], to bytes: inout [UInt8], _ open: String, _ close: String, _ indent: Int?,
    _ body: (Item, inout [UInt8], Int?) -> Void
  ) {
    func newLine(_ depth: Int) {
      bytes.append(0x0A)
      bytes.append(contentsOf: repeatElement(0x20, count: 2 * depth))
    }
    bytes += open.utf8
    for (index, item) in items.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      if let indent { newLine(indent + 1) }
      body(item, &bytes, indent.map { $0 + 1 })
    }
    if let indent, !items.isEmpty { newLine(indent) }
    bytes += close.utf8
  }
}
