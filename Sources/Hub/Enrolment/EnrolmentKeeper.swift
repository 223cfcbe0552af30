// Enrolment as people meet it: open a window, see who is near, accept one.

import Bluetooth
import EventLoop
public import Reasons
import RingStore

extension Hearth {
  /// Opens the enrolment window, or prolongs it. Returns its end.
  ///
  /// - Throws: `enrolWindowClosed` where configuration forbids joining, `controlBadParameter` for a length outside 1 s to 1 h.
  @discardableResult
  public func openEnrolment(for duration: Duration?) throws(HearthError) -> EnrolmentSnapshot {
    let end = try enrolment.open(for: duration, now: loop.now)
    if let windowTimer { loop.cancel(windowTimer) }
    windowTimer = loop.schedule(at: end) { [weak self] in self?.closeEnrolment() }
    reviewNames()
    logger.notice("enrolment window open", metadata: ["SECONDS": "\(Int((end - loop.now).inSeconds))"])
    showLights()
    return enrolmentSnapshot()
  }

  /// Closes the window. Idempotent.
  public func closeEnrolment() {
    if let windowTimer { loop.cancel(windowTimer) }
    windowTimer = nil
    if enrolment.openUntil == nil { return }
    enrolment.close()
    reviewNames()
    logger.notice("enrolment window closed")
    showLights()
  }

  public func enrolmentSnapshot() -> EnrolmentSnapshot {
    let open = enrolment.isOpen(loop.now) || enrolment.mode == .all
    let taken = Set(tenants.map(\.record.name))
    let heard = presence.recognised(since: loop.now - options.presenceTimeout).filter { tenantByAddress[$0.address] == nil }
    var snapshot = EnrolmentSnapshot(mode: enrolment.mode, nearRSSI: enrolment.nearRSSI)
    if let end = enrolment.openUntil, enrolment.isOpen(loop.now) {
      snapshot.openUntil = loop.wall + (end - loop.now)
      snapshot.secondsLeft = Int((end - loop.now).inSeconds.rounded(.up))
    }
    if open { snapshot.candidates = enrolment.candidates(heard, taken: taken) }
    return snapshot
  }

  /// Accepts a candidate named by letter, address, advertised or proposed name. The enrolment is durable when this returns.
  ///
  /// - Throws: `enrolWindowClosed`, `enrolNotHeard`, `enrolTooFar`, `enrolNameTaken`, `enrolNameInvalid`, `registryFull`, or the store's trouble.
  @discardableResult
  public func accept(_ which: String, name: String?) async throws(HearthError) -> WearableSnapshot {
    guard enrolment.isOpen(loop.now) else { throw HearthError(.enrolWindowClosed, "no enrolment window is open") }
    let candidates = enrolmentSnapshot().candidates
    let wanted = which.uppercased()
    let exact = candidates.filter { $0.letter == wanted || $0.address.description == wanted }
    let matches = exact.isEmpty ? candidates.filter { $0.name == which || $0.proposedName == which } : exact
    guard let candidate = matches.first else { throw unheard(which) }
    if matches.count > 1 {
      throw HearthError(.enrolNotHeard, "\(matches.count) candidates are called '\(which)': name one by its letter or address")
    }
    guard candidate.isNear else {
      let strength = candidate.rssi.map { "\($0) dBm" } ?? "unknown strength"
      throw HearthError(.enrolTooFar, "\(candidate.name) is too far: \(strength), needs \(enrolment.nearRSSI) dBm")
    }
    let tenant = try await join(candidate.address, name: name ?? candidate.proposedName)
    return snapshot(of: tenant)
  }

  private func unheard(_ which: String) -> HearthError {
    if let tenant = tenant(named: which) { return HearthError(.enrolNameTaken, "\(tenant.record.name) is enrolled already") }
    return HearthError(.enrolNotHeard, "no candidate '\(which)' is heard")
  }

  /// Enrols what is heard at `address`. Durable when it returns.
  private func join(_ address: BluetoothAddress, name: String) async throws(HearthError) -> Tenant {
    guard let heard = presence[address], heard.isRecognised else { throw HearthError(.enrolNotRecognised, "\(address) is no wearable the hub knows") }
    guard tenantByAddress[address] == nil, joining.insert(address).inserted else {
      throw HearthError(.enrolNameTaken, "\(address) is enrolled already")
    }
    defer { joining.remove(address) }
    // Where nothing works without keys there is no enrolment without them.
    let keys: BondKeys? = driver(id: heard.driverID)?.pairing == .required ? try await pair(address) : nil
    let record = try await store.enrol(
      name: name, addressValue: address.value, addressKind: address.kind.rawValue, driver: heard.driverID, kind: heard.kind,
      bond: keys.map { Bond($0, of: WearableID(number: 0), at: loop.wall) })
    guard let tenant = admit(record) else { throw HearthError(.enrolNotRecognised, "\(address) has an address of an unknown type") }
    tenant.joinedAt = loop.now
    if tenant.noteName(heard.sighting.name) { persist(tenant) }
    unpairable.remove(address)
    if keys != nil { loadKeys() }
    logger.notice("enrolled", metadata: ["DEVICE": "\(record.name)", "KIND": "\(record.kind)"])
    considerLane()
    showLights()
    return tenant
  }

  /// Enrolment mode `all`: every recognised wearable joins, once it has had the chance to say what it is.
  func joinByItself(_ address: BluetoothAddress) {
    guard phase == .serving, let heard = presence[address], heard.isRecognised, heard.hasIntroducedItself, joiningNames[address] == nil else { return }
    if tenants.count + joiningNames.count >= PresenceTable.limit { return }
    let name = Enrolment.proposedName(for: heard.kind, taken: Set(tenants.map(\.record.name)).union(joiningNames.values))
    joiningNames[address] = name
    loop.spawn { [weak self] in
      do { _ = try await self?.join(address, name: name) } catch { self?.logger.error("\(error)") }
      self?.joiningNames[address] = nil
    }
  }

  // MARK: Names

  /// Scan responses are asked for as long as a window is open, and in mode `all` for a moment when somebody new is heard.
  func reviewNames() { radio.asksForNames = enrolment.isOpen(loop.now) || asksStrangersUntil.map { loop.now < $0 } ?? false }

  /// Mode `all`: somebody who may say only in a scan response what it is gets asked. An answer costs a wearable power, so that there is one asking a
  /// minute at most, and nobody who does not answer is the cause of more than three.
  func askStranger(_ address: BluetoothAddress) {
    guard phase == .serving, let heard = presence[address], !heard.isRecognised || !heard.hasIntroducedItself, !heard.hasAnswered, heard.lastConnectable != nil,
      heard.timesAsked < Self.askingLimit, tenants.count < PresenceTable.limit, asksStrangersUntil.map({ loop.now >= $0 + Self.askingPause }) ?? true
    else { return }
    let (began, end) = (loop.now, loop.now + Self.askingTime)
    asksStrangersUntil = end
    reviewNames()
    loop.schedule(at: end) { [weak self] in
      self?.presence.noteAsked(since: began)
      self?.reviewNames()
    }
  }

  /// As long as the kernel's discovery lasts: who advertises every 2 s or more often is asked five times.
  private static var askingTime: Duration { .seconds(10) }
  private static var askingPause: Duration { .seconds(60) }
  private static var askingLimit: Int { 3 }

  /// Gives an enrolled wearable another name. Samples stay with the wearable.
  public func rename(_ which: String, to name: String) async throws(HearthError) -> WearableSnapshot {
    let tenant = try require(which)
    var record = tenant.record
    record.name = name
    try await store.update(record)
    tenant.record.name = name
    return snapshot(of: tenant)
  }

  /// Ends a wearable's enrolment: it is never connected again. What it gave stays in the store under its name.
  ///
  /// What goes on at it is ended before: nobody would do so later. Its keys end the link with them, and its notes say what this hub began.
  public func forget(_ which: String) async throws(HearthError) {
    let tenant = try require(which)
    let turn = tenant.link?.session
    var hasTurn = false
    if let turn, turn.session.needsFarewell {
      tenant.visits.running?.interrupt(.link(.cancelled))
      hasTurn = await turn.part(keepsTurn: true)
      guard tenants.contains(where: { $0 === tenant }) else { throw HearthError(.noSuchWearable, "\(tenant.record.name) was forgotten already") }
    }
    let bonds = store.bonds.filter { $0.wearable == tenant.record.id }
    do throws(HearthError) { try await store.remove(tenant.record.id) } catch {
      // It stays enrolled, and what was ordered of it is begun again.
      if hasTurn { turn?.give() }
      throw error
    }
    tenants.removeAll { $0 === tenant }
    tenantByAddress[tenant.address] = nil
    if laneHolder === tenant { laneTask?.cancel() }
    drop(tenant)
    refuseRequests(of: tenant, HearthError(.noSuchWearable, "\(tenant.record.name) was forgotten"))
    logger.notice("forgotten", metadata: ["DEVICE": "\(tenant.record.name)"])
    showLights()
    considerLane()
    await forgetKeys(of: bonds)
  }

  /// The enrolled wearable of this name or address.
  func tenant(named which: String) -> Tenant? {
    let address = which.uppercased()
    return tenants.first { $0.record.name == which } ?? tenants.first { $0.address.description == address }
  }

  func require(_ which: String) throws(HearthError) -> Tenant {
    guard let tenant = tenant(named: which) else { throw HearthError(.noSuchWearable, "no wearable is called '\(which)'") }
    return tenant
  }
}
