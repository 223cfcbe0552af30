// Encoding of Swift's Codable values as JSON: members in the order of their declaration, names in snake_case, nil as
// null.

public import JSONText

extension JSON {
  /// The JSON form of a document. Documents only have values that JSON can express. Others (no value, a key that is not
  /// text) become null.
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

/// `lastSeen` is `last_seen`. Names of members are ASCII; other names stay unchanged.
///
/// Runs for each member of each document, 25,000 times for a list of five hundred wearables. Therefore it works on
/// bytes, not on characters, and on all of them at once.
func snakeCase(_ name: String) -> String {
  func isCapital(_ byte: UInt8) -> Bool { byte &- 0x41 < 26 }
  var name = name
  return name.withUTF8 { bytes -> String? in
    var capitals = 0
    for byte in bytes where isCapital(byte) { capitals += 1 }
    if capitals == 0 { return nil }
    return String(unsafeUninitializedCapacity: bytes.count + capitals) { text in
      var count = 0
      for byte in bytes {
        if isCapital(byte) {
          text[count] = UInt8(ascii: "_")
          count += 1
        }
        text[count] = isCapital(byte) ? byte | 0x20 : byte
        count += 1
      }
      return count
    }
  } ?? name
}

/// A value under construction, shared by its containers and their creator.
final class Box {
  enum Form { case value, array, object }
  /// An element of an array or an object. Most elements are plain and need no box.
  enum Part {
    case done(JSON)
    case box(Box)

    var json: JSON {
      switch self {
      case .done(let json): json
      case .box(let box): box.json
      }
    }
  }
  var form = Form.value
  var value = JSON.null
  private var names: [String] = []
  private(set) var parts: [Part] = []

  var json: JSON {
    switch form {
    case .value: value
    case .array: .array(parts.map(\.json))
    case .object: .object(zip(names, parts).map { JSON.Member($0, $1.json) })
    }
  }

  func add(_ part: Part) { parts.append(part) }

  func add(_ part: Part, named name: String) {
    names.append(name)
    parts.append(part)
  }

  func member(_ name: String) -> Box {
    let box = Box()
    add(.box(box), named: name)
    return box
  }

  func item() -> Box {
    let box = Box()
    add(.box(box))
    return box
  }
}

struct Writer: Encoder {
  let box: Box
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  init(_ box: Box = Box()) { self.box = box }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    box.form = .object
    return KeyedEncodingContainer(KeyedWriter(box: box))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    box.form = .array
    return ListWriter(box: box)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { ValueWriter(box: box) }

  static func whole(_ number: some FixedWidthInteger) -> JSON {
    Int64(exactly: number).map { .integer($0) } ?? .decimal("\(number)")
  }
}

private struct KeyedWriter<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let box: Box
  var codingPath: [any CodingKey] { [] }

  // The frequent types have methods of their own, and other types encode themselves. A dynamic cast is avoided: the
  // first one for each type searches all seven thousand conformances of the program.
  mutating func encodeNil(forKey key: Key) throws { put(.null, key) }
  mutating func encode(_ value: Bool, forKey key: Key) throws { put(.bool(value), key) }
  mutating func encode(_ value: String, forKey key: Key) throws { put(.string(value), key) }
  mutating func encode(_ value: Double, forKey key: Key) throws { put(JSON(value), key) }
  mutating func encode(_ value: Int, forKey key: Key) throws { put(.integer(Int64(value)), key) }
  mutating func encode(_ value: Int64, forKey key: Key) throws { put(.integer(value), key) }
  mutating func encode(_ value: UInt64, forKey key: Key) throws { put(Writer.whole(value), key) }
  mutating func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
    try value.encode(to: Writer(member(key)))
  }

  // The default leaves nil members out. Scripts are easier with a null that is always there.
  mutating func encodeIfPresent(_ value: Bool?, forKey key: Key) throws { put(value.map { .bool($0) } ?? .null, key) }
  mutating func encodeIfPresent(_ value: String?, forKey key: Key) throws { put(.optional(value), key) }
  mutating func encodeIfPresent(_ value: Double?, forKey key: Key) throws { put(value.map { JSON($0) } ?? .null, key) }
  mutating func encodeIfPresent(_ value: Int?, forKey key: Key) throws { put(.optional(value), key) }
  mutating func encodeIfPresent(_ value: Int64?, forKey key: Key) throws {
    put(value.map { .integer($0) } ?? .null, key)
  }
  mutating func encodeIfPresent(_ value: UInt64?, forKey key: Key) throws {
    put(value.map { Writer.whole($0) } ?? .null, key)
  }
  mutating func encodeIfPresent<T: Encodable>(_ value: T?, forKey key: Key) throws {
    if let value { try encode(value, forKey: key) } else { put(.null, key) }
  }

  private func put(_ value: JSON, _ key: Key) { box.add(.done(value), named: snakeCase(key.stringValue)) }

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
  var count: Int { box.parts.count }

  mutating func encodeNil() throws { box.add(.done(.null)) }
  mutating func encode(_ value: String) throws { box.add(.done(.string(value))) }
  mutating func encode<T: Encodable>(_ value: T) throws {
    try value.encode(to: Writer(box.item()))
  }
  mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
    Writer(box.item()).container(keyedBy: type)
  }
  mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { Writer(box.item()).unkeyedContainer() }
  mutating func superEncoder() -> any Encoder { Writer(box.item()) }
}

private struct ValueWriter: SingleValueEncodingContainer {
  let box: Box
  var codingPath: [any CodingKey] { [] }

  mutating func encodeNil() throws { box.value = .null }
  mutating func encode(_ value: Bool) throws { box.value = .bool(value) }
  mutating func encode(_ value: String) throws { box.value = .string(value) }
  mutating func encode(_ value: Double) throws { box.value = JSON(value) }
  mutating func encode(_ value: Float) throws { box.value = JSON(Double(value)) }
  mutating func encode(_ value: Int) throws { box.value = Writer.whole(value) }
  mutating func encode(_ value: Int8) throws { box.value = Writer.whole(value) }
  mutating func encode(_ value: Int16) throws { box.value = Writer.whole(value) }
  mutating func encode(_ value: Int32) throws { box.value = Writer.whole(value) }
  mutating func encode(_ value: Int64) throws { box.value = Writer.whole(value) }
  mutating func encode(_ value: UInt) throws { box.value = Writer.whole(value) }
  mutating func encode(_ value: UInt8) throws { box.value = Writer.whole(value) }
  mutating func encode(_ value: UInt16) throws { box.value = Writer.whole(value) }
  mutating func encode(_ value: UInt32) throws { box.value = Writer.whole(value) }
  mutating func encode(_ value: UInt64) throws { box.value = Writer.whole(value) }
  mutating func encode<T: Encodable>(_ value: T) throws { try value.encode(to: Writer(box)) }
}
