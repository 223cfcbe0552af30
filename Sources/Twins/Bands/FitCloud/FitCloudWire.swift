// Encoding of the FitCloud protocol from its description: frames with a checksum, commands of keyed values, packed
// times. Written independently of the driver, so that each is a test of the other.

/// Command in a frame.
struct FitCloudCommand: Equatable {
  struct Item: Equatable {
    var key: UInt8
    var value: [UInt8]
  }

  var command: UInt8
  var items: [Item]

  /// Command u8, version << 4 u8, then items: key u8, 16 bits with the length in the low 9, value.
  var payload: [UInt8] {
    items.reduce([command, 0]) { bytes, item in
      bytes + [item.key] + FitCloudWire.big(UInt16(item.value.count) & 0x1FF) + item.value
    }
  }

  init(_ command: UInt8, _ key: UInt8, _ value: [UInt8] = []) {
    self.command = command
    items = [Item(key: key, value: value)]
  }

  /// nil: an item ends after the payload, or its header is incomplete.
  init?(_ payload: [UInt8]) {
    guard payload.count >= 2 else { return nil }
    command = payload[0]
    items = []
    var at = 2
    while at < payload.count {
      guard payload.count - at >= 3 else { return nil }
      let length = Int(FitCloudWire.u16(payload, at + 1) & 0x1FF)
      guard payload.count - at - 3 >= length else { return nil }
      items.append(Item(key: payload[at], value: Array(payload[(at + 3)..<(at + 3 + length)])))
      at += 3 + length
    }
  }
}

enum FitCloudWire {
  static let marker: UInt8 = 0xAB
  static let headLength = 8
  /// Longest payload.
  static let longest = 502
  /// Room for one value: without two bytes of command and three of the item's header.
  static let longestValue = longest - 5
  private static let acknowledgementBit: UInt8 = 0x10, errorBit: UInt8 = 0x20

  /// CRC-16/ARC: reflected polynomial 0x8005, start 0, no final xor.
  static func checksum(_ bytes: [UInt8]) -> UInt16 {
    var sum: UInt16 = 0
    for byte in bytes {
      sum ^= UInt16(byte)
      for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0xA001 : sum >> 1 }
    }
    return sum
  }

  /// AB, flags, length u16, checksum u16, number u16, payload.
  static func frame(_ payload: [UInt8], number: UInt16, isSpoiled: Bool = false) -> [UInt8] {
    [marker, 0] + big(UInt16(payload.count)) + big(checksum(payload) ^ (isSpoiled ? 0x0101 : 0)) + big(number) + payload
  }

  static func acknowledgement(of number: UInt16, isError: Bool = false) -> [UInt8] {
    [marker, acknowledgementBit | (isError ? errorBit : 0), 0, 0, 0, 0] + big(number)
  }

  /// Year from 2000 in 6 bits, month 4, day 5, hour 5, minute 6, second 6.
  static func time(_ seconds: Int64) -> [UInt8] {
    let date = WristDate(seconds)
    let year = UInt32(clamping: date.year - 2000) & 0x3F
    let day = year << 26 | UInt32(date.month) << 22 | UInt32(date.day) << 17
    return big(day | UInt32(date.hour) << 12 | UInt32(date.minute) << 6 | UInt32(date.second))
  }

  /// nil: an invalid time.
  static func seconds(_ bytes: [UInt8]) -> Int64? {
    guard bytes.count == 4 else { return nil }
    let word = bytes.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    func bits(_ shift: UInt32, _ count: UInt32) -> Int { Int((word >> shift) & ((1 << count) - 1)) }
    let date = WristDate(2000 + bits(26, 6), bits(22, 4), bits(17, 5), bits(12, 5), bits(6, 6), bits(0, 6))
    return WristDate(date.seconds) == date ? date.seconds : nil
  }

  /// A day in 16 bits: spare 1, year from 2000 6, month 4, day 5.
  static func day(_ seconds: Int64) -> [UInt8] {
    let date = WristDate(seconds)
    let year = UInt16(clamping: date.year - 2000) & 0x3F
    return big(year << 9 | UInt16(date.month) << 5 | UInt16(date.day))
  }

  static func big<Word: FixedWidthInteger>(_ word: Word) -> [UInt8] {
    stride(from: Word.bitWidth - 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: word >> Word($0)) }
  }

  static func u16(_ bytes: [UInt8], _ at: Int) -> UInt16 { UInt16(bytes[at]) << 8 | UInt16(bytes[at + 1]) }
}

/// Assembly of frames from pieces.
struct FitCloudInput {
  enum Event: Equatable {
    case frame(number: UInt16, payload: [UInt8])
    /// The checksum does not match.
    case spoiled(number: UInt16)
    case acknowledgement(number: UInt16, isError: Bool)
  }

  private var bytes: [UInt8] = []
  /// Whether a frame is incomplete.
  var isContinued: Bool { !bytes.isEmpty }

  mutating func reset() { bytes = [] }

  /// Bytes before a marker are skipped.
  mutating func take(_ piece: [UInt8]) -> [Event] {
    bytes += piece
    var events: [Event] = []
    while true {
      bytes.removeFirst(bytes.prefix { $0 != FitCloudWire.marker }.count)
      guard bytes.count >= FitCloudWire.headLength else { return events }
      let length = Int(FitCloudWire.u16(bytes, 2))
      guard length <= FitCloudWire.longest else {
        bytes.removeFirst()
        continue
      }
      let end = FitCloudWire.headLength + length
      guard bytes.count >= end else { return events }
      let number = FitCloudWire.u16(bytes, 6)
      let payload = Array(bytes[FitCloudWire.headLength..<end])
      if bytes[1] & 0x10 != 0 {
        events.append(.acknowledgement(number: number, isError: bytes[1] & 0x20 != 0))
      } else if FitCloudWire.checksum(payload) == FitCloudWire.u16(bytes, 4) {
        events.append(.frame(number: number, payload: payload))
      } else {
        events.append(.spoiled(number: number))
      }
      bytes.removeFirst(end)
    }
  }
}
