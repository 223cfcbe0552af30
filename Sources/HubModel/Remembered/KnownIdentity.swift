// Who a wearable is, as it said over its links, and what of that another device at its address says otherwise.

package import Bluetooth
import EventLoop
import RingStore
package import StateCodec

/// What was known of a wearable when a link of it was believed last. An address is no proof, as anybody can send under
/// it; all of this can be copied too, by whoever had a link with the true one: a proof is a key alone (`Bonds`).
package struct KnownIdentity: RememberedState, Equatable {
  package static let name = "identity"
  /// Of its Device Information (0x180A), cleaned.
  package var serialNumber: String?
  package var manufacturer: String?
  package var model: String?
  package var firmware: String?
  /// Its Device Name (0x2A00), as read: what it advertises, anybody can advertise.
  package var deviceName: String?
  /// Of its database (`GATTDatabase.fingerprint`); nil: it said over a believed link that it has another one now.
  package var database: UInt64?

  package init() {}

  package func write(to fields: inout FieldWriter) {
    if let serialNumber { fields.put(1, serialNumber) }
    if let manufacturer { fields.put(2, manufacturer) }
    if let model { fields.put(3, model) }
    if let firmware { fields.put(4, firmware) }
    if let deviceName { fields.put(5, deviceName) }
    if let database { fields.put(6, database) }
  }

  package init?(_ fields: inout FieldReader, version: UInt16) {
    let limit = String.cleanedLimit
    while let tag = fields.next() {
      switch tag {
      case 1: fields.read(&serialNumber, atMost: limit)
      case 2: fields.read(&manufacturer, atMost: limit)
      case 3: fields.read(&model, atMost: limit)
      case 4: fields.read(&firmware, atMost: limit)
      case 5: fields.read(&deviceName, atMost: limit)
      case 6: fields.read(&database)
      default: break
      }
    }
  }

  /// With what a believed link showed.
  package func learning(_ shown: ShownIdentity) -> KnownIdentity {
    var next = self
    next.serialNumber = shown.serialNumber ?? serialNumber
    next.manufacturer = shown.manufacturer ?? manufacturer
    next.model = shown.model ?? model
    next.firmware = shown.firmware ?? firmware
    next.deviceName = shown.deviceName ?? deviceName
    next.database = shown.database
    return next
  }
}

/// What somebody showed over one link. What was not asked, or not told, is nil.
package struct ShownIdentity: Equatable {
  package var serialNumber: String?
  /// It was asked for that number, whatever came of it.
  package var wasAskedForSerialNumber = false
  package var manufacturer: String?
  package var model: String?
  package var firmware: String?
  package var deviceName: String?
  package var database: UInt64

  package init(database: UInt64) { self.database = database }

  /// In what it is another one than is known; nil: in nothing that counts.
  ///
  /// A serial number is the wearable: with the same one, another name was given to it, and another firmware may have
  /// brought another database. Without one all the rest has to be the same, but that a firmware which says that it is
  /// another one may have brought another database.
  package func difference(from known: KnownIdentity) -> IdentityDifference? {
    if let number = known.serialNumber, wasAskedForSerialNumber, serialNumber != number {
      return .serialNumber
    }
    if Self.differ(known.manufacturer, manufacturer) { return .manufacturer }
    if Self.differ(known.model, model) { return .model }
    if known.serialNumber == nil, Self.differ(known.deviceName, deviceName) { return .deviceName }
    let isUpdated = Self.differ(known.firmware, firmware)
    if !isUpdated, let before = known.database, before != database { return .database }
    return nil
  }

  private static func differ(_ known: String?, _ shown: String?) -> Bool {
    guard let known, let shown else { return false }
    return known != shown
  }
}

/// What of somebody's identity is another one than is known.
package enum IdentityDifference: String, CaseIterable {
  case serialNumber = "serial number"
  case manufacturer
  case model
  case deviceName = "name"
  case database
}

/// A person accepted it anew, with keys that are of no use: it is believed without, until there are others.
package struct KeySetAside: RememberedFlag {
  package static let name = "key-set-aside"

  package init() {}
}

extension GATTDatabase {
  /// The same for the same services and characteristics with the same handles, types and properties. FNV-1a, 64 bits:
  /// whoever would look for another database with the same one could as well copy this one.
  package var fingerprint: UInt64 {
    GATTCache(database: self).encode().reduce(0xCBF2_9CE4_8422_2325) {
      ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3
    }
  }
}

extension GATTCache {
  package var firmwareText: String? {
    firmwareRevision.flatMap { $0.withUnsafeBytes { String(cleaning: $0) } }
  }
}

extension GATTClient {
  /// As it was read over this link; nil where it was not: a database that holds by its hash reads nothing.
  package var firmwareRead: String? { cacheWasReused && cache?.hash != nil ? nil : cache?.firmwareText }
}
