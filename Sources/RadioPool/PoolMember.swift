// One radio of a pool: who it is, and how it fared.

import Bluetooth
import EventLoop

@LoopActor
final class PoolMember {
  let radio: any Radio
  let place: Int
  /// Attempts that wait in it.
  var attempts = 0
  /// Of the adapter that serves it, or served it last.
  private(set) var address: BluetoothAddress?
  private var misses: [BluetoothAddress: Fading] = [:]
  private var allMisses = Fading()

  /// Wearables whose failures are remembered; with more of them all begin anew.
  private static let missLimit = 128

  init(_ radio: any Radio, place: Int) {
    self.radio = radio
    self.place = place
  }

  var isReady: Bool { radio.state == .ready }
  /// As it was told last: an adapter that is off for a moment is not told.
  var told = RadioState.starting

  /// Takes over who it is, once it serves.
  func noteAddress() { if let now = radio.facts.address { address = now } }

  /// Another one serves with that adapter now.
  func forgetAddress() { address = nil }

  /// An attempt came to nothing, though the wearable was there.
  func missed(_ address: BluetoothAddress, _ now: Instant) {
    if misses.count >= Self.missLimit { misses = [:] }
    misses[address, default: Fading()].add(now)
    allMisses.add(now)
  }

  /// A link was made.
  func reached(_ address: BluetoothAddress) { misses[address] = nil }

  /// How it would serve a wearable.
  func offer(to address: BluetoothAddress, loudness: Double?, wasLast: Bool, _ now: Instant) -> AdapterOffer {
    let facts = radio.facts
    let own = misses[address]?.value(now) ?? 0
    return AdapterOffer(
      place: place, loudness: loudness, links: facts.links, slots: facts.slots, attempts: attempts, misses: own,
      otherMisses: max(0, allMisses.value(now) - own), wasLast: wasLast)
  }
}

/// A count that halves each minute: an adapter that failed ten minutes ago is as good as any.
struct Fading: Sendable {
  private static let half: Duration = .seconds(60)
  private var count = 0.0
  private var at: Instant?

  func value(_ now: Instant) -> Double {
    guard let at else { return 0 }
    var (left, passed) = (count, now - at)
    // Below a thousandth after ten halves.
    for _ in 0..<10 where passed >= Self.half {
      left /= 2
      passed -= Self.half
    }
    return passed >= Self.half ? 0 : left
  }

  mutating func add(_ now: Instant) { (count, at) = (value(now) + 1, now) }
}
