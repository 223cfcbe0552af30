// The raw fields of a message, for changing a field in a file that is read and written as a whole.

/// A message as a list of its fields, each with its own bytes. A decoded message would move unknown fields to its end,
/// and cannot be encoded without its required fields. This type leaves every unchanged byte in its place.
public struct WireFields: Sendable, Hashable {
  /// Wire types (protocol buffers, encoding).
  private enum Kind: UInt8, Sendable {
    case varint = 0
    case word = 1
    case length = 2
    case groupStart = 3
    case groupEnd = 4
    case halfWord = 5
  }

  private struct Field: Sendable, Hashable {
    var number: UInt32
    var kind: Kind
    /// The field with its tag.
    var bytes: [UInt8]
    /// Start of the value in `bytes`: after the tag, and after the length for a field of kind `length`.
    var valueStart: Int

    var value: ArraySlice<UInt8> { bytes[valueStart...] }
  }

  /// Deepest nesting of groups. No known file has groups.
  private static let groupDepth = 16

  private var fields: [Field] = []

  /// Creates a message without fields.
  public init() {}

  /// - Throws: if a field is truncated, has no valid number or runs over the end.
  public init(_ bytes: some Collection<UInt8>) throws(MalformedMessage) {
    var reader = Reader(rest: Array(bytes)[...])
    while !reader.rest.isEmpty { fields.append(try reader.field(depth: 0)) }
  }

  /// The fields as bytes, in order.
  public var bytes: [UInt8] { fields.flatMap(\.bytes) }
  /// True without fields.
  public var isEmpty: Bool { fields.isEmpty }

  // MARK: Reading fields

  /// True if a field with this number is there.
  public func has(_ number: UInt32) -> Bool { fields.contains { $0.number == number } }

  /// Occurrences of a field, with their tags; empty if there is no such field.
  public func raw(_ number: UInt32) -> [UInt8] { fields.filter { $0.number == number }.flatMap(\.bytes) }

  /// The fields' numbers, in their order.
  public var numbers: [UInt32] { fields.map(\.number) }

  /// The value of a varint field; nil if it is missing. As usual in protobuf, the last occurrence counts.
  ///
  /// - Throws: if the field has another wire type.
  public func number(_ number: UInt32) throws(MalformedMessage) -> UInt64? {
    guard let field = try last(number, .varint) else { return nil }
    var reader = Reader(rest: field.value)
    return try reader.varint()
  }

  /// The four bytes of a fixed32 field or a float.
  ///
  /// - Throws: if the field has another wire type.
  public func halfWord(_ number: UInt32) throws(MalformedMessage) -> UInt32? {
    try last(number, .halfWord)?.value.reversed().reduce(0) { $0 << 8 | UInt32($1) }
  }

  /// The nested message of a field. Several occurrences are merged into one message.
  ///
  /// - Throws: if the field has another wire type, or its bytes are no message.
  public func message(_ number: UInt32) throws(MalformedMessage) -> WireFields? {
    guard try last(number, .length) != nil else { return nil }
    return try WireFields(fields.filter { $0.number == number }.flatMap(\.value))
  }

  private func last(_ number: UInt32, _ kind: Kind) throws(MalformedMessage) -> Field? {
    let found = fields.filter { $0.number == number }
    if found.contains(where: { $0.kind != kind }) { throw MalformedMessage() }
    return found.last
  }

  // MARK: Changing fields

  /// Sets a varint field.
  public mutating func set(_ number: UInt32, number value: UInt64) { put(number, .varint, Self.varint(value)) }

  /// Sets a field of 32 bits.
  public mutating func set(_ number: UInt32, halfWord value: UInt32) {
    put(number, .halfWord, (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) })
  }

  /// Sets a field that is a message.
  public mutating func set(_ number: UInt32, message: WireFields) { set(number, bytes: message.bytes) }

  /// Sets a field of bytes.
  public mutating func set(_ number: UInt32, bytes: [UInt8]) { put(number, .length, bytes) }

  /// Copies a field from another message, or removes it if the other message does not have it.
  public mutating func take(_ number: UInt32, from other: WireFields) {
    guard let field = other.fields.last(where: { $0.number == number }) else { return clear(number) }
    put(number, field.kind, Array(field.value))
  }

  /// Removes each occurrence of the field with this number.
  public mutating func clear(_ number: UInt32) { fields.removeAll { $0.number == number } }

  /// Writes a field at its first occurrence, else before the first field with a greater number.
  private mutating func put(_ number: UInt32, _ kind: Kind, _ value: [UInt8]) {
    var bytes = Self.varint(UInt64(number) << 3 | UInt64(kind.rawValue))
    if kind == .length { bytes += Self.varint(UInt64(value.count)) }
    let field = Field(number: number, kind: kind, bytes: bytes + value, valueStart: bytes.count)
    let place = fields.firstIndex { $0.number == number } ?? fields.firstIndex { $0.number > number } ?? fields.count
    clear(number)
    fields.insert(field, at: min(place, fields.count))
  }

  private static func varint(_ value: UInt64) -> [UInt8] {
    var bytes: [UInt8] = []
    var rest = value
    repeat {
      bytes.append(UInt8(rest & 0x7F) | (rest > 0x7F ? 0x80 : 0))
      rest >>= 7
    } while rest > 0
    return bytes
  }

  // MARK: Parsing

  private struct Reader {
    var rest: ArraySlice<UInt8>

    mutating func varint() throws(MalformedMessage) -> UInt64 {
      var value: UInt64 = 0
      for shift: UInt64 in stride(from: 0, to: 70, by: 7) {
        guard let byte = rest.popFirst() else { throw MalformedMessage() }
        value |= UInt64(byte & 0x7F) << shift
        if byte & 0x80 == 0 { return value }
      }
      throw MalformedMessage()
    }

    private mutating func skip(_ count: UInt64) throws(MalformedMessage) {
      guard count <= UInt64(rest.count) else { throw MalformedMessage() }
      rest = rest.dropFirst(Int(count))
    }

    /// Parses one field; a group with its content.
    mutating func field(depth: Int) throws(MalformedMessage) -> Field {
      let whole = rest
      let tag = try varint()
      guard let number = UInt32(exactly: tag >> 3), (1..<1 << 29).contains(number),
        let kind = Kind(rawValue: UInt8(tag & 7))
      else { throw MalformedMessage() }
      var valueStart = rest.startIndex
      switch kind {
      case .varint: _ = try varint()
      case .word: try skip(8)
      case .halfWord: try skip(4)
      case .length:
        let length = try varint()
        valueStart = rest.startIndex
        try skip(length)
      case .groupStart:
        guard depth < WireFields.groupDepth else { throw MalformedMessage() }
        while true {
          let inner = try field(depth: depth + 1)
          if inner.kind != .groupEnd { continue }
          guard inner.number == number else { throw MalformedMessage() }
          break
        }
      case .groupEnd: if depth == 0 { throw MalformedMessage() }
      }
      let bytes = Array(whole[..<rest.startIndex])
      return Field(number: number, kind: kind, bytes: bytes, valueStart: valueStart - whole.startIndex)
    }
  }
}
