// Measuring by order: refused, or run over a link until something ends it. A visit and a measurement never have the
// session at once: while somebody measures, or waits to, its link is not visited (`EnrolledWearable.mayBeVisited`), a
// visit that runs ends its turn at the next point at which nothing is lost, and the link stays.

import EventLoop
import Health
import Reasons
import RingStore
import Wearable

/// Runs measurements. One wearable has one at a time.
@LoopActor
final class MeasurementKeeper {
  private let context: HubContext
  private let registry: Registry
  private let questions: WearableQuestions
  private let running: PerWearable<RunningMeasurement>

  /// How often it is looked whether the session is free.
  private static let look: Duration = .milliseconds(100)
  /// Forgetting a wearable, and the end of the hub, wait so long for the end of a measurement.
  private static let farewell: Duration = .seconds(3)

  init(_ context: HubContext, _ registry: Registry, _ questions: WearableQuestions) {
    self.context = context
    self.registry = registry
    self.questions = questions
    running = PerWearable(registry)
  }

  /// Measures until its limit, until `isWanted` says no or `stop`, until the wearable ends it, or the link.
  ///
  /// Each value is stored as one that a person asked for, of the moment at which it came, before it is told; all of
  /// them are durable when this returns.
  ///
  /// - Throws: `requestUntimely` while it measures already, `requestUnsupported` for what it does not measure, saying
  ///   what it does; as `WearableQuestions.ask` where it cannot be had; why it did not begin.
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
      // One that did not accept the hub measures nothing, and that is why.
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

  /// Ends one by the will of a person. Where none runs nothing is left to end: it may just have ended by itself.
  ///
  /// - Throws: `noSuchWearable`.
  func stop(_ which: String) throws(HearthError) { running[try registry.require(which)]?.stop() }

  // MARK: Refusals

  /// By what is known of it without asking. What is not known is seen over its link.
  private func refuseUnknown(_ wearable: EnrolledWearable, _ series: Series) throws(HearthError) {
    guard let known = wearable.capabilities, !known[series].contains(.onDemand) else { return }
    throw Self.unsupported(wearable.name, series, known.series(with: .onDemand))
  }

  private static func unsupported(_ name: String, _ series: Series, _ measurable: [Series]) -> HearthError {
    let names = measurable.map(\.name).joined(separator: ", ")
    let what = names.isEmpty ? "it measures nothing by order" : "by order it measures \(names)"
    return HearthError(.requestUnsupported, "\(name) does not measure \(series.name) by order now; \(what)")
  }

  // MARK: Its turn

  /// The session of its link, for this alone: of the link that there is, or of one that a visit makes, which is asked
  /// for as for any other request.
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
          // What would have to come anew from its first byte is waited for.
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

  /// Ends what is measured, as far as the wearables answer: their links end next.
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
  /// A number that somebody ordered, measured now: kept as every live one, and marked.
  ///
  /// - Returns: as it was kept; nil for what is not of its series' layout, or no number.
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

/// The link over which a wearable measures; what came over it last may be read when it has ended.
@LoopActor
private final class MeasuredLink {
  var link: LiveLink?
}
