// What the control socket says about links, clocks, pairings and the radio.

public import Bluetooth
public import CivilTime
public import EventLoop
public import Hub
public import HubProtocol
internal import StoreDocuments

extension LinkDocument {
  /// Converts the state of a link; intervals in milliseconds.
  public init(_ link: LinkSnapshot) {
    self.init(
      device: link.wearable, linked: link.isLinked, why: link.why, override: link.override?.name,
      central: link.isByCentral,
      requested: Requested(
        profile: link.requestedProfile.name, minIntervalMs: Double(link.requested.minimumInterval) * 1.25,
        maxIntervalMs: Double(link.requested.maximumInterval) * 1.25, latency: Int(link.requested.latency),
        timeoutMs: Int(link.requested.timeout) * 10),
      effective: link.effective.map {
        Effective(
          profile: link.effectiveProfile?.name, intervalMs: Double($0.interval) * 1.25, latency: Int($0.latency),
          timeoutMs: Int($0.timeout) * 10,
          source: $0.source.rawValue)
      },
      reported: link.reportedProfile.map { Int($0) },
      reportedProfile: link.reportedProfile.flatMap { LinkProfile(rawValue: $0) }?.name,
      reportedAt: link.reportedAt?.rfc3339, characteristic: link.characteristic,
      reason: link.trouble.map { TroubleDocument($0) }, mtu: link.mtu, secured: link.isSecured, keySize: link.keySize,
      bonded: link.isBonded)
  }
}

extension ClockDocument.Device {
  /// Converts the clock of a wearable; offsets in microseconds.
  public init(_ clock: ClockSnapshot) {
    self.init(
      device: clock.wearable, offsetUs: clock.offset, utcOffsetMin: clock.shownZone, zoneOffsetMin: clock.zone,
      readAt: clock.readAt?.rfc3339, setAt: clock.setAt?.rfc3339, trusted: clock.wasTrusted,
      driftPpm: clock.driftPPM.flatMap { $0.isFinite ? $0 : nil }, doubt: clock.doubt)
  }
}

extension ClockDocument {
  /// Converts the clocks of hub and wearables.
  public init(_ hub: HubSnapshot, _ clocks: [ClockSnapshot], now: WallTime, zone: TimeZoneRules) {
    self.init(
      time: now.rfc3339, synchronised: hub.clockIsSynchronised, plausible: hub.clockIsPlausible,
      zone: zone.name, devices: clocks.map { Device($0) })
  }
}

extension PairingDocument {
  /// Converts a pairing with its question.
  public init(_ pairing: PairingSnapshot) {
    let (kind, digits): (String, String?) =
      switch pairing.request.kind {
      case .justWorks: ("just_works", nil)
      case .passkey: ("passkey", nil)
      case .compare(let number): ("compare", Self.digits(number))
      case .show(let number): ("show", Self.digits(number))
      }
    self.init(
      device: pairing.wearable, address: pairing.request.address.description, kind: kind, digits: digits,
      until: pairing.until.rfc3339)
  }

  static func digits(_ number: UInt32) -> String {
    let text = "\(number)"
    return String(repeating: "0", count: max(0, 6 - text.utf8.count)) + text
  }
}

extension RadioDocument {
  /// `wall` and `now` are readings of one moment.
  public init(_ hub: HubSnapshot, wall: WallTime, now: Instant) {
    let radio = StatusDocument.Radio(hub)
    let care = hub.radio.care
    self.init(
      state: radio.state, adapter: radio.adapter, address: radio.address, bus: radio.bus, links: radio.links,
      slots: radio.slots, slotSource: care.slotSource.rawValue, scanning: radio.scanning, reason: radio.reason,
      lastHeard: care.lastHeard.map { (wall + ($0 - now)).rfc3339 }, recovering: care.isRecovering, rung: care.rung,
      lastRecovery: care.lastRecovery.map { (wall + ($0 - now)).rfc3339 },
      ladder: care.rungs.map { Rung(name: $0.name, count: $0.count) }, observesLinks: care.observesLinks,
      updatesLiveLinks: care.updatesLiveLinks, warnings: hub.radio.warnings.map { TroubleDocument($0) },
      adapters: hub.radio.adapters.isEmpty ? nil : hub.radio.adapters.map { Adapter($0) },
      listensInTurn: hub.radio.listensInTurn ? true : nil, counters: radio.counters)
  }
}

extension SlotPlanDocument {
  /// Converts the plan of slots.
  public init(_ plan: SlotPlan, _ radio: RadioFacts) {
    let listening = radio.adapters.filter(\.onlyListens).map(\.facts.adapter)
    self.init(
      slots: plan.slots, slotSource: radio.care.slotSource.rawValue, wanting: plan.wanting, missing: plan.missing,
      missingAdapters: plan.missingAdapters,
      listening: listening.isEmpty ? nil : listening, listensInTurn: radio.listensInTurn ? true : nil,
      devices: plan.places.map { Device($0) })
  }
}

extension SlotPlanDocument.Device {
  init(_ place: SlotPlan.Place) {
    let share = place.share
    self.init(
      device: place.wearable, role: .init(share.role.rawValue), present: place.isPresent,
      turnS: share.turn.map { Int($0.inSeconds) }, gapS: share.gap.map { Int($0.inSeconds) },
      advertises: place.advertises)
  }
}

extension RadioDocument.Adapter {
  init(_ adapter: AdapterFacts) {
    let facts = adapter.facts
    let (state, reason) = Words.RadioPhase.of(adapter.state)
    self.init(
      name: facts.adapter, address: facts.address?.description, bus: facts.bus, state: state, reason: reason,
      links: facts.links, slots: facts.slots, slotSource: facts.care.slotSource.rawValue,
      recovering: facts.care.isRecovering,
      advertisements: Int(clamping: facts.counters.first { $0.name == "advertisements" }?.value ?? 0),
      addressType: facts.address.map { addressTypeName($0.kind.rawValue) },
      onlyListens: adapter.onlyListens ? true : nil)
  }
}
