// How the numbers of one signal stand in a file of 16 or 24 bits, so that each comes back as it was.
//
// A reader computes (digital - digital minimum) x (physical range / digital range) + physical minimum. Both ends are
// texts of eight characters. Both are chosen so that one digital step is exactly one step of the series.

internal import Health

/// A stored number times `numerator / denominator` is the physical value. The denominator has no prime factors but 2
/// and 5.
struct EDFFactor: Sendable, Hashable {
  var numerator: Int64 = 1
  var denominator: Int64 = 1

  /// Exact decimal text; nil if it has more than eight characters.
  func text(_ value: Int64) -> String? {
    let (product, overflow) = value.magnitude.multipliedReportingOverflow(by: UInt64(numerator))
    let divisor = UInt64(denominator)
    if overflow || product / divisor > 99_999_999 { return nil }
    var text = "\(value < 0 ? "-" : "")\(product / divisor)"
    var rest = product % divisor
    if rest != 0 { text += "." }
    while rest != 0 {
      if text.utf8.count >= 8 { return nil }
      // Below the denominator, which is far below 2^60.
      rest *= 10
      text += "\(rest / divisor)"
      rest %= divisor
    }
    return text.utf8.count <= 8 ? text : nil
  }
}

/// The range of one signal. The digital minimum stands for "no value", and no value has it.
struct EDFScale: Sendable, Hashable {
  let digitalMinimum: Int64
  let digitalMaximum: Int64
  let physicalMinimum: String
  let physicalMaximum: String
  /// A stored number less this is the digital one.
  let offset: Int64

  /// Steps that an end is moved outwards until its text has eight characters.
  private static let searchLimit: Int64 = 100_000

  /// - Parameter bits: 16 or 24.
  /// - Returns: nil if the numbers from `lowest` to `highest` do not fit.
  init?(lowest: Int64, highest: Int64, factor: EDFFactor, bits: Int) {
    let least = -(Int64(1) << Int64(bits - 1))
    let most = -least - 1
    guard lowest > Int64.min / 2, highest < Int64.max / 2, lowest <= highest else { return nil }
    guard let (low, lowText) = Self.end(lowest - 1, by: -1, factor),
      let (high, highText) = Self.end(highest, by: 1, factor), high - low <= most - least
    else { return nil }
    offset = low >= least && high <= most ? 0 : low - least
    (digitalMinimum, digitalMaximum) = (low - offset, high - offset)
    (physicalMinimum, physicalMaximum) = (lowText, highText)
  }

  private static func end(_ value: Int64, by step: Int64, _ factor: EDFFactor) -> (Int64, String)? {
    for distance in 0...searchLimit {
      let candidate = value + step * distance
      if let text = factor.text(candidate) { return (candidate, text) }
    }
    return nil
  }
}

extension Series {
  /// Label and unit of the signal of a component.
  struct EDFForm {
    /// Label of at most 16 characters of ASCII.
    let label: String
    /// Physical dimension, at most 8 characters of ASCII.
    let unit: String
    let factor: EDFFactor
  }

  /// Names that are short enough for a label with a component behind them. Of the signals that the EDF+ standard texts
  /// list, their standard label.
  private var edfName: String {
    switch self {
    case .ecg: "ECG"
    case .spo2: "SpO2"
    case .pulseAmplitudeIndex: "pulse_amplitude"
    case .temperaturePlace: "temp_place"
    case .systolicPressure: "bp_systolic"
    case .diastolicPressure: "bp_diastolic"
    case .meanPressure: "bp_mean"
    case .exerciseDistance: "exercise_dist"
    case .musclePercentage: "muscle_percent"
    case .wheelRevolutions: "wheel_turns"
    case .footPressure: "foot"
    case .orientation: "orient"
    case .groundTime: "ground"
    case .gaitSymmetry: "gait"
    case .footStrike: "strike"
    case .location: "loc"
    default: name
    }
  }

  /// - Parameter component: 0 for a series without components.
  func edfForm(_ component: Int) -> EDFForm {
    let names = layout.components
    let label = names.count > 1 && component < names.count ? "\(edfName) \(names[component])" : edfName
    let own = EDFFactor(numerator: numerator, denominator: denominator)
    guard self == .location else {
      return EDFForm(label: String(label.prefix(16)), unit: String(unit.prefix(8)), factor: own)
    }
    // The unit names all components: degrees in steps of 1e-7, metres, metres a second.
    return component < 2
      ? EDFForm(label: label, unit: "deg", factor: EDFFactor(denominator: 10_000_000))
      : EDFForm(label: label, unit: component == 2 ? "m" : "m/s", factor: own)
  }

  /// True if an export in EDF shows a row of the series as an event.
  var edfIsEvent: Bool {
    switch layout {
    // Beats are at no equal distances.
    case .scalar: self == .rrInterval
    case .vector: daily == .event || self == .ppi
    case .interval, .record: true
    case .waveform: false
    }
  }

  /// Signals that a row of it makes.
  var edfComponents: Int { max(1, layout.components.count) }
}
