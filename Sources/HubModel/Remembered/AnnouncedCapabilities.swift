// Capabilities that a wearable announced, stored with its record, and those that its driver supports.

import Health
package import StateCodec
package import Wearable

/// The complete announcement of a wearable over a link. The present driver decides which of it is supported.
package struct AnnouncedCapabilities: RememberedState, Equatable {
  package static let name = "capabilities"
  /// Version of the layout. Until version 2, streams by order and measurements by order were one field.
  package static let version: UInt16 = 2
  /// Id of the driver that received it.
  package var driver: String
  /// Firmware at that time; nil: not reported.
  package var firmware: String?
  package var table: WearableCapabilities

  package init(driver: String, firmware: String?, _ table: WearableCapabilities) {
    self.driver = driver
    self.firmware = firmware
    self.table = table
  }

  package func write(to fields: inout FieldWriter) {
    fields.put(1, driver)
    if let firmware { fields.put(2, firmware) }
    for series in table.series {
      fields.put(3) { nested in
        nested.put(1, series.id)
        nested.put(2, table[series].rawValue)
      }
    }
  }

  /// Series that this program does not know are skipped.
  package init?(_ fields: inout FieldReader, version: UInt16) {
    var driver: String?
    var firmware: String?
    var table = WearableCapabilities()
    while let tag = fields.next() {
      switch tag {
      case 1: fields.read(&driver, atMost: 32)
      case 2: fields.read(&firmware, atMost: 255)
      case 3: Self.read(&fields, into: &table)
      default: break
      }
    }
    guard let driver, version >= 2 else { return nil }
    self.init(driver: driver, firmware: firmware, table)
  }

  private static func read(_ fields: inout FieldReader, into table: inout WearableCapabilities) {
    var nested = fields.nested
    var id: UInt16?
    var bits: UInt16?
    while let tag = nested.next() {
      switch tag {
      case 1: nested.read(&id)
      case 2: nested.read(&bits)
      default: break
      }
    }
    guard nested.isWhole, let id, let bits else { return fields.refuse() }
    if let series = Series(id: id) { table[series] = SeriesCapabilities(rawValue: bits) }
  }
}

/// A wearable's announcement, and its supported capabilities: computed once, as they are shown several times a second.
package struct CapabilityMemory {
  package private(set) var announced: AnnouncedCapabilities?
  private var worked: (driver: String, known: KnownWearable, capabilities: WearableCapabilities)?

  package init(_ announced: AnnouncedCapabilities?) { self.announced = announced }

  package mutating func learn(_ news: AnnouncedCapabilities) {
    announced = news
    worked = nil
  }

  /// Nil if it was announced to another driver, or by other firmware.
  package mutating func capabilities(_ driver: any WearableDriver, _ known: KnownWearable) -> WearableCapabilities? {
    guard let announced, announced.driver == driver.id, announced.firmware == known.firmware else { return nil }
    if let worked, worked.driver == driver.id, worked.known == known { return worked.capabilities }
    let capabilities = announced.table.intersection(driver.implemented(for: known))
    worked = (driver.id, known, capabilities)
    return capabilities
  }
}
