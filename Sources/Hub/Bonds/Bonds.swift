// The keys that pairing leaves behind: kept in the store, loaded into the radio, missed where one side has lost them.

import Bluetooth
import EventLoop
import Reasons
import RingStore
import Wearable

extension Hearth {
  func bond(of tenant: Tenant) -> Bond? { store.bonds.first { $0.wearable == tenant.record.id || $0.address == tenant.address } }

  /// Hands the radio every key there is, but for those that a wearable has lost: it asks for encryption at every link, the kernel would begin
  /// it with that key, and the link would end each time. Without the key it may pair anew, or goes on without encryption.
  func loadKeys() {
    radio.setKeys(store.bonds.filter { bond in bond.address.map { !lostBonds.contains($0) } ?? true }.compactMap { BondKeys($0) })
  }

  /// Pairing made keys.
  func keysCame(_ keys: BondKeys) {
    if let waiter = awaitedKeys[keys.address] {
      awaitedKeys[keys.address] = nil
      // They become durable together with the enrolment they belong to.
      return waiter(keys)
    }
    let bond = tenantByAddress[keys.address].map { Bond(keys, of: $0.record.id, at: loop.wall) }
    guard let tenant = tenantByAddress[keys.address], let bond, !bond.keys.isEmpty else {
      return logger.warning("keys of nobody who is enrolled are not kept", metadata: ["ADDRESS": "\(keys.address)"])
    }
    lostBonds.remove(keys.address)
    unpairable.remove(keys.address)
    if tenant.trouble?.reason == .keyMissing { tenant.trouble = nil }
    loop.spawn { [weak self] in
      guard let self else { return }
      do throws(HearthError) {
        try await store.putBond(bond)
        logger.notice("bonded", metadata: ["DEVICE": "\(tenant.record.name)"])
      } catch {
        logger.error("\(error)")
      }
      loadKeys()
    }
  }

  /// A pairing or an encryption failed. What the wearable holds stays on it, and work goes on without encryption where its driver can.
  func pairingFailed(_ address: BluetoothAddress, _ error: LinkError) {
    forgetPairing(address)
    guard let tenant = tenantByAddress[address] else { return }
    if error == .keyMissing { keyIsMissing(tenant) }
    // While nobody is to be paired, the radio says no by itself.
    if error == .authenticationFailed, radio.onPairingRequest != nil, tenant.driver?.pairing == .welcome { unpairable.insert(address) }
  }

  func keyIsMissing(_ tenant: Tenant) {
    guard lostBonds.insert(tenant.address).inserted else { return }
    let trouble = lostKey(tenant)
    tenant.trouble = trouble
    logger.warning("\(trouble)", metadata: ["CODE": "\(trouble.reason.code)", "DEVICE": "\(tenant.record.name)", "EFFECT": "\(trouble.reason.text.effect)"])
    loadKeys()
    showLights()
  }

  func lostKey(_ tenant: Tenant) -> HearthError { HearthError(.keyMissing, "\(tenant.record.name) no longer knows the hub's key") }

  // MARK: Pairing before enrolment

  /// Links with a wearable that cannot be used without keys, and pairs.
  ///
  /// - Throws: `authenticationFailed`, or why there was no link. Nothing was enrolled then.
  func pair(_ address: BluetoothAddress) async throws(HearthError) -> BondKeys {
    let end = loop.now + Self.pairingLimit
    while laneHolder != nil || laneIsLent || radio.state != .ready {
      guard loop.now < end, (try? await loop.sleep(for: .milliseconds(250))) != nil else {
        throw HearthError(.requestNotDone, "the lane is busy; \(address) can be paired when it is free")
      }
    }
    laneIsLent = true
    defer {
      laneIsLent = false
      awaitedKeys[address] = nil
      considerLane()
    }
    admitPairing(before: address)
    do throws(LinkError) {
      let bearer = try await radio.connect(to: address, deadline: loop.now + options.connectDeadline, parameters: options.parameters(of: .foreground))
      // Somebody has to listen, or what the wearable says at once would be kept for ever.
      let client = GATTClient(bearer, loop: loop)
      defer { client.close(immediately: true) }
      var keys: BondKeys?
      let waiter = LinkWaiter()
      awaitedKeys[address] = { made in
        keys = made
        waiter.wake(nil)
      }
      let timer = loop.schedule(after: Self.pairingLimit) { waiter.wake(.silent(what: "pairing")) }
      defer { loop.cancel(timer) }
      try await radio.secure(bearer)
      if keys == nil { _ = await waiter.wait() }
      if let keys { return keys }
    } catch {
      throw HearthError(error.reason, "\(address) \(error.clause)")
    }
    throw HearthError(.authenticationFailed, "\(address) gave no keys")
  }
}
