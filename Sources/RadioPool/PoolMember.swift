// Radio of a pool, with its address and its failures.

import Bluetooth
import EventLoop

@LoopActor
final class PoolMember {
  let radio: any Radio
  let place: Int
  /// Attempts that wait in this radio.
  var attempts = 0
  /// Address of the adapter that serves, or served last.
  private(set) var address: BluetoothAddress?
  private var misses: [BluetoothAddress: Fading] = [:]
  private var allMisses = Fading()

  /// Wearables with a remembered failure; when there are more, all counts are cleared.
  private static let missLimit = 128

  init(_ radio: any Radio, place: Int) {
    self.radio = radio
    self.place = place
  }

  var isReady: Bool { radio.state == .ready }
  /// State as last reported: an adapter that is off for a moment is not reported.
  var told = RadioState.starting

  /// Adopts the adapter's address once it serves.
  func noteAddress() { if let now = radio.facts.address { address = now } }

  /// Called when another radio serves with that adapter.
  func forgetAddress() { address = nil }

  /// Notes a failed attempt, though the wearable was heard.
  func missed(_ address: BluetoothAddress, _ now: Instant) {
    if misses.count >= Self.missLimit { misses = [:] }
    misses[address, default: Fading()].add(now)
    allMisses.add(now)
  }

  /// Notes a link.
  func reached(_ address: BluetoothAddress) { misses[address] = nil }

  /// Candidate data of this radio for a wearable.
  func offer(to address: BluetoothAddress, loudness: Double?, wasLast: Bool, _ now: Instant) -> AdapterOffer {
    let facts = radio.facts
    let own = misses[address]?.value(now) ?? 0
    return AdapterOffer(
      place: place, loudness: loudness, links: facts.links, slots: facts.slots, attempts: attempts, misses: own,
      otherMisses: max(0, allMisses.value(now) - own), wasLast: wasLast)
  }
}

/// Count that halves each minute: a failure ten minutes ago no longer matters.
struct Fading: Sendable {
  private static let half: Duration = .seconds(60)
  private var count = 0.0
  private var at: Instant?

  func value(_ now: Instant) -> Double {
    guard let at else { return 0 }
    var (left, passed) = (count, now - at)
    // After ten half-lives less than a thousandth is left.
    for _ in 0..<10 where passed >= Self.half {
      left /= 2
      passed -= Self.half
    }
    return passed >= Self.half ? 0 : left
  }

  mutating func add(_ now: Instant) { (count, at) = (value(now) + 1, now) }
}
