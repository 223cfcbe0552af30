// An enrolled wearable: its record and its state at run time.

import Bluetooth
import EventLoop
import Health
import Reasons
import RingStore
import StateCodec
import Wearable

/// An enrolled wearable at run time. The record outlives the process; only the functions below change it.
@LoopActor
final class EnrolledWearable {
  private(set) var record: WearableRecord
  /// A lock for its record: one writer at a time.
  let recordTurn = Turn()
  let address: BluetoothAddress
  /// Nil when the registry names a driver this build does not have; the wearable then stays enrolled, but is not
  /// visited.
  private(set) var driver: (any WearableDriver)?
  private(set) var link: LiveLink?
  var trouble: HearthError?
  /// Whether it proved over a link that it is of the family with the advertisements that its driver reads.
  private(set) var advertisesValues = false
  /// State for the choice of the next visit.
  var lane = LaneState()
  /// State that live values change; the link holds it too.
  let live = LiveState()
  let visits: VisitMemory
  /// The capabilities that it announced.
  var capabilityMemory: CapabilityMemory
  /// Keys or secrets of it are sealed in the store and cannot be opened. A link without them could make the wearable
  /// delete its own. So it is left alone until an operator deletes them or restores the key.
  private(set) var isLocked = false
  /// Choices of people for it.
  var choices: WearableChoices

  init(_ record: WearableRecord, address: BluetoothAddress, driver: (any WearableDriver)?, store: Store) {
    self.record = record
    self.address = address
    self.driver = driver
    visits = VisitMemory(record.id, store)
    choices = WearableChoices(record)
    capabilityMemory = CapabilityMemory(record.hubState[AnnouncedCapabilities.self])
    let seen = record.hubState[LastSeen.self]
    lane.holdsData = driver?.holdsData ?? false
    lane.keepsLink = needsLink || wasEarlyLink
    if remembered(ProvenWearable.self) != nil { lane.reputation.remembered() }
    if remembered(StableWearable.self) != nil { lane.stability.remembered() }
    live.battery = record.battery
    live.batteryRead = seen?.batteryRead
    live.unread = UnreadClock(remembered(AgreedClock.self))
    noteFamily()
    reviewSecrets(store)
  }

  var id: WearableID { record.id }
  var name: String { record.name }
  var erasing: ErasingNotes {
    get { choices.erasing }
    set { choices.erasing = newValue }
  }

  /// Whether values that it measures without a link are lost.
  var needsLink: Bool { !lane.holdsData || driver?.needsLink == true }

  /// Whether its next visit may begin. A measurement over its link, running or waiting, has the session; a measurement
  /// of vital signs needs the air.
  var mayBeVisited: Bool {
    !lane.isLeaving && !isLocked && !isLeftAlone && (lane.measuring.series == nil || link == nil)
      && (lane.measuring.session == nil || link?.isSettled != true)
  }

  /// Checks whether its sealed keys and secrets permit a visit.
  func reviewSecrets(_ store: Store) {
    isLocked = record.lacksSecrets || store.bonds.contains { $0.wearable == id && $0.isSealed }
    let isTold = trouble?.reason == .secretsKeyMissing || trouble?.reason == .secretsKeyWrong
    if isLocked {
      trouble = store.secretsTrouble ?? HearthError(.secretsKeyWrong, "sealed data of \(name) cannot be opened")
    } else if isTold {
      trouble = nil
    }
  }

  /// The orders of people, with the streams of a session.
  var orders: WearableOrders {
    guard let streams = lane.measuring.session, !streams.isEmpty else { return choices.orders }
    var orders = choices.orders
    orders.streams.formUnion(streams)
    return orders
  }

  /// Makes a reader of its advertisements; nil if its kind advertises no values.
  func makeListener() -> (any AdvertisementListener)? { driver?.advertisedValues?.makeListener() }

  func take(_ link: LiveLink) { self.link = link }

  /// Takes the link away, and stores its counters.
  func takeLink() -> LiveLink? {
    live.keep(link)
    defer { link = nil }
    return link
  }

  /// Notifies its session of changed orders. Without a session, the next link uses them.
  func applyOrders(_ loop: any Loop) {
    guard let session = link?.session else { return }
    let orders = orders
    loop.spawn { await session.apply(orders) }
  }

  // MARK: The record

  func rename(_ name: String) { record.name = name }

  /// A state that the hub stores for it.
  func remembered<S: RememberedState>(_ kind: S.Type) -> S? { record.hubState[kind] }

  /// Stores a state with the next write of the record. There is room for each kind of state (`RememberedStates`); one
  /// that is too large becomes a trouble of the wearable.
  func remember(_ state: some RememberedState) {
    do throws(HearthError) { try record.hubState.keep(state) } catch { trouble = error }
  }

  func forget<S: RememberedState>(_ kind: S.Type) { record.hubState.forget(kind) }

  /// Stores the states of its driver.
  func keepDriverState(_ states: RememberedStates) { record.driverState = states }

  /// Writes orders to the record, and applies them.
  ///
  /// - Throws: `storeTableFull` if they exceed the limit; then the orders are unchanged.
  func order(_ orders: WearableOrders) throws(HearthError) {
    try orders.write(to: &record)
    choices.orders = orders
  }

  func learn(_ fact: WearableFact) {
    let (key, value) = fact.registryEntry
    record.facts[key] = value
    if case .manufacturer = fact { noteFamily() }
  }

  func fact(_ key: String) -> String? { record.facts[key] }

  func keepCache(_ cache: [UInt8]?) {
    record.gattCache = cache
    if cache != nil { noteFamily() }
  }

  /// Notes the proof of its family for this driver, which holds even if the cached database is dropped.
  private func noteFamily() {
    guard !advertisesValues, let driver = driver?.advertisedValues else { return }
    var shown = ShownWearable(manufacturer: fact("manufacturer"))
    let cache = record.gattCache.flatMap { bytes in
      bytes.withUnsafeBytes { GATTCache(decoding: $0) }
    }
    for service in cache?.database.services ?? [] { shown.services.insert(service.uuid) }
    advertisesValues = driver.advertises(shown)
  }

  /// Updates the record with what was learned at run time.
  func refreshRecord() {
    record.battery = live.battery
  }

  func writeErasing() { remember(choices.erasing) }

  // MARK: Driver

  /// Sets another driver and kind, from the next link on.
  func move(to driver: String, kind: String) { (record.driver, record.kind) = (driver, kind) }

  /// Adopts another driver; an open link stays as it is.
  func adopt(_ driver: any WearableDriver) {
    self.driver = driver
    advertisesValues = false
    noteFamily()
    lane.holdsData = driver.holdsData
    lane.keepsLink = needsLink || wasEarlyLink
  }

  // MARK: Stored state

  /// - Returns: whether the name differs from the stored one.
  func noteName(_ advertised: String?) -> Bool {
    guard let advertised, !advertised.isEmpty, remembered(AdvertisedName.self)?.text != advertised else { return false }
    remember(AdvertisedName(advertised))
    return true
  }

  /// Notes the content of its advertisements.
  ///
  /// - Returns: whether any of it differs from the stored state.
  func noteSighting(name: String?, services: [BluetoothUUID]) -> Bool {
    let isNamed = noteName(name)
    return noteShortPresence(advertising: services) || isNamed
  }

  /// Whether it is on for seconds only, after it measured.
  var hasShortPresence: Bool { remembered(ShortPresenceVisitor.self) != nil }

  /// - Returns: whether the answer differs from the stored one.
  func noteShortPresence(advertising services: [BluetoothUUID]) -> Bool {
    let hasShortPresenceNow = driver?.shortPresence?.hasShortPresence(advertising: services) ?? false
    if hasShortPresenceNow == hasShortPresence || services.isEmpty { return false }
    if hasShortPresenceNow { remember(ShortPresenceVisitor()) } else { forget(ShortPresenceVisitor.self) }
    return true
  }

  /// Knowledge of the wearable that a session gets.
  ///
  /// - Parameter firmware: as this link has read it; nil: as an earlier link did.
  func known(_ advertisedName: String?, firmware: String? = nil) -> KnownWearable {
    var known = KnownWearable()
    known.advertisedName = advertisedName ?? remembered(AdvertisedName.self)?.text
    known.model = record.facts["model"]
    known.firmware = firmware ?? record.facts["firmware"]
    return known
  }

  /// Notes with the next write of the record whether it is proven (delivered data) and stable. Each is noted at most
  /// once an hour, so that a wearable that alternates does not cost a page of the card each time.
  ///
  /// - Returns: whether there was a change to note.
  @discardableResult
  func noteWorth(_ now: Instant) -> Bool {
    // Data over the open link counts as well, as a first link may last for days.
    let wasOfUse = lane.reputation.hasProven && lane.reputation.failedTries < Reputation.forgotten
    let isProven = wasOfUse || link?.hasBrought ?? false
    var isChanged = false
    if isProven != (remembered(ProvenWearable.self) != nil), mayNote(after: lane.provenNotedAt, now) {
      lane.provenNotedAt = now
      if isProven { remember(ProvenWearable()) } else { forget(ProvenWearable.self) }
      isChanged = true
    }
    let isStable = isStable(now)
    // A wearable that is no longer stable must not count as stable after a restart.
    if isStable != (remembered(StableWearable.self) != nil), !isStable || mayNote(after: lane.stableNotedAt, now) {
      lane.stableNotedAt = now
      if isStable { remember(StableWearable()) } else { forget(StableWearable.self) }
      isChanged = true
    }
    return isChanged
  }

  private func mayNote(after noted: Instant?, _ now: Instant) -> Bool {
    noted.map { now - $0 >= Self.worthPause } ?? true
  }

  private static let worthPause: Duration = .seconds(3600)

  private var wasEarlyLink: Bool { remembered(EarlyLink.self) != nil }

  /// Notes whether its link is among the first to be made when a hub starts.
  ///
  /// - Returns: whether the answer differs from the stored one.
  func noteLink() -> Bool {
    let wanted = lane.keepsLink && !needsLink
    if wanted == wasEarlyLink { return false }
    if wanted { remember(EarlyLink()) } else { forget(EarlyLink.self) }
    return true
  }
}
