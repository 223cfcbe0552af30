// Capability word of a band, bit by bit, and how the hub reads it.

import Health
import Wearable

/// Capability word: at most 16 bytes, least significant bit first. The first 64 bits are published.
struct CapabilityBytes: Sendable, Hashable {
  /// Maximum number of bytes that are accepted.
  static let limit = 16
  private let word: UInt64

  /// Bits that the hub uses.
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

  /// Measurements of the band that the hub does not store, and why; nil if there are no such measurements.
  var notServed: String? {
    var all: [String] = []
    // Not a real measurement: no bit of this platform says that a band has a pump.
    if has(.bloodPressure) { all.append("optical blood pressure") }
    // The messages of these are not published.
    if has(.temperature) { all.append("temperature") }
    if has(.ecg) { all.append("ECG") }
    return all.isEmpty ? nil : all.joined(separator: ", ")
  }
}
