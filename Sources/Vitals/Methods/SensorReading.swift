// Values that a sensor measures itself: passed through, never estimated. Of a cuff's reading there is some arithmetic.

/// The latest of what a sensor told in the window.
public struct SensorReading: Sendable, Hashable {
  /// Beats a minute, in the order of time: of a rate-only band, an oximeter or a cuff.
  public var rates: [Double] = []
  /// %
  public var saturation: Double?
  /// °C
  public var temperature: Double?
  /// Whether the thermometer measures the skin of the wrist, not the body.
  public var isWristTemperature = false
  public var cuff: CuffReading?
  /// kg
  public var weight: Double?
  /// Beats a minute, of the one measurement of an oximeter. That of a cuff is in its reading.
  public var pulse: Double?
  /// The sensor itself doubts its one measurement: movement, a loose cuff, an irregular pulse.
  public var isDoubtful = false

  /// A reading came that is none of these values, as nothing tells when it was measured.
  public var isUndated = false

  static let saturations = 0.0...100.0
  /// °C, what a clinical thermometer shows (ISO 80601-2-56), and skin, which is colder.
  static let temperatures = 10.0...45.0
  /// kg, up to what a scale for people bears.
  static let weights = 0.1...320.0

  /// A pulse that was measured once, together with the rest: no window has to be long enough for it.
  var measuredPulse: Double? { cuff?.pulse ?? pulse }

  public init() {}

  /// Beats a minute: the last of them, or their mean.
  func rate(_ phase: MeasurementPhase) -> Double? {
    var (sum, count) = (0.0, 0)
    var last: Double?
    for rate in rates where PulseRate.plausible.contains(rate) {
      sum += rate
      count += 1
      last = rate
    }
    guard count > 0 else { return nil }
    return phase == .runtime ? last : sum / Double(count)
  }
}

/// What a cuff measured, in mmHg.
public struct CuffReading: Sendable, Hashable {
  public var systolic: Double
  public var diastolic: Double
  /// As the cuff told it.
  public var mean: Double?
  /// Beats a minute.
  public var pulse: Double?

  /// What a cuff can inflate to.
  static let pressures = 0.0...300.0

  public init(systolic: Double, diastolic: Double, mean: Double? = nil, pulse: Double? = nil) {
    self.systolic = systolic
    self.diastolic = diastolic
    self.mean = mean
    self.pulse = pulse
  }

  /// mmHg: two thirds of the time the heart rests.
  public var computedMean: Double { (systolic + 2 * diastolic) / 3 }
  public var pulsePressure: Double? { systolic >= diastolic ? systolic - diastolic : nil }
  /// Rate–pressure product.
  public var workload: Double? { pulse.map { $0 * systolic } }
}
