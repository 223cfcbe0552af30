// Layout of a FIT file: header, messages, checksum.
//
// | bytes | content |
// |---|---|
// | 0 | 14, the length of the header |
// | 1 | 16: version 1.0 of the protocol |
// | 2-3 | version of the profile, 21.94 as 2194 |
// | 4-7 | bytes of all messages |
// | 8-11 | `.FIT` |
// | 12-13 | checksum of bytes 0-11 |
// | 14... | messages |
// | last 2 | checksum of all bytes before |
//
// A definition comes before the first message of its kind. Its bytes:
// - 64 + local number
// - 0
// - 0 (little-endian)
// - global number (2 bytes)
// - number of fields, and for each field its number, its bytes and its base type
//
// A message is its local number, then its fields without a separator. Numbers are little-endian. A field without a
// value has the invalid value of its base type.
//
// Source: Garmin, "Flexible and Interoperable Data Transfer (FIT) Protocol", and the profile of its SDK, 21.218.

import StateCodec

/// Base types of the protocol that are used here.
enum FITType: UInt8, Sendable {
  case enumeration = 0x00
  case uint8 = 0x02
  case string = 0x07
  case uint16 = 0x84
  case sint32 = 0x85
  case uint32 = 0x86

  /// Bytes of a number or of a character.
  var width: Int {
    switch self {
    case .enumeration, .uint8, .string: 1
    case .uint16: 2
    case .sint32, .uint32: 4
    }
  }

  /// The bits that say that there is no value.
  var invalid: Int64 {
    switch self {
    case .enumeration, .uint8: 0xFF
    case .string: 0
    case .uint16: 0xFFFF
    case .sint32: 0x7FFF_FFFF
    case .uint32: 0xFFFF_FFFF
    }
  }

  /// Numbers that a field can hold, without the invalid one.
  var range: ClosedRange<Int64> {
    switch self {
    case .enumeration, .uint8, .string: 0...0xFE
    case .uint16: 0...0xFFFE
    case .sint32: -0x8000_0000...0x7FFF_FFFE
    case .uint32: 0...0xFFFF_FFFE
    }
  }
}

/// A field of a definition.
struct FITField: Sendable, Hashable {
  let number: UInt8
  let type: FITType
  /// Numbers of an array, characters of a text with its final zero; 1 to 255 bytes in all.
  var count = 1

  init(_ number: UInt8, _ type: FITType, count: Int = 1) {
    (self.number, self.type, self.count) = (number, type, min(max(count, 1), 255 / type.width))
  }
}

/// A kind of message with the fields that this file has of it.
struct FITMessage: Sendable {
  /// 0 to 15.
  let local: UInt8
  let global: UInt16
  let fields: [FITField]

  var definition: [UInt8] {
    let head: [UInt8] = [0x40 | local, 0, 0, UInt8(truncatingIfNeeded: global), UInt8(truncatingIfNeeded: global >> 8)]
    return head + [UInt8(truncatingIfNeeded: fields.count)]
      + fields.flatMap { [$0.number, UInt8(truncatingIfNeeded: $0.count * $0.type.width), $0.type.rawValue] }
  }
}

enum FITValue: Sendable, Hashable {
  /// A number that does not fit its field becomes the invalid value.
  case number(Int64)
  /// Missing numbers at the end become the invalid value.
  case numbers([Int64])
  case text(String)
}

/// Writes messages, each kind with its definition before the first.
struct FITWriter: Sendable {
  private var bytes: [UInt8] = Array(repeating: 0, count: 14)
  private var defined: Set<UInt8> = []

  /// - Parameter values: for each field of the message; nil: no value.
  mutating func write(_ message: FITMessage, _ values: [FITValue?]) {
    if defined.insert(message.local).inserted { bytes += message.definition }
    bytes.append(message.local)
    for (place, field) in message.fields.enumerated() {
      switch place < values.count ? values[place] : nil {
      case .number(let number): append([number], field)
      case .numbers(let numbers): append(numbers, field)
      case .text(let text): append(text, field)
      case nil: append([], field)
      }
    }
  }

  private mutating func append(_ numbers: [Int64], _ field: FITField) {
    for place in 0..<field.count {
      let number = place < numbers.count && field.type.range.contains(numbers[place]) ? numbers[place] : nil
      let bits = number ?? field.type.invalid
      for byte in 0..<field.type.width { bytes.append(UInt8(truncatingIfNeeded: bits >> Int64(8 * byte))) }
    }
  }

  private mutating func append(_ text: String, _ field: FITField) {
    var room = field.count - 1
    for scalar in text.unicodeScalars {
      let code = Array(String(scalar).utf8)
      // A character is there in full or not at all.
      guard code.count <= room else { break }
      bytes += code
      room -= code.count
    }
    bytes += Array(repeating: 0, count: room + 1)
  }

  /// The whole file.
  func finished() -> [UInt8] {
    var file = bytes
    func put(_ number: UInt64, _ place: Int, _ width: Int) {
      for byte in 0..<width { file[place + byte] = UInt8(truncatingIfNeeded: number >> UInt64(8 * byte)) }
    }
    (file[0], file[1]) = (14, 16)
    put(2194, 2, 2)
    put(UInt64(bytes.count - 14), 4, 4)
    file.replaceSubrange(8..<12, with: Array(".FIT".utf8))
    put(UInt64(CRC16ARC.of(file[0..<12])), 12, 2)
    let sum = CRC16ARC.of(file)
    return file + [UInt8(truncatingIfNeeded: sum), UInt8(truncatingIfNeeded: sum >> 8)]
  }
}
