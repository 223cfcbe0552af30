// Time that a link may take until it is settled: full for a good wearable, less for one that was unresponsive.

import Bluetooth
import EventLoop
import Wearable

extension EnrolledWearable {
  /// Time from the request to the open channel. Links are made within 1 to 2 s of the attempt. The kernel itself allows
  /// 3 s for a wearable that is heard and does not answer. An unresponsive wearable gets those, and two of its own
  /// advertising intervals.
  ///
  /// - Parameter interval: between two of its advertisements; nil: unknown.
  func connectLimit(_ limit: Duration, interval: Duration?) -> Duration {
    let own = (interval ?? .milliseconds(500)) * 2
    return lane.reputation.failedTries == 0 ? limit : min(limit, .seconds(3) + max(own, .seconds(1)))
  }

  /// Time from the open channel to live data. A new discovery takes some 60 requests: 4 s if each takes two events of a
  /// foreground link. An unresponsive wearable gets at least twice that.
  func settleLimit(_ limit: Duration) -> Duration { lane.reputation.share(of: limit, atLeast: .seconds(8)) }
}

/// Watches a link until it is settled, within a limit. While another wearable waits and has priority, the linked one
/// must also keep answering.
@LoopActor
final class SettlingWatch {
  /// An answer comes within two connection events, or in a second or two while the wearable writes its flash.
  static let silence: Duration = .seconds(5)
  /// A key exchange is five answers, of 2 s each over a weak link, and the encryption that follows.
  static let securing: Duration = .seconds(12)
  private static let look: Duration = .seconds(1)

  private let link: LiveLink
  private let loop: any Loop
  private let deadline: Instant
  private let limit: Duration
  /// Whether another wearable waits.
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

  /// Failure as text after the wearable's name.
  var clause: String {
    isSilent
      ? "did not answer for \(Int((loop.now - answeredAt).inSeconds)) s while others waited"
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
    // While it pairs no other request is sent.
    let silence = link.work?.isSecuring == true ? Self.securing : Self.silence
    if now - answeredAt >= silence, mayNotWait() {
      isSilent = true
      return onLate()
    }
    begin()
  }
}
