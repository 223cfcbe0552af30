// Puts messages together from the packets they came in: responses, and what a wearable says by itself.

import Bluetooth

extension PSFTP {
  /// The packets of one response, in their order. It keeps no bytes: what `take` lets through is the payload after the
  /// first byte.
  struct ResponseAssembly: Sendable {
    private var sequence: UInt8 = 0
    private var isFirst = true

    enum Step: Sendable, Hashable {
      /// Payload, and more follows.
      case more
      /// Payload, and the response is whole.
      case last
      /// No payload; the response is whole.
      case acknowledged
      /// No payload. `cancels`: the wearable goes on sending unless it is told to stop.
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
        // An interruption without a code, or with more than one, says nothing that could be acted on.
        guard reader.remaining == 2, let code = reader.u16() else {
          return .failed(.unidentifiedDevice, cancels: false)
        }
        return code == 0 ? .acknowledged : .failed(PSFTPError(code: code), cancels: false)
      }
    }

    /// What a packet means that comes before all of ours are written: the wearable does not want the rest.
    static func refusal(_ packet: RawBytes) -> PSFTPError {
      guard let code = AirPacket(packet)?.code, code != 0 else { return .unidentifiedDevice }
      return PSFTPError(code: code)
    }
  }

  /// What a wearable said by itself.
  struct RawNotification: Sendable, Hashable {
    let id: UInt8
    let parameters: [UInt8]
  }

  /// The packets of what a wearable says. What does not begin, or breaks off, is dropped.
  struct NotificationAssembly: Sendable {
    private var message: [UInt8] = []
    /// A message has begun and is not whole.
    private(set) var isOpen = false

    /// Bytes of one message. The longest known is an event of the REST interface with its text, below 2 kB.
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
