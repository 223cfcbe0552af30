// Trainings of straps. Begin and end of effort are detected in live heart rates, or ordered, and stored like those of a
// wearable that records trainings. For such a wearable the hub makes no trainings.

import EventLoop
import Health
import Reasons
import RingStore
import Vitals
import Wearable

/// Detects trainings, writes each at its end, and takes orders.
///
/// Promises:
/// - Each training is stored once, at its start.
/// - No training overlaps another of its wearable.
/// - A wearable that records trainings itself gets no training of the hub.
/// - While one is under way with another wearable of the wearer, no second one is detected.
///
/// After a kill of the hub, a training goes on with what is in the store (`resume`).
@LoopActor
final class TrainingKeeper {
  private let context: HubContext
  private let registry: Registry
  private let efforts: PerWearable<TrainingWatch>
  private var timer: LoopTimer?
  /// Interval of passing the time to running efforts; their end does not depend on it.
  private static let look: Duration = .seconds(15)
  /// Longest time for which a training's begin is in memory only: that of live samples (`StoreOptions.commitEvery`).
  private static let unwritten: Duration = .seconds(15)

  init(_ context: HubContext, _ registry: Registry) {
    self.context = context
    self.registry = registry
    efforts = PerWearable(registry)
  }

  private var now: Int64 { context.loop.now.microseconds }

  // MARK: Watched wearables

  func admit(_ wearable: EnrolledWearable) {
    let watch = TrainingWatch(context.loop) { [weak self, weak wearable] sign in
      if let wearable { self?.handle(sign, of: wearable) }
    }
    efforts[wearable] = watch
    wearable.live.add(watch)
  }

  /// Nil: no training is under way, or an effort that may still become one.
  func training(of wearable: EnrolledWearable) -> TrainingSnapshot? {
    guard let effort = efforts[wearable]?.detector.running else { return nil }
    return TrainingSnapshot(
      wearable: wearable.name, began: context.wall(of: Instant(microseconds: effort.begin)), effort: effort)
  }

  func start() {
    for wearable in registry.all {
      guard let running = wearable.remembered(RunningTraining.self), let watch = efforts[wearable] else { continue }
      watch.isReplaying = true
      context.loop.spawn { [weak self] in await self?.resume(running, of: wearable, watch) }
    }
  }

  func stop() {
    if let timer { context.loop.cancel(timer) }
    timer = nil
  }

  /// Handles another body, or more facts about it.
  func bodyChanged(of wearable: EnrolledWearable) {
    guard let watch = efforts[wearable], !watch.isReplaying else { return }
    if watch.wearer != wearable.choices.wearer {
      handle(watch.detector.close(at: now), of: wearable)
      watch.detector = TrainingDetector(at: now)
      watch.wearer = wearable.choices.wearer
    }
    watch.detector.know(context.person(wearable.choices.orders.wearer?.facts))
  }

  // MARK: Orders

  /// Begins a training now. Durable when it returns.
  ///
  /// - Throws: `noSuchWearable`; `requestUnsupported` if the wearable records trainings, or has no heart rate;
  ///   `requestUntimely` while an ordered one is under way. Or the store's error; then the training has begun all the
  ///   same.
  func begin(_ which: String) async throws(HearthError) -> TrainingSnapshot {
    let (wearable, watch) = try mayOrder(which)
    if watch.detector.running?.origin == .ordered {
      throw HearthError(.requestUntimely, "\(wearable.name): a training is under way already, by order")
    }
    handle(watch.detector.begin(at: now), of: wearable)
    guard let begun = training(of: wearable) else {
      throw HearthError(.requestNotDone, "\(wearable.name): the training did not begin")
    }
    try await registry.write(wearable)
    return begun
  }

  /// Ends the training now, whether it was ordered or detected. Durable when it returns.
  ///
  /// - Throws: `noSuchWearable`, `requestUnsupported`; `requestUntimely` if no training is under way; or the store's
  ///   error: then it is tried again.
  func end(_ which: String) async throws(HearthError) -> TrainingSnapshot {
    let (wearable, watch) = try mayOrder(which)
    guard var ending = training(of: wearable) else {
      throw HearthError(.requestUntimely, "\(wearable.name): no training is under way")
    }
    let signs = watch.detector.end(at: now)
    handle(signs, of: wearable)
    let ended = signs.compactMap { if case .ended(let summary) = $0 { summary } else { nil } }.last
    guard let ended else {
      throw HearthError(.requestUntimely, "\(wearable.name): the training was over already, and too short to be kept")
    }
    ending.effort = ended
    ending.began = context.wall(of: Instant(microseconds: ended.begin))
    ending.ended = context.wall(of: Instant(microseconds: ending.effort.end))
    try await context.store.flush()
    return ending
  }

  private func mayOrder(_ which: String) throws(HearthError) -> (EnrolledWearable, TrainingWatch) {
    let wearable = try registry.require(which)
    guard wearable.beats, let watch = efforts[wearable] else {
      throw HearthError(.requestUnsupported, "\(wearable.name): its kind sends no heart_rate live")
    }
    if wearable.keepsTrainings {
      throw HearthError(.requestUnsupported, "\(wearable.name) records trainings itself; begin and end them there")
    }
    if watch.isReplaying {
      throw HearthError(.requestUntimely, "\(wearable.name): what it sent before the hub started is being read")
    }
    return (wearable, watch)
  }

  // MARK: Results of efforts

  private func handle(_ signs: [TrainingEvent], of wearable: EnrolledWearable) {
    for sign in signs { handle(sign, of: wearable) }
  }

  private func handle(_ sign: TrainingEvent, of wearable: EnrolledWearable) {
    guard let watch = efforts[wearable] else { return }
    switch sign {
    case .began(let origin, let begin): began(origin, at: begin, wearable, watch)
    case .ended(let summary): ended(summary, wearable)
    case .dropped: forget(wearable)
    }
    if !watch.detector.isRunning, !watch.isReplaying {
      watch.detector.know(context.person(wearable.choices.orders.wearer?.facts))
    }
    context.changes.raise(.shown)
  }

  private func began(_ origin: TrainingOrigin, at begin: Int64, _ wearable: EnrolledWearable, _ watch: TrainingWatch) {
    // An operator's choice that there is no exercise applies to trainings, too.
    let isUnwanted = wearable.live.isExercise == false || wearable.keepsTrainings || !registry.contains(wearable)
    if origin == .found, isUnwanted || isUnderWay(on: wearable) { return watch.detector.abandon() }
    let time = Instant(microseconds: begin)
    var running = RunningTraining(origin: origin, began: context.wall(of: time))
    running.bound = watch.detector.bound.flatMap { UInt16(exactly: $0) }
    (running.boot, running.monotonic) = (context.store.bootID, time)
    running.wearer = watch.wearer
    wearable.remember(running)
    // A kill within this time loses the heart rates of it, too.
    registry.persistIfEnrolled(wearable, within: Self.unwritten)
    tellExercise(of: wearable)
    arm()
  }

  /// Whether a training of the same wearer is under way with another strap: a person has only one at a time.
  private func isUnderWay(on wearable: EnrolledWearable) -> Bool {
    guard let wearer = wearable.choices.wearer else { return false }
    return registry.all.contains { other in
      other !== wearable && other.choices.wearer == wearer && efforts[other]?.detector.isRunning == true
    }
  }

  private func ended(_ summary: TrainingResult, _ wearable: EnrolledWearable) {
    wearable.live.motion.order(isOn: false, at: context.loop.now)
    let running = wearable.remembered(RunningTraining.self)
    // Meanwhile the wearable has shown that it records trainings itself.
    guard !wearable.keepsTrainings, registry.contains(wearable) else { return forget(wearable) }
    context.store(summary, of: wearable)
    // Only afterwards, so that a kill in between loses no training; `resume` recognises a stored one by its start.
    context.loop.spawn { [weak self, context] in
      do throws(HearthError) { try await context.store.flush() } catch { context.logger.error("\(error)") }
      if wearable.remembered(RunningTraining.self) == running { self?.forget(wearable) }
    }
  }

  private func forget(_ wearable: EnrolledWearable) {
    wearable.live.motion.order(isOn: false, at: context.loop.now)
    guard wearable.remembered(RunningTraining.self) != nil else { return }
    wearable.forget(RunningTraining.self)
    // A mark of an earlier training is recognised by its begin (`resume`).
    registry.persistIfEnrolled(wearable, within: Registry.gathering)
  }

  // MARK: Time

  private func arm() {
    guard timer == nil, context.phase != .stopping else { return }
    timer = context.loop.schedule(after: Self.look) { [weak self] in self?.pass() }
  }

  private func pass() {
    timer = nil
    for wearable in registry.all {
      guard let watch = efforts[wearable], watch.detector.isRunning else { continue }
      if let sign = watch.detector.tick(at: now) { handle(sign, of: wearable) }
      tellExercise(of: wearable)
      if watch.detector.isRunning { arm() }
    }
  }

  /// An ordered training counts as exercise for limits. A detected one does not, as the very rate that should raise an
  /// alert would silence it.
  private func tellExercise(of wearable: EnrolledWearable) {
    guard efforts[wearable]?.detector.running?.origin == .ordered else { return }
    wearable.live.motion.order(isOn: true, at: context.loop.now)
  }

  // MARK: After a start

  /// Resumes an effort that was under way at the end of an earlier hub, from the heart rates in the store. The effort
  /// ends with the last of them, or goes on if the next comes soon enough.
  private func resume(_ running: RunningTraining, of wearable: EnrolledWearable, _ watch: TrainingWatch) async {
    defer {
      watch.isReplaying = false
      bodyChanged(of: wearable)
    }
    let begin = instant(running)
    let isStored = await isStored(running, begin, wearable)
    guard !isStored, begin <= context.loop.now, registry.contains(wearable) else { return forget(wearable) }
    let facts = running.wearer.flatMap { context.store.wearer($0)?.body }
    watch.wearer = running.wearer
    watch.detector = TrainingDetector(context.person(facts), at: begin.microseconds)
    watch.detector.resume(running.origin, since: begin.microseconds, bound: running.bound.map { Int($0) })
    do throws(HearthError) {
      // The clock may have been stepped since: in the same boot the monotonic time is exact.
      let query = SampleQuery(
        wearables: [wearable.id], series: [.heartRate],
        since: running.began + .seconds(-Self.clockSlack))
      let session = try await context.store.export(query)
      while let page = try await session.next(limit: 2000) {
        for sample in page.samples where TrainingWatch.counts(sample.flags) {
          let time = min(instant(sample.time, sample.monotonic, sample.bootID), context.loop.now)
          guard time >= begin else { continue }
          if let sign = watch.detector.take(Int(clamping: sample.value), at: time.microseconds) {
            handle(sign, of: wearable)
          }
        }
      }
    } catch { context.logger.error("\(error)") }
    if let sign = watch.detector.tick(at: now) { handle(sign, of: wearable) }
    if watch.detector.isRunning { arm() }
    tellExercise(of: wearable)
  }

  /// s by which a clock that was corrected may have been behind at the start.
  private static let clockSlack = 3600

  private func instant(_ running: RunningTraining) -> Instant {
    instant(running.began, running.monotonic, running.boot)
  }

  private func instant(_ wall: WallTime, _ monotonic: Instant?, _ boot: BootID?) -> Instant {
    if let monotonic, let boot, boot == context.store.bootID { return monotonic }
    return context.loop.now - (context.loop.wall - wall)
  }

  /// Whether an earlier hub stored it, and was killed before it could delete the mark.
  private func isStored(_ running: RunningTraining, _ begin: Instant, _ wearable: EnrolledWearable) async -> Bool {
    let stored = (try? await context.store.newest(16, of: wearable.id, .training)) ?? []
    return stored.contains { sample in
      guard sample.origin == .live else { return false }
      let distance = instant(sample.time, sample.monotonic, sample.bootID) - begin
      return distance >= .seconds(-1) && distance <= .seconds(1)
    }
  }
}
