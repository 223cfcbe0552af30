// Kinds of limits for live values: what they watch, how long a value must stay beyond, and which limits are possible.

public import Health
public import Reasons

/// Situation of the body in which a limit applies.
public enum AlertSituation: String, Sendable, Hashable {
  /// Alert outside exercise.
  case rest
  case exercise

  /// Time that a value must stay beyond its limit. Like the alarms of bands (FitCloud's reference).
  package var patience: Duration { self == .rest ? .seconds(900) : .seconds(10) }

  /// A gap of up to this length leaves the counted time as it was; after a longer one counting begins again. The ten
  /// seconds in exercise permit no gap.
  package var bridge: Duration { self == .rest ? .seconds(60) : .zero }
}

/// A kind of limit that people may set for a wearable. The numbers are those of the store.
public enum AlertKind: UInt8, Sendable, Hashable, CaseIterable {
  case restAbove = 1
  case restBelow = 2
  case exerciseAbove = 3
  case exerciseBelow = 4
  case oxygenBelow = 5
  case temperatureAbove = 6
  case temperatureBelow = 7

  /// A limit is watched again only after its value was within it for this long.
  package static let rearming: Duration = .seconds(60)
  /// Longest gap between values of a thermometer, which measures from time to time. A body's temperature hardly changes
  /// in ten minutes; during a longer gap it is unknown.
  package static let slowGap: Duration = .seconds(600)

  /// Name as people write it.
  public var name: String {
    switch self {
    case .restAbove: "rest-above"
    case .restBelow: "rest-below"
    case .exerciseAbove: "exercise-above"
    case .exerciseBelow: "exercise-below"
    case .oxygenBelow: "spo2-below"
    case .temperatureAbove: "temperature-above"
    case .temperatureBelow: "temperature-below"
    }
  }

  /// The kind of this name; nil: unknown name.
  public init?(name: String) {
    guard let found = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = found
  }

  /// Series that is watched.
  public var series: Series {
    switch self {
    case .restAbove, .restBelow, .exerciseAbove, .exerciseBelow: .heartRate
    case .oxygenBelow: .spo2
    case .temperatureAbove, .temperatureBelow: .bodyTemperature
    }
  }

  /// Situation in which the limit applies.
  public var situation: AlertSituation {
    switch self {
    case .exerciseAbove, .exerciseBelow: .exercise
    case .restAbove, .restBelow, .oxygenBelow, .temperatureAbove, .temperatureBelow: .rest
    }
  }

  /// True if values above the limit raise the alert, false if values below.
  public var isAbove: Bool {
    switch self {
    case .restAbove, .exerciseAbove, .temperatureAbove: true
    case .restBelow, .exerciseBelow, .oxygenBelow, .temperatureBelow: false
    }
  }

  /// Reason code of the alert.
  public var reason: Reason {
    switch self {
    case .restAbove, .restBelow: .restRateBeyond
    case .exerciseAbove, .exerciseBelow: .exerciseRateBeyond
    case .oxygenBelow: .oxygenBeyond
    case .temperatureAbove, .temperatureBelow: .temperatureBeyond
    }
  }

  /// The opposite limit of the same quantity in the same situation.
  package var opposite: AlertKind? {
    switch self {
    case .restAbove: .restBelow
    case .restBelow: .restAbove
    case .exerciseAbove: .exerciseBelow
    case .exerciseBelow: .exerciseAbove
    case .oxygenBelow: nil
    case .temperatureAbove: .temperatureBelow
    case .temperatureBelow: .temperatureAbove
    }
  }

  /// Permitted limits, in the scale of the series. A limit outside would be exceeded always, or never.
  public var range: ClosedRange<Int64> {
    switch self {
    case .restAbove, .restBelow, .exerciseAbove, .exerciseBelow: 20...250
    case .oxygenBelow: 50...100
    case .temperatureAbove, .temperatureBelow: 30_000...45_000
    }
  }

  /// Decimal places of the series.
  private var places: Int { series == .bodyTemperature ? 3 : 0 }

  /// Parses a limit as people write it, `120` or `38.5`, into the scale of the series; nil if invalid.
  public func limit(_ text: String) -> Int64? {
    let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false).map { String($0) }
    guard text.utf8.count <= 8, let whole = parts.first, !whole.isEmpty else { return nil }
    let fraction = parts.count == 2 ? parts[1] : ""
    if parts.count == 2, fraction.isEmpty || fraction.utf8.count > places { return nil }
    let digits = whole + fraction + String(repeating: "0", count: places - fraction.utf8.count)
    guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int64(digits) else { return nil }
    return range.contains(number) ? number : nil
  }

  /// `120 bpm`
  package func text(_ value: Int64) -> String {
    "\(series.text(value)) \(series == .bodyTemperature ? "C" : series.unit)"
  }

  private var quantity: String {
    switch series {
    case .heartRate: "heart rate"
    case .spo2: "oxygen saturation"
    default: "body temperature"
    }
  }

  /// Text for people: `heart rate above 120 bpm for 15 min outside exercise`. The value itself is private, and must not
  /// be in a log.
  package func sentence(_ limit: Int64) -> String {
    let when = situation == .rest ? "for 15 min outside exercise" : "for 10 s in exercise"
    return "\(quantity) \(isAbove ? "above" : "below") \(text(limit)) \(when)"
  }
}
