// From Swift's Codable values to JSON: members in the order of their declaration, names in snake_case, optional values
// as null.

public import JSONText

extension JSON {
  /// The JSON form of a document. Our documents only hold what JSON can say; what cannot be said (no value, a key that
  /// is not text) is null.
  public init(encoding value: some Encodable) {
    let encoder = Writer()
    do {
      try value.encode(to: encoder)
      self = encoder.box.json
    } catch {
      self = .null
    }
  }
}

/// `lastSeen` is `last_seen`.
func snakeCase(_ name: String) -> String {
  var text = ""
  for character in name {
    if character.isUppercase { text += "_" + character.lowercased() } else { text.append(character) }
  }
  return text
}

/// A value under construction; containers share it with whoever asked for them.
private final class Box {
  enum Content {
    case empty
    case value(JSON)
    case array([Box])
    case object([(String, Box)])
  }
  var content = Content.empty

  var json: JSON {
    switch content {
    case .empty: .null
    case .value(let value): value
    case .array(let items): .array(items.map(\.json))
    case .object(let members): .object(members.map { JSON.Member($0.0, $0.1.json) })
    }
  }

  func member(_ key: String) -> Box {
    let box = Box()
    guard case .object(var members) = content else { return box }
    content = .empty
    members.append((key, box))
    content = .object(members)
    return box
  }

  func item() -> Box {
    let box = Box()
    guard case .array(var items) = content else { return box }
    content = .empty
    items.append(box)
    content = .array(items)
    return box
  }
}

private struct Writer: Encoder {
  let box: Box
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  init(_ box: Box = Box()) { self.box = box }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    if case .object = box.content {} else { box.content = .object([]) }
    return KeyedEncodingContainer(KeyedWriter(box: box))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    if case .array = box.content {} else { box.content = .array([]) }
    return ListWriter(box: box)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { ValueWriter(box: box) }

  static func put<T: Encodable>(_ value: T, in box: Box) throws {
    switch value {
    case let text as String: box.content = .value(.string(text))
    case let truth as Bool: box.content = .value(.bool(truth))
    case let number as any FixedWidthInteger:
      box.content = .value(Int64(exactly: number).map { .integer($0) } ?? .decimal("\(number)"))
    case let number as Double: box.content = .value(JSON(number))
    default: try value.encode(to: Writer(box))
    }
  }
}

private struct KeyedWriter<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let box: Box
  var codingPath: [any CodingKey] { [] }

  mutating func encodeNil(forKey key: Key) throws { member(key).content = .value(.null) }
  mutating func encode<T: Encodable>(_ value: T, forKey key: Key) throws { try Writer.put(value, in: member(key)) }

  // The default leaves out what is nil; a reader of a script is better served with a null that is always there.
  mutating func encodeIfPresent(_ value: Bool?, forKey key: Key) throws { try optional(value, key) }
  mutating func encodeIfPresent(_ value: String?, forKey key: Key) throws { try optional(value, key) }
  mutating func encodeIfPresent(_ value: Double?, forKey key: Key) throws { try optional(value, key) }
  mutating func encodeIfPresent(_ value: Int?, forKey key: Key) throws { try optional(value, key) }
  mutating func encodeIfPresent(_ value: Int64?, forKey key: Key) throws { try optional(value, key) }
  mutating func encodeIfPresent(_ value: UInt64?, forKey key: Key) throws { try optional(value, key) }
  mutating func encodeIfPresent<T: Encodable>(_ value: T?, forKey key: Key) throws { try optional(value, key) }

  private func optional(_ value: (some Encodable)?, _ key: Key) throws {
    if let value { try Writer.put(value, in: member(key)) } else { member(key).content = .value(.null) }
  }

  private func member(_ key: Key) -> Box { box.member(snakeCase(key.stringValue)) }

  mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type, forKey key: Key)
    -> KeyedEncodingContainer<Nested>
  {
    Writer(member(key)).container(keyedBy: type)
  }
  mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    Writer(member(key)).unkeyedContainer()
  }
  mutating func superEncoder() -> any Encoder { Writer(box.member("super")) }
  mutating func superEncoder(forKey key: Key) -> any Encoder { Writer(member(key)) }
}

private struct ListWriter: UnkeyedEncodingContainer {
  let box: Box
  var codingPath: [any CodingKey] { [] }
  var count: Int {
    if case .array(let items) = box.content { return items.count }
    return 0
  }

  mutating func encodeNil() throws { box.item().content = .value(.null) }
  mutating func encode<T: Encodable>(_ value: T) throws { try Writer.put(value, in: box.item()) }
  mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
    Writer(box.item()).container(keyedBy: type)
  }
  mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { Writer(box.item()).unkeyedContainer() }
  mutating func superEncoder() -> any Encoder { Writer(box.item()) }
}

private struct ValueWriter: SingleValueEncodingContainer {
  let box: Box
  var codingPath: [any CodingKey] { [] }

  mutating func encodeNil() throws { box.content = .value(.null) }
  mutating func encode<T: Encodable>(_ value: T) throws { try Writer.put(value, in: box) }
}
