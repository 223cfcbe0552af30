// The advertising interval of a wearable, learned from what is heard, and how long it may be silent before it counts as
// gone.

import EventLoop

/// The advertising interval of one wearable, as the hub hears it: a robust median of the gaps between its
/// advertisements.
///
/// A missed advertisement makes a gap of two or three intervals. As long as more than half of the events are heard, the
/// median gap is still a single interval. If fewer are heard, the median is longer, so presence lasts longer, never
/// shorter. Costs a few instructions for each advertisement; the gaps are sorted once in `window`.
struct AdvertisingRhythm {
  /// Number of gaps; odd, so that the median is a real gap.
  static let window = 15
  /// Number of gaps below which the interval is unknown.
  static let enough = 7
  /// The shortest legal interval is 20 ms (Core specification, volume 6, part B, 4.4.2.2.1). An earlier report is the
  /// same event on another channel, or its scan response.
  static let sameEvent: Duration = .milliseconds(15)

  /// Shortest silence. A connect attempt to another wearable may take ten seconds, in which the radio hears no
  /// advertisement. A wearable that advertises ten times a second is not gone by that. Half as much again is added.
  static let leastSilence: Duration = .seconds(15)
  /// Number of events missed in a row. If half of them are lost, that happens once in 256 checks, and checks are rare.
  static let missedEvents = 8
  /// Silence as long as no interval is learned: three of the slowest legal intervals of legacy advertising (10.24 s).
  static let unlearned: Duration = .seconds(31)
  /// Extended advertising may be slower than legacy advertising; then three of its intervals.
  static let missedSlowEvents = 3

  /// The last `window` gaps in milliseconds; `next` is the place of the following one.
  private var gaps: [UInt32] = []
  private var next = 0
  private var lastHeard: Instant?
  /// The interval; nil until it is learned, or known from an earlier run of the hub.
  private(set) var interval: Duration?

  init() {}

  /// Continues with what was learned before a restart.
  init(remembered: AdvertisingInterval?) {
    guard let milliseconds = remembered?.milliseconds else { return }
    // Other values cannot have been learned here.
    if milliseconds >= 15, milliseconds <= 60_000 { interval = .milliseconds(Int64(milliseconds)) }
  }

  /// State to store with the wearable; nil before an interval is learned.
  var memory: AdvertisingInterval? { interval.map { AdvertisingInterval(milliseconds: Self.milliseconds($0)) } }

  /// Whether `memory` differs enough from the stored state to be worth a write: a half more, or a third less.
  func differs(from remembered: AdvertisingInterval?) -> Bool {
    guard let interval else { return false }
    guard let kept = AdvertisingRhythm(remembered: remembered).interval else { return true }
    return interval * 2 > kept * 3 || interval * 3 < kept * 2
  }

  /// Takes an advertisement. Reports must come in order of time; scan responses do not count.
  mutating func heard(at now: Instant) {
    defer { lastHeard = now }
    guard let lastHeard else { return }
    let gap = now - lastHeard
    if gap < Self.sameEvent { return }
    // The gap is an absence, not an interval. The longest legal interval is shorter than the shortest silence, so a
    // slower rhythm is always learned.
    if gap > silence { return }
    if gaps.count < Self.window { gaps.append(Self.milliseconds(gap)) } else { gaps[next] = Self.milliseconds(gap) }
    next = (next + 1) % Self.window
    if next == 0 || next == Self.enough { learn() }
  }

  /// Ignores the gap that ends with the next advertisement, as the wearable is linked and may be silent, or the radio
  /// was deaf.
  mutating func interrupt() { lastHeard = nil }

  /// Time that it may be silent before it counts as gone.
  var silence: Duration {
    guard let interval else { return Self.unlearned }
    let bound = max(Self.unlearned, interval * Self.missedSlowEvents)
    return min(max(Self.leastSilence, interval * Self.missedEvents), bound)
  }

  /// Whether a wearable that was last heard then is still there. A wearable that was never heard is not.
  func isPresent(lastHeard: Instant?, now: Instant) -> Bool {
    guard let lastHeard else { return false }
    return now - lastHeard <= silence
  }

  private mutating func learn() {
    if gaps.count < Self.enough { return }
    let sorted = gaps.sorted()
    interval = .milliseconds(Int64(sorted[sorted.count / 2]))
  }

  /// Rounded; an absence of weeks counts as one of 49 days.
  private static func milliseconds(_ gap: Duration) -> UInt32 {
    UInt32(clamping: (gap.wholeNanoseconds &+ 500_000) / 1_000_000)
  }
}
