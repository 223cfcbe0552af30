// Mode `all`: which stranger is tried next, and when. Pure: who is heard and the time go in, one of them comes out.

import Bluetooth
import EventLoop

/// The order in which strangers are tried, and what is remembered of tries that came to nothing.
///
/// **Order.** Who failed least goes first. Among equals tries alternate: the strongest, then who is heard for longest.
/// Who shouts can be the strongest for ever, and who changes its address is always new, but nobody can be both the
/// strongest and there before a strap at every second try: see `bound`.
struct TrialOrder {
  /// One that came to nothing.
  private struct Failure {
    var count = 0
    var notBefore: Instant
  }

  /// Tries whose outcome is remembered: twice as many as the hub can hear at a time.
  static let memory = 2 * PresenceTable.limit
  /// The pause after the first failure; doubled after each.
  static let firstPause: Duration = .seconds(30)
  static let longestPause: Duration = .seconds(3600)
  /// A stranger is tried while it was heard this recently: most advertise twice a second, and one that advertises once
  /// in three seconds is found by luck.
  static let freshness: Duration = .seconds(3)

  private var failures: [BluetoothAddress: Failure] = [:]
  private var isByAge = false

  /// How long a strap may wait until it is tried, at worst, where a slot is free for each try under way: beside `fakes`
  /// that all are stronger, were there before it, and do not answer.
  ///
  /// The radio makes one link at a time, so a fake costs the time in which it is not linked; one that is linked and
  /// says nothing costs less, as several are looked at together. Every second try goes by age: of those that change
  /// their address none comes before the strap, of the others each once. So the strap is tried after twice as many
  /// tries as there are fakes, and after as many where no address changes.
  static func bound(fakes: Int) -> Duration { (Trial.connectLimit + Strangers.look) * (2 * fakes + 1) }

  /// Who is tried now; nil: nobody. Asked once for each try.
  mutating func next(among heard: some Sequence<Presence>, now: Instant) -> Presence? {
    let byAge = isByAge
    var best: (failures: Int, presence: Presence)?
    for presence in heard where isReady(presence, now) {
      let count = failures[presence.address]?.count ?? 0
      if let best {
        if count > best.failures { continue }
        if count == best.failures, !Self.goesBefore(presence, best.presence, byAge: byAge) { continue }
      }
      best = (count, presence)
    }
    if best != nil { isByAge = !byAge }
    return best?.presence
  }

  private static func goesBefore(_ a: Presence, _ b: Presence, byAge: Bool) -> Bool {
    if byAge, a.firstHeard != b.firstHeard { return a.firstHeard < b.firstHeard }
    let (first, second) = (a.rssi ?? -.infinity, b.rssi ?? -.infinity)
    return first == second ? a.address < b.address : first > second
  }

  private func isReady(_ presence: Presence, _ now: Instant) -> Bool {
    guard presence.isRecognised, presence.hasIntroducedItself, let heard = presence.lastConnectable,
      now - heard <= Self.freshness
    else { return false }
    return failures[presence.address].map { now >= $0.notBefore } ?? true
  }

  func failures(of address: BluetoothAddress) -> Int { failures[address]?.count ?? 0 }

  /// A try came to nothing: the pause grows.
  mutating func failed(_ address: BluetoothAddress, now: Instant) {
    let count = (failures[address]?.count ?? 0) + 1
    let pause = Self.firstPause.doubled(count - 1, atMost: Self.longestPause)
    if failures[address] == nil, failures.count >= Self.memory { forgetOne() }
    failures[address] = Failure(count: count, notBefore: now + pause)
  }

  mutating func joined(_ address: BluetoothAddress) { failures[address] = nil }

  /// The one that may be tried again soonest: it is the one that failed least, or longest ago.
  private mutating func forgetOne() {
    let oldest = failures.min { ($0.value.notBefore, $0.key) < ($1.value.notBefore, $1.key) }
    if let oldest { failures[oldest.key] = nil }
  }
}
