// Reader of opened bond files and backups.

/// Bounds-checked reader: every read returns a value or nil.
struct PlaintextReader {
  private let bytes: [UInt8]
  private var place = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var isAtEnd: Bool { place == bytes.count }

  mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
    guard count >= 0, count <= bytes.count - place else { return nil }
    defer { place += count }
    return bytes[place..<(place + count)]
  }

  mutating func u8() -> UInt8? { take(1)?.first }

  mutating func little(_ count: Int) -> UInt64? { take(count)?.reversed().reduce(0) { $0 << 8 | UInt64($1) } }

  /// Text in UTF-8 after a length byte.
  mutating func text(_ limit: Int = 255) -> String? {
    guard let length = u8(), Int(length) <= limit, let bytes = take(Int(length)) else { return nil }
    return String(validating: bytes, as: UTF8.self)
  }

  mutating func rest() -> [UInt8]? { take(bytes.count - place).map { Array($0) } }
}
