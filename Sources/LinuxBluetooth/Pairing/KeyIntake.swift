// Intake of new keys: on which link, and which of them belong together.

import Bluetooth
import EventLoop

/// Collects the keys of each pairing until they are complete, and reports them with their link.
///
/// The kernel labels keys with the identity address, which is a claim of the wearable and no evidence. The link is
/// known from New IRK, which has the resolvable address that the link was made under. A New LTK of that identity
/// follows at once.
@LoopActor
final class KeyIntake {
  /// The kernel reports the keys of one pairing in one moment, which a busy machine may stretch.
  static let moment: Duration = .milliseconds(50)
  /// Time from the encrypted link to the last key: a few connection events for each.
  static let distribution: Duration = .seconds(5)

  private let loop: any Loop
  private let counters: RadioCounters
  private var collection = KeyCollection()
  /// Link on which an identity was received, until its keys are reported.
  private var claims: [BluetoothAddress: BluetoothAddress] = [:]
  /// Links with keys received in this moment, valid or not.
  private var told: Set<BluetoothAddress> = []
  private var timer: LoopTimer?
  private var since = Instant(nanoseconds: 0)
  /// Whether there is an open link of this address, or was a moment ago.
  var isLink: @LoopActor (BluetoothAddress) -> Bool = { _ in false }
  /// Called with the keys that a pairing on this link left; nil: no key that can be kept.
  var onPaired: @LoopActor (_ link: BluetoothAddress, BondKeys?) -> Void = { _, _ in }
  /// Called if the kernel has keys of a link that the hub does not have.
  var onStray: @LoopActor () -> Void = {}

  init(loop: any Loop, counters: RadioCounters) {
    self.loop = loop
    self.counters = counters
  }

  /// - Parameter random: the resolvable address in use; zero: the link was made under the identity address.
  func take(_ key: IdentityKey, random: BluetoothAddress, isToBeKept: Bool) {
    let link = random.value == 0 ? key.address : random
    guard isLink(link) else { return stray() }
    claims[key.address] = link
    note(link, isSound: isToBeKept && collection.add(key, on: link))
  }

  func take(_ key: LongTermKey, isToBeKept: Bool) {
    guard let address = key.address else { return }
    let link = claims[address] ?? address
    guard isLink(link) else { return stray() }
    note(link, isSound: isToBeKept && collection.add(key, on: link))
  }

  private func stray() {
    counters.keysRefused += 1
    onStray()
  }

  private func note(_ link: BluetoothAddress, isSound: Bool) {
    if isSound { counters.keysReceived += 1 } else { counters.keysRefused += 1 }
    told.insert(link)
    if let timer { loop.cancel(timer) } else { since = loop.now }
    waitForMore()
  }

  private func waitForMore() { timer = loop.schedule(after: Self.moment) { [weak self] in self?.hand() } }

  /// Reports complete bonds. An identity without its key stays until the key arrives.
  private func hand() {
    timer = nil
    for (link, bond) in collection.take() { end(link, bond) }
    if loop.now - since >= Self.distribution { collection = KeyCollection() }
    for link in told.sorted() where !collection.isWaiting(link) { end(link, nil) }
    if !collection.isEmpty { waitForMore() }
  }

  private func end(_ link: BluetoothAddress, _ bond: BondKeys?) {
    told.remove(link)
    for (identity, claimant) in claims where claimant == link { claims[identity] = nil }
    onPaired(link, bond)
  }
}
