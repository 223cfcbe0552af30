// What came of telling one link its profile.

import Bluetooth
import EventLoop
import Reasons
import Wearable

/// One link and what was tried over it; forgotten with the link, but for what people still ask about it.
struct ProfileAttempt {
  var link: HubLink?
  private(set) var linkedAt = Instant(nanoseconds: 0)
  var effective: EffectiveParameters?
  /// What the characteristic says, where it can be read, and when it said so.
  private(set) var reported: UInt8?
  private(set) var reportedAt: WallTime?
  /// What happened to the last write, for people.
  var writeText: String?
  var trouble: HearthError?
  /// What came of idle: it is written once, and again only where it was had.
  var idle = IdleTrial.untold
  /// Idle is written when the visit is over: what a fetch does to the link would hide what came of it.
  var isPostponed = false
  /// How often this link was told again because the wearable had asked for something else, and when last.
  var repeats = 0
  private var lastRepeat: Instant?
  /// All repeats over this link, whatever was wanted. A visit each 15 min wants the foreground and then something else:
  /// a wearable that refuses each of them once takes 8 repeats an hour, and a few more at once do no harm.
  private var repeatBudget = TokenBucket(capacity: 12, period: .seconds(450))

  enum IdleTrial: Equatable {
    case untold
    /// Written, and the link was not seen to follow.
    case told
    case proven
    /// `refused`, `ignored`.
    case failed(String)
  }

  /// Counts a repeat.
  ///
  /// - Returns: when it may be, `pause` after the one before or later.
  mutating func nextRepeat(_ now: Instant, _ pause: Duration) -> Instant {
    let moment = max(lastRepeat.map { $0 + pause } ?? now, repeatBudget.next(now), now)
    repeats += 1
    _ = repeatBudget.take(moment)
    lastRepeat = moment
    return moment
  }

  mutating func said(_ code: UInt8, at time: WallTime) { (reported, reportedAt) = (code, time) }

  init() {}

  init(_ link: HubLink, at now: Instant) {
    self.link = link
    linkedAt = now
  }
}

extension EnrolledWearable {
  private var firmware: String { fact("firmware") ?? "unknown" }

  /// Idle is not to be had of this firmware.
  ///
  /// - Parameter what: `refused`, `ignored`.
  func noteRefusalOfIdle(_ what: String) { remember(IdleRefusal(what, firmware: firmware)) }
  func forgetRefusalOfIdle() { forget(IdleRefusal.self) }

  /// What is remembered of this very firmware.
  private var knownRefusal: String? {
    guard let refusal = remembered(IdleRefusal.self), refusal.firmware == firmware else { return nil }
    return refusal.what
  }

  /// Why idle is not written: it was refused by the same firmware, or was to no avail over this link.
  func refusalOfIdle(over attempt: ProfileAttempt) -> HearthError? {
    if let known = knownRefusal {
      return HearthError(.linkProfileRefused, "\(name) \(known) profile idle before, with the same firmware")
    }
    switch attempt.idle {
    case .untold, .proven: return nil
    case .told:
      let text = "took profile idle over this link, and something else came before it could be seen to follow"
      return HearthError(.linkProfileRefused, "\(name) \(text)")
    case .failed(let what): return HearthError(.linkProfileRefused, "\(name) \(what) profile idle over this link")
    }
  }
}
