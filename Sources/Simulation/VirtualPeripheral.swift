// Simulated device: it advertises while it is in range and free, and has at most one link.

public import Bluetooth
public import EventLoop

/// Content at one place of a wearable that stores data, in the parts in which it grew. A hub that fetched between two
/// of them has them separately, a later hub as one.
public typealias HeldContent = [[UInt8]]

/// Advertising, presence, keys and the life cycle of the only link. Subclasses implement the protocol; they may be in
/// other modules (`Sources/Twins`).
@LoopActor
open class VirtualPeripheral {
  /// Address of the device.
  public let address: BluetoothAddress
  /// Time between two advertisements; reports may be rarer (`WorldOptions.advertisementSpacing`).
  public let advertisingInterval: Duration
  /// Signal strength at the hub, before noise; dBm.
  public final var rssi: Int
  /// True while the hub can hear it.
  public private(set) final var isInRange = false
  /// Number of times that it came into range.
  public private(set) final var arrivals = 0
  /// Time when it last came into range.
  public private(set) final var arrivedAt: Instant?
  /// Whether it stays in range for the rest of the run.
  private var staysForGood = false

  /// Surroundings of the device.
  public unowned let world: VirtualWorld
  /// Random stream of this wearable.
  public final var random: SeededRandom
  /// Link of the peripheral, if any.
  public private(set) final var link: VirtualLink?
  /// Whether the hub closed the last link, and not the wearable or the air.
  public private(set) final var wasLeftByHub = false
  /// Tap on its radio traffic, which may change it.
  public internal(set) final var tap: PeerTap?
  /// Whether a hostile tap changes its traffic: its service is then not required, and the store is not checked against
  /// it.
  public final var isSpoiled: Bool { tap?.isHostile ?? false }
  /// Long-term key that it shares with the hub, 16 bytes; nil: not bonded.
  public final var bond: [UInt8]?
  private var presence: SeededRandom
  private var advertising: LoopTimer?

  /// Stream numbers within a peripheral's own generator.
  private enum Stream { static let presence: UInt64 = 1, body: UInt64 = 2 }

  /// Created by `VirtualWorld.add`, which assigns the address and the stream.
  public init(
    _ world: VirtualWorld, address: BluetoothAddress, advertisingInterval: Duration, rssi: Int, random: SeededRandom
  ) {
    self.world = world
    self.address = address
    self.advertisingInterval = advertisingInterval
    self.rssi = rssi
    self.random = random.split(Stream.body)
    presence = random.split(Stream.presence)
  }

  /// Text for logs and checkers.
  open var label: String { address.description }
  /// AD structures of the advertisement and of the scan response; empty means that there is no scan response.
  open var advertisingData: [UInt8] { [] }
  /// Scan response; empty: none.
  open var scanResponse: [UInt8] { [] }
  /// Payload octets of one packet of the link layer, 27 to 251, as agreed at the start of a link.
  open var dataLength: Int { 251 }

  // MARK: For checkers

  /// Whether a correct hub serves it when it is in range.
  open var mustBeServed: Bool { false }
  /// Time when it was last served; now, if it is being served.
  open var servedAt: Instant? { nil }
  /// Whether it stores data, so that it requires visits and not only a stream: another bound applies.
  open var isOwedVisits: Bool { false }
  /// Every content that it ever held and a hub could have fetched, in order of creation. The store may have each byte
  /// once.
  open var everHeld: [HeldContent] { [] }
  /// Truth of a wearable that requires visits: its live values that the store must contain; nil: unknown.
  open var liveTruth: LiveTruth? { nil }
  /// Whether its stored values are compared with those it delivered.
  open var isJudged: Bool { isOwedVisits }

  // MARK: For subclasses

  /// Called when the link opens.
  open func linkOpened(_ link: VirtualLink) {}
  /// Called when the link has closed.
  open func linkClosed() {}
  /// Handles a PDU of the hub. The bytes are valid during the call.
  open func received(_ pdu: RawBytes, on link: VirtualLink) {}
  /// Called when a PDU given to `carry` was delivered to the hub, or never will be. Once per PDU, in order.
  open func delivered(_ freight: Freight) {}
  /// Called for a PDU that was lost.
  open func lost(_ freight: Freight) {}
  /// Called when `carry` refused a PDU; earlier ones are still in flight.
  open func refused(_ freight: Freight) {}
  /// Called when the parameters of the link changed.
  open func parametersChanged(_ parameters: EffectiveParameters) {}
  /// Whether it pairs when the hub asks or agrees. A wearable that keeps its first bond refuses while it has one.
  open var acceptsPairing: Bool { true }
  /// Whether its pairings leave a key that both sides keep.
  open var givesKey: Bool { true }
  /// Called when the link was encrypted, by pairing or with the stored key.
  open func linkSecured() {}
  /// Called when a pairing or an encryption failed, whichever side began it.
  open func securityFailed() {}

  // MARK: Presence

  /// Comes into range. Idempotent.
  public final func arrive() {
    if isInRange { return }
    isInRange = true
    arrivals += 1
    arrivedAt = world.loop.now
    if let link { link.rangeChanged() } else { startAdvertising() }
  }

  /// Goes out of range: an open link ends by supervision timeout unless the wearable returns before. Idempotent.
  public final func leave() {
    if !isInRange { return }
    isInRange = false
    stopAdvertising()
    if let link { link.rangeChanged() } else { world.connectabilityChanged(of: self) }
  }

  /// Comes into range, and stays there whatever its schedule.
  public final func stayForGood() {
    staysForGood = true
    arrive()
  }

  /// Hangs up the link, if any.
  public final func hangUp() { link?.peripheralHangsUp() }

  /// Whether it sends connectable advertisements.
  final var saysConnectable: Bool { isInRange && link == nil && isAdvertising }

  /// Whether it would accept a connect request.
  final var isConnectable: Bool { isInRange && link == nil && isAdvertising && tap?.letsIn ?? true }

  /// A wearable that is switched off, or has no free link, is silent although it is in range.
  public final var isAdvertising = true {
    didSet {
      guard isAdvertising != oldValue, isInRange, link == nil else { return }
      if isAdvertising {
        startAdvertising()
      } else {
        stopAdvertising()
        world.connectabilityChanged(of: self)
      }
    }
  }

  final func follow(_ schedule: PresenceSchedule) {
    switch schedule {
    case .manual: break
    case .always: arrive()
    case .comesAndGoes(let near, let away, let startsNear):
      if presence.chance(startsNear) {
        stay(near, away)
      } else {
        // The first absence is shortened at random; otherwise all wearables would come at about the same time.
        stayAway(near, away, share: presence.fraction())
      }
    }
  }

  private func stay(_ near: ClosedRange<Duration>, _ away: ClosedRange<Duration>) {
    if staysForGood { return }
    arrive()
    let length = presence.duration(in: near)
    let cut = presence.chance(world.faults.shortAbsencePerStay)
    let cutAt = length * presence.fraction()
    let cutLength = presence.duration(in: world.faults.shortAbsence)
    if cut, cutAt + cutLength < length {
      world.loop.schedule(after: cutAt) { [weak self] in if self?.staysForGood == false { self?.leave() } }
      world.loop.schedule(after: cutAt + cutLength) { [weak self] in
        if self?.staysForGood == false { self?.arrive() }
      }
    }
    world.loop.schedule(after: length) { [weak self] in self?.stayAway(near, away, share: 1) }
  }

  private func stayAway(_ near: ClosedRange<Duration>, _ away: ClosedRange<Duration>, share: Double) {
    if staysForGood { return }
    leave()
    world.loop.schedule(after: presence.duration(in: away) * share) { [weak self] in self?.stay(near, away) }
  }

  // MARK: Advertising

  private func startAdvertising() {
    if !isAdvertising || advertising != nil { return }
    tap?.becameReachable()
    world.connectabilityChanged(of: self)
    // A random moment in the first period, so that devices switched on together do not advertise together.
    scheduleAdvertisement(after: reportPeriod * random.fraction())
  }

  private func stopAdvertising() {
    guard let advertising else { return }
    world.loop.cancel(advertising)
    self.advertising = nil
    tap?.becameUnreachable()
  }

  private var reportPeriod: Duration {
    max(advertisingInterval, tap?.reportSpacing ?? world.options.advertisementSpacing)
  }

  private func scheduleAdvertisement(after delay: Duration) {
    advertising = world.loop.schedule(after: delay) { [weak self] in self?.advertise() }
  }

  private func advertise() {
    // Core specification, volume 6, part B, 4.4.2.2.1: 0–10 ms of random delay prevent two advertisers from colliding
    // for ever.
    scheduleAdvertisement(after: reportPeriod + random.duration(in: .zero ... .milliseconds(10)))
    let lost = random.chance(world.faults.lostAdvertisement)
    let doubled = random.chance(world.faults.doubledAdvertisement)
    let late = random.chance(world.faults.lateAdvertisement)
    let delay = world.faults.latestAdvertisement * random.fraction()
    let strength = Int8(clamping: rssi + Int(random.noise() * 6))
    if lost { return }
    report(strength)
    if doubled { report(strength) }
    if late { world.loop.schedule(after: delay) { [weak self] in self?.report(strength) } }
  }

  private func report(_ strength: Int8) {
    // Advertising data is computed from all stored data, so only while a radio listens, which is rare in a simulated
    // week.
    for controller in world.controllers {
      guard let radio = controller.radio, radio.isListening else { continue }
      let heard = Int8(clamping: Int(strength) - controller.attenuation)
      radio.hear(address, rssi: heard, data: advertisingData, isScanResponse: false)
      if !scanResponse.isEmpty { radio.hear(address, rssi: heard, data: scanResponse, isScanResponse: true) }
    }
  }

  // MARK: The link

  final func noteLinkOpened(_ link: VirtualLink) {
    precondition(self.link == nil, "a simulated wearable has one link")
    self.link = link
    stopAdvertising()
    if random.chance(world.faults.lostBond) { bond = nil }
    if !isInRange { link.rangeChanged() }
    linkOpened(link)
    tap?.linkOpened(link)
  }

  final func noteLinkEnded(_ link: VirtualLink) {
    guard self.link === link else { return }
    self.link = nil
    wasLeftByHub = link.wasEndedByHub
    linkClosed()
    tap?.linkClosed(link)
    if isInRange { startAdvertising() }
  }
}
