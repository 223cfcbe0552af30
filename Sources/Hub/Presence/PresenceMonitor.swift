// What is heard: who is there, who came back, and what a wearable says without a link.

import Bluetooth
import EventLoop
public import Reasons
import RingStore

extension Hearth {
  func hear(_ advertisement: Advertisement) {
    advertisements += 1
    let before = presence[advertisement.address]?.lastHeard
    presence.hear(advertisement) { sighting in recognise(sighting) }
    if let tenant = tenantByAddress[advertisement.address] {
      tenant.lastHeard = loop.wall
      heard(tenant, advertisement, before: before)
    } else if enrolment.mode == .all {
      joinByItself(advertisement.address)
      askStranger(advertisement.address)
    }
  }

  private func heard(_ tenant: Tenant, _ advertisement: Advertisement, before: Instant?) {
    // What a linked wearable measures comes over its link.
    if tenant.link != nil { return }
    if listens(to: tenant) { tenant.advertised?.hear(advertisement) }
    // A wearable whose link just ended was there until then, though it may not have advertised.
    let lastSign = [before, tenant.standing.linkEndedAt].compactMap { $0 }.max()
    if !tenant.rhythm.isPresent(lastHeard: lastSign, now: loop.now) {
      tenant.retry.seenAgain()
      tenant.standing.returned = true
      tenant.standing.quietUntil = nil
      // It waits anew: nobody keeps a place in the line through an absence.
      tenant.dueSince = nil
    }
    if !advertisement.isScanResponse { tenant.rhythm.heard(at: advertisement.time) }
    if let quietUntil = tenant.standing.quietUntil, loop.now < quietUntil { return }
    // Who waits already and cannot be connected by this is no nearer to its turn.
    if tenant.dueSince != nil, !advertisement.isConnectable { return }
    considerLane()
  }

  // MARK: Advertised values

  /// Nil where its driver knows of none.
  func advertisedValues(of tenant: Tenant) -> AdvertisedValues? {
    guard let driver = tenant.driver, let listener = driver.makeListener() else { return nil }
    let values = AdvertisedValues(listener, intake(of: tenant, driver), hubBegan: startedInstant)
    values.intake.events = LiveEvents(
      announced: { [unowned self, unowned tenant] in noteAnnouncement(of: tenant) },
      heard: { [unowned self, unowned tenant] sample in tell(sample, of: tenant) })
    return values
  }

  /// Whether values that it advertises are kept.
  func listens(to tenant: Tenant) -> Bool { tenant.listening ?? options.keepsAdvertisedValues }

  /// Keeps an operator's choice whether values that this wearable advertises are kept; nil: as configured. Durable when it returns.
  ///
  /// - Throws: `noSuchWearable`, `requestUnsupported` where its kind advertises none, or why the disk refused; then nothing has changed.
  public func setListening(_ which: String, _ choice: Bool?) async throws(HearthError) -> WearableSnapshot {
    let tenant = try require(which)
    if choice == true, tenant.driver?.makeListener() == nil {
      throw HearthError(.requestUnsupported, "\(tenant.record.name): its kind advertises no values")
    }
    var record = tenant.record
    record.notes[Tenant.listeningKey] = choice.map { $0 ? "on" : "off" }
    try await store.update(record)
    tenant.record.notes[Tenant.listeningKey] = record.notes[Tenant.listeningKey]
    tenant.listening = choice
    return snapshot(of: tenant)
  }

  /// It has no link, and yet values of it come.
  func isHeard(_ tenant: Tenant) -> Bool {
    guard tenant.link == nil, listens(to: tenant), let last = tenant.advertised?.lastValue else { return false }
    return loop.now - last <= AdvertisedValues.recent
  }
}
