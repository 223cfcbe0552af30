// Values of the Information service, and signals of the link, that the hub does not read. Decoded here for the vectors,
// which say what the firmware sends.

import Bluetooth
import Wearable

@testable import BotzFamily

extension Botz {
  /// Live running metrics, for reading. The characteristics are the cases of `Metric`.
  enum Metrics {
    static let service = BluetoothUUID(high: 0x4FD5_B690_9D89_4061, low: 0x92AA_319C_A786_BAAE)
  }

  /// A placeholder that invents two files.
  enum FileProxy {
    static let service = BluetoothUUID(high: 0x7E50_0001_B5A3_F393, low: 0xE0A9_E50E_24DC_CA9E)
  }

  /// Reads as zeros and never notifies.
  enum Orientation3D {
    static let service = BluetoothUUID(high: 0x0C37_2EC0_27EB_437E, low: 0xBEF4_775A_EFAF_3C97)
  }

  /// Information `..ec3`: the path as announced, bare when read, 34 bytes with zeros at the end when notified. For
  /// people and logs only.
  struct AnnouncedPath: Sendable, Hashable {
    /// Printable ASCII; what is not is left out. Empty if there is no file.
    let text: String

    /// Bytes of a notification.
    static let notifiedSize = 34

    /// Never fails: no result depends on it.
    init(_ bytes: RawBytes) {
      text = String(decoding: bytes.prefix(64).prefix { $0 != 0 }.filter { (0x20...0x7E).contains($0) }, as: UTF8.self)
    }

    /// Padded with zeros.
    static func notified(_ path: String) -> [UInt8] {
      let bytes = Array(path.utf8.prefix(notifiedSize))
      return bytes + [UInt8](repeating: 0, count: notifiedSize - bytes.count)
    }
  }

  /// Information `..ec6`, `u16` in 0.1 kg. No command makes the insole measure: it stays 0.
  struct Weight: Sendable, Hashable {
    /// Tenths of a kilogram.
    let tenths: UInt16

    /// - Throws: `empty`, `truncated` below two bytes.
    init(_ bytes: RawBytes) throws(DecodeError) {
      if bytes.isEmpty { throw .empty }
      var reader = ByteReader(bytes)
      guard let tenths = reader.u16() else { throw .truncated }
      self.tenths = tenths
    }
  }

  /// A Connection Parameter Update Request or its answer on the L2CAP signalling channel (Core specification, volume 3,
  /// part A, 4.20 and 4.21). The kernel answers it; here it is for what a simulated insole sends.
  ///
  ///     0   u8   code: 0x12 request, 0x13 response
  ///     1   u8   identifier
  ///     2   u16  length: 8 or 2
  ///     4   u16  minimum and maximum interval, latency, timeout; or the result: 0 accepted, 1 rejected
  enum ParameterSignal: Sendable, Hashable {
    case request(identifier: UInt8, ConnectionParameters)
    case response(identifier: UInt8, result: UInt16)

    /// - Throws: `empty`, `truncated`, `outOfRange` for another code or length.
    init(_ bytes: RawBytes) throws(DecodeError) {
      if bytes.isEmpty { throw .empty }
      var reader = ByteReader(bytes)
      guard let code = reader.u8(), let identifier = reader.u8(), let length = reader.u16(),
        reader.remaining >= Int(length)
      else { throw .truncated }
      switch (code, length) {
      case (0x12, 8):
        guard let minimum = reader.u16(), let maximum = reader.u16(), let latency = reader.u16(),
          let timeout = reader.u16()
        else { throw .truncated }
        let parameters = ConnectionParameters(
          minimumInterval: minimum, maximumInterval: maximum, latency: latency, timeout: timeout)
        self = .request(identifier: identifier, parameters)
      case (0x13, 2):
        guard let result = reader.u16() else { throw .truncated }
        self = .response(identifier: identifier, result: result)
      default: throw .outOfRange
      }
    }

    func encode() -> [UInt8] {
      var bytes: [UInt8] = []
      switch self {
      case .request(let identifier, let parameters):
        bytes = [0x12, identifier, 8, 0]
        for number in [parameters.minimumInterval, parameters.maximumInterval, parameters.latency, parameters.timeout] {
          bytes.append(littleEndian: number)
        }
      case .response(let identifier, let result):
        bytes = [0x13, identifier, 2, 0]
        bytes.append(littleEndian: result)
      }
      return bytes
    }
  }

  /// The profile that the insole assumes, from the interval of the link that was updated last. The value is no proof.
  static func guessedProfile(interval: UInt16) -> LinkProfile {
    interval >= 160 ? .idle : interval >= 40 ? .background : .foreground
  }
}

extension Botz.ActivityHeader {
  /// As it is notified: all zeros before the first session since the start, which is no header.
  static func live(_ bytes: RawBytes) throws(DecodeError) -> Self? {
    if bytes.count >= size, bytes.allSatisfy({ $0 == 0 }) { return nil }
    return try Self(bytes)
  }

  /// As it is notified.
  func encodeLive() -> [UInt8] { encode() + [0, 0, 0] }
}
