// Ordered measurements: refused, or run over a link until they end. A visit and a measurement never have the session at
// once. While a measurement runs or waits, its link is not visited (`EnrolledWearable.mayBeVisited`). A running visit
// ends its turn at the next point without loss, and the link stays.

import EventLoop
import Health
import Reasons
import RingStore
import Wearable

/// Runs measurements, one at a time for each wearable.
@LoopActor
final class MeasurementKeeper {
  private let context: HubContext
  private let registry: Registry
  private let questions: WearableQuestions
  private let running: PerWearable<RunningMeasurement>

  /// Interval of asking whether the session is free.
  private static let look: Duration = .milliseconds(100)
  /// Longest wait for the end of a measurement when a wearable is removed, or the hub stops.
  private static let farewell: Duration = .seconds(3)

  init(_ context: HubContext, _ registry: Registry, _ questions: WearableQuestions) {
    self.context = context
    self.registry = registry
    self.questions = questions
    running = PerWearable(registry)
  }

  /// Measures until the first of these: its limit, `isWanted` returns false, `stop`, or the end by the wearable or the
  /// link.
  ///
  /// Each value is stored before it is reported, with the time of its arrival, marked as manually requested. All values
  /// are durable when this returns.
  ///
  /// - Throws: `requestUntimely` while it measures already; `requestUnsupported` for other series than it measures; the
  ///   errors of `WearableQuestions.ask`; or why it did not begin.
  func measure(
    _ which: String, _ order: MeasurementOrder, isWanted: @escaping @LoopActor () -> Bool,
    _ tell: @escaping @LoopActor (MeasurementNews) -> Void
  ) async throws(HearthError) -> MeasurementResult {
    let wearable = try registry.require(which)
    if let series = wearable.lane.measuring.series {
      throw HearthError(
        .requestUntimely,
        "\(wearable.name) measures \(series.name) by order already; when that has ended, ask again")
    }
    if wearable.lane.measuring.session != nil {
      throw HearthError(
        .requestUntimely, "\(wearable.name) measures vital signs already; when that has ended, ask again")
    }
    try refuseUnknown(wearable, order.series)
    let over = MeasuredLink()
    let run = RunningMeasurement(order, context.loop, isWanted: isWanted) { [weak wearable, context] series, values in
      guard let wearable, let link = over.link,
        let item = link.intake.take(measured: series, values, at: context.loop.now)
      else {
        return false
      }
      tell(.value(LiveValues.value(item, of: wearable, context)))
      return true
    }
    guard running[wearable] == nil else { fatalError("two measurements of one wearable by order") }
    running[wearable] = run
    wearable.lane.measuring.series = order.series
    defer {
      run.end()
      running[wearable] = nil
      (wearable.lane.measuring.series, wearable.lane.measuring.hasBegun) = (nil, false)
      over.link = nil
      context.changes.link(of: wearable, .used)
      context.changes.raise(.shown)
      context.changes.raise(.lane)
    }
    let turn = try await turn(of: wearable, for: run)
    defer { turn.release() }
    return try await measure(wearable, run, over, turn, tell)
  }

  private func measure(
    _ wearable: EnrolledWearable, _ run: RunningMeasurement, _ over: MeasuredLink, _ turn: LinkSession,
    _ tell: @escaping @LoopActor (MeasurementNews) -> Void
  ) async throws(HearthError) -> MeasurementResult {
    let (name, series) = (wearable.name, run.order.series)
    let measurable = turn.session.measuring?.measurable ?? []
    guard let measuring = turn.session.measuring, measurable.contains(series) else {
      // A wearable that did not accept the hub measures no series, and the trouble says why.
      if measurable.isEmpty, let trouble = wearable.trouble, trouble.reason.needsPerson { throw trouble }
      throw Self.unsupported(name, series, measurable)
    }
    over.link = wearable.link
    run.begin(turn.link)
    wearable.lane.measuring.hasBegun = true
    wearable.visits.lastAsked = context.loop.now
    context.changes.link(of: wearable, .used)
    context.logger.info("measuring \(series.name)", metadata: ["DEVICE": "\(name)"])
    tell(.begun(wearable: name))
    var result = MeasurementResult(wearable: name, series: series)
    do throws(VisitTrouble) {
      let end = try await measuring.measure(run.order, into: run)
      result.end = run.isOverdue && end == .stopped ? .limit : end
      if run.values == 0, result.end != .stopped {
        let how = result.end == .byWearable ? "\(name) ended it by itself" : "its time was over"
        result.end = nil
        result.trouble = HearthError(.measurementEmpty, "\(name) measured \(series.name) without a value: \(how)")
      }
    } catch {
      guard error.endsLink || turn.link.end != nil || run.values > 0 else {
        throw WearableQuestions.refusal(of: "measuring \(series.name)", error, name)
      }
      let trouble =
        VisitEnd(turn.link.cause(of: error), name: name).trouble
        ?? HearthError(.requestNotDone, "measuring \(series.name) was ended")
      let kept = run.values == 1 ? "1 value is stored" : "\(run.values) values are stored"
      result.trouble = HearthError(trouble.reason, "\(trouble.detail), while it measured \(series.name); \(kept)")
    }
    result.values = run.values
    wearable.visits.lastAsked = context.loop.now
    let what = result.end?.rawValue ?? result.trouble?.reason.code ?? ""
    context.logger.info(
      "measured \(series.name)", metadata: ["DEVICE": "\(name)", "END": "\(what)", "VALUES": "\(run.values)"])
    if run.values > 0 { try? await context.store.flush() }
    return result
  }

  /// Ends a measurement by an operator's order. Without a running one, returns without an error, as it may have just
  /// ended by itself.
  ///
  /// - Throws: `noSuchWearable`.
  func stop(_ which: String) throws(HearthError) { running[try registry.require(which)]?.stop() }

  // MARK: Refusals

  /// Refuses by what is known without a link. The rest is checked over the link.
  private func refuseUnknown(_ wearable: EnrolledWearable, _ series: Series) throws(HearthError) {
    guard let known = wearable.capabilities, !known[series].contains(.onDemand) else { return }
    throw Self.unsupported(wearable.name, series, known.series(with: .onDemand))
  }

  private static func unsupported(_ name: String, _ series: Series, _ measurable: [Series]) -> HearthError {
    let names = measurable.map(\.name).joined(separator: ", ")
    let what = names.isEmpty ? "it measures no series by order" : "by order it measures \(names)"
    return HearthError(.requestUnsupported, "\(name) does not measure \(series.name) by order now; \(what)")
  }

  // MARK: Session

  /// The session of its link, reserved for this measurement. Without a link, a visit makes one and is requested as for
  /// any other request.
  private func turn(of wearable: EnrolledWearable, for run: RunningMeasurement) async throws(HearthError)
    -> LinkSession
  {
    let what = "measuring \(run.order.series.name)"
    let (loop, name) = (context.loop, wearable.name)
    let end = loop.now + RequestQueue.patience
    var hasAsked = false
    while loop.now < end, context.phase == .serving, !run.isStopped {
      guard registry.contains(wearable) else { throw HearthError(.noSuchWearable, "\(name) was forgotten") }
      if let link = wearable.link {
        if let turn = link.session {
          if wearable.visits.running == nil, turn.take() { return turn }
          // A visit that would have to fetch an item again from its first byte is not interrupted.
          if let visit = wearable.visits.running, !visit.isIndivisible { visit.interrupt(.overran) }
        } else if link.isSettled {
          throw RequestQueue.hasNothingToAsk(name)
        }
      } else if !hasAsked {
        hasAsked = true
        try await questions.ask(wearable, what) { _ throws(VisitTrouble) in
          wearable.visits.running?.interrupt(.overran)
        }
        continue
      } else if !wearable.lane.isHolder {
        throw HearthError(.requestNotDone, "\(name) lost its link: \(what) was not done")
      }
      guard (try? await loop.sleep(for: Self.look)) != nil else { break }
    }
    let seconds = Int(RequestQueue.patience.inSeconds)
    let why = run.isStopped ? "was stopped before it began" : "had no turn within \(seconds) s"
    throw HearthError(.requestNotDone, "\(name): \(what) \(why)")
  }

  // MARK: Ends from outside

  /// Ends measurements as far as the wearables answer, as their links end next.
  ///
  /// - Parameter endSession: ends a session of vital signs.
  func endAll(_ wearables: [EnrolledWearable], endSession: @LoopActor (EnrolledWearable) -> Void) async {
    for wearable in wearables {
      running[wearable]?.stop()
      endSession(wearable)
    }
    let end = context.loop.now + Self.farewell
    while wearables.contains(where: \.lane.measuring.isAny), context.loop.now < end {
      guard (try? await context.loop.sleep(for: Self.look)) != nil else { return }
    }
  }
}

extension LiveIntake {
  /// Stores a value of an ordered measurement, of this moment: like every live value, and marked.
  ///
  /// - Returns: the stored value; nil for a value that is no number or not of its series' layout.
  func take(measured series: Series, _ values: [Int64], at now: Instant) -> LiveItem? {
    let shape = series.shape
    guard let value = values.first, values.count == 1, shape.valueCount == 1, !shape.hasBytes else {
      state.counters.anomalies += 1
      return nil
    }
    let sample = Sample(series, value, flags: SampleFlags(origin: .live, isManual: true))
    begin(at: now)
    append(sample)
    return LiveItem(series: series, flags: sample.flags, values: values, bytes: [], time: now)
  }
}

/// The link over which a wearable measures. The last value may be read after the end.
@LoopActor
private final class MeasuredLink {
  var link: LiveLink?
}
