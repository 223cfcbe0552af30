// An enrolled wearable: what is stored about it, and what it is doing.

import Bluetooth
import EventLoop
import Health
import Reasons
import RingStore
import StateCodec
import Wearable

/// One enrolled wearable at run time. The record is what outlives the process; it is changed by the functions below
/// alone.
@LoopActor
final class EnrolledWearable {
  private(set) var record: WearableRecord
  /// Its record is written by one at a time.
  let recordTurn = Turn()
  let address: BluetoothAddress
  /// Nil when the registry names a driver this build does not have; the wearable is then kept but not visited.
  private(set) var driver: (any WearableDriver)?
  private(set) var link: LiveLink?
  var trouble: HearthError?
  /// It has shown over a link that it is of the family whose advertisements its driver reads.
  private(set) var advertisesValues = false
  /// How it stands with the lane.
  var lane = LaneState()
  /// What live values change; the link holds it too.
  let live = LiveState()
  let visits: VisitMemory
  /// What it said that it has.
  var capabilityMemory: CapabilityMemory
  /// Keys or secrets of it are sealed in the store and do not open: a link without them could make the wearable throw
  /// its own away. It is left alone until a person takes them away or puts the key back.
  private(set) var isLocked = false
  /// What people want of it.
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
    lane.keepsLink = needsLink || hadLink
    if remembered(ProvenWearable.self) != nil { lane.reputation.remembered() }
    if remembered(SteadyWearable.self) != nil { lane.steadiness.remembered() }
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

  /// What it measures without a link is lost.
  var needsLink: Bool { !lane.holdsData || driver?.needsLink == true }

  /// Its next visit may begin. While somebody measures over its link, or waits to, the session is not a visit's; while
  /// vital signs are measured, the air is not.
  var mayBeVisited: Bool {
    !lane.isLeaving && !isLocked && !isLeftAlone && (lane.measuring.series == nil || link == nil)
      && (lane.measuring.session == nil || link?.isSettled != true)
  }

  /// Whether it can be visited for all that is sealed of it.
  func reviewSecrets(_ store: Store) {
    isLocked = record.lacksSecrets || store.bonds.contains { $0.wearable == id && $0.isSealed }
    let isTold = trouble?.reason == .secretsKeyMissing || trouble?.reason == .secretsKeyWrong
    if isLocked {
      trouble = store.secretsTrouble ?? HearthError(.secretsKeyWrong, "what is sealed of \(name) does not open")
    } else if isTold {
      trouble = nil
    }
  }

  /// What people ordered, with the streams of a session.
  var orders: WearableOrders {
    guard let streams = lane.measuring.session, !streams.isEmpty else { return choices.orders }
    var orders = choices.orders
    orders.streams.formUnion(streams)
    return orders
  }

  /// Reads what it advertises; nil where its kind advertises no values.
  func makeListener() -> (any AdvertisementListener)? { driver?.advertisedValues?.makeListener() }

  func take(_ link: LiveLink) { self.link = link }

  /// Takes the link away, keeping its counters.
  func takeLink() -> LiveLink? {
    live.keep(link)
    defer { link = nil }
    return link
  }

  /// Tells its session that people want something else; one that is not there finds it with its next link.
  func applyOrders(_ loop: any Loop) {
    guard let session = link?.session else { return }
    let orders = orders
    loop.spawn { await session.apply(orders) }
  }

  // MARK: The record

  func rename(_ name: String) { record.name = name }

  /// What the hub remembers of it.
  func remembered<S: RememberedState>(_ kind: S.Type) -> S? { record.hubState[kind] }

  /// Remembers it with the next write of the record. There is room for each kind of state (`RememberedStates`): one
  /// that does not fit by its size is the wearable's trouble.
  func remember(_ state: some RememberedState) {
    do throws(HearthError) { try record.hubState.keep(state) } catch { trouble = error }
  }

  func forget<S: RememberedState>(_ kind: S.Type) { record.hubState.forget(kind) }

  /// What its driver remembers of it.
  func keepDriverState(_ states: RememberedStates) { record.driverState = states }

  /// Writes orders to the record, and takes them over.
  ///
  /// - Throws: `storeTableFull` for more than is kept; then nothing has changed.
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

  /// What it has shown stays shown, under the driver that it was shown to, whatever becomes of the kept database.
  private func noteFamily() {
    guard !advertisesValues, let driver = driver?.advertisedValues else { return }
    var shown = ShownWearable(manufacturer: fact("manufacturer"))
    let cache = record.gattCache.flatMap { bytes in
      bytes.withUnsafeBytes { GATTCache(decoding: $0) }
    }
    for service in cache?.database.services ?? [] { shown.services.insert(service.uuid) }
    advertisesValues = driver.advertises(shown)
  }

  /// Takes what was learned while it runs over into the record.
  func refreshRecord() {
    record.battery = live.battery
  }

  func writeErasing() { remember(choices.erasing) }

  // MARK: Whose it is

  /// Another driver and kind from the next link on.
  func move(to driver: String, kind: String) { (record.driver, record.kind) = (driver, kind) }

  /// Another driver than so far, which is nothing to a link that is open.
  func adopt(_ driver: any WearableDriver) {
    self.driver = driver
    advertisesValues = false
    noteFamily()
    lane.holdsData = driver.holdsData
    lane.keepsLink = needsLink || hadLink
  }

  // MARK: What is remembered

  /// - Returns: it is another one than is kept.
  func noteName(_ advertised: String?) -> Bool {
    guard let advertised, !advertised.isEmpty, remembered(AdvertisedName.self)?.text != advertised else { return false }
    remember(AdvertisedName(advertised))
    return true
  }

  /// What it advertises of itself.
  ///
  /// - Returns: something of it is other than is kept.
  func noteSighting(name: String?, services: [BluetoothUUID]) -> Bool {
    let isNamed = noteName(name)
    return noteBrief(advertising: services) || isNamed
  }

  /// It is there for seconds after it measured.
  var isBrief: Bool { remembered(BriefVisitor.self) != nil }

  /// - Returns: it is another answer than is kept.
  func noteBrief(advertising services: [BluetoothUUID]) -> Bool {
    let isBriefNow = driver?.brief?.isBrief(advertising: services) ?? false
    if isBriefNow == isBrief || services.isEmpty { return false }
    if isBriefNow { remember(BriefVisitor()) } else { forget(BriefVisitor.self) }
    return true
  }

  /// What a session is told of it.
  ///
  /// - Parameter firmware: as the link has read it; nil: as it was read last.
  func known(_ advertisedName: String?, firmware: String? = nil) -> KnownWearable {
    var known = KnownWearable()
    known.advertisedName = advertisedName ?? remembered(AdvertisedName.self)?.text
    known.model = record.facts["model"]
    known.firmware = firmware ?? record.facts["firmware"]
    return known
  }

  /// Notes with the next write of the record whether it was of use and is steady, each at most once an hour: a wearable
  /// that is of use and mute by turns costs no page of the card each time.
  ///
  /// - Returns: there was something new to note.
  @discardableResult
  func noteWorth(_ now: Instant) -> Bool {
    // What comes over the open link counts as well: a first link may last for days.
    let wasOfUse = lane.reputation.hasProven && lane.reputation.strikes < Reputation.forgotten
    let isProven = wasOfUse || link?.hasBrought ?? false
    var isChanged = false
    if isProven != (remembered(ProvenWearable.self) != nil), mayNote(after: lane.provenNotedAt, now) {
      lane.provenNotedAt = now
      if isProven { remember(ProvenWearable()) } else { forget(ProvenWearable.self) }
      isChanged = true
    }
    let isSteady = isSteady(now)
    // A wearable that is steady no more must not be held steady after a restart.
    if isSteady != (remembered(SteadyWearable.self) != nil), !isSteady || mayNote(after: lane.steadyNotedAt, now) {
      lane.steadyNotedAt = now
      if isSteady { remember(SteadyWearable()) } else { forget(SteadyWearable.self) }
      isChanged = true
    }
    return isChanged
  }

  private func mayNote(after noted: Instant?, _ now: Instant) -> Bool {
    noted.map { now - $0 >= Self.worthPause } ?? true
  }

  private static let worthPause: Duration = .seconds(3600)

  private var hadLink: Bool { remembered(KeptLink.self) != nil }

  /// Notes whether its link is to be made anew first when a hub starts.
  ///
  /// - Returns: that is another answer than was noted.
  func noteLink() -> Bool {
    let wanted = lane.keepsLink && !needsLink
    if wanted == hadLink { return false }
    if wanted { remember(KeptLink()) } else { forget(KeptLink.self) }
    return true
  }
}
