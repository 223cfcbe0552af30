// Stored records of a band besides its binding: its generation of keys, the eras of its clock, and settings before an
// order changed them.

import StateCodec
import Wearable

/// Record of one band, kept across links and restarts.
struct FitCloudMemory: RememberedState {
  static let name = "fitcloud"

  /// Generation of keys that the band replied to.
  var generation: FitCloudGeneration?
  /// Eras of its clock; empty: this hub never set it.
  var eras = ClockEras()
  /// The band lost a frame at the pace of newer bands, so its pieces get the slow pause.
  var isSlow = false

  init() {}

  func write(to fields: inout FieldWriter) {
    if let generation { fields.put(1, generation.rawValue) }
    if isSlow { fields.put(4, UInt8(1)) }
    eras.write(to: &fields)
  }

  init?(_ fields: inout FieldReader, version: UInt16) {
    var (generation, clockOffset, firstGiven): (UInt8?, Int32?, Int64?) = (nil, nil, nil)
    var slow: UInt8?
    while let tag = fields.next() {
      switch tag {
      case 1: fields.read(&generation)
      // Program versions until 2026 stored one setting, and the first.
      case 2: fields.read(&clockOffset)
      case 3: fields.read(&firstGiven)
      case 4: fields.read(&slow)
      case ClockEras.firstTag..<(ClockEras.firstTag + UInt8(ClockEras.limit)): eras.read(&fields)
      default: break
      }
    }
    self.generation = generation.flatMap { FitCloudGeneration(rawValue: $0) }
    isSlow = slow == 1
    if eras.all.isEmpty, let clockOffset { eras = ClockEras(offset: clockOffset, firstGiven: firstGiven) }
  }
}

/// Automatic measuring before an order changed it: values as they were read, by type.
struct FitCloudMonitorBefore: RememberedState {
  static let name = "fitcloud-monitor-before"
  private(set) var values: [UInt8: [UInt8]] = [:]

  init() {}

  subscript(type: UInt8) -> FitCloudMonitor? {
    get { values[type].flatMap { FitCloudMonitor($0) } }
    set { values[type] = newValue?.bytes }
  }

  var isEmpty: Bool { values.isEmpty }

  func write(to fields: inout FieldWriter) {
    for (type, value) in values.sorted(by: { $0.key < $1.key }) { fields.put(type &+ 1, value) }
  }

  init?(_ fields: inout FieldReader, version: UInt16) {
    while let tag = fields.next() {
      var value: [UInt8]?
      fields.read(&value, atMost: FitCloudMonitor.size)
      if tag > 0, let value, FitCloudMonitor(value) != nil { values[tag - 1] = value }
    }
  }
}
