// The methods of `io.hearth.Hub` about how wearables measure by themselves, and their document, which stays JSON on
// both sides.

public import EventLoop
public import Health
public import Hub
public import HubProtocol
public import Reasons
public import Wearable

/// What the control socket needs of a hub for monitoring.
@LoopActor
public protocol MonitoringService {
  func monitoring(of which: String) throws(HearthError) -> MonitoringSnapshot
  /// Read from the wearable first. Where it is not linked, this waits for a visit.
  func readMonitoring(of which: String) async throws(HearthError) -> MonitoringSnapshot
  /// Durable when it returns.
  func orderMonitoring(_ which: String, _ series: Series, _ change: (inout MonitoringOrder) -> Void)
    async throws(HearthError) -> MonitoringSnapshot
}

extension HubInterface {
  /// nil if the method is none of these.
  func performMonitoring(_ call: VarlinkCall) async throws(VarlinkError) -> JSON? {
    var parameters = Parameters(call.parameters)
    switch call.member {
    case "Monitoring":
      let name = try parameters.text("name")
      let isNow = try parameters.optionalTruth("now") ?? false
      try parameters.end()
      do throws(HearthError) {
        let found = isNow ? try await service.readMonitoring(of: name) : try service.monitoring(of: name)
        return ["monitoring": JSON(found)]
      } catch { throw .refused(error) }
    case "MonitoringSet": return try await monitoringSet(&parameters)
    default: return nil
    }
  }

  private func monitoringSet(_ parameters: inout Parameters) async throws(VarlinkError) -> JSON {
    let name = try parameters.text("name")
    guard let series = Series(name: try parameters.text("series")) else { throw .invalidParameter("series") }
    let isOn = try parameters.optionalTruth("on")
    let window = try window(&parameters)
    let interval = try parameters.optionalInteger("interval_s", 1...86_400)
    let limits = try limits(of: series, &parameters)
    let rates = MonitoringOrder.maximumHeartRates
    let highest = try parameters.optionalInteger(
      "maximum_heart_rate", Int64(rates.lowerBound)...Int64(rates.upperBound))
    let words = try parameters.optionalTexts("forget", atMost: MonitoringParts.all.count) ?? []
    try parameters.end()
    var forgotten: MonitoringParts = []
    for word in words {
      guard let part = MonitoringParts(word: word) else { throw .invalidParameter("forget") }
      forgotten.insert(part)
    }
    var given = MonitoringOrder()
    (given.isOn, given.window, given.interval) = (isOn, window, interval.map { Int($0) })
    given.maximumHeartRate = highest.map { Int($0) }
    for limit in limits { given.limits[limit.kind] = limit.value }
    if !given.parts.isDisjoint(with: forgotten) { throw .invalidParameter("forget") }
    if given.isEmpty, forgotten.isEmpty, limits.isEmpty { throw .invalidParameter("on") }
    let changes =
      given.words(of: series) + forgotten.words.map { "\($0) none" }
      + limits.filter { $0.value == nil }.map { "\($0.name) none" }
    return try await changed(
      "let \(harmless(name)) measure \(series.name) by itself: \(changes.joined(separator: ", "))", of: name
    ) { () async throws(HearthError) in
      let found = try await service.orderMonitoring(name, series) { order in
        order.forget(forgotten)
        order.take(given)
        for limit in limits { order.limits[limit.kind] = limit.value }
      }
      return ["monitoring": JSON(found)]
    }
  }

  private func window(_ parameters: inout Parameters) throws(VarlinkError) -> MonitoringWindow? {
    let begin = try parameters.optionalText("begin")
    let end = try parameters.optionalText("end")
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

  /// - Returns: for each that changes its value, nil where it is taken back.
  private func limits(of series: Series, _ parameters: inout Parameters) throws(VarlinkError) -> [(
    name: String, kind: MonitoringLimit, value: Int64?
  )] {
    var limits: [(name: String, kind: MonitoringLimit, value: Int64?)] = []
    for (name, text) in try parameters.optionalTextsByName("limits", atMost: MonitoringLimit.allCases.count) ?? [] {
      guard let kind = AlertKind(name: name), kind.series == series else { throw .invalidParameter("limits") }
      let value = kind.limit(text)
      if value == nil, text != Self.noOrder { throw .invalidParameter("limits") }
      limits.append((name, kind.monitoringLimit, value))
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

  /// Its limits by their names, in the series' unit.
  private func limitTexts(of series: Series) -> [(name: String, value: String)] {
    AlertKind.allCases.compactMap { kind in
      guard kind.series == series, let value = limits[kind.monitoringLimit] else { return nil }
      return (kind.name, series.text(value))
    }
  }

  /// For the log.
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
