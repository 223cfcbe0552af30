// Air packets ("RFC76"): the packets of a message, each one value of a characteristic.

import Bluetooth

extension PSFTP {
  /// The header: the byte before the payload.
  ///
  ///     bit 0      next: 0 begins a message, 1 continues it
  ///     bits 1-2   status: 0 error or response, 1 last, 3 more
  ///     bit 3      0
  ///     bits 4-7   sequence, from 0 in each message and direction, 0 again after 15
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

  /// A single packet, parsed without the packets around it.
  struct AirPacket: Sendable, Hashable {
    let header: AirHeader
    /// The 16-bit code of an error frame (status 0 with exactly two bytes). 0 is an acknowledgement.
    let code: UInt16?
    /// Empty for an error frame.
    let payload: [UInt8]

    /// nil for an empty value and for a status that does not exist.
    init?(_ bytes: RawBytes) {
      var reader = ByteReader(bytes)
      guard let first = reader.u8(), let header = AirHeader(first) else { return nil }
      self.header = header
      code = header.status == .errorOrResponse && reader.remaining == 2 ? reader.u16() : nil
      payload = Array(reader.rest())
    }
  }

  /// Cancels the transfer that is under way. From the wearable the same three bytes are an acknowledgement.
  static let cancellation: [UInt8] = [0, 0, 0]

  /// The packets of a message, made one at a time: a large file is not in memory twice.
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

    /// The remaining bytes form the last packet if they fit into one. The last packet may be empty.
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
