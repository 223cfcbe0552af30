// Scheduled measurements: begun by the hub in time, or skipped with the reason.

import CivilTime
import EventLoop
import Health
import Reasons
import RingStore
import Wearable

/// Holds the schedules. A measurement that was due while the hub did not run, or while its clock was set, is not made
/// up for.
@LoopActor
final class ScheduleKeeper {
  /// The interface to sessions, so that schedules do not depend on their module.
  struct Sessions {
    var measure: @LoopActor (String, VitalsOrder) async throws(HearthError) -> VitalsResult
    /// Whether the wearable, or its wearer, is being measured.
    var isBusy: @LoopActor (EnrolledWearable) -> Bool
    /// Whether it is worn, as last reported; nil if unknown, for example without a link.
    var isOnBody: @LoopActor (EnrolledWearable) -> Bool?
  }

  private let context: HubContext
  private let registry: Registry
  private let presence: PresenceMonitor
  private let sessions: Sessions
  private var timer: LoopTimer?
  /// Time of the last check.
  private var looked: WallTime?
  private var skipped: [WearableID: (at: WallTime, why: String)] = [:]

  /// Longest interval between checks, as the wall clock may be set while a timer runs.
  static let look: Duration = .seconds(60)
  /// Limit of lateness. A later measurement is not made: the hub slept, or its clock was set forward.
  static let late: Duration = .seconds(120)

  init(_ context: HubContext, _ registry: Registry, _ presence: PresenceMonitor, _ sessions: Sessions) {
    self.context = context
    self.registry = registry
    self.presence = presence
    self.sessions = sessions
  }

  private var loop: any Loop { context.loop }
  private var zone: TimeZoneRules { context.options.timeZone }

  // MARK: Life

  func start() {
    looked = loop.wall
    arm()
  }

  func stop() {
    if let timer { loop.cancel(timer) }
    timer = nil
    looked = nil
  }

  private func arm() {
    if let timer { loop.cancel(timer) }
    timer = nil
    guard looked != nil else { return }
    let now = loop.wall
    let due = registry.all.compactMap { $0.remembered(MeasurementSchedule.self)?.next(after: now, in: zone) }.min()
    // Without schedules there is no check.
    guard let due else { return }
    timer = loop.schedule(after: min(max(due - now, .milliseconds(1)), Self.look)) { [weak self] in self?.lookAround() }
  }

  private func lookAround() {
    guard let looked, context.phase == .serving else { return }
    let now = loop.wall
    // After a clock that was set back the count begins again. Times that are too late are ignored.
    let since = max(min(looked, now), now - Self.late)
    self.looked = now
    for wearable in registry.all {
      guard let schedule = wearable.remembered(MeasurementSchedule.self),
        let due = schedule.next(after: since, in: zone), due <= now
      else { continue }
      begin(wearable, schedule, due)
    }
    arm()
  }

  // MARK: One measurement

  private func begin(_ wearable: EnrolledWearable, _ schedule: MeasurementSchedule, _ due: WallTime) {
    if let why = obstacle(wearable) { return skip(wearable, due, why) }
    loop.spawn { [self] in
      do throws(HearthError) {
        let result = try await sessions.measure(wearable.name, VitalsOrder(seconds: schedule.seconds))
        if let trouble = result.trouble { skip(wearable, due, trouble.detail) }
      } catch { skip(wearable, due, error.detail) }
    }
  }

  /// Returns why no measurement is tried; nil: no obstacle is known.
  private func obstacle(_ wearable: EnrolledWearable) -> String? {
    if sessions.isBusy(wearable) { return "it, or its wearer, was being measured" }
    if wearable.lane.isLeaving { return "it is being forgotten" }
    if wearable.isPaused { return "it is paused, by order" }
    if wearable.link == nil, !presence.isPresent(wearable) { return "it was away" }
    if sessions.isOnBody(wearable) == false { return "it was not on the body" }
    return nil
  }

  private func skip(_ wearable: EnrolledWearable, _ due: WallTime, _ why: String) {
    guard registry.contains(wearable), context.phase == .serving else { return }
    skipped[wearable.id] = (due, why)
    let trouble = HearthError(
      .measurementSkipped, "\(wearable.name): the measurement of \(context.clock(of: due)) was left out: \(why)")
    context.changes.happened(.measurementSkipped(wearable, trouble))
    context.changes.raise(.shown)
  }

  // MARK: Orders

  func schedule(of which: String) throws(HearthError) -> ScheduleSnapshot { snapshot(of: try registry.require(which)) }

  private func snapshot(of wearable: EnrolledWearable) -> ScheduleSnapshot {
    let schedule = wearable.remembered(MeasurementSchedule.self)
    return ScheduleSnapshot(
      wearable: wearable.name, schedule: schedule, next: schedule?.next(after: loop.wall, in: zone),
      skipped: schedule == nil ? nil : skipped[wearable.id])
  }

  /// Orders a schedule; nil: no longer any. Durable when this returns.
  ///
  /// - Throws: `noSuchWearable`, or the store's error; then the schedule is unchanged.
  func order(_ which: String, _ schedule: MeasurementSchedule?) async throws(HearthError) -> ScheduleSnapshot {
    let wearable = try registry.require(which)
    try await registry.keep(schedule, of: wearable)
    skipped[wearable.id] = nil
    arm()
    return snapshot(of: wearable)
  }
}
