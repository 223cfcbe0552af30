// Air packets ("RFC76"): what one value of a characteristic carries of a message.

import Bluetooth

extension PSFTP {
  /// The byte before the payload.
  ///
  /// | bits | field |
  /// |---|---|
  /// | 0 | next: 0 begins a message, 1 continues it |
  /// | 1–2 | status: 0 error or response, 1 last, 3 more |
  /// | 3 | 0 |
  /// | 4–7 | sequence, from 0 in each message and direction, 0 again after 15 |
  struct AirHeader: Sendable, Hashable {
    enum Status: UInt8, Sendable, Hashable {
      case errorOrResponse = 0
      case last = 1
      case more = 3
    }

    var continues: Bool
    var status: Status
    /// 0 to 15.
    var sequence: UInt8

    init(continues: Bool, status: Status, sequence: UInt8) {
      (self.continues, self.status, self.sequence) = (continues, status, sequence & 15)
    }

    /// nil for status 2, which does not exist.
    init?(_ byte: UInt8) {
      guard let status = Status(rawValue: byte >> 1 & 3) else { return nil }
      self.init(continues: byte & 1 == 1, status: status, sequence: byte >> 4)
    }

    var byte: UInt8 { sequence << 4 | status.rawValue << 1 | (continues ? 1 : 0) }
  }

  /// One packet, read by itself.
  struct AirPacket: Sendable, Hashable {
    let header: AirHeader
    /// What an error frame says: status 0 with exactly two bytes, all 16 bits of them. 0 acknowledges.
    let code: UInt16?
    /// Empty where there is a code.
    let payload: [UInt8]

    /// nil without a header, or for a status that does not exist.
    init?(_ bytes: RawBytes) {
      var reader = ByteReader(bytes)
      guard let first = reader.u8(), let header = AirHeader(first) else { return nil }
      self.header = header
      code = header.status == .errorOrResponse && reader.remaining == 2 ? reader.u16() : nil
      payload = Array(reader.rest())
    }
  }

  /// Stops whatever is on its way. Also how a wearable acknowledges: the same three bytes in the other direction.
  static let cancellation: [UInt8] = [0, 0, 0]

  /// The packets of a message, made one after the other: a large file is not there twice.
  struct AirPackets: Sequence, IteratorProtocol, Sendable {
    private let message: [UInt8]
    private let payload: Int
    private var offset = 0
    private var sequence: UInt8 = 0
    private(set) var isAtEnd = false

    /// - Parameter size: bytes of a packet with its header: ATT MTU − 3, at least 20.
    init(_ message: [UInt8], size: Int) {
      self.message = message
      payload = Swift.max(20, size) - 1
    }

    /// The rest is the last packet if it fits, even if it is empty.
    mutating func next() -> [UInt8]? {
      guard !isAtEnd else { return nil }
      let end = Swift.min(offset + payload, message.count)
      isAtEnd = end == message.count
      let header = AirHeader(continues: offset > 0, status: isAtEnd ? .last : .more, sequence: sequence)
      var packet: [UInt8] = []
      packet.reserveCapacity(1 + end - offset)
      packet.append(header.byte)
      packet += message[offset..<end]
      (offset, sequence) = (end, (sequence + 1) & 15)
      return packet
    }
  }
}
