// JSON as a value (RFC 8259). Small and total, because every byte of it comes from somebody else; objects keep their
// order, numbers keep every digit, and nothing of Foundation has to live in the daemon for it.

/// One JSON value.
public enum JSON: Sendable, Hashable {
  case null
  case bool(Bool)
  case integer(Int64)
  /// A number with a fraction, an exponent or more than 64 bits, as it is written. Made by `init(_: Double)` or the
  /// parser, so that it is always valid.
  case decimal(String)
  case string(String)
  case array([JSON])
  /// In order; keys are unique in what the parser gives.
  case object([Member])

  public struct Member: Sendable, Hashable {
    public var key: String
    public var value: JSON

    public init(_ key: String, _ value: JSON) {
      self.key = key
      self.value = value
    }
  }

  /// Not-a-number and the infinities have no JSON form and become null.
  public init(_ number: Double) {
    if let whole = Int64(exactly: number) {
      self = .integer(whole)
    } else {
      self = number.isFinite ? .decimal("\(number)") : .null
    }
  }

  /// The member of this name; nil where there is none, or this is no object.
  public subscript(key: String) -> JSON? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.key == key }?.value
  }

  public var text: String? {
    if case .string(let text) = self { return text }
    return nil
  }

  public var isTrue: Bool { self == .bool(true) }

  /// Null for what is not given.
  public static func optional(_ text: String?) -> JSON { text.map { .string($0) } ?? .null }
  public static func optional(_ number: Int?) -> JSON { number.map { .integer(Int64($0)) } ?? .null }
}

extension JSON: ExpressibleByDictionaryLiteral, ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByBooleanLiteral
{
  public init(dictionaryLiteral members: (String, JSON)...) { self = .object(members.map { Member($0.0, $0.1) }) }
  public init(stringLiteral text: String) { self = .string(text) }
  public init(integerLiteral number: Int64) { self = .integer(number) }
  public init(booleanLiteral truth: Bool) { self = .bool(truth) }
}

// MARK: - Writing

extension JSON {
  /// On one line, without spaces.
  public var compact: [UInt8] {
    var bytes: [UInt8] = []
    append(to: &bytes, indent: nil)
    return bytes
  }

  /// On many lines, two spaces a level.
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
