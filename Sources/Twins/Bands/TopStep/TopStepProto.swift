// Wire format of proto3, as far as a band needs it: numbered fields of four wire types, written in order and read in
// any order. Independent of all messages.

/// Encoder of a message. A field with its default value is left out, as in proto3: an "ok" may be no bytes at all.
///
///     wire type  bytes after the key `number << 3 | type`
///     0          a varint: seven bits a byte, the lowest first, the top bit set in all but the last
///     1          eight bytes, little-endian
///     2          a varint of the length, then so many bytes
///     5          four bytes, little-endian
public struct TopStepWriter: Sendable, Hashable {
  /// Encoded bytes so far.
  public private(set) var bytes: [UInt8] = []

  /// An empty message.
  public init() {}

  static func varint(_ value: UInt64) -> [UInt8] {
    var rest = value
    var bytes: [UInt8] = []
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
    return bytes
  }

  private mutating func key(_ number: Int, _ type: UInt64) { bytes += Self.varint(UInt64(number) << 3 | type) }

  /// Adds a varint.
  public mutating func number(_ field: Int, _ value: Int64) {
    if value == 0 { return }
    key(field, 0)
    // A negative number takes ten bytes: the two's complement in 64 bits.
    bytes += Self.varint(UInt64(bitPattern: value))
  }

  /// Adds a varint.
  public mutating func number(_ field: Int, _ value: Int) { number(field, Int64(value)) }

  /// Adds a truth value.
  public mutating func truth(_ field: Int, _ value: Bool) { number(field, value ? 1 : 0 as Int64) }

  /// Adds a float of 32 bits.
  public mutating func float(_ field: Int, _ value: Float) {
    if value.bitPattern == 0 { return }
    key(field, 5)
    for shift in stride(from: 0, to: 32, by: 8) {
      bytes.append(UInt8(truncatingIfNeeded: value.bitPattern >> UInt32(shift)))
    }
  }

  /// Adds bytes.
  public mutating func bytes(_ field: Int, _ value: [UInt8]) {
    if !value.isEmpty { message(field, value) }
  }

  /// Adds UTF-8 text.
  public mutating func text(_ field: Int, _ value: String) { bytes(field, Array(value.utf8)) }

  /// Appends an embedded message, even if all of its fields are left out.
  public mutating func message(_ field: Int, _ value: [UInt8]) {
    key(field, 2)
    bytes += Self.varint(UInt64(value.count)) + value
  }

  /// Appends numbers of one field packed, defaults included.
  public mutating func packed(_ field: Int, _ values: [Int]) {
    bytes(field, values.flatMap { Self.varint(UInt64(bitPattern: Int64($0))) })
  }

  /// Appends a field exactly as it was read.
  mutating func append(_ field: TopStepField) {
    switch field.value {
    case .varint(let value):
      key(field.number, 0)
      bytes += Self.varint(value)
    case .fixed64(let value):
      key(field.number, 1)
      bytes += value
    case .bytes(let value): message(field.number, value)
    case .fixed32(let value):
      key(field.number, 5)
      bytes += value
    }
  }

  /// A message in one expression.
  public static func make(_ body: (inout TopStepWriter) -> Void) -> [UInt8] {
    var writer = TopStepWriter()
    body(&writer)
    return writer.bytes
  }
}

/// Field of a message, as read.
public struct TopStepField: Sendable, Hashable {
  /// Value of a field, by wire type.
  public enum Value: Sendable, Hashable {
    case varint(UInt64)
    case fixed64([UInt8])
    case bytes([UInt8])
    case fixed32([UInt8])
  }
  /// Number of the field.
  public let number: Int
  /// Value of the field.
  public let value: Value
}

/// Decoded message. Of several fields with one number the last counts, except for messages and repeated fields.
public struct TopStepMessage: Sendable, Hashable {
  /// Fields in the order of the bytes.
  public let fields: [TopStepField]

  /// Nil: the bytes are no message. Causes are a varint of more than ten bytes, a length beyond the end, a wire type
  /// outside proto3, or a field number of 0.
  public init?(_ bytes: [UInt8]) {
    var fields: [TopStepField] = []
    var rest = bytes[...]
    while !rest.isEmpty {
      guard let key = Self.varint(&rest), key >> 3 > 0, key >> 3 < 1 << 29 else { return nil }
      let value: TopStepField.Value
      switch key & 7 {
      case 0:
        guard let number = Self.varint(&rest) else { return nil }
        value = .varint(number)
      case 1:
        guard let bytes = Self.take(&rest, 8) else { return nil }
        value = .fixed64(bytes)
      case 2:
        guard let count = Self.varint(&rest), count <= UInt64(rest.count),
          let bytes = Self.take(&rest, Int(count))
        else { return nil }
        value = .bytes(bytes)
      case 5:
        guard let bytes = Self.take(&rest, 4) else { return nil }
        value = .fixed32(bytes)
      default: return nil
      }
      fields.append(TopStepField(number: Int(key >> 3), value: value))
    }
    self.fields = fields
  }

  private static func take(_ rest: inout ArraySlice<UInt8>, _ count: Int) -> [UInt8]? {
    guard rest.count >= count else { return nil }
    defer { rest = rest.dropFirst(count) }
    return Array(rest.prefix(count))
  }

  private static func varint(_ rest: inout ArraySlice<UInt8>) -> UInt64? {
    var value: UInt64 = 0
    for shift in stride(from: UInt64(0), to: 70, by: 7) {
      guard let byte = rest.popFirst() else { return nil }
      // Of the tenth byte only one bit counts; higher bits are dropped, as in all decoders.
      value |= UInt64(byte & 0x7F) << shift
      if byte & 0x80 == 0 { return value }
    }
    return nil
  }

  private func last(_ field: Int) -> TopStepField.Value? { fields.last { $0.number == field }?.value }

  /// True if the field is there.
  public func has(_ field: Int) -> Bool { fields.contains { $0.number == field } }

  /// 0 if the field is missing, or has another type.
  public func number(_ field: Int) -> Int64 {
    if case .varint(let value) = last(field) { Int64(bitPattern: value) } else { 0 }
  }

  /// The last truth value of a field; false without one.
  public func truth(_ field: Int) -> Bool { number(field) != 0 }

  /// The last float of a field; 0 without one.
  public func float(_ field: Int) -> Float {
    guard case .fixed32(let bytes) = last(field) else { return 0 }
    return Float(bitPattern: bytes.reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) })
  }

  /// The last bytes of a field; empty without any.
  public func bytes(_ field: Int) -> [UInt8] { if case .bytes(let value) = last(field) { value } else { [] } }

  /// The last text of a field; empty without one.
  public func text(_ field: Int) -> String { String(decoding: bytes(field), as: UTF8.self) }

  /// Parts of one message are merged. Nil: missing, or no message.
  public func message(_ field: Int) -> TopStepMessage? {
    let parts = all(field)
    return parts.isEmpty ? nil : TopStepMessage(parts.flatMap { $0 })
  }

  /// Returns the values of a repeated field of bytes or messages.
  public func all(_ field: Int) -> [[UInt8]] {
    fields.compactMap { entry in
      if entry.number == field, case .bytes(let value) = entry.value { value } else { nil }
    }
  }

  /// Returns the messages of a repeated field.
  public func messages(_ field: Int) -> [TopStepMessage] { all(field).compactMap { TopStepMessage($0) } }

  /// Numbers of a repeated field, packed or not.
  public func numbers(_ field: Int) -> [Int] {
    fields.flatMap { entry -> [Int] in
      guard entry.number == field else { return [] }
      switch entry.value {
      case .varint(let value): return [Int(truncatingIfNeeded: value)]
      case .bytes(let bytes):
        var rest = bytes[...]
        var values: [Int] = []
        while !rest.isEmpty, let value = Self.varint(&rest) { values.append(Int(truncatingIfNeeded: value)) }
        return values
      default: return []
      }
    }
  }
}

extension TopStepMessage {
  init(fields: [TopStepField]) { self.fields = fields }
}
