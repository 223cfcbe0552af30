// How long a link may take to be of use: what a good wearable has, and less for one that was mute.

import Bluetooth
import EventLoop
import Wearable

extension EnrolledWearable {
  /// From asking the radio to the open channel. Links are made within 1 to 2 s of the attempt; the kernel itself gives
  /// a wearable 3 s that is heard and does not answer. Who was mute before has those and two of its own advertising
  /// intervals.
  ///
  /// - Parameter interval: between two of its advertisements; nil: not known.
  func connectLimit(_ limit: Duration, interval: Duration?) -> Duration {
    let own = (interval ?? .milliseconds(500)) * 2
    return lane.reputation.strikes == 0 ? limit : min(limit, .seconds(3) + max(own, .seconds(1)))
  }

  /// From the open channel to live data. What is discovered anew takes some 60 requests, 4 s where each takes two
  /// events of a foreground link: who was mute has twice that at least.
  func settleLimit(_ limit: Duration) -> Duration { lane.reputation.share(of: limit, atLeast: .seconds(8)) }
}

/// Watches a link that is to become of use: it has a limit, and where somebody else waits and it need not be waited for
/// it must go on answering.
@LoopActor
final class SettlingWatch {
  /// An answer comes within two connection events, or, from a wearable that is writing its flash, in a second or two.
  static let silence: Duration = .seconds(5)
  /// A key exchange is five answers, of 2 s each over a poor link, and the encryption that follows.
  static let securing: Duration = .seconds(12)
  private static let look: Duration = .seconds(1)

  private let link: LiveLink
  private let loop: any Loop
  private let deadline: Instant
  private let limit: Duration
  /// Somebody else waits.
  private let mayNotWait: @LoopActor () -> Bool
  private var timer: LoopTimer?
  private var received: UInt64 = 0
  private var answeredAt: Instant
  private var isSilent = false
  var onLate: @LoopActor () -> Void = {}

  init(_ link: LiveLink, loop: any Loop, limit: Duration, mayNotWait: @escaping @LoopActor () -> Bool) {
    self.link = link
    self.loop = loop
    self.limit = limit
    self.mayNotWait = mayNotWait
    deadline = loop.now + limit
    answeredAt = loop.now
    received = link.client.counters.received
  }

  /// What was wrong, to be read after the wearable's name.
  var clause: String {
    isSilent
      ? "answered nothing for \(Int((loop.now - answeredAt).inSeconds)) s while others waited"
      : "was not ready \(Int(limit.inSeconds)) s after connecting"
  }

  func begin() {
    timer = loop.schedule(at: min(deadline, loop.now + Self.look)) { [weak self] in self?.check() }
  }

  func end() {
    if let timer { loop.cancel(timer) }
    timer = nil
  }

  private func check() {
    let now = loop.now
    if now >= deadline { return onLate() }
    let count = link.client.counters.received
    if count != received { (received, answeredAt) = (count, now) }
    // While it pairs nothing is asked.
    let silence = link.work?.isSecuring == true ? Self.securing : Self.silence
    if now - answeredAt >= silence, mayNotWait() {
      isSilent = true
      return onLate()
    }
    begin()
  }
}
