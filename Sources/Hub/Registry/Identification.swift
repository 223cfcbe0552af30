// Wearables that were enrolled under the driver of a standard service before their own driver was known, or before they had said what they are: what they say
// over a link moves them.

import Bluetooth
import EventLoop
import Reasons
import Wearable

extension Hearth {
  /// Looks whether another driver does all that a wearable's own does and knows more of it (`WearableDriver.extends`). Advertisements decide nothing here, as
  /// anybody can send them: the wearable shows a service over the link that its own driver has no use for, and its Device Name makes the other one claim it.
  ///
  /// It is moved in the registry at once, with all that is kept of it; the link goes on as it is, and the next one is the other driver's. There is no way back: a
  /// driver that extends another is extended by none of those.
  func identify(_ tenant: Tenant, _ link: LiveLink, _ work: HubLink) async throws(GATTError) {
    guard let driver = tenant.driver, driver.id == tenant.record.driver else { return }
    let services = work.database.services.map(\.uuid)
    let known = Set(driver.liveSources.map(\.service))
    let heirs = drivers.filter { heir in
      heir.extends.contains(driver.id) && heir.liveSources.contains { !known.contains($0.service) && services.contains($0.service) }
    }
    guard !heirs.isEmpty, let handle = work.database.characteristic(.deviceName, in: .genericAccess)?.valueHandle,
      let bytes = try await link.readIfAllowed(handle), tenant.link === link
    else { return }
    let name = bytes.withUnsafeBytes { String(cleaning: $0) }
    guard let (heir, recognition) = Wearable.recognise(Sighting(address: tenant.address, name: name, services: services), among: drivers),
      heirs.contains(where: { $0.id == heir.id })
    else { return }
    (tenant.record.driver, tenant.record.kind) = (heir.id, recognition.kind)
    // Where it never said it in an advertisement: what a session knows of its model comes from there.
    if tenant.known(nil).advertisedName == nil { _ = tenant.noteName(name) }
    let text = "\(tenant.record.name) moves from driver \(driver.id) to \(heir.id) with its next link"
    logger.notice("\(text)", metadata: ["CODE": "\(Reason.driverChanged.code)", "DEVICE": "\(tenant.record.name)"])
    store.noteEvent(.driverChanged, wearable: tenant.record.id, text: text)
    persist(tenant)
  }

  /// Between two links: from now on a wearable is the business of the driver that its record names.
  func adoptDriver(of tenant: Tenant) {
    guard tenant.driver?.id != tenant.record.driver, let driver = driver(id: tenant.record.driver) else { return }
    tenant.adopt(driver)
    tenant.advertised = advertisedValues(of: tenant)
  }
}
