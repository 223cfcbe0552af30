// How a wearable measures by itself: what people order of one series, and what a wearable says of it.

public import Health

/// Of measuring one series automatically: what is ordered, or what a wearable says. What is nil is left as the wearable
/// has it, or not said.
public struct MonitoringOrder: Sendable, Hashable {
  /// It measures by itself at all.
  public var isOn: Bool?
  public var window: MonitoringWindow?
  /// Seconds between two measurements.
  public var interval: Int?
  /// It warns beyond these, in the scale of the series.
  public var limits: [MonitoringLimit: Int64] = [:]
  /// Beats a minute, for zones; of the heart rate alone.
  public var maximumHeartRate: Int?

  /// Beats a minute.
  public static let maximumHeartRates = 100...220

  public init() {}

  public var isEmpty: Bool { self == MonitoringOrder() }

  /// What of it is ordered.
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

  /// Takes parts of it back.
  public mutating func forget(_ parts: MonitoringParts) {
    if parts.contains(.isOn) { isOn = nil }
    if parts.contains(.window) { window = nil }
    if parts.contains(.interval) { interval = nil }
    if parts.contains(.restLimits) { limits = limits.filter { $0.key.isOfExercise } }
    if parts.contains(.exerciseLimits) { limits = limits.filter { !$0.key.isOfExercise } }
    if parts.contains(.maximumHeartRate) { maximumHeartRate = nil }
  }

  /// A wearable that says this is as it is ordered. When and how often is nothing where it is ordered off.
  public func isMet(by said: MonitoringOrder) -> Bool {
    if isOn == false { return said.isOn == false }
    if let isOn, isOn != said.isOn { return false }
    if let window, window != said.window { return false }
    if let interval, interval != said.interval { return false }
    if let maximumHeartRate, maximumHeartRate != said.maximumHeartRate { return false }
    return limits.allSatisfy { said.limits[$0.key] == $0.value }
  }
}

/// A part of each day in the wearable's local time, minutes after midnight: 0 to 1440, the end behind the begin.
public struct MonitoringWindow: Sendable, Hashable {
  public let begin: Int
  public let end: Int

  /// nil for what is no part of a day.
  public init?(begin: Int, end: Int) {
    guard begin >= 0, end <= 1440, begin < end else { return nil }
    (self.begin, self.end) = (begin, end)
  }

  /// `08:00`, `24:00`; nil for what is no minute of a day.
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

  public static func text(_ minute: Int) -> String {
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "\(two(minute / 60)):\(two(minute % 60))"
  }
}

/// A bound beyond which a wearable warns by itself.
public enum MonitoringLimit: UInt8, Sendable, Hashable, CaseIterable {
  case restAbove = 1
  case restBelow = 2
  case exerciseAbove = 3
  case exerciseBelow = 4

  public var isOfExercise: Bool { self == .exerciseAbove || self == .exerciseBelow }
}

/// Parts of a `MonitoringOrder`.
public struct MonitoringParts: OptionSet, Sendable, Hashable {
  public let rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  public static let isOn = Self(rawValue: 1 << 0)
  public static let window = Self(rawValue: 1 << 1)
  public static let interval = Self(rawValue: 1 << 2)
  public static let restLimits = Self(rawValue: 1 << 3)
  public static let exerciseLimits = Self(rawValue: 1 << 4)
  public static let maximumHeartRate = Self(rawValue: 1 << 5)

  /// All there are, each with its stable word and the gate that a wearable must have for it beside those of its choice.
  public static let all: [(part: MonitoringParts, word: String, gate: SeriesCapabilities)] = [
    (.isOn, "on", []), (.window, "window", .monitoringWindow), (.interval, "interval", .monitoringInterval),
    (.restLimits, "rest_limits", .restAlert), (.exerciseLimits, "exercise_limits", .exerciseAlert),
    (.maximumHeartRate, "maximum_heart_rate", []),
  ]

  public var words: [String] { Self.all.filter { contains($0.part) }.map(\.word) }

  public init?(word: String) {
    guard let found = Self.all.first(where: { $0.word == word }) else { return nil }
    self = found.part
  }
}

/// What of measuring one series automatically can be ordered of a wearable.
public struct MonitoringChoice: Sendable, Hashable {
  public let series: Series
  public let parts: MonitoringParts
  /// Without these nothing of it can be ordered.
  public let needs: SeriesCapabilities
  /// What may be ordered between two measurements; where a wearable says a narrower range (`MonitoringState.takes`),
  /// that holds.
  public let intervals: MonitoringIntervals
  /// Switched on by an interval alone: without one it measures when it is used.
  public let beginsByInterval: Bool
  /// One of `ConfigurableDriver.switches` that switches the same off; nil: there is none.
  public let feature: String?

  public init(
    _ series: Series, _ parts: MonitoringParts, needs: SeriesCapabilities = .monitoring,
    intervals: MonitoringIntervals = MonitoringIntervals(1...65_535), beginsByInterval: Bool = false,
    feature: String? = nil
  ) {
    (self.series, self.parts, self.needs, self.intervals) = (series, parts, needs, intervals)
    (self.beginsByInterval, self.feature) = (beginsByInterval, feature)
  }

  /// Gates that a driver carries out with it.
  public var gates: SeriesCapabilities {
    MonitoringParts.all.filter { parts.contains($0.part) }.reduce(needs) { $0.union($1.gate) }
  }

  /// What of it a wearable takes.
  ///
  /// - Parameter had: what the wearable has of the series; nil: nobody knows yet.
  public func parts(having had: SeriesCapabilities?) -> MonitoringParts {
    guard let had else { return parts }
    guard had.isSuperset(of: needs) else { return [] }
    return MonitoringParts.all.filter { parts.contains($0.part) && had.isSuperset(of: $0.gate) }.reduce([]) {
      $0.union($1.part)
    }
  }
}

/// How a wearable measures one series.
public struct MonitoringState: Sendable, Hashable {
  public let series: Series
  /// The order that was brought about last; nil: nothing is ordered.
  public let asked: MonitoringOrder?
  /// As it was read back then.
  public let got: MonitoringOrder?
  /// As it said when it was read last.
  public let says: MonitoringOrder
  /// Seconds between two measurements that this very wearable says it takes; nil: it says nothing of that.
  public let takes: ClosedRange<Int>?

  public init(
    _ series: Series, asked: MonitoringOrder?, got: MonitoringOrder?, says: MonitoringOrder,
    takes: ClosedRange<Int>? = nil
  ) { (self.series, self.asked, self.got, self.says, self.takes) = (series, asked, got, says, takes) }

  /// An order, none where it is empty, was just brought about, as far as it could be.
  public init(_ series: Series, asked: MonitoringOrder?, says: MonitoringOrder, takes: ClosedRange<Int>? = nil) {
    let order = asked?.isEmpty == true ? nil : asked
    self.init(series, asked: order, got: order == nil ? nil : says, says: says, takes: takes)
  }

  /// It was read again.
  public func read(_ says: MonitoringOrder) -> MonitoringState {
    MonitoringState(series, asked: asked, got: got, says: says, takes: takes)
  }
}
