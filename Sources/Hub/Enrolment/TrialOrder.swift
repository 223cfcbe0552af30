// Mode `all`: which stranger is tried next, and when. Pure: from the strangers heard and the time it chooses one.

import Bluetooth
import EventLoop

/// The order in which strangers are tried, with the memory of failed tries.
///
/// **Order.** The stranger with the fewest failures goes first. Among equals tries alternate between the strongest and
/// the one heard for longest. A fake with a strong signal can be the strongest for ever, and a fake with changing
/// addresses is always new. But no fake can be both the strongest and older than a strap at every second try: see
/// `bound`.
struct TrialOrder {
  /// A failed try.
  private struct Failure {
    var count = 0
    var notBefore: Instant
  }

  /// Number of strangers whose failures are remembered: twice as many as the hub can hear at a time.
  static let memory = 2 * PresenceTable.limit
  /// The pause after the first failure; doubled after each.
  static let firstPause: Duration = .seconds(30)
  static let longestPause: Duration = .seconds(3600)
  /// A stranger may be tried for this long after it was heard. Most advertise twice a second; one that advertises once
  /// in three seconds is found by luck.
  static let freshness: Duration = .seconds(3)

  private var failures: [BluetoothAddress: Failure] = [:]
  private var isByAge = false

  /// The longest time until a strap is tried, if a slot is free for each parallel try. Beside it are `fakes` that are
  /// all stronger, came earlier, and do not answer.
  ///
  /// The radio makes one link at a time, so a fake costs the time in which it is not linked. A linked fake without
  /// values costs less, as several are examined in parallel. Every second try goes by age. Fakes with changing
  /// addresses never come before the strap there, the others once each. So the strap is tried after twice as many tries
  /// as there are fakes, and after as many if no address changes.
  static func bound(fakes: Int) -> Duration { (Trial.connectLimit + Strangers.look) * (2 * fakes + 1) }

  /// The stranger to try now; nil if no stranger is ready. Called once for each try.
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

  /// Notes a failed try: the pause grows.
  mutating func failed(_ address: BluetoothAddress, now: Instant) {
    let count = (failures[address]?.count ?? 0) + 1
    let pause = Self.firstPause.doubled(count - 1, atMost: Self.longestPause)
    if failures[address] == nil, failures.count >= Self.memory { forgetOne() }
    failures[address] = Failure(count: count, notBefore: now + pause)
  }

  mutating func joined(_ address: BluetoothAddress) { failures[address] = nil }

  /// Forgets the stranger that may be tried again soonest. That is the one with the fewest failures, or the oldest.
  private mutating func forgetOne() {
    let oldest = failures.min { ($0.value.notBefore, $0.key) < ($1.value.notBefore, $1.key) }
    if let oldest { failures[oldest.key] = nil }
  }
}
