// Decoding of JSON into Swift's Codable values, for answers of the daemon.

public import JSONText

/// An answer with a wrong form.
public struct JSONMismatch: Error, Sendable, Hashable {
  /// Path, for example `status.radio.slots`.
  public var path: String
  /// Form that was expected.
  public var expected: String
}

extension JSON {
  /// Decodes this value as a `T`. Members that `T` does not know are ignored, as a newer daemon may send more.
  ///
  /// - Throws: the first member that is missing or has another form.
  public func decoded<T: Decodable>(_ type: T.Type = T.self) throws(JSONMismatch) -> T {
    do {
      return try Reader(self, []).take(type)
    } catch let mismatch as JSONMismatch {
      throw mismatch
    } catch DecodingError.dataCorrupted(let context) {
      throw JSONMismatch(
        path: context.codingPath.map(\.stringValue).joined(separator: "."), expected: context.debugDescription)
    } catch {
      throw JSONMismatch(path: "", expected: "\(type)")
    }
  }
}

/// A part of a document that stays JSON, such as a sample, so that it keeps all digits.
extension JSON: Codable {
  /// The value at the decoder's place, unchanged.
  ///
  /// - Throws: `DecodingError.dataCorrupted` for a decoder other than that of `decoded(_:)`.
  public init(from decoder: any Decoder) throws {
    guard let reader = decoder as? Reader else {
      throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "JSON in JSON"))
    }
    self = reader.json
  }

  /// Puts this value into the document, unchanged.
  ///
  /// - Throws: `EncodingError.invalidValue` for an encoder other than that of `init(encoding:)`.
  public func encode(to encoder: any Encoder) throws {
    guard let writer = encoder as? Writer else {
      throw EncodingError.invalidValue(self, .init(codingPath: encoder.codingPath, debugDescription: "JSON in JSON"))
    }
    writer.box.value = self
  }
}

private struct Reader: Decoder {
  let json: JSON
  let path: [String]
  var codingPath: [any CodingKey] { path.map(PathKey.init(stringValue:)) }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  init(_ json: JSON, _ path: [String]) {
    self.json = json
    self.path = path
  }

  func mismatch(_ expected: String) -> JSONMismatch {
    JSONMismatch(path: path.joined(separator: "."), expected: expected)
  }

  func take<T: Decodable>(_ type: T.Type) throws -> T {
    let value: Any? =
      switch type {
      case is String.Type: json.text
      case is Bool.Type: truth
      case let type as any FixedWidthInteger.Type: integer(type)
      case is Double.Type: number
      case is JSON.Type: json
      default: try type.init(from: self)
      }
    guard let typed = value as? T else { throw mismatch("\(type)") }
    return typed
  }

  /// Integers above `Int64.max` are kept as digits.
  private func integer<Number: FixedWidthInteger>(_ type: Number.Type) -> Number? {
    whole.flatMap { Number(exactly: $0) } ?? decimal.flatMap { Number($0) }
  }

  private var truth: Bool? { if case .bool(let truth) = json { truth } else { nil } }
  private var whole: Int64? { if case .integer(let number) = json { number } else { nil } }
  private var decimal: String? { if case .decimal(let text) = json { text } else { nil } }
  private var number: Double? { whole.map { Double($0) } ?? decimal.flatMap { Double($0) } }
  private var members: [JSON.Member]? { if case .object(let members) = json { members } else { nil } }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    guard let members else { throw mismatch("an object") }
    return KeyedDecodingContainer(KeyedReader(members: members, reader: self))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    guard case .array(let items) = json else { throw mismatch("an array") }
    return ListReader(items: items, reader: self)
  }

  func singleValueContainer() throws -> any SingleValueDecodingContainer { ValueReader(reader: self) }
}

private struct PathKey: CodingKey {
  var stringValue: String
  var intValue: Int? { nil }
  init(stringValue: String) { self.stringValue = stringValue }
  init?(intValue: Int) { nil }
}

private struct KeyedReader<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let members: [JSON.Member]
  let reader: Reader
  var codingPath: [any CodingKey] { reader.codingPath }
  var allKeys: [Key] { members.compactMap { Key(stringValue: $0.key) } }

  private func member(_ key: Key) -> Reader? {
    let name = snakeCase(key.stringValue)
    return members.first { $0.key == name }.map { Reader($0.value, reader.path + [name]) }
  }

  private func required(_ key: Key) throws -> Reader {
    guard let member = member(key) else {
      throw JSONMismatch(path: (reader.path + [snakeCase(key.stringValue)]).joined(separator: "."), expected: "a value")
    }
    return member
  }

  func contains(_ key: Key) -> Bool { member(key) != nil }
  func decodeNil(forKey key: Key) throws -> Bool { member(key).map { $0.json == .null } ?? true }
  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T { try required(key).take(type) }
  func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type, forKey key: Key) throws -> KeyedDecodingContainer<
    Nested
  > {
    try required(key).container(keyedBy: type)
  }
  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try required(key).unkeyedContainer()
  }
  func superDecoder() throws -> any Decoder { reader }
  func superDecoder(forKey key: Key) throws -> any Decoder { try required(key) }
}

private struct ListReader: UnkeyedDecodingContainer {
  let items: [JSON]
  let reader: Reader
  var currentIndex = 0
  var codingPath: [any CodingKey] { reader.codingPath }
  var count: Int? { items.count }
  var isAtEnd: Bool { currentIndex >= items.count }

  init(items: [JSON], reader: Reader) {
    self.items = items
    self.reader = reader
  }

  private mutating func item() throws -> Reader {
    if isAtEnd { throw reader.mismatch("another item") }
    defer { currentIndex += 1 }
    return Reader(items[currentIndex], reader.path + ["\(currentIndex)"])
  }

  mutating func decodeNil() throws -> Bool {
    if isAtEnd || items[currentIndex] != .null { return false }
    currentIndex += 1
    return true
  }
  mutating func decode<T: Decodable>(_ type: T.Type) throws -> T { try item().take(type) }
  mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) throws -> KeyedDecodingContainer<Nested> {
    try item().container(keyedBy: type)
  }
  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer { try item().unkeyedContainer() }
  mutating func superDecoder() throws -> any Decoder { try item() }
}

private struct ValueReader: SingleValueDecodingContainer {
  let reader: Reader
  var codingPath: [any CodingKey] { reader.codingPath }
  func decodeNil() -> Bool { reader.json == .null }
  func decode<T: Decodable>(_ type: T.Type) throws -> T { try reader.take(type) }
}
