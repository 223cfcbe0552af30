// The JSON that the argument parser writes for `--experimental-dump-help`, from which manual pages are made (board/manual):
// objects, arrays, strings, numbers, truth values. Keys are sorted. Only `build_release` in board/lib.sh compiles it.

public final class JSONEncoder {
  public struct OutputFormatting: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let prettyPrinted = OutputFormatting(rawValue: 1)
    public static let sortedKeys = OutputFormatting(rawValue: 2)
  }

  public var outputFormatting: OutputFormatting = []
  public init() {}

  public func encode<T: Encodable>(_ value: T) throws -> Data {
    let place = Place()
    try value.encode(to: Writer(place: place))
    return Data(place.text.utf8)
  }
}

/// Where one value goes. Its text is made when all is there.
private final class Place {
  var word = "null"
  var members: [(key: String, value: Place)]?
  var elements: [Place]?

  var text: String {
    if let members {
      let sorted = members.sorted { $0.key < $1.key }
      return "{" + sorted.map { "\(quoted($0.key)):\($0.value.text)" }.joined(separator: ",") + "}"
    }
    if let elements { return "[" + elements.map(\.text).joined(separator: ",") + "]" }
    return word
  }

  func member(_ key: some CodingKey) -> Place {
    let place = Place()
    members = (members ?? []) + [(key.stringValue, place)]
    return place
  }

  func element() -> Place {
    let place = Place()
    elements = (elements ?? []) + [place]
    return place
  }

  /// What is no string is written as its description: all numbers and truth values of Swift are JSON that way.
  func put<T: Encodable>(_ value: T) throws {
    switch value {
    case let text as String: word = quoted(text)
    case let number as any FixedWidthInteger: word = "\(number)"
    case let truth as Bool: word = "\(truth)"
    default: try value.encode(to: Writer(place: self))
    }
  }
}

private func quoted(_ text: String) -> String {
  var result = "\""
  for scalar in text.unicodeScalars {
    switch scalar {
    case "\"": result += "\\\""
    case "\\": result += "\\\\"
    case "\n": result += "\\n"
    case _ where scalar.value < 0x20:
      let digits = String(scalar.value, radix: 16)
      result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    default: result.unicodeScalars.append(scalar)
    }
  }
  return result + "\""
}

private struct Writer: Encoder {
  let place: Place
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy: Key.Type) -> KeyedEncodingContainer<Key> {
    place.members = place.members ?? []
    return KeyedEncodingContainer(Members<Key>(place: place))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    place.elements = place.elements ?? []
    return Elements(place: place)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { One(place: place) }
}

private struct Members<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let place: Place
  var codingPath: [any CodingKey] { [] }

  func encodeNil(forKey key: Key) { _ = place.member(key) }
  func encode<T: Encodable>(_ value: T, forKey key: Key) throws { try place.member(key).put(value) }
  func nestedContainer<Nested: CodingKey>(keyedBy: Nested.Type, forKey key: Key) -> KeyedEncodingContainer<Nested> {
    Writer(place: place.member(key)).container(keyedBy: Nested.self)
  }
  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    Writer(place: place.member(key)).unkeyedContainer()
  }
  func superEncoder() -> any Encoder { Writer(place: place) }
  func superEncoder(forKey key: Key) -> any Encoder { Writer(place: place.member(key)) }
}

private struct Elements: UnkeyedEncodingContainer {
  let place: Place
  var codingPath: [any CodingKey] { [] }
  var count: Int { place.elements?.count ?? 0 }

  func encodeNil() { _ = place.element() }
  func encode<T: Encodable>(_ value: T) throws { try place.element().put(value) }
  func nestedContainer<Nested: CodingKey>(keyedBy: Nested.Type) -> KeyedEncodingContainer<Nested> {
    Writer(place: place.element()).container(keyedBy: Nested.self)
  }
  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { Writer(place: place.element()).unkeyedContainer() }
  func superEncoder() -> any Encoder { Writer(place: place.element()) }
}

private struct One: SingleValueEncodingContainer {
  let place: Place
  var codingPath: [any CodingKey] { [] }

  func encodeNil() { place.word = "null" }
  // What encodes itself as one value ends here: a type that is none of these would come again without end.
  func encode(_ value: Bool) { place.word = "\(value)" }
  func encode(_ value: String) { place.word = quoted(value) }
  func encode(_ value: Double) { place.word = "\(value)" }
  func encode(_ value: Float) { place.word = "\(value)" }
  func encode(_ value: Int) { place.word = "\(value)" }
  func encode(_ value: Int8) { place.word = "\(value)" }
  func encode(_ value: Int16) { place.word = "\(value)" }
  func encode(_ value: Int32) { place.word = "\(value)" }
  func encode(_ value: Int64) { place.word = "\(value)" }
  func encode(_ value: UInt) { place.word = "\(value)" }
  func encode(_ value: UInt8) { place.word = "\(value)" }
  func encode(_ value: UInt16) { place.word = "\(value)" }
  func encode(_ value: UInt32) { place.word = "\(value)" }
  func encode(_ value: UInt64) { place.word = "\(value)" }
  func encode<T: Encodable>(_ value: T) throws { try place.put(value) }
}
