// Values that a sensor measures itself: passed through, never estimated. Some are derived from a cuff's reading.

/// Latest values of a sensor in the window.
public struct SensorReading: Sendable, Hashable {
  /// Beats a minute, in the order of time: of a rate-only band, an oximeter or a cuff.
  public var rates: [Double] = []
  /// Oxygen saturation in %.
  public var saturation: Double?
  /// Temperature in °C.
  public var temperature: Double?
  /// Whether the thermometer measures the skin of the wrist, not the body.
  public var isWristTemperature = false
  /// Latest reading of a cuff, if any.
  public var cuff: CuffReading?
  /// Weight in kg.
  public var weight: Double?
  /// Beats a minute, of the single measurement of an oximeter. That of a cuff is in its reading.
  public var pulse: Double?
  /// Whether the sensor itself doubts its single measurement: movement, a loose cuff, an irregular pulse.
  public var isDoubtful = false

  /// Whether a reading came that is left out here because its time is unknown.
  public var isUndated = false

  static let saturations = 0.0...100.0
  /// °C, range of a clinical thermometer (ISO 80601-2-56), extended for skin, which is colder.
  static let temperatures = 10.0...45.0
  /// kg, up to the capacity of a scale for people.
  static let weights = 0.1...320.0

  /// A pulse measured once, together with the rest: it needs no minimum window.
  var measuredPulse: Double? { cuff?.pulse ?? pulse }

  /// Creates a reading without values.
  public init() {}

  /// Beats a minute: the last rate, or the mean of all.
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

/// Reading of a cuff, in mmHg.
public struct CuffReading: Sendable, Hashable {
  /// Systolic pressure in mmHg.
  public var systolic: Double
  /// Diastolic pressure in mmHg.
  public var diastolic: Double
  /// Mean arterial pressure in mmHg as the cuff reported it, if it did.
  public var mean: Double?
  /// Pulse in 1/min, if the cuff measured it.
  public var pulse: Double?

  /// Range that a cuff can inflate to.
  static let pressures = 0.0...300.0

  /// A reading in mmHg; `pulse` in 1/min.
  public init(systolic: Double, diastolic: Double, mean: Double? = nil, pulse: Double? = nil) {
    self.systolic = systolic
    self.diastolic = diastolic
    self.mean = mean
    self.pulse = pulse
  }

  /// mmHg: the heart rests two thirds of the time.
  public var computedMean: Double { (systolic + 2 * diastolic) / 3 }
  /// Pulse pressure in mmHg; nil: impossible reading.
  public var pulsePressure: Double? { systolic >= diastolic ? systolic - diastolic : nil }
  /// Rate–pressure product in mmHg·bpm: pulse times systolic pressure; nil without a pulse.
  public var workload: Double? { pulse.map { $0 * systolic } }
}
