// Automatic measuring of one series: orders of people, and states that a wearable reports.

public import Health

/// Automatic measuring of one series, as ordered or as a wearable reports it. A nil part is left unchanged, or not
/// reported.
public struct MonitoringOrder: Sendable, Hashable {
  /// Whether the wearable measures automatically at all.
  public var isOn: Bool?
  /// Daily window; nil: unchanged.
  public var window: MonitoringWindow?
  /// Seconds between two measurements.
  public var interval: Int?
  /// Alert limits, in the scale of the series.
  public var limits: [MonitoringLimit: Int64] = [:]
  /// Beats per minute, for zones; heart rate only.
  public var maximumHeartRate: Int?

  /// Accepted maximum heart rates, beats a minute.
  public static let maximumHeartRates = 100...220

  /// Creates an empty set.
  public init() {}

  /// True without any part.
  public var isEmpty: Bool { self == MonitoringOrder() }

  /// Parts that are ordered.
  public var parts: MonitoringParts {
    var parts: MonitoringParts = []
    if isOn != nil { parts.insert(.isOn) }
    if window != nil { parts.insert(.window) }
    if interval != nil { parts.insert(.interval) }
    if limits.keys.contains(where: { !$0.isOfExercise }) { parts.insert(.restLimits) }
    if limits.keys.contains(where: { $0.isOfExercise }) { parts.insert(.exerciseLimits) }
    if maximumHeartRate != nil { parts.insert(.maximumHeartRate) }
    return parts
  }

  /// Removes parts of the order.
  public mutating func forget(_ parts: MonitoringParts) {
    if parts.contains(.isOn) { isOn = nil }
    if parts.contains(.window) { window = nil }
    if parts.contains(.interval) { interval = nil }
    if parts.contains(.restLimits) { limits = limits.filter { $0.key.isOfExercise } }
    if parts.contains(.exerciseLimits) { limits = limits.filter { !$0.key.isOfExercise } }
    if parts.contains(.maximumHeartRate) { maximumHeartRate = nil }
  }

  /// Whether a wearable that reports this state fulfils the order. If the order is "off", window and interval do not
  /// matter.
  public func isMet(by said: MonitoringOrder) -> Bool {
    if isOn == false { return said.isOn == false }
    if let isOn, isOn != said.isOn { return false }
    if let window, window != said.window { return false }
    if let interval, interval != said.interval { return false }
    if let maximumHeartRate, maximumHeartRate != said.maximumHeartRate { return false }
    return limits.allSatisfy { said.limits[$0.key] == $0.value }
  }
}

/// Daily window in the wearable's local time, minutes after midnight: 0 to 1440, with the end after the beginning.
public struct MonitoringWindow: Sendable, Hashable {
  /// Begin in minutes after midnight.
  public let begin: Int
  /// End in minutes after midnight.
  public let end: Int

  /// nil for an invalid window.
  public init?(begin: Int, end: Int) {
    guard begin >= 0, end <= 1440, begin < end else { return nil }
    (self.begin, self.end) = (begin, end)
  }

  /// Minute of `08:00` or `24:00`; nil for an invalid time of day.
  public static func minute(_ text: String) -> Int? {
    let bytes = Array(text.utf8)
    guard bytes.count == 5, bytes[2] == 0x3A else { return nil }
    func pair(_ place: Int) -> Int? {
      let digits = bytes[place...(place + 1)]
      guard digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
      return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }
    guard let hour = pair(0), let minute = pair(3), minute < 60, hour * 60 + minute <= 1440 else { return nil }
    return hour * 60 + minute
  }

  /// A minute as in `07:30`.
  public static func text(_ minute: Int) -> String {
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "\(two(minute / 60)):\(two(minute % 60))"
  }
}

/// Limit beyond which a wearable alerts by itself.
public enum MonitoringLimit: UInt8, Sendable, Hashable, CaseIterable {
  case restAbove = 1
  case restBelow = 2
  case exerciseAbove = 3
  case exerciseBelow = 4

  /// True for limits of exercise.
  public var isOfExercise: Bool { self == .exerciseAbove || self == .exerciseBelow }
}

/// Parts of a `MonitoringOrder`.
public struct MonitoringParts: OptionSet, Sendable, Hashable {
  public let rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Switch of the automatic measuring.
  public static let isOn = Self(rawValue: 1 << 0)
  /// Part of each day in which it measures.
  public static let window = Self(rawValue: 1 << 1)
  /// Interval between two measurements, seconds.
  public static let interval = Self(rawValue: 1 << 2)
  /// Alert limits at rest, in the scale of the series.
  public static let restLimits = Self(rawValue: 1 << 3)
  /// Alert limits in exercise, in the scale of the series.
  public static let exerciseLimits = Self(rawValue: 1 << 4)
  /// Maximum heart rate, beats a minute, from which zones are computed.
  public static let maximumHeartRate = Self(rawValue: 1 << 5)

  /// Parts, each with its stable word and the gate that a wearable must have for it, besides those of its choice.
  public static let all: [(part: MonitoringParts, word: String, gate: SeriesCapabilities)] = [
    (.isOn, "on", []), (.window, "window", .monitoringWindow), (.interval, "interval", .monitoringInterval),
    (.restLimits, "rest_limits", .restAlert), (.exerciseLimits, "exercise_limits", .exerciseAlert),
    (.maximumHeartRate, "maximum_heart_rate", []),
  ]

  /// Stable words of the contained parts, in the order of `all`.
  public var words: [String] { Self.all.filter { contains($0.part) }.map(\.word) }

  /// The part of a word; nil: unknown word.
  public init?(word: String) {
    guard let found = Self.all.first(where: { $0.word == word }) else { return nil }
    self = found.part
  }
}

/// Parts of a series' automatic measuring that can be ordered of a wearable.
public struct MonitoringChoice: Sendable, Hashable {
  /// Series that is measured automatically.
  public let series: Series
  /// Parts that can be ordered.
  public let parts: MonitoringParts
  /// Gates without which no part can be ordered.
  public let needs: SeriesCapabilities
  /// Intervals that may be ordered. A narrower range that a wearable reports takes precedence
  /// (`MonitoringState.takes`).
  public let intervals: MonitoringIntervals
  /// An interval alone switches it on; without one the wearable measures when it is used.
  public let beginsByInterval: Bool
  /// Name in `ConfigurableDriver.switches` that switches off the same measuring; nil: no such switch.
  public let feature: String?

  /// A choice; parameters as the properties of the same names.
  public init(
    _ series: Series, _ parts: MonitoringParts, needs: SeriesCapabilities = .monitoring,
    intervals: MonitoringIntervals = MonitoringIntervals(1...65_535), beginsByInterval: Bool = false,
    feature: String? = nil
  ) {
    (self.series, self.parts, self.needs, self.intervals) = (series, parts, needs, intervals)
    (self.beginsByInterval, self.feature) = (beginsByInterval, feature)
  }

  /// Gates that a driver implements with this choice.
  public var gates: SeriesCapabilities {
    MonitoringParts.all.filter { parts.contains($0.part) }.reduce(needs) { $0.union($1.gate) }
  }

  /// Parts that a wearable accepts.
  ///
  /// - Parameter had: gates of the series on this wearable; nil: unknown.
  public func parts(having had: SeriesCapabilities?) -> MonitoringParts {
    guard let had else { return parts }
    guard had.isSuperset(of: needs) else { return [] }
    return MonitoringParts.all.filter { parts.contains($0.part) && had.isSuperset(of: $0.gate) }.reduce([]) {
      $0.union($1.part)
    }
  }
}

/// State of automatic measuring for one series.
public struct MonitoringState: Sendable, Hashable {
  /// Series that is measured automatically.
  public let series: Series
  /// The order that was written last; nil: no order.
  public let asked: MonitoringOrder?
  /// State as read back then.
  public let got: MonitoringOrder?
  /// State as read last.
  public let says: MonitoringOrder
  /// Seconds between two measurements that this wearable reports to accept; nil: not reported.
  public let takes: ClosedRange<Int>?

  /// A state: ordered, accepted, and reported by the wearable.
  public init(
    _ series: Series, asked: MonitoringOrder?, got: MonitoringOrder?, says: MonitoringOrder,
    takes: ClosedRange<Int>? = nil
  ) { (self.series, self.asked, self.got, self.says, self.takes) = (series, asked, got, says, takes) }

  /// State after an order was written, as far as that was possible. An empty order counts as no order.
  public init(_ series: Series, asked: MonitoringOrder?, says: MonitoringOrder, takes: ClosedRange<Int>? = nil) {
    let order = asked?.isEmpty == true ? nil : asked
    self.init(series, asked: order, got: order == nil ? nil : says, says: says, takes: takes)
  }

  /// The state after it was read again.
  public func read(_ says: MonitoringOrder) -> MonitoringState {
    MonitoringState(series, asked: asked, got: got, says: says, takes: takes)
  }
}
