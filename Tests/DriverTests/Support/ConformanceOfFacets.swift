// Facets that a driver declares beside the core, compared with its answers. A declared facet has an offer, and the hub
// refuses what is not declared (ConformanceOfOrders).

import Bluetooth
import EventLoop
import Health
import Wearable

extension ConformanceKit {
  /// Facets that are declared and empty, or that contradict what the driver can do.
  static func facetFaults(_ driver: any WearableDriver) -> [String] {
    let unknown = KnownWearable()
    let live = Set(driver.capabilities.live)
    var faults: [String] = []
    func empty(_ facet: String) { faults.append("\(driver.id) declares \(facet) and has none") }
    if let it = driver.configurable, it.settings(of: unknown).isEmpty, it.switches(of: unknown).isEmpty {
      empty("settings")
    }
    // Of a model that is not known a family may name more than its kind has; the hub refuses that.
    if let it = driver.streaming, live.isDisjoint(with: it.streams(of: unknown) ?? driver.capabilities.live) {
      empty("streams")
    }
    if let it = driver.rated, live.isDisjoint(with: it.rates(of: unknown).keys) { empty("rates") }
    if let it = driver.encrypting, let why = it.secretRefusal(for: unknown) {
      faults.append("\(driver.id) declares encryption and refuses it: \(why)")
    }
    if let it = driver.monitored {
      let choices = it.monitoring(of: unknown)
      if choices.isEmpty || choices.contains(where: { $0.parts.isEmpty }) { empty("monitoring") }
      for choice in choices where !driver.implemented(for: unknown)[choice.series].isSuperset(of: choice.gates) {
        faults.append("\(driver.id) can be ordered to monitor \(choice.series.name), and does not carry it out")
      }
    }
    if let it = driver.advertisedValues, it.makeListener() == nil { empty("advertised values") }
    if let it = driver.paced, it.writePaces.isEmpty || it.writePaces.contains(where: { $0.pause <= .zero }) {
      empty("paces")
    }
    if let it = driver.successor, it.extends.isEmpty { empty("drivers that it extends") }
    if let it = driver.quirky, it.quirks.isEmpty { empty("quirks") }
    let hasClock = driver.capabilities.contains(.timeRead) || isClockUnreadable(driver)
    if (driver.clocked != nil) != hasClock {
      faults.append("\(driver.id) reads a clock and does not say what it shows, or the other way round")
    }
    faults += furtherFaults(driver)
    if driver is any LinkedDriver, driver.capabilities.recorded.isEmpty {
      faults.append("\(driver.id) records nothing, and is linked anyway")
    }
    return faults
  }

  /// What a driver says that it carries out of series which it neither hears nor fetches, or which the core says.
  private static func furtherFaults(_ driver: any WearableDriver) -> [String] {
    guard let further = driver.capable?.furtherCapabilities else { return [] }
    var faults: [String] = []
    if further.isEmpty { faults.append("\(driver.id) declares further capabilities and has none") }
    // What is measured by order alone is neither heard nor fetched; streams that begin by order the core says.
    let known = driver.capabilities.live + driver.capabilities.recorded + further.series(with: .onDemand)
    for series in further.series {
      if !known.contains(series) { faults.append("\(driver.id) does more with \(series.name), which it does not have") }
      if !further[series].isDisjoint(with: [.live, .recorded, .history, .streamed]) {
        faults.append("\(driver.id) says of \(series.name) what the core says")
      }
      let times: SeriesCapabilities = [.monitoringWindow, .monitoringInterval]
      if !further[series].contains(.monitoring), !further[series].isDisjoint(with: times) {
        faults.append("\(driver.id) says when \(series.name) is measured, and not that it is")
      }
    }
    return faults
  }

  /// Facets of a session that contradict what its driver can do, or that take what they do not have.
  @LoopActor
  static func facetFaults(_ session: any WearableSession, _ driver: any WearableDriver) async throws(VisitTrouble)
    -> [String]
  {
    let id = driver.id
    var faults: [String] = []
    if driver.capabilities.contains(.timeRead), session.clocked == nil {
      faults.append("\(id) declares a clock, and its session reads none")
    }
    if driver.streaming != nil, session.streaming == nil {
      faults.append("\(id) declares streams, and its session begins none")
    }
    if driver.configurable != nil, session.streaming == nil {
      faults.append("\(id) declares settings, and its session hears of no order")
    }
    if let it = driver.monitored, !it.monitoring(of: KnownWearable()).isEmpty, session.monitored == nil {
      faults.append("\(id) declares monitoring, and its session knows nothing of it")
    }
    faults += try await measuringFaults(session, driver)
    _ = try await session.clocked?.readClock()
    if let attended = session.attended, let attendance = attended.attendance {
      if attendance < .seconds(1) { faults.append("\(id) wants to be attended all the time") }
      try await attended.attend()
    }
    if let operated = session.operated {
      let names = operated.actions.map(\.name)
      faults += nameFaults(names, "actions", id)
      let isTaken = try await isTaken { () throws(VisitTrouble) in
        _ = try await operated.perform(WearableAction("no-such-action", ""), [])
      }
      if isTaken { faults.append("\(id) takes an action that it does not declare") }
    }
    if let reporting = session.reporting {
      faults += nameFaults(reporting.reports, "reports", id)
      for topic in reporting.reports
      where try await !isTaken({ () throws(VisitTrouble) in _ = try await reporting.report(topic) }) {
        faults.append("\(id) declares the report '\(topic)' and refuses it")
      }
      let isTaken = try await isTaken { () throws(VisitTrouble) in _ = try await reporting.report("no-such-topic") }
      if isTaken { faults.append("\(id) tells what it does not declare") }
    }
    return faults
  }

  /// Exactly the series that are measured by order are declared.
  @LoopActor
  private static func measuringFaults(_ session: any WearableSession, _ driver: any WearableDriver)
    async throws(VisitTrouble) -> [String]
  {
    let declared = driver.capable?.furtherCapabilities.series(with: .onDemand) ?? []
    guard let measuring = session.measuring else {
      return declared.isEmpty
        ? [] : ["\(driver.id) declares measuring by order, and its session measures nothing by order"]
    }
    var faults: [String] = []
    for series in measuring.measurable where !declared.contains(series) {
      faults.append("\(driver.id) measures \(series.name) by order, and does not declare it")
    }
    let others = Series.all.filter { !measuring.measurable.contains($0) }
    for order in others.compactMap({ MeasurementOrder($0) })
    where try await isTaken({ () throws(VisitTrouble) in _ = try await measuring.measure(order, into: NoMeasurement()) }
    ) {
      faults.append("\(driver.id) measures \(order.series.name), of which it says that it does not measure it")
    }
    return faults
  }

  private static func nameFaults(_ names: [String], _ what: String, _ id: String) -> [String] {
    let allowed = Set("abcdefghijklmnopqrstuvwxyz0123456789-")
    var faults: [String] = []
    if names.isEmpty { faults.append("\(id) declares \(what) and has none") }
    if Set(names).count != names.count { faults.append("\(id) has two \(what) of one name") }
    for name in names where name.isEmpty || !name.allSatisfy(allowed.contains) {
      faults.append("\(id): '\(name)' is no name among its \(what)")
    }
    return faults
  }

  /// False if it is refused as `unsupported`.
  @LoopActor
  private static func isTaken(_ body: () async throws(VisitTrouble) -> Void) async throws(VisitTrouble) -> Bool {
    do throws(VisitTrouble) { try await body() } catch {
      if case .unsupported = error { return false }
      throw error
    }
    return true
  }
}

/// Wants no measurement.
@LoopActor
private final class NoMeasurement: MeasurementSink {
  func append(_ series: Series, _ values: [Int64]) {}
  var isStopped: Bool { true }
}
