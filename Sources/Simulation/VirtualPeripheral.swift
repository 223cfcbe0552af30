// A simulated device on the air: it advertises while it is near and free, and holds at most one link.

public import Bluetooth
public import EventLoop

/// Advertising, presence and the life of the one link. What is said over the link is the subclass's part.
@LoopActor
public class VirtualPeripheral {
  public let address: BluetoothAddress
  public let advertisingInterval: Duration
  /// Strength at which the hub hears it, before noise; dBm.
  public var rssi: Int
  public private(set) var isInRange = false
  /// How often it came into range.
  public private(set) var arrivals = 0
  /// When it last came into range.
  public private(set) var arrivedAt: Instant?

  unowned let world: VirtualWorld
  var random: SeededRandom
  private(set) var link: VirtualLink?
  private var presence: SeededRandom
  private var advertising: LoopTimer?

  /// Stream numbers within a peripheral's own generator.
  private enum Stream { static let presence: UInt64 = 1, body: UInt64 = 2 }

  init(_ world: VirtualWorld, address: BluetoothAddress, advertisingInterval: Duration, rssi: Int, random: SeededRandom) {
    self.world = world
    self.address = address
    self.advertisingInterval = advertisingInterval
    self.rssi = rssi
    self.random = random.split(Stream.body)
    presence = random.split(Stream.presence)
  }

  /// AD structures of the advertisement and of the scan response; empty means there is no scan response.
  var advertisingData: [UInt8] { [] }
  var scanResponse: [UInt8] { [] }

  // MARK: For subclasses

  func linkOpened(_ link: VirtualLink) {}
  func linkClosed() {}
  /// One PDU of the hub. The bytes are valid during the call.
  func received(_ pdu: RawBytes, on link: VirtualLink) {}
  /// What `carry` took was handed to the hub, or never will be. Called once per PDU, in order.
  func delivered(_ freight: Freight) {}
  func lost(_ freight: Freight) {}

  // MARK: Presence

  /// Comes into range. Idempotent.
  public func arrive() {
    if isInRange { return }
    isInRange = true
    arrivals += 1
    arrivedAt = world.loop.now
    if let link { link.rangeChanged() } else { startAdvertising() }
  }

  /// Goes out of range: an open link ends by supervision timeout unless the wearable is back before. Idempotent.
  public func leave() {
    if !isInRange { return }
    isInRange = false
    stopAdvertising()
    if let link { link.rangeChanged() } else { world.radio?.connectabilityChanged(of: self) }
  }

  /// Hangs up the link, if any.
  public func hangUp() { link?.peripheralHangsUp() }

  /// True while a connect request would be heard.
  var isConnectable: Bool { isInRange && link == nil }

  func follow(_ schedule: PresenceSchedule) {
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
    arrive()
    let length = presence.duration(in: near)
    let cut = presence.chance(world.faults.shortAbsencePerStay)
    let cutAt = length * presence.fraction()
    let cutLength = presence.duration(in: world.faults.shortAbsence)
    if cut, cutAt + cutLength < length {
      world.loop.schedule(after: cutAt) { [weak self] in self?.leave() }
      world.loop.schedule(after: cutAt + cutLength) { [weak self] in self?.arrive() }
    }
    world.loop.schedule(after: length) { [weak self] in self?.stayAway(near, away, share: 1) }
  }

  private func stayAway(_ near: ClosedRange<Duration>, _ away: ClosedRange<Duration>, share: Double) {
    leave()
    world.loop.schedule(after: presence.duration(in: away) * share) { [weak self] in self?.stay(near, away) }
  }

  // MARK: Advertising

  private func startAdvertising() {
    world.radio?.connectabilityChanged(of: self)
    // Anywhere in the first period, so that devices that were switched on together do not advertise together.
    scheduleAdvertisement(after: reportPeriod * random.fraction())
  }

  private func stopAdvertising() {
    if let advertising { world.loop.cancel(advertising) }
    advertising = nil
  }

  private var reportPeriod: Duration { max(advertisingInterval, world.options.advertisementSpacing) }

  private func scheduleAdvertisement(after delay: Duration) {
    advertising = world.loop.schedule(after: delay) { [weak self] in self?.advertise() }
  }

  private func advertise() {
    // Core specification, volume 6, part B, 4.4.2.2.1: 0–10 ms of random delay keep two advertisers from colliding for ever.
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
    guard let radio = world.radio else { return }
    radio.hear(address, rssi: strength, data: advertisingData, isScanResponse: false)
    if !scanResponse.isEmpty { radio.hear(address, rssi: strength, data: scanResponse, isScanResponse: true) }
  }

  // MARK: The link

  func noteLinkOpened(_ link: VirtualLink) {
    precondition(self.link == nil, "a simulated wearable has one link")
    self.link = link
    stopAdvertising()
    if !isInRange { link.rangeChanged() }
    linkOpened(link)
  }

  func noteLinkEnded(_ link: VirtualLink) {
    guard self.link === link else { return }
    self.link = nil
    linkClosed()
    if isInRange { startAdvertising() }
  }
}
