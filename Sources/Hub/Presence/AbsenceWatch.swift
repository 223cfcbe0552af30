// Wearables that are away for longer than permitted, and the last sign of each, also over restarts.

import EventLoop
import Reasons
import RingStore

/// Checks every half minute. Reports missing wearables, also in the log, and stores the last sign of each.
///
/// Promises: a wearable is missing only if the hub listened for it; one that is heard again is no longer missing.
@LoopActor
final class AbsenceWatch {
  private let context: HubContext
  private let registry: Registry
  private let presence: PresenceMonitor
  private var missing: Set<WearableID> = []
  /// Wearables with a sign since the hub started.
  private var seen: Set<WearableID> = []
  /// Time since which the radio hears; nil while it does not.
  private var hearingSince: Instant?
  private var timer: LoopTimer?

  static let period: Duration = .seconds(30)
  /// Time that a radio needs to hear all present wearables: twelve of the slowest legal advertising intervals (10.24
  /// s), as each may be missed.
  static let listening: Duration = .seconds(120)
  /// Permitted age of the stored sign of a present wearable. Each write costs some 25 KB of flash, and thirty wearables
  /// make 9 MB a day of it. The last sign of a wearable that left is stored exactly.
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

  /// Stores the last signs that are not stored yet.
  func stop() async {
    if let timer { context.loop.cancel(timer) }
    for wearable in registry.all where remember(wearable, ifOlderBy: Self.sameness) {
      do { try await registry.write(wearable) } catch { context.logger.error("\(error)") }
    }
  }

  // MARK: Missing wearables

  /// The trouble of a missing wearable; nil: it is not missing.
  func trouble(of wearable: EnrolledWearable) -> HearthError? {
    guard missing.contains(wearable.id), !wearable.isPaused, !presence.isPresent(wearable) else { return nil }
    let sign = lastSign(of: wearable)
    let away = sign.map { "not heard for \(Self.text(context.loop.wall - $0))" } ?? "not heard since the hub started"
    let bound = bound(of: wearable).map { ", at most \(Self.text($0)) is expected" } ?? ""
    return HearthError(.wearableMissing, "\(wearable.name): \(away)\(bound)")
  }

  /// Returns how long it may be away; nil: for ever.
  func bound(of wearable: EnrolledWearable) -> Duration? {
    guard let choice = wearable.remembered(AbsenceChoice.self) else {
      // A cuff is away as long as it is not used.
      return wearable.hasShortPresence ? nil : context.options.absentAfter
    }
    return choice.seconds == 0 ? nil : .seconds(Int64(choice.seconds))
  }

  /// Time of its last advertisement or end of link, as far as the hub knows; nil: never.
  func lastSign(of wearable: EnrolledWearable) -> WallTime? {
    let (now, wall) = (context.loop.now, context.loop.wall)
    let signs = [presence.lastValue(of: wearable), wearable.lane.linkEndedAt].compactMap {
      $0.map { wall + ($0 - now) }
    }
    return (signs + [presence.lastHeard(wearable)].compactMap { $0 }).max()
  }

  /// Stores an operator's choice of how long this one may be away; durable when it returns.
  ///
  /// - Parameter choice: zero: for ever; nil: as configured.
  /// - Throws: `noSuchWearable`, or the store's error; then the choice is unchanged.
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
      // The next hub has to know at once that a wearable is proven; a sign of life comes again.
      let isWorth = wearable.noteWorth(context.loop.now)
      if isWorth || isNew { registry.persist(wearable, within: isWorth ? .zero : Registry.gathering) }
      if isThere {
        let wasMissing = missing.remove(wearable.id) != nil
        if wasMissing { tell(wearable, "is back") }
        // A wearable that was missing in the run before is back, too.
        if seen.insert(wearable.id).inserted || wasMissing { context.changes.happened(.back(wearable)) }
      } else if isTooLong(wearable) {
        if isSure, missing.insert(wearable.id).inserted, let trouble = trouble(of: wearable) {
          context.logger.warning(
            "\(trouble.reason.code) link: \(trouble.detail)",
            metadata: ["CODE": "\(trouble.reason.code)", "DEVICE": "\(wearable.name)"])
          context.changes.happened(.missing(wearable, trouble, since: lastSign(of: wearable)))
        }
      } else if missing.remove(wearable.id) != nil {
        // No longer missing, by order. The return is reported when it is heard.
        seen.remove(wearable.id)
      }
    }
    if missing != before { context.changes.raise(.shown) }
  }

  /// A hub without a plausible clock does not know the length of an absence.
  private func isTooLong(_ wearable: EnrolledWearable) -> Bool {
    guard let bound = bound(of: wearable), context.clockIsPlausible, !wearable.isPaused else { return false }
    guard let sign = lastSign(of: wearable) else { return context.loop.now - context.began > bound }
    return context.loop.wall - sign > bound
  }

  private func tell(_ wearable: EnrolledWearable, _ what: String) {
    context.logger.info("\(wearable.name) \(what)", metadata: ["DEVICE": "\(wearable.name)"])
  }

  // MARK: Stored state

  /// - Returns: whether there was a new sign to store.
  private func remember(_ wearable: EnrolledWearable, ifOlderBy bound: Duration) -> Bool {
    guard let sign = wearable.link == nil ? lastSign(of: wearable) : context.loop.wall else { return false }
    let kept = wearable.remembered(LastSeen.self)
    // A sign that was stored with a clock that was ahead is corrected.
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
