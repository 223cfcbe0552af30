// The capability word of a band, bit by bit, and what the hub makes of it.

import Health
import Wearable

/// At most 16 bytes, least significant bit first; the first 64 bits are published.
struct CapabilityBytes: Sendable, Hashable {
  /// Bytes.
  static let limit = 16
  private let word: UInt64

  /// Those bits that say something for the hub.
  enum Bit: Int, Sendable, CaseIterable {
    case steps = 0
    case distance = 1
    case calories = 2
    case heartRate = 3
    case bloodPressure = 4
    case spo2 = 5
    case stress = 6
    case sleep = 7
    case temperature = 8
    case ecg = 9
    case dailyActivity = 12
    case setTime = 47
    case setUserInfo = 49
  }

  init(_ bytes: [UInt8]) {
    word = bytes.prefix(8).enumerated().reduce(0) { $0 | UInt64($1.element) << (8 * UInt64($1.offset)) }
  }

  func has(_ bit: Bit) -> Bool { word >> UInt64(bit.rawValue) & 1 == 1 }

  /// What it measures and the hub keeps nothing of, and why; nil where that is nothing.
  var notServed: String? {
    var all: [String] = []
    // Never a measurement: no bit of this platform says that a band has a pump.
    if has(.bloodPressure) { all.append("optical blood pressure") }
    // Their messages are not published.
    if has(.temperature) { all.append("temperature") }
    if has(.ecg) { all.append("ECG") }
    return all.isEmpty ? nil : all.joined(separator: ", ")
  }
}
