// Air packets of the file transfer: a header of one byte, and a part of a message.

/// Splits messages into packets, and assembles packets.
///
///     header   bit 0     not the first packet
///              bits 1-2  0 error or response, 1 last, 3 more
///              bits 4-7  sequence, from 0 on, modulo 16
struct PolarAir {
  static let cancel: [UInt8] = [0, 0, 0]

  /// - Parameter size: bytes of a packet.
  static func packets(_ message: [UInt8], size: Int) -> [[UInt8]] {
    var packets: [[UInt8]] = []
    var rest = message[...]
    repeat {
      let isLast = rest.count <= size - 1
      let sequence = UInt8(packets.count % 16)
      packets.append([sequence << 4 | (isLast ? 1 : 3) << 1 | (packets.isEmpty ? 0 : 1)] + rest.prefix(size - 1))
      rest = rest.dropFirst(size - 1)
    } while packets.last.map { $0[0] >> 1 & 3 == 3 } ?? false
    return packets
  }

  /// A code instead of a message; 0 is success.
  static func status(_ code: Int) -> [UInt8] {
    [0, UInt8(truncatingIfNeeded: code), UInt8(truncatingIfNeeded: code >> 8)]
  }

  enum Taken {
    case more
    case message([UInt8])
    /// The packet does not continue the ones before.
    case broken
  }

  private var message: [UInt8] = []
  private var expected: UInt8 = 0
  private var isOpen = false
  /// Limit: more than any file that a host has a reason to write.
  static let limit = 8 << 20

  mutating func take(_ packet: [UInt8]) -> Taken {
    guard let header = packet.first else { return .broken }
    let (isNext, status, sequence) = (header & 1 != 0, header >> 1 & 3, header >> 4)
    if !isNext { reset() }
    guard isNext == isOpen, sequence == expected, status == 1 || status == 3, message.count + packet.count <= Self.limit
    else {
      reset()
      return .broken
    }
    message += packet.dropFirst()
    isOpen = true
    expected = (expected + 1) & 15
    guard status == 1 else { return .more }
    defer { reset() }
    return .message(message)
  }

  mutating func reset() {
    message = []
    expected = 0
    isOpen = false
  }
}
