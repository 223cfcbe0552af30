// Whether a visit makes progress, measured by what came.

import Bluetooth
import EventLoop
import HubLane
import RingStore
import Wearable

/// Watches the progress of one visit. Progress is a new stage, a listing, a fetch, or a durable item; also answers at a
/// rate that is worth the air time.
struct StallWatch {
  /// The progress of a visit at one moment.
  struct Signs: Equatable {
    var stage: VisitStage
    var items: Int
    var durable: Int
    /// Payload bytes of items.
    var payload: Int
    /// Bytes received over ATT, except live values.
    var received: UInt64
  }

  /// Minimum bytes a second. A link at the edge of usability brings 3,000; a wearable that answers 20 bytes every 29 s
  /// brings less than one.
  private static let rate = 2.0
  /// Bytes of one turn that count as useful even without a complete item: 350 bytes a second in a slice of 45 s.
  static let usefulBytes = 16 << 10
  /// Bytes a second for which others may wait beyond a slice. 255 requests to an insole bring 270 a second, records of
  /// 12 bytes by indications 300. A wearable that answers 200 bytes every five seconds brings 40.
  static let worthRate = 80.0
  /// Time that a new wearable gets before a turn without data counts: as long as it needs to write its flash once.
  static let fairTurn = LaneTable.fairTurn

  private var signs: Signs?
  private var cameAt: Instant

  init(began: Instant) { cameAt = began }

  /// Restarts the count, as the visit waits for something else than the wearable's answers.
  mutating func restart(_ now: Instant) { cameAt = now }

  /// - Returns: whether there was progress since the last look with progress.
  mutating func look(_ now: Signs, now time: Instant) -> Bool {
    guard let before = signs else {
      signs = now
      return true
    }
    let spent = max(1, (time - cameAt).inSeconds)
    let isFurther =
      now.stage != before.stage || now.items != before.items || now.durable != before.durable
      || now.payload != before.payload
    guard isFurther || Double(now.received &- before.received) >= Self.rate * spent else { return false }
    signs = now
    cameAt = time
    return true
  }

  func silence(_ now: Instant) -> Duration { now - cameAt }
}

extension Reputation {
  /// Returns how long a visit may bring no data while another wearable waits for the lane. After completed visits, as
  /// long as one ATT request may take. Before the first, as long as a wearable needs to write its flash once. After a
  /// stalled visit, as long as a weak link needs for a repeated request.
  ///
  /// - Parameter isBinding: a person may have to touch it.
  func patience(whileBinding isBinding: Bool) -> Duration {
    if isBinding { return failedTries == 0 ? .seconds(60) : .seconds(20) }
    return switch grade {
    case .proven: .seconds(30)
    case .new: StallWatch.fairTurn
    case .doubtful: .seconds(6)
    }
  }
}

extension VisitRunner {
  /// Returns how long no data came, if another wearable waits for the lane and that is too long; nil: it goes on.
  func stalledFor() -> String? {
    let signs = StallWatch.Signs(
      stage: stage, items: progress.items.count, durable: progress.becameDurable, payload: progress.bytesCame,
      received: answered)
    if link.isPausing { stall.restart(loop.now) }
    let isAnswering = stall.look(signs, now: loop.now)
    if isAnswering { return nil }
    let patience = wearable.lane.visitReputation.patience(whileBinding: link.reached == .authenticating)
    let least = max(session.transferring?.transferPatience ?? .zero, link.isSecuring ? SettlingWatch.securing : .zero)
    let limit = max(patience, least)
    guard stall.silence(loop.now) >= limit, hub.isWanted(instead: wearable) else { return nil }
    return "\(Int(stall.silence(loop.now).inSeconds)) s while others waited"
  }

  /// Bytes over ATT that the visit requested. A wearable that streams without answering makes no progress.
  var answered: UInt64 { link.client.counters.receivedBytes &- link.subscriptions.liveBytes }

  /// Whether it answers at a rate for which others may wait beyond its slice; a person may have to touch it before it
  /// does.
  var isWorthWaiting: Bool {
    if link.isSecuring || link.reached == .authenticating { return true }
    return Double(answered &- slice.answeredBefore) >= StallWatch.worthRate * sliceUsed.inSeconds
  }

  /// Whether the turn is over, another wearable waits, and the visit cannot end by itself. Either no piece of data
  /// comes at which it could end, or the rate is not worth the wait.
  var isOverdue: Bool {
    guard sliceUsed >= hub.options.slice, mustYieldItem, !mustFinishTransfer else { return false }
    return sliceUsed > hub.options.slice + Self.overrun || !isWorthWaiting
  }

  /// Whether the wearable is in the middle of a transfer that must not be cut, and makes progress. The limit is that of
  /// an item that cannot be cut, or two slices for a slow wearable without a completed visit.
  private var mustFinishTransfer: Bool {
    guard let patience = session.transferring?.transferPatience, stall.silence(loop.now) < patience else {
      return false
    }
    let grade = wearable.lane.visitReputation.grade
    let isTrusted = grade == .proven || grade == .new && isWorthWaiting
    return sliceUsed <= hub.options.slice * (isTrusted ? Self.indivisibleSlices : Self.doubtfulSlices)
  }

  /// Whether what came counts for the wearable's reputation, however the visit ended.
  var hasBrought: Bool {
    progress.becameDurable > 0 || progress.bytesCame >= StallWatch.usefulBytes || slice.interruption != nil
  }

  /// Whether its turn ended by its length, not for an operator's request or because slices are short. Only then does a
  /// turn without data count against the wearable.
  var hadItsTime: Bool { sliceUsed >= max(hub.options.slice, StallWatch.fairTurn) }
}
