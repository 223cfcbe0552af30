// Live values: the order that begins and ends them, and what comes.

import Health

/// The order, big-endian.
///
///     byte 0-1   mask of what is measured; 0 ends it
///     2          seconds between two values
///     3          minutes after which it ends by itself
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
  /// The same, ended.
  var ended: FitCloudLiveOrder { FitCloudLiveOrder(mask: 0, interval: interval, minutes: 0) }
}

/// What comes: rate, SpO2, diastolic, systolic, respiration, one byte each. They are the last five bytes of the old
/// generation's value; the new one's has them in front, and behind them temperature and stress, whose layout is not
/// published. 0 is no value.
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

  /// nil: none, or one that no body has.
  func value(of series: Series) -> Int64? {
    switch series {
    case .heartRate: (20...250).contains(heartRate) ? Int64(heartRate) : nil
    case .spo2: (40...100).contains(spo2) ? Int64(spo2) : nil
    case .respirationRate: (2...80).contains(respiration) ? Int64(respiration) : nil
    default: nil
    }
  }

  /// It says 0 of the series: it measures and has nothing yet.
  func isEmpty(_ series: Series) -> Bool {
    switch series {
    case .heartRate: heartRate == 0
    case .spo2: spo2 == 0
    case .respirationRate: respiration == 0
    default: true
    }
  }
}
