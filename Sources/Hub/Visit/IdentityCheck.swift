// The identity check: whether the device at a wearable's address is that wearable. Made when a link's database is
// known, before any other request, subscription or transfer.

import Bluetooth
import EventLoop
import Reasons
import Wearable

/// Trusts a link, or ends it. Has no state: the known identity is stored with the wearable, the shown one with the
/// link.
///
/// Before the check no source is subscribed, no driver reads, and no session begins. So no data of an untrusted device
/// is stored, and no data of the wearer is sent to it. For a link with the cached database the check costs one value,
/// some 50 ms.
@LoopActor
struct IdentityCheck {
  let context: HubContext
  let bonds: Bonds

  private static let information: BluetoothUUID = 0x180A
  private static let serialNumber: BluetoothUUID = 0x2A25
  private static let model: BluetoothUUID = 0x2A24
  private static let manufacturer: BluetoothUUID = 0x2A29

  /// - Throws: `.closed(.aborted)` if the device fails, with `link.suspicion` set; or how the link ended.
  func judge(_ wearable: EnrolledWearable, _ link: LiveLink, _ work: HubLink)
    async throws(GATTError)
  {
    let hasKey = bonds.mustEncrypt(wearable)
    if hasKey { try await encrypt(wearable, link, work) }
    let known = wearable.identity
    let shown = try await ask(link, work.database, known: known, isProven: hasKey)
    if !hasKey, let known, let difference = shown.difference(from: known) {
      let what = "\(wearable.name): the device at its address has another \(difference.rawValue)"
      let trouble = HearthError(.impostorSuspected, what)
      bonds.noteDisbelieved(wearable, true)
      link.suspicion = Suspicion(trouble: trouble)
      throw .closed(.aborted)
    }
    bonds.noteDisbelieved(wearable, false)
    link.believe(shown)
  }

  /// Stores what a link showed, once the link is settled: a device without what its driver needs does not count.
  func learn(_ wearable: EnrolledWearable, _ link: LiveLink) {
    guard let shown = link.shown else { return }
    let known = wearable.remembered(KnownIdentity.self) ?? KnownIdentity()
    let next = known.learning(shown)
    if next != known { wearable.remember(next) }
  }

  /// A wearable that has a key is trusted only over a link encrypted with it.
  private func encrypt(_ wearable: EnrolledWearable, _ link: LiveLink, _ work: HubLink)
    async throws(GATTError)
  {
    do throws(LinkError) { try await work.encryptWithKey() } catch {
      let trouble = HearthError(error.reason, "\(wearable.name) \(error.clause)")
      link.suspicion = Suspicion(trouble: trouble, link: error)
      if error == .keyMissing { bonds.keyIsMissing(wearable) }
      throw .closed(error)
    }
    bonds.proved(wearable)
  }

  /// Asks for identity. With the cached database one value is enough: the serial number, else the name. With any other
  /// database all values are read.
  private func ask(
    _ link: LiveLink, _ database: GATTDatabase, known: KnownIdentity?, isProven: Bool
  ) async throws(GATTError) -> ShownIdentity {
    var shown = ShownIdentity(database: database.fingerprint)
    shown.firmware = link.client.cache?.firmwareText
    let isKept =
      link.client.cacheWasReused && known != nil && known != KnownIdentity(databaseOf: known)
    // An encrypted link with the cached database: no other value could prove more.
    if isKept, isProven { return shown }
    if !isKept || known?.serialNumber != nil {
      shown.wasAskedForSerialNumber = true
      shown.serialNumber = try await text(link, database, Self.information, Self.serialNumber)
    }
    if !isKept || known?.serialNumber == nil {
      shown.deviceName = try await text(link, database, .genericAccess, .deviceName)
    }
    if !isKept {
      shown.manufacturer = try await text(link, database, Self.information, Self.manufacturer)
      shown.model = try await text(link, database, Self.information, Self.model)
    }
    return shown
  }

  /// Nil if there is no such value, it is refused, or it is not printable.
  private func text(
    _ link: LiveLink, _ database: GATTDatabase, _ service: BluetoothUUID,
    _ characteristic: BluetoothUUID
  ) async throws(GATTError) -> String? {
    guard let found = database.characteristic(characteristic, in: service),
      found.properties.contains(.read),
      let bytes = try await link.readIfAllowed(found.valueHandle)
    else { return nil }
    return bytes.withUnsafeBytes { String(cleaning: $0) }
  }
}

extension KnownIdentity {
  /// The identity that a hub without identities left: only the database and its firmware.
  fileprivate init(databaseOf known: KnownIdentity?) {
    self.init()
    firmware = known?.firmware
    database = known?.database
  }
}
