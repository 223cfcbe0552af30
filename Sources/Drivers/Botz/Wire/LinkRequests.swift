// What the insole asks of the link by itself, and how it guesses a profile from what it got.

public import Bluetooth
public import Wearable

extension Botz {
  /// A Connection Parameter Update Request or its answer on the L2CAP signalling channel (Core specification, volume 3, part A, 4.20 and 4.21). The
  /// kernel answers it; here it is for what a simulated insole sends.
  ///
  ///     0   u8   code: 0x12 request, 0x13 response
  ///     1   u8   identifier
  ///     2   u16  length: 8 or 2
  ///     4   u16  minimum and maximum interval, latency, timeout; or the result: 0 accepted, 1 rejected
  public enum ParameterSignal: Sendable, Hashable {
    case request(identifier: UInt8, ConnectionParameters)
    case response(identifier: UInt8, result: UInt16)

    /// - Throws: `empty`, `truncated`, `outOfRange` for another code or length.
    public init(_ bytes: RawBytes) throws(DecodeError) {
      if bytes.isEmpty { throw .empty }
      var reader = ByteReader(bytes)
      guard let code = reader.u8(), let identifier = reader.u8(), let length = reader.u16(), reader.remaining >= Int(length) else { throw .truncated }
      switch (code, length) {
      case (0x12, 8):
        guard let minimum = reader.u16(), let maximum = reader.u16(), let latency = reader.u16(), let timeout = reader.u16() else { throw .truncated }
        let parameters = ConnectionParameters(minimumInterval: minimum, maximumInterval: maximum, latency: latency, timeout: timeout)
        self = .request(identifier: identifier, parameters)
      case (0x13, 2):
        guard let result = reader.u16() else { throw .truncated }
        self = .response(identifier: identifier, result: result)
      default: throw .outOfRange
      }
    }

    public func encode() -> [UInt8] {
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

  /// The triples the insole asks for.
  public enum AskedParameters {
    /// 5 s after connecting if no profile was written, and 5 s after the last management frame.
    public static let byItself = ConnectionParameters(minimumInterval: 24, maximumInterval: 40, latency: 0, timeout: 42)
    /// At the first management frame.
    public static let forFiles = ConnectionParameters(minimumInterval: 8, maximumInterval: 9, latency: 0, timeout: 42)
    /// After a profile was written. That of idle breaks the specification's rule on the timeout: it is never sent.
    public static func profile(_ profile: LinkProfile) -> ConnectionParameters {
      switch profile {
      case .foreground: .foreground
      case .background: .background
      case .idle: ConnectionParameters(minimumInterval: 160, maximumInterval: 400, latency: 10, timeout: 1000)
      }
    }
  }

  /// The profile that the insole takes itself to be in, from the interval of whatever link was updated last: what it says of it proves nothing.
  public static func guessedProfile(interval: UInt16) -> LinkProfile { interval >= 160 ? .idle : interval >= 40 ? .background : .foreground }
}
