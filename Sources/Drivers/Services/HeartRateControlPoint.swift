// Heart Rate Control Point (2A39): the only command for a heart rate sensor.

/// Heart Rate Service 1.0, section 3.3. Written with response; only present if the sensor counts energy.
///
///     byte 0   1 reset the energy counter; others reserved
public enum HeartRateControlPoint: UInt8, Sendable, Hashable, CaseIterable {
  case resetEnergyExpended = 0x01

  /// Bytes to be written.
  public var bytes: [UInt8] { [rawValue] }

  /// ATT errors of the service (application range 0x80-0x9F; the service defines this one).
  public enum ApplicationError: UInt8, Error, Sendable, Hashable {
    /// The sensor does not support the written value, or does not count energy.
    case valueNotSupported = 0x80
  }
}
