// Keys made by pairing: stored, loaded into the radio, and marked as lost if one side no longer has them.

import Bluetooth
import EventLoop
import Logging
import Reasons
import RingStore
import Wearable

/// The bonds of this hub, and whether they still work. The store and the radio hold the keys themselves.
@LoopActor
final class Bonds {
  let context: HubContext
  let registry: Registry
  private let presence: PresenceMonitor
  /// Wearables that reported over their link that they no longer have the hub's key.
  private var lost: Set<BluetoothAddress> = []
  /// Wearables that refused pairing, or failed to pair, and may work without it. For each: failures, last error, and
  /// the end of the pause before the next try.
  private var unpairable: [BluetoothAddress: (failures: Int, error: LinkError, until: Instant)] = [:]
  /// Wearables at whose address a device failed the identity check, without a later success.
  private let disbelieved: PerWearable<Bool>
  /// Enrolments that wait for keys, by the address of their link.
  private var awaited: [BluetoothAddress: @LoopActor (BondKeys) -> Void] = [:]

  init(_ context: HubContext, _ registry: Registry, _ presence: PresenceMonitor) {
    self.context = context
    self.registry = registry
    self.presence = presence
    disbelieved = PerWearable(registry)
  }

  // MARK: State

  /// Whether there is a key that both sides may have.
  func isGood(_ wearable: EnrolledWearable) -> Bool {
    let store = context.store
    let hasBond = store.bonds.contains {
      $0.wearable == wearable.id || $0.address == wearable.address
    }
    return hasBond && !lost.contains(wearable.address) && !isSetAside(wearable)
  }

  /// Whether the wearable has a key and is trusted only over a link encrypted with it. A key reported as lost counts
  /// too, as any device can send that report.
  func mustEncrypt(_ wearable: EnrolledWearable) -> Bool {
    if isSetAside(wearable) { return false }
    return context.store.bonds.contains { bond in
      bond.address == wearable.address && BondKeys(bond).map { !$0.longTermKeys.isEmpty } ?? false
    }
  }

  /// Whether its key is not required. Either an operator accepted the wearable without it, or the wearable lost it and
  /// the configuration permits pairing at any time.
  private func isSetAside(_ wearable: EnrolledWearable) -> Bool {
    if wearable.remembered(KeySetAside.self) != nil { return true }
    guard lost.contains(wearable.address), context.options.pairing == .always else { return false }
    return wearable.driver.map { $0.pairing != .never } ?? false
  }

  func noteDisbelieved(_ wearable: EnrolledWearable, _ isIt: Bool) { disbelieved[wearable] = isIt ? true : nil }
  func isDisbelieved(_ wearable: EnrolledWearable) -> Bool { disbelieved[wearable] != nil }

  func bonds(of wearable: EnrolledWearable) -> [Bond] { context.store.bonds.filter { $0.wearable == wearable.id } }
  func isLost(_ address: BluetoothAddress) -> Bool { lost.contains(address) }

  /// Whether its key is in the store, but unusable now.
  func isUseless(_ address: BluetoothAddress) -> Bool {
    lost.contains(address) || registry[address].map { isSetAside($0) } ?? false
  }
  func failedToPair(_ wearable: EnrolledWearable) -> Bool { unpairable[wearable.address] != nil }
  /// Whether pairing failed, and the pause before the next try is not over.
  func isUnpairable(_ wearable: EnrolledWearable) -> Bool {
    unpairable[wearable.address].map { context.loop.now < $0.until } ?? false
  }
  /// The error of the last failed pairing.
  func failure(of wearable: EnrolledWearable) -> LinkError? { unpairable[wearable.address]?.error }
  func noteUnpairable(_ wearable: EnrolledWearable, _ error: LinkError) {
    let before = unpairable[wearable.address]?.failures ?? 0
    let pause = Self.firstPause.doubled(before, atMost: Self.longestPause)
    unpairable[wearable.address] = (before + 1, error, context.loop.now + pause)
  }

  /// Pairing may fail by chance, and operators may not visit a hub for months. So pairing is tried again, after the ten
  /// minutes of an enrolment. A pairing that always fails costs a link of 30 s at most (SMP's timer). That is below 3 %
  /// of its time at first, and once a day in the end.
  private static let firstPause: Duration = .seconds(1200)
  private static let longestPause: Duration = .seconds(86_400)

  /// Ends the pause after a failed pairing, as a new enrolment may have removed the cause.
  func mayPairAgain(_ address: BluetoothAddress) { unpairable[address] = nil }

  /// Sets the key aside because an operator asked for it. The key stays in the store. Until a pairing makes another,
  /// the hub neither requires it nor loads it into the radio.
  func setAside(_ wearable: EnrolledWearable) {
    lost.remove(wearable.address)
    guard context.store.bonds.contains(where: { $0.address == wearable.address }) else { return }
    wearable.remember(KeySetAside())
    loadKeys()
  }

  /// Clears the mark of a lost key: there is a new key, or the key was deleted.
  func found(_ address: BluetoothAddress) {
    lost.remove(address)
    guard let wearable = registry[address], wearable.remembered(KeySetAside.self) != nil else {
      return
    }
    wearable.forget(KeySetAside.self)
    registry.persist(wearable)
  }

  /// Notes that the link was encrypted with the stored key.
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

  /// Loads every key into the radio, except those that were set aside. A wearable may request encryption at every link;
  /// the kernel would begin it with such a key, and each link would end. A key that was only reported as lost stays: a
  /// device that has it can prove that it is the wearable.
  func loadKeys() {
    let bonds = context.store.bonds.filter { bond in
      bond.address.flatMap { registry[$0] }.map { !isSetAside($0) } ?? true
    }
    context.radio.setKeys(bonds.compactMap { BondKeys($0) })
  }

  /// Assigns the next keys that are made on a link of this address to an enrolment; nil ends that.
  func expectKeys(of link: BluetoothAddress, _ waiter: (@LoopActor (BondKeys) -> Void)?) { awaited[link] = waiter }

  /// Handles keys that a pairing made on a link to this address. The wearable on that link owns them, whatever identity
  /// address it gave.
  func keysCame(on link: BluetoothAddress, _ keys: BondKeys) -> KeyVerdict {
    if let owner = IdentityClaim(link: link, identity: keys.address).owner(registry, presence, context.loop.now) {
      tellClaim(of: owner, by: link)
      return .refused(.identityClaimed)
    }
    if let waiter = awaited[link] {
      awaited[link] = nil
      // The enrolment makes these keys durable together with its record.
      waiter(keys)
      return .kept
    }
    let bond = registry[keys.address].map { Bond(keys, of: $0.id, at: context.loop.wall) }
    guard let wearable = registry[keys.address], let bond, !bond.keys.isEmpty else {
      let text: Logger.Message = "keys of an address that is not enrolled are not kept"
      context.logger.warning(text, metadata: ["ADDRESS": "\(keys.address)"])
      return .refused(.keyNotGiven)
    }
    lost.remove(keys.address)
    unpairable[keys.address] = nil
    if wearable.trouble?.reason == .keyMissing { wearable.trouble = nil }
    context.loop.spawn { [weak self] in await self?.keep(bond, of: wearable) }
    return .kept
  }

  /// Reports that a wearable gave another one's address as its own in pairing. The report goes to the linked wearable's
  /// state, the log, and the events of the address's owner.
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

  /// Notes that the wearable no longer has the key, as its link reported.
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
