// Link events of the controller, read from a raw HCI socket. Parsing is total: a value, or nil for bytes that are not
// exactly such an event.
//
//     offset  size  field
//     0       1     0x04, an event
//     1       1     its number
//     2       1     length of the parameters
//     3       n     parameters; of number 0x3E (LE meta) the first is the number of the subevent

import Bluetooth

/// Event of the controller (Core specification, volume 4, part E, 7.7).
enum HCIEvent: Sendable, Equatable {
  /// Connection parameters in an event.
  struct Rhythm: Sendable, Equatable {
    /// Connection interval in units of 1.25 ms.
    let interval: UInt16
    let latency: UInt16
    /// Supervision timeout in units of 10 ms.
    let timeout: UInt16
  }

  /// 0x3E 01: status u8, handle u16, role u8, address type u8, address 6, rhythm, clock accuracy u8.
  /// 0x3E 0A: the same with two resolvable addresses of six bytes before the rhythm.
  case connected(status: UInt8, handle: UInt16, Rhythm)
  /// 0x3E 03: status u8, handle u16, rhythm.
  case updated(status: UInt8, handle: UInt16, Rhythm)
  /// 0x3E 06: handle u16, minimum, maximum, latency, timeout u16. The wearable requested them over the link layer, and
  /// the kernel responds.
  case parametersRequested(handle: UInt16, ConnectionParameters)
  /// 0x3E 07: handle u16, four numbers u16.
  case dataLengthChanged(handle: UInt16)
  /// 0x3E 0C: status u8, handle u16, transmit u8, receive u8.
  case physicalLayerChanged(status: UInt8, handle: UInt16)
  /// 0x05: status u8, handle u16, reason u8.
  case disconnected(handle: UInt16, reason: UInt8)
  /// 0x08: status u8, handle u16, enabled u8. 0x30, a refreshed key: status u8, handle u16.
  case encryptionChanged(status: UInt8, handle: UInt16)
  /// 0x0F: status u8, free commands u8, opcode u16.
  case commandStatus(status: UInt8, opcode: UInt16)
  /// Any other event, by number and, for 0x3E, subevent.
  case other(UInt8, UInt8?)

  /// The handle's upper four bits are reserved (7.7.65).
  private static let handles: UInt16 = 0x0FFF

  init?(_ packet: RawBytes) {
    var reader = ByteReader(packet)
    guard reader.u8() == 0x04, let number = reader.u8(), let length = reader.u8(), reader.remaining == Int(length)
    else { return nil }
    switch number {
    case 0x05:
      guard reader.skip(1), let handle = reader.u16(), let reason = reader.u8() else { return nil }
      self = .disconnected(handle: handle & Self.handles, reason: reason)
    case 0x08, 0x30:
      guard let status = reader.u8(), let handle = reader.u16(), number == 0x30 || reader.skip(1) else { return nil }
      self = .encryptionChanged(status: status, handle: handle & Self.handles)
    case 0x0F:
      guard let status = reader.u8(), reader.skip(1), let opcode = reader.u16() else { return nil }
      self = .commandStatus(status: status, opcode: opcode)
    case 0x3E:
      guard let subevent = reader.u8(), let event = Self(subevent, &reader) else { return nil }
      self = event
      if case .other = event { return }
    default:
      self = .other(number, nil)
      return
    }
    if !reader.isAtEnd { return nil }
  }

  private init?(_ subevent: UInt8, _ reader: inout ByteReader) {
    switch subevent {
    case 0x01, 0x0A:
      guard let status = reader.u8(), let handle = reader.u16(), reader.skip(8), subevent == 0x01 || reader.skip(12),
        let rhythm = Self.rhythm(&reader), reader.skip(1)
      else { return nil }
      self = .connected(status: status, handle: handle & Self.handles, rhythm)
    case 0x03:
      guard let status = reader.u8(), let handle = reader.u16(), let rhythm = Self.rhythm(&reader) else { return nil }
      self = .updated(status: status, handle: handle & Self.handles, rhythm)
    case 0x06:
      guard let handle = reader.u16(), let minimum = reader.u16(), let maximum = reader.u16(),
        let latency = reader.u16(), let timeout = reader.u16()
      else { return nil }
      self = .parametersRequested(
        handle: handle & Self.handles,
        ConnectionParameters(minimumInterval: minimum, maximumInterval: maximum, latency: latency, timeout: timeout))
    case 0x07:
      guard let handle = reader.u16(), reader.skip(8) else { return nil }
      self = .dataLengthChanged(handle: handle & Self.handles)
    case 0x0C:
      guard let status = reader.u8(), let handle = reader.u16(), reader.skip(2) else { return nil }
      self = .physicalLayerChanged(status: status, handle: handle & Self.handles)
    default: self = .other(0x3E, subevent)
    }
  }

  private static func rhythm(_ reader: inout ByteReader) -> Rhythm? {
    guard let interval = reader.u16(), let latency = reader.u16(), let timeout = reader.u16() else { return nil }
    return Rhythm(interval: interval, latency: latency, timeout: timeout)
  }
}

/// Commands that Hearth itself sends to a controller. LE Connection Update (7.8.18): handle, minimum, maximum, latency,
/// timeout u16, then the shortest and longest connection event, u16; zero is no preference. Disconnect (7.1.6): handle
/// u16, reason u8. Read BD_ADDR (7.4.6): no parameters.
enum HCICommand {
  static let readAddressCode: UInt16 = 0x1009
  /// Type (command) u8, opcode u16, length u8.
  static let readAddress: [UInt8] = [0x01, 0x09, 0x10, 0]

  /// Whether a packet is Command Complete (type 0x04, event 0x0E, length u8, free commands u8, opcode u16) of Read
  /// BD_ADDR. Any status counts: an error is a response too.
  static func isAnswerToReadAddress(_ packet: RawBytes) -> Bool {
    packet.count >= 6 && packet[0] == 0x04 && packet[1] == 0x0E && packet[4] == 0x09 && packet[5] == 0x10
  }

  /// Whether a packet is Command Complete (0x0E) or Command Status (0x0F) of any command.
  static func isAnswer(_ packet: RawBytes) -> Bool {
    packet.count >= 6 && packet[0] == 0x04 && (packet[1] == 0x0E || packet[1] == 0x0F)
  }

  static let connectionUpdate: UInt16 = 0x2013

  /// Reason 0x13: terminated by the user of this end.
  static func disconnect(_ handle: UInt16) -> [UInt8] {
    var packet: [UInt8] = [0x01, 0x06, 0x04, 3]
    packet.append(littleEndian: handle)
    packet.append(0x13)
    return packet
  }

  static func connectionUpdate(_ handle: UInt16, _ wanted: ConnectionParameters) -> [UInt8] {
    var packet: [UInt8] = [0x01]
    packet.append(littleEndian: connectionUpdate)
    packet.append(14)
    for field in [handle, wanted.minimumInterval, wanted.maximumInterval, wanted.latency, wanted.timeout, 0, 0] {
      packet.append(littleEndian: field)
    }
    return packet
  }
}
