// Identity of a wearable by what it showed over its links, and how another device at its address differs.

package import Bluetooth
import EventLoop
import RingStore
package import StateCodec

/// Identity of a wearable at its last trusted link. An address is no proof, as any device can send under it. A device
/// that had a link with the true wearable can copy all of this, too; only a key is a proof (`Bonds`).
package struct KnownIdentity: RememberedState, Equatable {
  package static let name = "identity"
  /// Serial number from its Device Information (0x180A), cleaned.
  package var serialNumber: String?
  package var manufacturer: String?
  package var model: String?
  package var firmware: String?
  /// Device Name (0x2A00), as read over a link: any device can advertise any name.
  package var deviceName: String?
  /// Fingerprint of its database (`GATTDatabase.fingerprint`); nil: it announced over a trusted link that its database
  /// changed.
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

  /// The identity, updated by a trusted link.
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

/// Identity that a device showed over one link. Nil: not requested, or not answered.
package struct ShownIdentity: Equatable {
  package var serialNumber: String?
  /// True if the serial number was requested, whatever the answer.
  package var wasAskedForSerialNumber = false
  package var manufacturer: String?
  package var model: String?
  package var firmware: String?
  package var deviceName: String?
  package var database: UInt64

  package init(database: UInt64) { self.database = database }

  /// Returns how it differs from the known identity; nil: no difference that counts.
  ///
  /// A serial number identifies the wearable: with the same one, it may have another name, and another firmware may
  /// have another database. Without a serial number all the rest must be equal. Only a firmware that reports another
  /// version may have another database.
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

/// A difference between a device's identity and the known one.
package enum IdentityDifference: String, CaseIterable {
  case serialNumber = "serial number"
  case manufacturer
  case model
  case deviceName = "name"
  case database
}

/// A person accepted it again while its keys were useless: it is trusted without a key, until there are others.
package struct KeySetAside: RememberedFlag {
  package static let name = "key-set-aside"

  package init() {}
}

extension GATTDatabase {
  /// Equal for the same services and characteristics with the same handles, types and properties. FNV-1a, 64 bits: an
  /// attacker who could find another database with the same value could as well copy this one.
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
  /// The firmware as read over this link; nil if it was not read: a cached database that is valid by its hash needs no
  /// reads.
  package var firmwareRead: String? { cacheWasReused && cache?.hash != nil ? nil : cache?.firmwareText }
}
