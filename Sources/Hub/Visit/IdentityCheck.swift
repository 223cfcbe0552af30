// Whether what answers at the address of a wearable is that wearable: asked when a link's database is known, and before
// anything else is asked, told or listened to over it.

import Bluetooth
import EventLoop
import Reasons
import Wearable

/// Believes a link, or ends it. Keeps nothing: what is known stays with the wearable, what was shown with the link.
///
/// Nothing is subscribed, read by a driver or told to a session before: of what is not believed nothing can be stored,
/// and nothing of its wearer is told to it. A link whose database is the one that is kept costs one value, some 50 ms.
@LoopActor
struct IdentityCheck {
  let context: HubContext
  let bonds: Bonds

  private static let information: BluetoothUUID = 0x180A
  private static let serialNumber: BluetoothUUID = 0x2A25
  private static let model: BluetoothUUID = 0x2A24
  private static let manufacturer: BluetoothUUID = 0x2A29

  /// - Throws: `.closed(.aborted)` where it is not believed, with `link.suspicion` set; how the link ended.
  func judge(_ wearable: EnrolledWearable, _ link: LiveLink, _ work: HubLink)
    async throws(GATTError)
  {
    let hasKey = bonds.mustEncrypt(wearable)
    if hasKey { try await encrypt(wearable, link, work) }
    let known = wearable.identity
    let shown = try await ask(link, work.database, known: known, isProven: hasKey)
    if !hasKey, let known, let difference = shown.difference(from: known) {
      let what = "\(wearable.name): what answers at its address has another \(difference.rawValue)"
      let trouble = HearthError(.impostorSuspected, what)
      bonds.noteDisbelieved(wearable, true)
      link.suspicion = Suspicion(trouble: trouble)
      throw .closed(.aborted)
    }
    bonds.noteDisbelieved(wearable, false)
    link.believe(shown)
  }

  /// Keeps what a link showed, once it is of use: a device without what its driver needs teaches nothing.
  func learn(_ wearable: EnrolledWearable, _ link: LiveLink) {
    guard let shown = link.shown else { return }
    let known = wearable.remembered(KnownIdentity.self) ?? KnownIdentity()
    let next = known.learning(shown)
    if next != known { wearable.remember(next) }
  }

  /// One that has a key is believed only encrypted with it.
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

  /// Over a database that was kept one value tells: the serial number, else the name. Over any other all is asked.
  private func ask(
    _ link: LiveLink, _ database: GATTDatabase, known: KnownIdentity?, isProven: Bool
  ) async throws(GATTError) -> ShownIdentity {
    var shown = ShownIdentity(database: database.fingerprint)
    shown.firmware = link.client.cache?.firmwareText
    let isKept =
      link.client.cacheWasReused && known != nil && known != KnownIdentity(databaseOf: known)
    // Encrypted, and with the database that it had: nothing else could tell more.
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

  /// Nil where it has no such value, refuses it, or says nothing printable.
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
  /// What a hub that knew no identities left: the database and its firmware alone.
  fileprivate init(databaseOf known: KnownIdentity?) {
    self.init()
    firmware = known?.firmware
    database = known?.database
  }
}
