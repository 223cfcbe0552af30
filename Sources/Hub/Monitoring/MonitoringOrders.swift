// Orders for what a wearable measures by itself: what may be ordered, and the result.

import EventLoop
import Health
import Reasons
public import Wearable

extension OrderKeeper {
  func monitoring(of which: String) throws(HearthError) -> MonitoringSnapshot {
    monitoring(of: try registry.require(which))
  }

  private func monitoring(of wearable: EnrolledWearable) -> MonitoringSnapshot {
    let choices = monitoringChoices(of: wearable)
    let orders = wearable.choices.orders.monitoring
    let seen = wearable.remembered(SeenMonitoring.self)
    let shown = Series.all.compactMap { series -> MonitoredSeries? in
      let choice = choices.first { $0.series == series }
      let state = seen?.states.first { $0.series == series }
      let order = orders[series]
      let parts = choice.map { $0.parts(having: having(series, wearable)) } ?? []
      if parts.isEmpty, state == nil, order == nil { return nil }
      // Values that the wearable took by an earlier order do not answer this one.
      let got = state?.asked == order ? state?.got : nil
      var one = MonitoredSeries(series, parts, asked: order, got: got, says: state?.says)
      if parts.contains(.interval) { one.intervals = choice?.intervals.narrowed(to: state?.takes) }
      one.progress = Self.progress(of: one, isTrouble: wearable.trouble?.reason == .monitoringNotTaken)
      return one
    }
    return MonitoringSnapshot(
      wearable: wearable.name, series: shown, since: seen?.since, trouble: Self.trouble(of: wearable, shown))
  }

  /// - Parameter isTrouble: the last visit ended with an order that the wearable did not take.
  private static func progress(of one: MonitoredSeries, isTrouble: Bool) -> MonitoringProgress {
    guard let asked = one.asked else { return .none }
    if !one.parts.isSuperset(of: asked.parts) { return .refused }
    guard let got = one.got else { return isTrouble ? .refused : .waiting }
    return asked.isMet(by: got) ? .taken : .refused
  }

  /// Returns the trouble of orders. Only the end of a visit brings the reason; before it, only the failure is known.
  private static func trouble(of wearable: EnrolledWearable, _ shown: [MonitoredSeries]) -> HearthError? {
    if let trouble = wearable.trouble, trouble.reason == .monitoringNotTaken { return trouble }
    guard let first = shown.first(where: { $0.progress == .refused }) else { return nil }
    return HearthError(
      .monitoringNotTaken, "\(wearable.name) does not measure \(first.series.name) by itself as it was ordered")
  }

  /// nil: not known yet.
  private func having(_ series: Series, _ wearable: EnrolledWearable) -> SeriesCapabilities? {
    wearable.capabilities.map { $0[series] }
  }

  // MARK: Orders

  /// Orders how the wearable measures one series by itself; fields that `change` leaves keep their order. Durable when
  /// this returns. A linked wearable gets it at once.
  ///
  /// - Throws: `noSuchWearable`; `controlBadParameter` for contradicting limits; `requestUnsupported` for what its
  ///   model or this wearable does not support, or what contradicts another order; or the store's error. After an error
  ///   the orders are unchanged.
  func orderMonitoring(
    _ which: String, _ series: Series, _ change: (inout MonitoringOrder) -> Void
  ) async throws(HearthError) -> MonitoringSnapshot {
    let wearable = try registry.require(which)
    let before = wearable.choices.orders.monitoring[series] ?? MonitoringOrder()
    var wanted = before
    change(&wanted)
    // Any order can be withdrawn, also one for another driver.
    if !wanted.isEmpty || before.isEmpty { try check(wanted, series, wearable) }
    _ = try await order(wearable) { $0.monitoring[series] = wanted.isEmpty ? nil : wanted }
    // The trouble of the last visit refers to the orders before; the next visit reports it again.
    if wearable.trouble?.reason == .monitoringNotTaken { wearable.trouble = nil }
    context.changes.raise(.shown)
    return monitoring(of: wearable)
  }

  private func check(_ wanted: MonitoringOrder, _ series: Series, _ wearable: EnrolledWearable) throws(HearthError) {
    try AlertOrders(wanted.limits, of: series).check(wearable.name)
    func refuse(_ why: String) -> HearthError { HearthError(.requestUnsupported, "\(wearable.name): \(why)") }
    let choices = monitoringChoices(of: wearable)
    guard let choice = choices.first(where: { $0.series == series }) else {
      let names = choices.map { $0.series.name }.joined(separator: ", ")
      let others = names.isEmpty ? "" : "; of \(names) it can"
      throw refuse("how it measures \(series.name) by itself cannot be ordered\(others)")
    }
    let parts = choice.parts(having: having(series, wearable))
    if parts.isEmpty {
      throw refuse("it says that how it measures \(series.name) by itself cannot be ordered")
    }
    let lacking = wanted.parts.subtracting(parts)
    if !lacking.isEmpty { throw refuse(Self.lack(of: lacking, series, having: parts, wearable)) }
    let said = wearable.remembered(SeenMonitoring.self)?.states.first { $0.series == series }?.takes
    let intervals = choice.intervals.narrowed(to: said)
    if let interval = wanted.interval, !intervals.contains(interval) {
      throw refuse(intervals.refusal(of: interval))
    }
    if wanted.isOn == true, wanted.interval == nil, choice.beginsByInterval {
      throw refuse("on takes how often it is to measure \(series.name), such as every=60s")
    }
    if wanted.isOn == true, let feature = choice.feature, wearable.choices.orders.switchedOff.contains(feature) {
      throw refuse("\(feature) is one of the features that are ordered off; take it out of features-off first")
    }
  }

  /// The alternatives to an order that is not supported.
  private static func lack(
    of lacking: MonitoringParts, _ series: Series, having parts: MonitoringParts, _ wearable: EnrolledWearable
  ) -> String {
    if !lacking.isDisjoint(with: [.restLimits, .exerciseLimits]) {
      let instead =
        wearable.canAlert(series)
        ? "; the hub's: hearth alerts \(wearable.name)" : ", and its kind sends no live values that the hub could watch"
      return "it has no limits of its own for \(series.name)" + instead
    }
    if lacking.contains(.maximumHeartRate) {
      return "its highest heart rate is that of its wearer: hearth wearer body WEARER --max-hr 190"
    }
    let words = { (parts: MonitoringParts) in parts.words.joined(separator: ", ") }
    return "of measuring \(series.name) by itself \(words(lacking)) cannot be ordered; \(words(parts)) can"
  }
}

extension AlertKind {
  /// The wearable's own limit that corresponds to this one.
  public var monitoringLimit: MonitoringLimit {
    switch (situation, isAbove) {
    case (.rest, true): .restAbove
    case (.rest, false): .restBelow
    case (.exercise, true): .exerciseAbove
    case (.exercise, false): .exerciseBelow
    }
  }
}

extension AlertOrders {
  /// The same limits, for the rules that both kinds share.
  fileprivate init(_ limits: [MonitoringLimit: Int64], of series: Series) {
    self.init()
    for kind in AlertKind.allCases where kind.series == series { self.limits[kind] = limits[kind.monitoringLimit] }
  }
}
