// Signal of a simulated sensor: every sample is a function of its number, so that the truth needs no memory.

/// Kinds of measurement by their number on the air.
public enum PolarKind: UInt8, Sendable, CaseIterable {
  case ecg = 0
  case ppg = 1
  case acc = 2
  case ppi = 3
  case gyro = 5
  case magnetometer = 6
  case skinTemperature = 7
  case pressure = 11
  case heartRate = 14

  /// Values of one sample.
  public var channels: Int {
    switch self {
    case .ecg, .skinTemperature, .pressure, .heartRate: 1
    case .acc, .gyro, .magnetometer: 3
    case .ppg, .ppi: 4
    }
  }
}

/// Samples of one stream or recording. Only whole numbers: floating-point series are in hundredths.
public struct PolarSignal: Sendable, Hashable {
  /// Number of intervals in which an optical sensor searches for the pulse.
  static let settling = 12

  /// Kind of the measurement.
  public let kind: PolarKind
  /// Seed of the samples.
  public let seed: UInt64

  /// Sample `index`, from 0 on, in the units of the air. ECG in µV; PPG in counts, the fourth is ambient light;
  /// acceleration in mg. Gyroscope and magnetometer in steps of the factor; temperature in 0.01 °C; pressure in 0.01
  /// hPa; heart rate in bpm. An interval has bpm, ms, error in ms, flags.
  public func sample(_ index: Int) -> [Int32] {
    switch kind {
    case .ecg: [wave(index, 104, 300) + (index % 104 < 3 ? 1200 : 0) + noise(index, 0, 15)]
    case .ppg: (0..<4).map { wave(index, 50, 900) + noise(index, $0, 200) + 120_000 + Int32($0) * 5000 }
    case .acc: (0..<3).map { wave(index + 20 * $0, 60, 400) + noise(index, $0, 20) + ($0 == 2 ? 1000 : 0) }
    case .gyro: (0..<3).map { wave(index + 13 * $0, 90, 2000) + noise(index, $0, 60) }
    case .magnetometer: (0..<3).map { wave(index + 31 * $0, 400, 300) + noise(index, $0, 4) }
    case .skinTemperature: [3250 + wave(index, 3600, 120)]
    case .pressure: [101_325 + wave(index, 600, 50)]
    case .heartRate: [72 + wave(index, 900, 30) + noise(index, 0, 3)]
    case .ppi:
      {
        let interval = 830 + wave(index, 40, 90) + noise(index, 0, 25)
        // During the search the error is 20 to 40 ms, without a rate and blocked; at rest 5 to 7.
        if index < Self.settling { return [0, interval, 30 + noise(index, 1, 10), 7] }
        // Every fiftieth interval is disturbed; the sensor reports contact.
        return [60_000 / interval, interval, 6 + noise(index, 1, 1), index % 50 == 49 ? 7 : 6]
      }()
    }
  }

  /// Triangle wave, identical on every machine.
  private func wave(_ index: Int, _ period: Int, _ amplitude: Int) -> Int32 {
    let place = (index + Int(seed % 1000)) % period
    let height = place * 2 < period ? place : period - place
    return Int32(height * 4 * amplitude / period - amplitude)
  }

  /// Reproducible noise, in -bound...bound.
  private func noise(_ index: Int, _ channel: Int, _ bound: Int) -> Int32 {
    var mixed =
      seed &+ UInt64(truncatingIfNeeded: index) &* 0x9E37_79B9_7F4A_7C15 &+ UInt64(channel) &* 0xD1B5_4A32_D192_ED03
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return Int32((mixed ^ mixed >> 31) % UInt64(2 * bound + 1)) - Int32(bound)
  }
}
