// A simulated device on the air: it advertises while it is near and free, and holds at most one link.

public import Bluetooth
public import EventLoop

/// What lay at one place of a wearable that keeps data, in the parts in which it grew. A hub that came between two of
/// them has them apart, one that came later as one.
public typealias HeldContent = [[UInt8]]

/// Advertising, presence, keys and the life of the one link. What is said over the link is the subclass's part;
/// subclasses may live in other modules (`Sources/Twins`).
@LoopActor
open class VirtualPeripheral {
  public let address: BluetoothAddress
  public let advertisingInterval: Duration
  /// Strength at which the hub hears it, before noise; dBm.
  public final var rssi: Int
  public private(set) final var isInRange = false
  /// How often it came into range.
  public private(set) final var arrivals = 0
  /// When it last came into range.
  public private(set) final var arrivedAt: Instant?
  /// Its wearer goes nowhere any more.
  private var staysForGood = false

  public unowned let world: VirtualWorld
  /// This wearable's own stream of chance.
  public final var random: SeededRandom
  public private(set) final var link: VirtualLink?
  /// The last link was closed by the hub, and neither by the wearable nor by the air.
  public private(set) final var wasLeftByHub = false
  /// Who hears what it does on the air, and may meddle with it.
  public internal(set) final var tap: PeerTap?
  /// What it says is not all its own: nobody owes it service, and no store is held against it.
  public final var isSpoiled: Bool { tap?.isHostile ?? false }
  /// The key it keeps for the hub, 16 bytes; nil: it knows no hub.
  public final var bond: [UInt8]?
  private var presence: SeededRandom
  private var advertising: LoopTimer?

  /// Stream numbers within a peripheral's own generator.
  private enum Stream { static let presence: UInt64 = 1, body: UInt64 = 2 }

  /// Made by `VirtualWorld.add`, which hands out the address and the stream.
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

  /// For people and checkers.
  open var label: String { address.description }
  /// AD structures of the advertisement and of the scan response; empty means there is no scan response.
  open var advertisingData: [UInt8] { [] }
  open var scanResponse: [UInt8] { [] }
  /// Payload octets of one packet of the link layer, 27 to 251: what both sides agreed on at the start of a link.
  open var dataLength: Int { 251 }

  // MARK: What the checkers want to know

  /// True if a hub that does its work serves it when it is there.
  open var mustBeServed: Bool { false }
  /// It is being served at this moment, or was last served then.
  open var servedAt: Instant? { nil }
  /// It keeps data, so that it is owed visits and not only a stream: another bound holds.
  open var isOwedVisits: Bool { false }
  /// Every content that it ever held and a hub could have fetched, in the order in which it came to be. The store may
  /// hold each byte once.
  open var everHeld: [HeldContent] { [] }
  /// Of a wearable that is owed visits: what the store must hold of its live values; nil: nobody knows.
  open var liveTruth: LiveTruth? { nil }
  /// Its values in the store are held against what it delivered.
  open var isJudged: Bool { isOwedVisits }

  // MARK: For subclasses

  open func linkOpened(_ link: VirtualLink) {}
  open func linkClosed() {}
  /// One PDU of the hub. The bytes are valid during the call.
  open func received(_ pdu: RawBytes, on link: VirtualLink) {}
  /// What `carry` took was handed to the hub, or never will be. Called once per PDU, in the order in which they were
  /// taken.
  open func delivered(_ freight: Freight) {}
  open func lost(_ freight: Freight) {}
  /// `carry` did not take what it was just given; what it took before is still under way.
  open func refused(_ freight: Freight) {}
  /// The link runs with other parameters now.
  open func parametersChanged(_ parameters: EffectiveParameters) {}
  /// Whether it pairs when the hub asks or agrees. A wearable that keeps its first bond says no while it has one.
  open var acceptsPairing: Bool { true }
  /// Its pairings leave a key that both keep.
  open var givesKey: Bool { true }
  /// The link was encrypted, by pairing or with the kept key.
  open func linkSecured() {}
  /// A pairing or an encryption that it or the hub began came to nothing.
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

  /// Goes out of range: an open link ends by supervision timeout unless the wearable is back before. Idempotent.
  public final func leave() {
    if !isInRange { return }
    isInRange = false
    stopAdvertising()
    if let link { link.rangeChanged() } else { world.connectabilityChanged(of: self) }
  }

  /// Comes into range, if it is not there, and neither goes nor comes by its schedule any more.
  public final func stayForGood() {
    staysForGood = true
    arrive()
  }

  /// Hangs up the link, if any.
  public final func hangUp() { link?.peripheralHangsUp() }

  /// It advertises that it may be connected.
  final var saysConnectable: Bool { isInRange && link == nil && isAdvertising }

  /// True while a connect request would be heard.
  final var isConnectable: Bool { isInRange && link == nil && isAdvertising && tap?.letsIn ?? true }

  /// A wearable that is switched off, or full of links, stays silent although it is near.
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
        // The first absence is cut anywhere, else everybody would come at about the same time.
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
    // Anywhere in the first period, so that devices that were switched on together do not advertise together.
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
    // Core specification, volume 6, part B, 4.4.2.2.1: 0–10 ms of random delay keep two advertisers from colliding for
    // ever.
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
    // What it advertises is made of all that it keeps: not while nobody listens, which is most of a week.
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
