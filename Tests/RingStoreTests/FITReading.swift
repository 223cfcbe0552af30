// A plain reader of FIT files for tests: the messages with the numbers and texts of their fields.

struct FITReading {
  struct Message: Equatable {
    var global: Int
    /// Numbers by field; invalid ones are left out.
    var numbers: [Int: [Int]] = [:]
    var texts: [Int: String] = [:]

    func number(_ field: Int) -> Int? { numbers[field]?.first }
  }

  private struct Field {
    let number: Int
    let size: Int
    let type: UInt8
  }

  var messages: [Message] = []
  /// Length, both checksums and the mark are right.
  var isSound = false

  init(_ bytes: [UInt8]) {
    guard bytes.count >= 16, bytes[0] == 14, Array(bytes[8..<12]) == Array(".FIT".utf8) else { return }
    func number(_ place: Int, _ width: Int) -> Int {
      (0..<width).reduce(0) { $0 | Int(bytes[place + $1]) << (8 * $1) }
    }
    func checksum(_ count: Int) -> Int { Int(Self.checksum(bytes.prefix(count))) }
    isSound =
      number(4, 4) == bytes.count - 16 && number(12, 2) == checksum(12)
      && number(bytes.count - 2, 2) == checksum(bytes.count - 2)
    var definitions: [UInt8: (global: Int, fields: [Field])] = [:]
    var place = 14
    while place < bytes.count - 2 {
      let head = bytes[place]
      place += 1
      if head & 0x40 != 0 {
        let count = Int(bytes[place + 4])
        let fields = (0..<count).map { index in
          let at = place + 5 + 3 * index
          return Field(number: Int(bytes[at]), size: Int(bytes[at + 1]), type: bytes[at + 2])
        }
        definitions[head & 0x0F] = (number(place + 2, 2), fields)
        place += 5 + 3 * count
        continue
      }
      guard let definition = definitions[head] else {
        isSound = false
        return
      }
      var message = Message(global: definition.global)
      for field in definition.fields {
        if field.type == 0x07 {
          let text = bytes[place..<place + field.size].prefix { $0 != 0 }
          if !text.isEmpty { message.texts[field.number] = String(decoding: text, as: UTF8.self) }
        } else {
          let width = field.type & 0x80 == 0 ? 1 : field.type == 0x84 ? 2 : 4
          let invalid = field.type == 0x85 ? 0x7FFF_FFFF : 1 << (8 * width) - 1
          let all = (0..<field.size / width).map { number(place + $0 * width, width) }.filter { $0 != invalid }
          let signed = field.type == 0x85 ? all.map { Int(Int32(truncatingIfNeeded: $0)) } : all
          if !signed.isEmpty { message.numbers[field.number] = signed }
        }
        place += field.size
      }
      messages.append(message)
    }
  }

  /// Bit by bit, as the polynomial says.
  static func checksum(_ bytes: some Sequence<UInt8>) -> UInt16 {
    var sum: UInt16 = 0
    for byte in bytes {
      for bit in 0..<8 {
        let isOdd = (sum ^ UInt16(byte >> UInt8(bit))) & 1 == 1
        sum = isOdd ? sum >> 1 ^ 0xA001 : sum >> 1
      }
    }
    return sum
  }

  func all(_ global: Int) -> [Message] { messages.filter { $0.global == global } }
}
