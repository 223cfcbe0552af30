// Trainings of straps: begin and end of effort are found in live heart rates, or ordered, and kept as a wearable that
// records trainings tells them. Where a training is the wearable's, the hub makes none.

import EventLoop
import Health
import Reasons
import RingStore
import Vitals
import Wearable

/// Finds trainings, writes each at its end, and takes orders.
///
/// Promises: each is stored once, at its begin; none overlaps another of its wearable; none is of a wearable that keeps
/// trainings itself; none is found while another wearable of its wearer has one under way. What a kill of the hub
/// interrupts goes on with what is in the store (`resume`).
@LoopActor
final class TrainingKeeper {
  private let context: HubContext
  private let registry: Registry
  private let efforts: PerWearable<EffortWatch>
  private var timer: LoopTimer?
  /// How often time is told to what is under way; its end does not depend on it.
  private static let look: Duration = .seconds(15)

  init(_ context: HubContext, _ registry: Registry) {
    self.context = context
    self.registry = registry
    efforts = PerWearable(registry)
  }

  private var now: Int64 { context.loop.now.microseconds }

  // MARK: Whom it watches

  func admit(_ wearable: EnrolledWearable) {
    let watch = EffortWatch(context.loop) { [weak self, weak wearable] sign in
      if let wearable { self?.handle(sign, of: wearable) }
    }
    efforts[wearable] = watch
    wearable.live.add(watch)
  }

  /// Nil: none is under way, or one that only may become one.
  func training(of wearable: EnrolledWearable) -> TrainingSnapshot? {
    guard let effort = efforts[wearable]?.detector.running else { return nil }
    return TrainingSnapshot(
      wearable: wearable.name, began: context.wall(of: Instant(microseconds: effort.begin)), effort: effort)
  }

  func start() {
    for wearable in registry.all {
      guard let running = wearable.remembered(RunningEffort.self), let watch = efforts[wearable] else { continue }
      watch.isReplaying = true
      context.loop.spawn { [weak self] in await self?.resume(running, of: wearable, watch) }
    }
  }

  func stop() {
    if let timer { context.loop.cancel(timer) }
    timer = nil
  }

  /// Another body, or more is known of it.
  func bodyChanged(of wearable: EnrolledWearable) {
    guard let watch = efforts[wearable], !watch.isReplaying else { return }
    if watch.wearer != wearable.choices.wearer {
      handle(watch.detector.close(at: now), of: wearable)
      watch.detector = EffortDetector(at: now)
      watch.wearer = wearable.choices.wearer
    }
    watch.detector.know(context.person(wearable.choices.orders.wearer?.facts))
  }

  // MARK: Orders

  /// A training begins now. Durable when it returns.
  ///
  /// - Throws: `noSuchWearable`; `requestUnsupported` where the trainings are the wearable's, or it has no heart rate;
  ///   `requestUntimely` while one that was ordered is under way; why the disk refused, and it has begun all the same.
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

  /// The training ends now, whether it was ordered or found. Durable when it returns.
  ///
  /// - Throws: `noSuchWearable`, `requestUnsupported`; `requestUntimely` where none is under way; why the disk refused:
  ///   then it is tried again.
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

  private func mayOrder(_ which: String) throws(HearthError) -> (EnrolledWearable, EffortWatch) {
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

  // MARK: What becomes of efforts

  private func handle(_ signs: [EffortSign], of wearable: EnrolledWearable) {
    for sign in signs { handle(sign, of: wearable) }
  }

  private func handle(_ sign: EffortSign, of wearable: EnrolledWearable) {
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

  private func began(_ origin: EffortOrigin, at begin: Int64, _ wearable: EnrolledWearable, _ watch: EffortWatch) {
    // Whoever says that nothing is exercise means this, too.
    let isUnwanted = wearable.live.isExercise == false || wearable.keepsTrainings || !registry.contains(wearable)
    if origin == .found, isUnwanted || isUnderWay(on: wearable) { return watch.detector.abandon() }
    let time = Instant(microseconds: begin)
    var running = RunningEffort(origin: origin, began: context.wall(of: time))
    running.bound = watch.detector.bound.flatMap { UInt16(exactly: $0) }
    (running.boot, running.monotonic) = (context.store.bootID, time)
    running.wearer = watch.wearer
    wearable.remember(running)
    registry.persistIfEnrolled(wearable)
    tellExercise(of: wearable)
    arm()
  }

  /// Another strap of the same wearer has found it, or was told of it: somebody trains once at a time.
  private func isUnderWay(on wearable: EnrolledWearable) -> Bool {
    guard let wearer = wearable.choices.wearer else { return false }
    return registry.all.contains { other in
      other !== wearable && other.choices.wearer == wearer && efforts[other]?.detector.isRunning == true
    }
  }

  private func ended(_ summary: EffortSummary, _ wearable: EnrolledWearable) {
    wearable.live.motion.order(isOn: false, at: context.loop.now)
    let running = wearable.remembered(RunningEffort.self)
    // It came to be known that it keeps trainings itself.
    guard !wearable.keepsTrainings, registry.contains(wearable) else { return forget(wearable) }
    context.store(summary, of: wearable)
    // Only then, so that a kill in between loses nothing; that it is stored is seen by its begin (`resume`).
    context.loop.spawn { [weak self, context] in
      do throws(HearthError) { try await context.store.flush() } catch { context.logger.error("\(error)") }
      if wearable.remembered(RunningEffort.self) == running { self?.forget(wearable) }
    }
  }

  private func forget(_ wearable: EnrolledWearable) {
    wearable.live.motion.order(isOn: false, at: context.loop.now)
    guard wearable.remembered(RunningEffort.self) != nil else { return }
    wearable.forget(RunningEffort.self)
    registry.persistIfEnrolled(wearable)
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

  /// What somebody ordered counts as exercise for limits. What was found does not: the rate that an alert is to be
  /// raised for would silence it.
  private func tellExercise(of wearable: EnrolledWearable) {
    guard efforts[wearable]?.detector.running?.origin == .ordered else { return }
    wearable.live.motion.order(isOn: true, at: context.loop.now)
  }

  // MARK: After a start

  /// An effort that an earlier hub left under way: the heart rates since its begin are in the store. It ends with the
  /// last of them, or goes on if the next comes soon enough.
  private func resume(_ running: RunningEffort, of wearable: EnrolledWearable, _ watch: EffortWatch) async {
    defer {
      watch.isReplaying = false
      bodyChanged(of: wearable)
    }
    let begin = instant(running)
    let isStored = await isStored(running, begin, wearable)
    guard !isStored, begin <= context.loop.now, registry.contains(wearable) else { return forget(wearable) }
    let facts = running.wearer.flatMap { context.store.wearer($0)?.body }
    watch.wearer = running.wearer
    watch.detector = EffortDetector(context.person(facts), at: begin.microseconds)
    watch.detector.resume(running.origin, since: begin.microseconds, bound: running.bound.map { Int($0) })
    do throws(HearthError) {
      // The clock may have been stepped since: a time of this boot is its monotonic one.
      let query = SampleQuery(
        wearables: [wearable.id], series: [.heartRate],
        since: running.began + .seconds(-Self.clockSlack))
      let session = try await context.store.export(query)
      while let page = try await session.next(limit: 2000) {
        for sample in page.samples where EffortWatch.counts(sample.flags) {
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

  /// s by which a clock that was put right may have shown less than at the begin.
  private static let clockSlack = 3600

  private func instant(_ running: RunningEffort) -> Instant {
    instant(running.began, running.monotonic, running.boot)
  }

  private func instant(_ wall: WallTime, _ monotonic: Instant?, _ boot: BootID?) -> Instant {
    if let monotonic, let boot, boot == context.store.bootID { return monotonic }
    return context.loop.now - (context.loop.wall - wall)
  }

  /// The hub before this one stored it, and was killed before it could forget it.
  private func isStored(_ running: RunningEffort, _ begin: Instant, _ wearable: EnrolledWearable) async -> Bool {
    let stored = (try? await context.store.newest(16, of: wearable.id, .training)) ?? []
    return stored.contains { sample in
      guard sample.origin == .live else { return false }
      let distance = instant(sample.time, sample.monotonic, sample.bootID) - begin
      return distance >= .seconds(-1) && distance <= .seconds(1)
    }
  }
}
