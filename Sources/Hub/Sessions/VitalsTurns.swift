// Several measurements in one session: each begins when the sensor is ready, without data of the one before.

import EventLoop
import Vitals

extension VitalsRun {
  /// Continues when the sensor is ready: begins an ordered measurement, or ends a session that does not stay.
  func goOn() {
    if let seconds = turns.begin() {
      events.append(.start(duration: Int64(seconds) * 1_000_000))
    } else if !turns.stays {
      events.append(.terminate)
    }
  }

  /// Starts one more measurement in a ready session.
  ///
  /// - Returns: whether it began; an earlier event may have ended the session, or its link.
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
