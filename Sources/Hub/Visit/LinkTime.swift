// Time for a wearable that ends each link over which it is not set, while another wearable is visited.

import EventLoop
import Health
import Reasons
import RingStore
import Wearable

/// Sets only the clock over a link without a visit. What the clock showed before is in the log of visits, as a visit of
/// its own that yielded at its check.
@LoopActor
final class LinkTime: ClockBringer {
  private let wearable: EnrolledWearable
  private let turn: LinkSession
  private let store: Store
  private var record: VisitRecord
  /// The log has it; a clock that was correct costs no page of the card.
  private var isWritten = false

  /// Longest such link. The wearable hangs up after five seconds; after the setting its link goes on with live values.
  private static let limit: Duration = .seconds(10)

  init(_ wearable: EnrolledWearable, _ turn: LinkSession, _ context: HubContext, number: UInt64, trigger: VisitTrigger)
  {
    (self.wearable, self.turn, store) = (wearable, turn, context.store)
    record = VisitRecord(number: number, wearable: wearable.id, began: context.loop.wall, boot: context.store.bootID)
    (record.trigger, record.stage) = (trigger.rawValue, VisitStage.check.rawValue)
    (record.laneOutcome, record.remark) = (VisitOutcome.sliceOver.rawValue, "its clock alone, as another is visited")
  }

  static func isWanted(_ wearable: EnrolledWearable, over link: LiveLink) -> Bool {
    !link.isSettled && link.session?.session.clocked?.wantsTimeAtOnce == true
  }

  /// - Returns: whether the wearable's record should be written.
  func bring(_ loop: any Loop) async -> Bool {
    guard let clocked = turn.session.clocked else { return false }
    wearable.visits.linkTime = self
    defer { wearable.visits.linkTime = nil }
    let timer = loop.schedule(after: Self.limit) { [turn] in turn.link.giveUp(.silent(what: "its clock")) }
    defer { loop.cancel(timer) }
    do throws(VisitTrouble) {
      if let clock = try await turn.alone("its clock", { () throws(VisitTrouble) in try await clocked.checkClock() }) {
        note(clock)
      }
    } catch {
      if let clock = clocked.clockSeen { note(clock) }
      turn.link.note("its clock: \(error)")
    }
    record.ended = loop.wall
    if isWritten { try? await store.putVisit(record) }
    return wearable.noteUnreadClock(turn.session, record.number)
  }

  private func note(_ clock: DeviceClock) {
    (record.opened, record.closed) = (clock.evidence, clock.afterwards)
    wearable.visits.clock.opened(record.number, clock.evidence, afterSetting: clock.afterwards, wasSet: clock.wasSet)
    wearable.visits.clock.fallen = clock.fallen
  }

  /// Stores what the clock shows, before it is moved.
  func keep(_ shown: ClockEvidence) async throws(HearthError) {
    record.opened = shown
    wearable.visits.clock.opened(record.number, shown, afterSetting: nil, wasSet: false)
    isWritten = true
    try await store.putVisit(record)
  }
}
