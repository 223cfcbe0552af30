// Whether a visit goes on, measured in what came and not in patience.

import Bluetooth
import EventLoop
import HubLane
import RingStore
import Wearable

/// Watches what one visit brings. A visit that reaches a stage, lists, fetches or makes something durable goes on; so
/// does one whose wearable answers at a rate that is worth the air.
struct StallWatch {
  /// What can be seen of a visit at one moment.
  struct Signs: Equatable {
    var stage: VisitStage
    var items: Int
    var durable: Int
    /// Bytes of items.
    var payload: Int
    /// Bytes of what came over ATT, but for live values.
    var received: UInt64
  }

  /// Bytes a second. A link at the edge of what can be used brings 3,000; who answers 20 bytes every 29 s brings less
  /// than one.
  private static let rate = 2.0
  /// Of one turn, though no item became whole: 350 bytes a second in a slice of 45 s.
  static let usefulBytes = 16 << 10
  /// Bytes a second that are worth it that others wait beyond a slice. 255 questions to an insole bring 270 a second,
  /// records of 12 bytes by indications 300; a wearable that answers 200 bytes each five seconds brings 40.
  static let worthRate = 80.0
  /// What a wearable of which nothing is known has to bring something before its turn says anything about it: as long
  /// as it needs to write its flash once.
  static let fairTurn = LaneTable.fairTurn

  private var signs: Signs?
  private var cameAt: Instant

  init(began: Instant) { cameAt = began }

  /// It waits for something else than the wearable's answers.
  mutating func restart(_ now: Instant) { cameAt = now }

  /// - Returns: something came since the last look that came.
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
  /// For how long a visit may bring nothing while somebody else waits for the lane: who finished visits, as long as one
  /// ATT request may take; who did not, as long as a wearable needs to write its flash once; who stalled the last one,
  /// as long as a poor link needs for a request that is repeated.
  ///
  /// - Parameter isBinding: a person may have to touch it.
  func patience(whileBinding isBinding: Bool) -> Duration {
    if isBinding { return strikes == 0 ? .seconds(60) : .seconds(20) }
    return switch standing {
    case .proven: .seconds(30)
    case .new: StallWatch.fairTurn
    case .doubtful: .seconds(6)
    }
  }
}

extension VisitRunner {
  /// For how long nothing came, where somebody else waits for the lane and that is too long; nil: it goes on.
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

  /// Bytes over ATT that the visit asked for: a wearable that streams and answers nothing brings it nothing.
  var answered: UInt64 { link.client.counters.receivedBytes &- link.subscriptions.liveBytes }

  /// It answers at a rate for which others may wait beyond its slice; a person may have to touch it before it does.
  var isWorthWaiting: Bool {
    if link.isSecuring || link.reached == .authenticating { return true }
    return Double(answered &- slice.answeredBefore) >= StallWatch.worthRate * sliceUsed.inSeconds
  }

  /// The turn is over, another wearable waits, and it does not end by itself: no piece of data comes at which it could
  /// end, or what comes is not worth the wait.
  var isOverdue: Bool {
    guard sliceUsed >= hub.options.slice, mustYieldItem, !mustFinishTransfer else { return false }
    return sliceUsed > hub.options.slice + Self.overrun || !isWorthWaiting
  }

  /// The wearable is in the middle of a transfer that must not be cut, and goes on with it. That lasts no longer than
  /// an item that cannot be cut; two slices at most for a wearable that answers too little and finished no visit yet.
  private var mustFinishTransfer: Bool {
    guard let patience = session.transferring?.transferPatience, stall.silence(loop.now) < patience else {
      return false
    }
    let standing = wearable.lane.visitReputation.standing
    let isTrusted = standing == .proven || standing == .new && isWorthWaiting
    return sliceUsed <= hub.options.slice * (isTrusted ? Self.indivisibleSlices : Self.doubtfulSlices)
  }

  /// What came speaks for the wearable, however the visit ended.
  var hasBrought: Bool {
    progress.becameDurable > 0 || progress.bytesCame >= StallWatch.usefulBytes || slice.interruption != nil
  }

  /// Its turn ended for what it took, and not because somebody else was asked for, or because slices are short: only
  /// then does a turn without anything speak against the wearable.
  var hadItsTime: Bool { sliceUsed >= max(hub.options.slice, StallWatch.fairTurn) }
}
