// Who has been away for longer than it should, and when each was there last: also over restarts.

import EventLoop
import Reasons
import RingStore

/// Looks every half minute. Says who is missing, in the log too, and keeps when each wearable was there last.
///
/// Promises: nobody is missing who was not listened for; who is heard again is missing no longer.
@LoopActor
final class AbsenceWatch {
  private let context: HubContext
  private let registry: Registry
  private let presence: PresenceMonitor
  private var missing: Set<WearableID> = []
  /// Who was there at any time since the hub started.
  private var seen: Set<WearableID> = []
  /// Since when the radio hears; nil while it does not.
  private var hearingSince: Instant?
  private var timer: LoopTimer?

  static let period: Duration = .seconds(30)
  /// A radio that just began to hear has to have heard who is there: twelve of the slowest legal advertising intervals
  /// (10.24 s), of which each may be lost.
  static let listening: Duration = .seconds(120)
  /// What is remembered of one that is there may be so much too old: each write costs some 25 KB of flash, and thirty
  /// wearables make 9 MB a day of it. One that left is written down exactly.
  static let staleness: Duration = .seconds(7200)
  private static let sameness: Duration = .seconds(60)

  init(_ context: HubContext, _ registry: Registry, _ presence: PresenceMonitor) {
    self.context = context
    self.registry = registry
    self.presence = presence
  }

  func start() {
    look()
    timer = context.loop.schedule(after: Self.period) { [weak self] in self?.start() }
  }

  /// Writes down who was there last, as far as it is not.
  func stop() async {
    if let timer { context.loop.cancel(timer) }
    for wearable in registry.all where remember(wearable, ifOlderBy: Self.sameness) {
      do { try await registry.write(wearable) } catch { context.logger.error("\(error)") }
    }
  }

  // MARK: Who is missing

  /// What is wrong with one that is missing; nil: it is not.
  func trouble(of wearable: EnrolledWearable) -> HearthError? {
    guard missing.contains(wearable.id), !wearable.isPaused, !presence.isPresent(wearable) else { return nil }
    let sign = lastSign(of: wearable)
    let away = sign.map { "not heard for \(Self.text(context.loop.wall - $0))" } ?? "not heard since the hub started"
    let bound = bound(of: wearable).map { ", at most \(Self.text($0)) is expected" } ?? ""
    return HearthError(.wearableMissing, "\(wearable.name): \(away)\(bound)")
  }

  /// How long it may be away; nil: for ever.
  func bound(of wearable: EnrolledWearable) -> Duration? {
    guard let choice = wearable.remembered(AbsenceChoice.self) else {
      // A cuff is away for as long as nobody uses it.
      return wearable.isBrief ? nil : context.options.absentAfter
    }
    return choice.seconds == 0 ? nil : .seconds(Int64(choice.seconds))
  }

  /// When it was heard last, or its link ended, as far as the hub knows; nil: never.
  func lastSign(of wearable: EnrolledWearable) -> WallTime? {
    let (now, wall) = (context.loop.now, context.loop.wall)
    let signs = [presence.lastValue(of: wearable), wearable.lane.linkEndedAt].compactMap {
      $0.map { wall + ($0 - now) }
    }
    return (signs + [presence.lastHeard(wearable)].compactMap { $0 }).max()
  }

  /// Keeps an operator's choice of how long this one may be away; durable when it returns.
  ///
  /// - Parameter choice: zero: for ever; nil: as configured.
  /// - Throws: `noSuchWearable`, or why the disk refused; then nothing has changed.
  func setBound(_ which: String, _ choice: Duration?) async throws(HearthError) -> EnrolledWearable {
    let wearable = try registry.require(which)
    let state = choice.map { AbsenceChoice(seconds: UInt32(clamping: $0.components.seconds)) }
    try await registry.keep(state, of: wearable)
    look()
    return wearable
  }

  private func look() {
    let hears = context.radio.state == .ready && !context.radio.facts.care.isRecovering
    hearingSince = hears ? hearingSince ?? context.loop.now : nil
    let isSure = hearingSince.map { context.loop.now - $0 >= Self.listening } ?? false
    let before = missing
    missing.formIntersection(registry.all.map(\.id))
    for wearable in registry.all {
      let isThere = presence.isPresent(wearable)
      let isNew = remember(wearable, ifOlderBy: isThere ? Self.staleness : Self.sameness)
      if wearable.noteWorth(context.loop.now) || isNew { registry.persist(wearable) }
      if isThere {
        let wasMissing = missing.remove(wearable.id) != nil
        if wasMissing { tell(wearable, "is back") }
        // One that the run before missed is back too.
        if seen.insert(wearable.id).inserted || wasMissing { context.changes.happened(.back(wearable)) }
      } else if isTooLong(wearable) {
        if isSure, missing.insert(wearable.id).inserted, let trouble = trouble(of: wearable) {
          context.logger.warning(
            "\(trouble.reason.code) link: \(trouble.detail)",
            metadata: ["CODE": "\(trouble.reason.code)", "DEVICE": "\(wearable.name)"])
          context.changes.happened(.missing(wearable, trouble, since: lastSign(of: wearable)))
        }
      } else if missing.remove(wearable.id) != nil {
        // Missed no longer, by order: that it is back is told when it is heard.
        seen.remove(wearable.id)
      }
    }
    if missing != before { context.changes.raise(.shown) }
  }

  /// A hub that does not know the time cannot say how long ago anything was.
  private func isTooLong(_ wearable: EnrolledWearable) -> Bool {
    guard let bound = bound(of: wearable), context.clockIsPlausible, !wearable.isPaused else { return false }
    guard let sign = lastSign(of: wearable) else { return context.loop.now - context.began > bound }
    return context.loop.wall - sign > bound
  }

  private func tell(_ wearable: EnrolledWearable, _ what: String) {
    context.logger.info("\(wearable.name) \(what)", metadata: ["DEVICE": "\(wearable.name)"])
  }

  // MARK: What is remembered

  /// - Returns: there was something new to remember.
  private func remember(_ wearable: EnrolledWearable, ifOlderBy bound: Duration) -> Bool {
    guard let sign = wearable.link == nil ? lastSign(of: wearable) : context.loop.wall else { return false }
    let kept = wearable.remembered(LastSeen.self)
    // One that was written by a clock that was ahead is put right.
    if let kept, kept.time <= sign, sign - kept.time < bound { return false }
    wearable.remember(LastSeen(time: sign, batteryRead: wearable.live.batteryRead))
    return true
  }

  /// `3 d 2 h`, `25 h`, `40 min`
  private static func text(_ duration: Duration) -> String {
    let minutes = max(0, duration.components.seconds / 60)
    if minutes < 120 { return "\(minutes) min" }
    if minutes < 48 * 60 { return "\(minutes / 60) h" }
    let hours = minutes / 60
    return hours % 24 == 0 ? "\(hours / 24) d" : "\(hours / 24) d \(hours % 24) h"
  }
}
