// Marks that this run of the hub is under way, and reports how the one before ended: see `RunMark`.

import EventLoop
import Reasons
import RingStore

/// Sets the mark of this run and reports the start. From the fifth start within an hour on, starts are counted in the
/// mark, which is written with commits that happen anyway. So a hub that cannot stay up writes no more events than one
/// that can.
@LoopActor
final class RunKeeper {
  private let context: HubContext
  private let registry: Registry
  private var former: RunMark?
  /// The last moment at which an earlier run was alive, as far as the store shows.
  private var lastSign: WallTime?
  /// The start is not reported yet, as the clock may still be corrected.
  private var isUntold = true
  private var timer: LoopTimer?

  /// Longest wait for a correct clock. A machine without a battery-backed clock knows the time soon after its network
  /// is up. Later the start is reported with the time that there is.
  static let patience: Duration = .seconds(120)
  private static let look: Duration = .seconds(10)
  /// Starts within an hour that are reported one by one, so that each is seen after restarts by hand. Those that follow
  /// are counted.
  static let startsInAnHour = 4

  init(_ context: HubContext, _ registry: Registry) {
    self.context = context
    self.registry = registry
  }

  private var store: Store { context.store }
  /// The start, by the clock as it is set now.
  private var began: WallTime { context.wall(of: context.began) }

  func start() {
    former = store.run
    lastSign = former?.ended ?? signs().max()
    var mark = RunMark(
      began: began, boot: store.bootID, untold: former?.untold ?? 0, untoldFrom: former?.untoldFrom)
    if startsOfTheHour() >= Self.startsInAnHour {
      isUntold = false
      mark.untold = mark.untold == .max ? .max : mark.untold + 1
      mark.untoldFrom = mark.untoldFrom ?? lastSign
    }
    store.keepRun(mark)
    // A former mark without an end may stay: if this hub is killed before a commit, that mark is still true.
    if former == nil || former?.ended != nil { context.loop.spawn { [store] in try? await store.writeRun() } }
    if isUntold { tellWhenClockIsRight() }
  }

  func stop() {
    if let timer { context.loop.cancel(timer) }
    if isUntold { tell() }
  }

  /// Reports what was counted in the hour. Writes a sign of life if no other record shows that the hub runs.
  func hourly() {
    guard var mark = store.run else { return }
    if mark.untold > 0, !isUntold { tellCounted(&mark) }
    let newest = [store.status.newestLive, mark.alive].compactMap { $0 }.max()
    let isStale = newest.map { context.loop.wall - $0 >= EventKeeper.hour } ?? true
    if isStale {
      mark.alive = context.loop.wall
      store.keepRun(mark)
    }
  }

  // MARK: Reporting

  private func tellWhenClockIsRight() {
    if context.loop.wallIsTrusted || context.loop.now - context.began >= Self.patience { return tell() }
    timer = context.loop.schedule(after: Self.look) { [weak self] in self?.tellWhenClockIsRight() }
  }

  private func tell() {
    isUntold = false
    guard var mark = store.run else { return }
    if mark.untold > 0 {
      mark.untold = mark.untold == .max ? .max : mark.untold + 1
      return tellCounted(&mark)
    }
    mark.began = began
    let (reason, text) = news()
    store.noteEvent(reason, at: began, text: text, span: EventSpan(from: lastSign, to: lastSign.map { _ in began }))
    store.keepRun(mark)
  }

  private func tellCounted(_ mark: inout RunMark) {
    let from = mark.untoldFrom
    let text = "the hub was started \(mark.untold) times more; what was not committed each time is lost"
    store.noteEvent(.startedAgain, text: text, span: EventSpan(from: from, to: mark.began, count: mark.untold))
    (mark.untold, mark.untoldFrom) = (0, nil)
    store.keepRun(mark)
  }

  private func news() -> (Reason, String) {
    guard let former else { return (.startedFirst, "the hub was started; the store knows of no run before") }
    let pause = lastSign.flatMap { $0 <= began ? " after \(spoken(began - $0))" : nil } ?? ""
    let start = "the hub was started\(pause)"
    if former.ended != nil { return (.startedAfterStop, "\(start); it had been stopped cleanly") }
    let lost = "what was not committed is lost"
    if let old = former.boot, let new = store.bootID, old != new {
      return (.startedAfterPowerCut, "\(start) with the machine; power was cut, or the machine hung; \(lost)")
    }
    return (.startedAfterKill, "\(start); it had been killed, or crashed; \(lost)")
  }

  /// Number of starts in events of the last hour.
  private func startsOfTheHour() -> Int {
    let recent = (try? store.recentEvents(256)) ?? []
    let starts = recent.prefix { began - $0.time < OutageLog.quiet }.filter { event in
      Reason(rawValue: event.reason).map { Self.starts.contains($0) } ?? false
    }
    return starts.count { began >= $0.time }
  }

  private static let starts: Set<Reason> = [
    .startedAfterStop, .startedAfterKill, .startedAfterPowerCut, .startedFirst, .startedAgain,
  ]

  /// Times at which an earlier run was alive, from other records.
  private func signs() -> [WallTime] {
    var signs = [former?.alive, store.status.newestLive].compactMap { $0 }
    signs += ((try? store.recentEvents(1)) ?? []).map(\.time)
    signs += ((try? store.recentVisits(1)) ?? []).map { $0.ended ?? $0.began }
    signs += registry.all.compactMap { $0.remembered(LastSeen.self)?.time }
    return signs.filter { $0 <= began }
  }
}
