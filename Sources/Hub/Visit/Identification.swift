// Wearables that were enrolled under the driver of a standard service, because their own driver, or their identity, was
// not known then. What they show over a link moves them to their own driver.

import Bluetooth
import EventLoop
import Reasons
import StateCodec
import Wearable

/// Drivers that had a wearable, and gave it away as another driver's.
struct FormerDrivers: RememberedState {
  static let name = "former-drivers"
  /// Limit: more than there are families.
  private static let limit = 16
  var ids: [String] = []

  init() {}

  func write(to fields: inout FieldWriter) { for id in ids.prefix(Self.limit) { fields.put(1, id) } }

  init?(_ fields: inout FieldReader, version: UInt16) {
    while let tag = fields.next() {
      var id: String?
      if tag == 1 { fields.read(&id, atMost: 32) }
      if let id, ids.count < Self.limit { ids.append(id) }
    }
  }
}

/// Finds the right driver of a wearable over a link. Has no state.
@LoopActor
struct Identification {
  private let context: HubContext
  private let registry: Registry

  init(context: HubContext, registry: Registry) {
    self.context = context
    self.registry = registry
  }

  /// Looks for another driver that does all that the present driver does, and knows more of the wearable
  /// (`SuccessorDriver.extends`). Advertisements do not decide, as any device can send them. The wearable must show a
  /// service over the link that its own driver does not use, and the other driver must recognise its Device Name.
  ///
  /// The registry moves the wearable at once, with all its data. The link goes on as it is; the next one uses the other
  /// driver. There is no way back: drivers do not extend each other in a circle.
  func identify(_ wearable: EnrolledWearable, _ link: LiveLink, _ work: HubLink) async throws(GATTError) {
    guard let driver = wearable.driver, driver.id == wearable.record.driver else { return }
    let services = work.database.services.map(\.uuid)
    let successors = successors(of: driver, showing: work.database)
    guard !successors.isEmpty,
      let handle = work.database.characteristic(.deviceName, in: .genericAccess)?.valueHandle,
      let bytes = try await link.readIfAllowed(handle), wearable.link === link
    else { return }
    let name = bytes.withUnsafeBytes { String(cleaning: $0) }
    let scanResult = ScanResult(address: wearable.address, name: name, services: services)
    guard let (successor, recognition) = Wearable.recognise(scanResult, among: context.drivers),
      successors.contains(where: { $0.id == successor.id })
    else { return }
    // For a wearable that never advertised its name: sessions know its model by that name.
    if wearable.known(nil).advertisedName == nil { _ = wearable.noteName(name) }
    move(wearable, from: driver.id, to: successor.id, kind: recognition.kind)
  }

  /// Moves a wearable to the driver that its session names as its own (`IdentifyingSession`).
  ///
  /// Two drivers with similar advertisements might each name the other. So no driver gets a wearable back that it gave
  /// away, and a wearable moves at most as often as there are drivers. A new enrolment resets that.
  ///
  /// - Returns: what happened, for people; nil: the driver stays.
  func follow(_ session: any WearableSession, _ wearable: EnrolledWearable, _ link: HubLink) -> String? {
    guard let wanted = session.identifying?.belongsTo, let driver = wearable.driver,
      driver.id == wearable.record.driver, wanted != driver.id
    else { return nil }
    guard let other = context.driver(id: wanted) else {
      link.note("its driver assigns it to a driver that this hub does not have")
      return nil
    }
    var former = wearable.remembered(FormerDrivers.self) ?? FormerDrivers()
    guard !former.ids.contains(wanted) else {
      link.note("drivers \(driver.id) and \(wanted) assign it to each other; it stays with \(driver.id)")
      return nil
    }
    former.ids.append(driver.id)
    wearable.remember(former)
    let known = wearable.known(nil)
    let services = link.database.services.map(\.uuid)
    let scanResult = ScanResult(address: wearable.address, name: known.advertisedName, services: services)
    let kind = other.recognise(scanResult)?.kind ?? wearable.record.kind
    return move(wearable, from: driver.id, to: wanted, kind: kind)
  }

  @discardableResult
  private func move(_ wearable: EnrolledWearable, from driver: String, to other: String, kind: String) -> String {
    wearable.move(to: other, kind: kind)
    let text = "\(wearable.name) moves from driver \(driver) to \(other) with its next link"
    context.logger.notice("\(text)", metadata: ["CODE": "\(Reason.driverChanged.code)", "DEVICE": "\(wearable.name)"])
    context.store.noteEvent(.driverChanged, wearable: wearable.id, text: text)
    registry.persist(wearable)
    return text
  }

  /// Drivers that extend this one and use a service that it does not.
  private func successors(
    of driver: any WearableDriver, showing database: GATTDatabase
  ) -> [any WearableDriver] {
    let services = Set(database.services.map(\.uuid))
    let known = Set(driver.liveSources(in: database).map(\.service))
    return context.drivers.filter { candidate in
      guard candidate.successor?.extends.contains(driver.id) == true else { return false }
      let wanted = candidate.liveSources(in: database)
      return wanted.contains { !known.contains($0.service) && services.contains($0.service) }
    }
  }
}
