// The methods of `io.hearth.Hub` about how wearables measure by themselves, and their document, which stays JSON on
// both sides.

public import EventLoop
public import Health
public import Hub
public import HubProtocol
public import Reasons
public import Wearable

/// Monitoring orders of a hub, as the control socket needs them.
@LoopActor
public protocol MonitoringService {
  func monitoring(of which: String) throws(HearthError) -> MonitoringSnapshot
  /// Reads the settings from the wearable first. If it is not connected, this waits for a visit.
  func readMonitoring(of which: String) async throws(HearthError) -> MonitoringSnapshot
  /// Durable when it returns.
  func orderMonitoring(_ which: String, _ series: Series, _ change: (inout MonitoringOrder) -> Void)
    async throws(HearthError) -> MonitoringSnapshot
}

extension HubInterface {
  func monitoring(_ parameters: Methods.Monitoring.Parameters) async throws -> Methods.Monitoring.Reply {
    let isNow = parameters.now ?? false
    let found =
      isNow
      ? try await service.readMonitoring(of: parameters.name) : try service.monitoring(of: parameters.name)
    return .init(monitoring: JSON(found))
  }

  func monitoringSet(_ parameters: Methods.MonitoringSet.Parameters) async throws -> Methods.MonitoringSet.Reply {
    let name = parameters.name
    guard let series = Series(name: parameters.series) else { throw VarlinkError.invalidParameter("series") }
    let limits = try Self.limits(of: series, parameters.limits)
    var forgotten: MonitoringParts = []
    for word in parameters.forget ?? [] {
      guard let part = MonitoringParts(word: word) else { throw VarlinkError.invalidParameter("forget") }
      forgotten.insert(part)
    }
    var given = MonitoringOrder()
    (given.isOn, given.interval, given.maximumHeartRate) = (
      parameters.on, parameters.intervalS, parameters.maximumHeartRate
    )
    given.window = try Self.window(parameters.begin, parameters.end)
    for limit in limits { given.limits[limit.kind] = limit.value }
    if !given.parts.isDisjoint(with: forgotten) { throw VarlinkError.invalidParameter("forget") }
    if given.isEmpty, forgotten.isEmpty, limits.isEmpty { throw VarlinkError.invalidParameter("on") }
    let changes =
      given.words(of: series) + forgotten.words.map { "\($0) none" }
      + limits.filter { $0.value == nil }.map { "\($0.name) none" }
    let what = "let \(harmless(name)) measure \(series.name) by itself: \(changes.joined(separator: ", "))"
    return try await changed(what, of: name) {
      let found = try await service.orderMonitoring(name, series) { order in
        order.forget(forgotten)
        order.take(given)
        for limit in limits { order.limits[limit.kind] = limit.value }
      }
      return .init(monitoring: JSON(found))
    }
  }

  private static func window(_ begin: String?, _ end: String?) throws(VarlinkError) -> MonitoringWindow? {
    guard let begin, let end else {
      if begin != nil || end != nil { throw .invalidParameter(begin == nil ? "begin" : "end") }
      return nil
    }
    guard let from = MonitoringWindow.minute(begin) else { throw .invalidParameter("begin") }
    guard let until = MonitoringWindow.minute(end), let window = MonitoringWindow(begin: from, end: until) else {
      throw .invalidParameter("end")
    }
    return window
  }

  /// - Returns: the new value of each changed limit; nil if the limit is removed.
  private static func limits(of series: Series, _ texts: Texts?) throws -> [(
    name: String, kind: MonitoringLimit, value: Int64?
  )] {
    var limits: [(name: String, kind: MonitoringLimit, value: Int64?)] = []
    for entry in texts?.entries ?? [] {
      guard let kind = AlertKind(name: entry.name), kind.series == series else {
        throw VarlinkError.invalidParameter("limits")
      }
      let value = kind.limit(entry.value)
      if value == nil, entry.value != noOrder { throw refusal(of: entry.value, as: kind) }
      limits.append((entry.name, kind.monitoringLimit, value))
    }
    return limits
  }
}

extension MonitoringOrder {
  /// Takes over what another says.
  fileprivate mutating func take(_ given: MonitoringOrder) {
    isOn = given.isOn ?? isOn
    window = given.window ?? window
    interval = given.interval ?? interval
    maximumHeartRate = given.maximumHeartRate ?? maximumHeartRate
  }

  /// Limits of a series by their names, in the series' unit.
  private func limitTexts(of series: Series) -> [(name: String, value: String)] {
    AlertKind.allCases.compactMap { kind in
      guard kind.series == series, let value = limits[kind.monitoringLimit] else { return nil }
      return (kind.name, series.text(value))
    }
  }

  /// Returns words for the log.
  fileprivate func words(of series: Series) -> [String] {
    var words: [String] = []
    if let isOn { words.append(isOn ? "on" : "off") }
    if let window { words.append("\(MonitoringWindow.text(window.begin)) to \(MonitoringWindow.text(window.end))") }
    if let interval { words.append("every \(interval) s") }
    if maximumHeartRate != nil { words.append("maximum heart rate") }
    return words + limitTexts(of: series).map { "\($0.name) \($0.value)" }
  }

  fileprivate func json(_ series: Series) -> JSON {
    [
      "on": isOn.map { JSON.bool($0) } ?? .null,
      "begin": .optional(window.map { MonitoringWindow.text($0.begin) }),
      "end": .optional(window.map { MonitoringWindow.text($0.end) }),
      "interval_s": .optional(interval),
      "limits": .object(limitTexts(of: series).map { JSON.Member($0.name, .string($0.value)) }),
      "maximum_heart_rate": .optional(maximumHeartRate),
    ]
  }
}

extension JSON {
  /// `MonitoringOf`
  public init(_ found: MonitoringSnapshot) {
    self = [
      "schema": "io.hearth.monitoring/1", "device": .string(found.wearable),
      "series": .array(found.series.map { JSON($0) }), "since": .optional(found.since?.rfc3339),
      "reason": found.trouble.map { JSON(encoding: TroubleDocument($0)) } ?? .null,
    ]
  }

  private init(_ one: MonitoredSeries) {
    self = [
      "series": .string(one.series.name), "unit": .string(one.series.unit),
      "can": .array(one.parts.words.map { .string($0) }),
      "lowest_s": .optional(one.intervals?.range.lowerBound), "highest_s": .optional(one.intervals?.range.upperBound),
      "step_s": .optional(one.intervals?.step),
      "only_s": .array((one.intervals?.values ?? []).map { .integer(Int64($0)) }),
      "asked": one.asked?.json(one.series) ?? .null, "got": one.got?.json(one.series) ?? .null,
      "says": one.says?.json(one.series) ?? .null, "progress": .string(one.progress.rawValue),
    ]
  }
}
