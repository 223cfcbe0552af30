// Charge and weight in the Information service. The known firmware measures neither.

public import Bluetooth
public import Wearable

extension Botz {
  /// Information `..ec8`, two bytes: percent right, percent left. Constants: 80 every minute, 80 and 79 at the start;
  /// left 0 without a left foot.
  public struct BatteryLevels: Sendable, Hashable {
    /// Level of the right foot in percent.
    public let right: UInt8
    /// Level of the left foot in percent.
    public let left: UInt8

    /// Levels in percent.
    public init(right: UInt8, left: UInt8) {
      self.right = right
      self.left = left
    }

    /// - Throws: `empty`, `truncated` below two bytes, `outOfRange` above 100.
    public init(_ bytes: RawBytes) throws(DecodeError) {
      if bytes.isEmpty { throw .empty }
      var reader = ByteReader(bytes)
      guard let right = reader.u8(), let left = reader.u8() else { throw .truncated }
      guard right <= 100, left <= 100 else { throw .outOfRange }
      self.init(right: right, left: left)
    }

    public func encode() -> [UInt8] { [right, left] }
  }

  /// Information `..ead`, one byte; only the report of the left foot.
  public enum ChargeState: UInt8, Sendable, Hashable {
    case none, charging, full

    /// - Throws: `empty`, `outOfRange` for any other byte.
    public init(_ bytes: RawBytes) throws(DecodeError) {
      guard let byte = bytes.first else { throw .empty }
      guard let state = ChargeState(rawValue: byte) else { throw .outOfRange }
      self = state
    }
  }

  /// Information `..eb5` and, of the left foot, `..ebb`, 16 bytes. Totals are estimates.
  ///
  ///     0   u8   active, state, percent, nothing
  ///     4   u32  bytes received, bytes in all
  ///     12  i32  error
  public struct UpdateProgress: Sendable, Hashable {
    /// State of a firmware update.
    public enum State: UInt8, Sendable, Hashable {
      case idle, inProgress, pending, confirmed, error
    }

    /// Another device is writing new firmware: the hub must not interfere.
    public var isActive: Bool { active != 0 }
    /// 1 while an update runs.
    public let active: UInt8
    /// State of the update, as received: 0 to 4, see `state`.
    public let stateCode: UInt8
    /// Progress in percent.
    public let percent: UInt8
    /// Bytes received.
    public let received: UInt32
    /// Bytes of the whole update.
    public let total: UInt32
    /// Error number; 0: none.
    public let error: Int32
    /// nil for an unknown number.
    public var state: State? { State(rawValue: stateCode) }

    /// Progress of an update; `received` and `total` in bytes.
    public init(isActive: Bool, state: State, percent: UInt8, received: UInt32, total: UInt32, error: Int32 = 0) {
      active = isActive ? 1 : 0
      stateCode = state.rawValue
      (self.percent, self.received, self.total, self.error) = (percent, received, total, error)
    }

    /// - Throws: `empty`, `truncated` below 16 bytes.
    public init(_ bytes: RawBytes) throws(DecodeError) {
      if bytes.isEmpty { throw .empty }
      var reader = ByteReader(bytes)
      guard let active = reader.u8(), let state = reader.u8(), let percent = reader.u8(), reader.skip(1),
        let received = reader.u32(),
        let total = reader.u32(), let error = reader.i32()
      else { throw .truncated }
      (self.active, stateCode, self.percent, self.received, self.total, self.error) = (
        active, state, percent, received, total, error
      )
    }

    public func encode() -> [UInt8] {
      var bytes: [UInt8] = [active, stateCode, percent, 0]
      bytes.append(littleEndian: received)
      bytes.append(littleEndian: total)
      bytes.append(littleEndian: error)
      return bytes
    }
  }
}
