// Results of setting the profile of one link.

import Bluetooth
import EventLoop
import Reasons
import Wearable

/// A link with the tries made over it. Forgotten with the link, except for what people still query.
struct ProfileAttempt {
  var link: HubLink?
  private(set) var linkedAt = Instant(nanoseconds: 0)
  var effective: EffectiveParameters?
  /// The last reading of the characteristic, if it can be read, and its time.
  private(set) var reported: UInt8?
  private(set) var reportedAt: WallTime?
  /// Result of the last write, for people.
  var writeText: String?
  var trouble: HearthError?
  /// The trial of idle: written once, and again only if it worked.
  var idle = IdleTrial.untold
  /// Idle is written when the visit is over, as a fetch changes the link and would hide the result.
  var isPostponed = false
  /// Number of times that the profile was written again because the wearable requested other parameters, and when last.
  var repeats = 0
  private var lastRepeat: Instant?
  /// Budget of repeats over this link, for any profile. A visit each 15 min needs the foreground and then another
  /// profile. A wearable that refuses each of them once takes 8 repeats an hour, and a few more at once do no harm.
  private var repeatBudget = TokenBucket(capacity: 12, period: .seconds(450))

  enum IdleTrial: Equatable {
    case untold
    /// Written, but the link was not seen to follow.
    case told
    case proven
    /// `refused`, `ignored`.
    case failed(String)
  }

  /// Counts a repeat.
  ///
  /// - Returns: time of the repeat, `pause` after the one before or later.
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

  /// Notes that this firmware does not support idle.
  ///
  /// - Parameter what: `refused`, `ignored`.
  func noteRefusalOfIdle(_ what: String) { remember(IdleRefusal(what, firmware: firmware)) }
  func forgetRefusalOfIdle() { forget(IdleRefusal.self) }

  /// The stored refusal of this very firmware.
  private var knownRefusal: String? {
    guard let refusal = remembered(IdleRefusal.self), refusal.firmware == firmware else { return nil }
    return refusal.what
  }

  /// Returns why idle is not written: the same firmware refused it, or it had no effect over this link.
  func refusalOfIdle(over attempt: ProfileAttempt) -> HearthError? {
    if let known = knownRefusal {
      return HearthError(.linkProfileRefused, "\(name) \(known) profile idle before, with the same firmware")
    }
    switch attempt.idle {
    case .untold, .proven: return nil
    case .told:
      let text = "took profile idle over this link, and another change came before its effect was seen"
      return HearthError(.linkProfileRefused, "\(name) \(text)")
    case .failed(let what): return HearthError(.linkProfileRefused, "\(name) \(what) profile idle over this link")
    }
  }
}
