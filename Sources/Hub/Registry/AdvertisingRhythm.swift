// How often a wearable advertises, learned from hearing it, and how long its silence may last before it counts as gone.

import EventLoop

/// The advertising interval of one wearable, as the hub hears it: a robust median of the gaps between its
/// advertisements.
///
/// What the radio does not hear makes a gap of two or three intervals; as long as more than half of the events are
/// heard, the median gap
/// is still a single interval, and where fewer are, it errs towards a longer one: presence then lasts longer, never
/// shorter. Costs a few
/// instructions for each advertisement; the sorting is done once in `window` gaps.
struct AdvertisingRhythm {
  /// What one advertising event costs; an odd number, so that the median is a gap that was there.
  static let window = 15
  /// So few tell nothing yet.
  static let enough = 7
  /// The shortest legal interval is 20 ms (Core specification, volume 6, part B, 4.4.2.2.1): what comes sooner is the
  /// same event on another
  /// channel, or its scan response.
  static let sameEvent: Duration = .milliseconds(15)

  /// A wearable that advertises ten times a second is not gone when a connect attempt to another one, during which
  /// nobody is heard, took its
  /// full ten seconds: half as much again.
  static let leastSilence: Duration = .seconds(15)
  /// Eight events missed in a row: with half of them lost on the way that happens once in 256 looks, and a look is only
  /// made when somebody asks.
  static let missedEvents = 8
  /// What holds while nothing is learned: three of the slowest legal intervals of legacy advertising (10.24 s).
  static let unlearned: Duration = .seconds(31)
  /// Extended advertising may be slower than legacy advertising; three of its intervals, too.
  static let missedSlowEvents = 3

  /// Gaps in milliseconds, the last `window` of them; `next` is where the following one goes.
  private var gaps: [UInt32] = []
  private var next = 0
  private var lastHeard: Instant?
  /// What is held to be the interval; nil until it was learned, or remembered from an earlier life of the hub.
  private(set) var interval: Duration?

  init() {}

  /// Goes on with what was learned before a restart.
  init(remembered: AdvertisingInterval?) {
    guard let milliseconds = remembered?.milliseconds else { return }
    // Anything else cannot have been learned here.
    if milliseconds >= 15, milliseconds <= 60_000 { interval = .milliseconds(Int64(milliseconds)) }
  }

  /// To be remembered of the wearable; nil while nothing was learned.
  var memory: AdvertisingInterval? { interval.map { AdvertisingInterval(milliseconds: Self.milliseconds($0)) } }

  /// Whether `memory` says so much else than what is kept that writing it is worth its wear: a half more, or a third
  /// less.
  func differs(from remembered: AdvertisingInterval?) -> Bool {
    guard let interval else { return false }
    guard let kept = AdvertisingRhythm(remembered: remembered).interval else { return true }
    return interval * 2 > kept * 3 || interval * 3 < kept * 2
  }

  /// An advertisement of the wearable. Reports must come in order of time; a scan response tells nothing.
  mutating func heard(at now: Instant) {
    defer { lastHeard = now }
    guard let lastHeard else { return }
    let gap = now - lastHeard
    if gap < Self.sameEvent { return }
    // An absence, not a rhythm. The longest legal interval is below what is waited for at least, so a slower rhythm is
    // always learned.
    if gap > silence { return }
    if gaps.count < Self.window { gaps.append(Self.milliseconds(gap)) } else { gaps[next] = Self.milliseconds(gap) }
    next = (next + 1) % Self.window
    if next == 0 || next == Self.enough { learn() }
  }

  /// The wearable is linked and may be silent for that reason, or the radio was deaf: the gap that ends with the next
  /// advertisement is none.
  mutating func interrupt() { lastHeard = nil }

  /// How long nothing need be heard of it for it to count as gone.
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

  /// Rounded; an absence of weeks is as long as one of 49 days.
  private static func milliseconds(_ gap: Duration) -> UInt32 {
    UInt32(clamping: (gap.wholeNanoseconds &+ 500_000) / 1_000_000)
  }
}
