// The shortest time of a file's transfer.

import EventLoop

/// The least time in which the air can carry a file of this wearable; see NOTES.md.
enum LaneBound {
  /// SMP over LE 1M at one interval. Each chunk of 2,431 bytes is requested in one connection event and comes in the
  /// next ones, cut into pieces of 118 bytes. Each event holds as many packets as fit.
  static func time(forFile bytes: Int, interval: Duration) -> Duration {
    let nanoseconds = interval.wholeNanoseconds
    // A packet of 118 + 3 + 4 octets, an empty one the other way, two gaps.
    let packet = Int64(10 + 125 + 10) * 8_000 + 300_000
    let perEvent = Int(nanoseconds / packet)
    var left = bytes
    var events = 0
    while left > 0 {
      let data = min(left, 2431)
      // 8 octets of header and about 22 of CBOR around the data.
      let packets = (data + 30 + 117) / 118
      events += 1 + (packets + perEvent - 1) / perEvent
      left -= data
    }
    return .nanoseconds(Int64(events) * nanoseconds)
  }
}
