// The keys that pairing leaves behind: kept in the store, loaded into the radio, missed where one side has lost them.

import Bluetooth
import EventLoop
import Logging
import Reasons
import RingStore
import Wearable

/// The bonds of this hub, and what is known of how good they are. The keys themselves are the store's and the radio's.
@LoopActor
final class Bonds {
  let context: HubContext
  let registry: Registry
  private let presence: PresenceMonitor
  /// Wearables that, as their links say, no longer know the hub's key.
  private var lost: Set<BluetoothAddress> = []
  /// Wearables that refused to be paired, or failed to, and may be of use without it: how often, how last, and until
  /// when they are not asked again.
  private var unpairable: [BluetoothAddress: (failures: Int, error: LinkError, until: Instant)] = [:]
  /// Wearables at whose address something was not believed to be them, and nothing was since.
  private let disbelieved: PerWearable<Bool>
  /// Enrolments that wait for keys, by the address of their link.
  private var awaited: [BluetoothAddress: @LoopActor (BondKeys) -> Void] = [:]

  init(_ context: HubContext, _ registry: Registry, _ presence: PresenceMonitor) {
    self.context = context
    self.registry = registry
    self.presence = presence
    disbelieved = PerWearable(registry)
  }

  // MARK: What is known

  /// There is a key that both may have.
  func isGood(_ wearable: EnrolledWearable) -> Bool {
    let store = context.store
    let hasBond = store.bonds.contains {
      $0.wearable == wearable.id || $0.address == wearable.address
    }
    return hasBond && !lost.contains(wearable.address) && !isSetAside(wearable)
  }

  /// It has a key, and is believed only encrypted with it, also where it was said to be lost: anybody can say that.
  func mustEncrypt(_ wearable: EnrolledWearable) -> Bool {
    if isSetAside(wearable) { return false }
    return context.store.bonds.contains { bond in
      bond.address == wearable.address && BondKeys(bond).map { !$0.longTermKeys.isEmpty } ?? false
    }
  }

  /// Its key is not asked for: a person accepted it without, or it lost it where the configuration lets whoever asks
  /// pair at any time.
  private func isSetAside(_ wearable: EnrolledWearable) -> Bool {
    if wearable.remembered(KeySetAside.self) != nil { return true }
    guard lost.contains(wearable.address), context.options.pairing == .always else { return false }
    return wearable.driver.map { $0.pairing != .never } ?? false
  }

  func noteDisbelieved(_ wearable: EnrolledWearable, _ isIt: Bool) { disbelieved[wearable] = isIt ? true : nil }
  func isDisbelieved(_ wearable: EnrolledWearable) -> Bool { disbelieved[wearable] != nil }

  func bonds(of wearable: EnrolledWearable) -> [Bond] { context.store.bonds.filter { $0.wearable == wearable.id } }
  func isLost(_ address: BluetoothAddress) -> Bool { lost.contains(address) }

  /// Its key is in the store and of no use now.
  func isUseless(_ address: BluetoothAddress) -> Bool {
    lost.contains(address) || registry[address].map { isSetAside($0) } ?? false
  }
  func failedToPair(_ wearable: EnrolledWearable) -> Bool { unpairable[wearable.address] != nil }
  /// It did, and is not to be asked again yet.
  func isUnpairable(_ wearable: EnrolledWearable) -> Bool {
    unpairable[wearable.address].map { context.loop.now < $0.until } ?? false
  }
  /// How it failed last.
  func failure(of wearable: EnrolledWearable) -> LinkError? { unpairable[wearable.address]?.error }
  func noteUnpairable(_ wearable: EnrolledWearable, _ error: LinkError) {
    let before = unpairable[wearable.address]?.failures ?? 0
    let pause = Self.firstPause.doubled(before, atMost: Self.longestPause)
    unpairable[wearable.address] = (before + 1, error, context.loop.now + pause)
  }

  /// A pairing may fail by chance, and nobody comes to a hub for months: it is tried again, behind the ten minutes of
  /// an enrolment. One that never works costs a link, 30 s at most (SMP's timer): less than 3 % of its time at first,
  /// and once a day at last.
  private static let firstPause: Duration = .seconds(1200)
  private static let longestPause: Duration = .seconds(86_400)

  /// It is enrolled anew: whatever it refused before may have been settled.
  func mayPairAgain(_ address: BluetoothAddress) { unpairable[address] = nil }

  /// A person says so: its key stays in the store, and is neither asked for nor in the radio until pairing made
  /// another.
  func setAside(_ wearable: EnrolledWearable) {
    lost.remove(wearable.address)
    guard context.store.bonds.contains(where: { $0.address == wearable.address }) else { return }
    wearable.remember(KeySetAside())
    loadKeys()
  }

  /// Its key is another one than was lost, or there is none any more.
  func found(_ address: BluetoothAddress) {
    lost.remove(address)
    guard let wearable = registry[address], wearable.remembered(KeySetAside.self) != nil else {
      return
    }
    wearable.forget(KeySetAside.self)
    registry.persist(wearable)
  }

  /// Its link is encrypted with its key.
  func proved(_ wearable: EnrolledWearable) {
    guard lost.remove(wearable.address) != nil else { return }
    if wearable.trouble?.reason == .keyMissing { wearable.trouble = nil }
    context.logger.notice("has the hub's key after all", metadata: ["DEVICE": "\(wearable.name)"])
    context.changes.raise(.shown)
  }

  func trouble(of wearable: EnrolledWearable) -> HearthError {
    HearthError(.keyMissing, "\(wearable.name) \(LinkError.keyMissing.clause)")
  }

  // MARK: Keys

  /// Hands the radio every key there is, but for those that were set aside: a wearable may ask for encryption at every
  /// link, the kernel would begin it with that key, and the link would end each time. One that was only said to be lost
  /// stays: whoever has it can prove that it is the wearable.
  func loadKeys() {
    let bonds = context.store.bonds.filter { bond in
      bond.address.flatMap { registry[$0] }.map { !isSetAside($0) } ?? true
    }
    context.radio.setKeys(bonds.compactMap { BondKeys($0) })
  }

  /// The next keys that are made on a link of this address belong to an enrolment; nil: no longer.
  func expectKeys(of link: BluetoothAddress, _ waiter: (@LoopActor (BondKeys) -> Void)?) { awaited[link] = waiter }

  /// A pairing made keys on a link that was made under this address. They are of the wearable on that link, whatever
  /// identity address it gave.
  func keysCame(on link: BluetoothAddress, _ keys: BondKeys) -> KeyVerdict {
    if let owner = IdentityClaim(link: link, identity: keys.address).owner(registry, presence, context.loop.now) {
      tellClaim(of: owner, by: link)
      return .refused(.identityClaimed)
    }
    if let waiter = awaited[link] {
      awaited[link] = nil
      // They become durable together with the enrolment they belong to.
      waiter(keys)
      return .kept
    }
    let bond = registry[keys.address].map { Bond(keys, of: $0.id, at: context.loop.wall) }
    guard let wearable = registry[keys.address], let bond, !bond.keys.isEmpty else {
      let text: Logger.Message = "keys of nobody who is enrolled are not kept"
      context.logger.warning(text, metadata: ["ADDRESS": "\(keys.address)"])
      return .refused(.keyNotGiven)
    }
    lost.remove(keys.address)
    unpairable[keys.address] = nil
    if wearable.trouble?.reason == .keyMissing { wearable.trouble = nil }
    context.loop.spawn { [weak self] in await self?.keep(bond, of: wearable) }
    return .kept
  }

  /// Says that a wearable gave another one's address as its own in pairing: with its link's wearable, in the log, and
  /// as an event of the one whose address it is.
  private func tellClaim(of owner: IdentityClaim.Owner, by link: BluetoothAddress) {
    let name = registry[link]?.name ?? "\(link)"
    let trouble = HearthError(
      .identityClaimed, "\(name) gave the address of \(owner.name) as its own when it was paired")
    registry[link]?.trouble = trouble
    context.logger.error(
      "\(trouble)",
      metadata: [
        "CODE": "\(trouble.reason.code)", "DEVICE": "\(name)", "EFFECT": "\(trouble.reason.text.effect)",
      ])
    if let wearable = owner.wearable { context.changes.happened(.identityClaimed(wearable, trouble)) }
    context.changes.raise(.shown)
  }

  private func keep(_ bond: Bond, of wearable: EnrolledWearable) async {
    do throws(HearthError) {
      try await context.store.putBond(bond)
      found(wearable.address)
      context.logger.notice("bonded", metadata: ["DEVICE": "\(wearable.name)"])
      context.changes.happened(.keyMade(wearable))
    } catch {
      context.logger.error("\(error)")
    }
    loadKeys()
  }

  /// A wearable does not know the key any more, as its link says.
  func keyIsMissing(_ wearable: EnrolledWearable) {
    guard lost.insert(wearable.address).inserted else { return }
    let trouble = trouble(of: wearable)
    wearable.trouble = trouble
    context.logger.warning(
      "\(trouble)",
      metadata: [
        "CODE": "\(trouble.reason.code)", "DEVICE": "\(wearable.name)", "EFFECT": "\(trouble.reason.text.effect)",
      ])
    context.changes.happened(.keyLost(wearable, trouble))
    loadKeys()
    context.changes.raise(.shown)
  }
}
