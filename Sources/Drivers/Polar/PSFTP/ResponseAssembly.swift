// Assembly of messages from their packets: responses, and notifications of a wearable.

import Bluetooth

extension PSFTP {
  /// Checks the packets of one response in their order. No bytes are kept: the payload of an accepted packet is all
  /// that follows its first byte.
  struct ResponseAssembly: Sendable {
    private var sequence: UInt8 = 0
    private var isFirst = true

    enum Step: Sendable, Hashable {
      /// Payload; more packets follow.
      case more
      /// Payload; the response is complete.
      case last
      /// Response without payload; the response is complete.
      case acknowledged
      /// Failure without payload. If `cancels` is set, the wearable goes on sending until the transfer is cancelled.
      case failed(PSFTPError, cancels: Bool)
    }

    mutating func take(_ packet: RawBytes) -> Step {
      var reader = ByteReader(packet)
      guard let first = reader.u8(), let header = AirHeader(first) else {
        return .failed(.unidentifiedDevice, cancels: false)
      }
      guard header.sequence == sequence else { return .failed(.airPacketLost, cancels: header.status == .more) }
      guard header.continues != isFirst else { return .failed(.unidentifiedDevice, cancels: header.status == .more) }
      isFirst = false
      sequence = (sequence + 1) & 15
      switch header.status {
      case .more: return .more
      case .last: return .last
      case .errorOrResponse:
        // An interruption must have exactly one code; without it the reason is unknown.
        guard reader.remaining == 2, let code = reader.u16() else {
          return .failed(.unidentifiedDevice, cancels: false)
        }
        return code == 0 ? .acknowledged : .failed(PSFTPError(code: code), cancels: false)
      }
    }

    /// The error of a packet that arrives before the hub has sent its whole message: the wearable refuses the rest.
    static func refusal(_ packet: RawBytes) -> PSFTPError {
      guard let code = AirPacket(packet)?.code, code != 0 else { return .unidentifiedDevice }
      return PSFTPError(code: code)
    }
  }

  /// A notification of the wearable, not yet decoded.
  struct RawNotification: Sendable, Hashable {
    let id: UInt8
    let parameters: [UInt8]
  }

  /// Assembles notifications from their packets. A message without a beginning or an end is dropped.
  struct NotificationAssembly: Sendable {
    private var message: [UInt8] = []
    /// A message has begun and is incomplete.
    private(set) var isOpen = false

    /// Longest message, in bytes. The longest known is an event of the REST interface with its text, below 2 kB.
    static let limit = 16_384

    mutating func take(_ packet: RawBytes) -> RawNotification? {
      var reader = ByteReader(packet)
      guard let first = reader.u8(), let header = AirHeader(first), header.status != .errorOrResponse,
        isOpen || !header.continues
      else {
        reset()
        return nil
      }
      if !header.continues { reset() }
      let payload = reader.rest()
      guard message.count + payload.count <= Self.limit else {
        reset()
        return nil
      }
      message += payload
      isOpen = header.status == .more
      if isOpen { return nil }
      defer { reset() }
      return message.first.map { RawNotification(id: $0, parameters: Array(message.dropFirst())) }
    }

    mutating func reset() {
      message = []
      isOpen = false
    }
  }
}
