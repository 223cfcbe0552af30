// Several measurements in one session: each begins where the sensor is ready, and nothing of the one before is left.

import EventLoop
import Vitals

extension VitalsRun {
  /// The sensor is there and nothing is measured: what is ordered begins, and a session that does not stay ends.
  func goOn() {
    if let seconds = turns.begin() {
      events.append(.start(duration: Int64(seconds) * 1_000_000))
    } else if !turns.stays {
      events.append(.terminate)
    }
  }

  /// One more, of a session that is ready.
  ///
  /// - Returns: whether it began: what came before it may have ended the session, or its link.
  func startAnother(_ seconds: Int) -> Bool {
    drain()
    guard state == .ready else { return false }
    (record, trouble, code, began, instant) = (nil, nil, nil, nil, InstantValues())
    tap.beginAnother()
    turns.order(seconds)
    goOn()
    drain()
    return state != .ready
  }
}
