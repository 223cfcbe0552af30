// Live values: the order that starts and stops them, and the values themselves.

import Health

/// Order for live values, big-endian.
///
///     byte 0-1   mask of the values to measure; 0 stops
///     2          seconds between two values
///     3          minutes after which the band stops by itself
struct FitCloudLiveOrder: Sendable, Hashable {
  enum Item: UInt16, Sendable, Hashable, CaseIterable {
    case heartRate = 1
    case spo2 = 2
    case pressure = 4
    case respiration = 8
    case ecg = 16
    case temperature = 32
    case stress = 64
  }

  var mask: UInt16
  var interval: UInt8
  var minutes: UInt8

  init(mask: UInt16, interval: UInt8, minutes: UInt8) {
    (self.mask, self.interval, self.minutes) = (mask, interval, minutes)
  }

  init(_ item: Item, interval: UInt8, minutes: UInt8) {
    self.init(mask: item.rawValue, interval: interval, minutes: minutes)
  }

  /// nil for another size.
  init?(_ value: [UInt8]) {
    guard value.count == 4 else { return nil }
    self.init(mask: UInt16(value[0]) << 8 | UInt16(value[1]), interval: value[2], minutes: value[3])
  }

  var items: [Item] { Item.allCases.filter { mask & $0.rawValue != 0 } }
  var bytes: [UInt8] { [UInt8(mask >> 8), UInt8(mask & 0xFF), interval, minutes] }
  /// The same order with a mask that stops it.
  var ended: FitCloudLiveOrder { FitCloudLiveOrder(mask: 0, interval: interval, minutes: 0) }
}

/// Live values: rate, SpO2, diastolic, systolic, respiration, one byte each. The old generation has them in its last
/// five bytes. The new one has them first, followed by temperature and stress in an unpublished layout. 0 means "no
/// value".
struct FitCloudLiveValues: Sendable, Hashable {
  let heartRate: UInt8
  let spo2: UInt8
  let respiration: UInt8

  private static let size = 5

  init?(_ value: [UInt8], _ generation: FitCloudGeneration) {
    guard value.count >= Self.size else { return nil }
    let five = Array(generation == .old ? value.suffix(Self.size) : value.prefix(Self.size))
    (heartRate, spo2, respiration) = (five[0], five[1], five[4])
  }

  /// nil if the value is missing or not physiologically possible.
  func value(of series: Series) -> Int64? {
    switch series {
    case .heartRate: (20...250).contains(heartRate) ? Int64(heartRate) : nil
    case .spo2: (40...100).contains(spo2) ? Int64(spo2) : nil
    case .respirationRate: (2...80).contains(respiration) ? Int64(respiration) : nil
    default: nil
    }
  }

  /// Whether the value is 0: the band is measuring and has no result yet.
  func isEmpty(_ series: Series) -> Bool {
    switch series {
    case .heartRate: heartRate == 0
    case .spo2: spo2 == 0
    case .respirationRate: respiration == 0
    default: true
    }
  }
}
