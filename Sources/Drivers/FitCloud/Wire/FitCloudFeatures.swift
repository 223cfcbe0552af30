// Features that a band reports: flags of both generations, and the reply that contains them.

import Bluetooth
import EventLoop
import Health

/// Flags of a band, translated to one set of features. The original word is stored as well.
struct FitCloudFeatures: Sendable, Hashable {
  enum Feature: Sendable, Hashable, CaseIterable {
    case heartRate, spo2, pressure, respiration, weather, ecg, sports, exerciseHeartRate, temperature, femaleHealth
    case stress, pressureByPump, manualSync, noSleep, location, ultraviolet, enhanced, weekOfSleep
  }

  let generation: FitCloudGeneration
  let word: UInt32

  /// Bits in the sensor flags of the old generation.
  private static let oldBits: [(bit: Int, feature: Feature)] = [
    (0, .heartRate), (1, .ultraviolet), (2, .weather), (3, .spo2), (4, .pressure), (5, .respiration), (6, .enhanced),
    (7, .weekOfSleep), (8, .ecg),
  ]
  /// Bits in the hardware flags of the new generation.
  private static let newBits: [(bit: Int, feature: Feature)] = [
    (0, .heartRate), (1, .spo2), (2, .pressure), (3, .respiration), (4, .weather), (5, .ecg), (6, .sports),
    (9, .exerciseHeartRate), (10, .temperature), (11, .femaleHealth), (13, .stress), (21, .pressureByPump),
    (22, .manualSync), (23, .noSleep), (24, .location),
  ]

  init(_ generation: FitCloudGeneration, _ word: UInt32) { (self.generation, self.word) = (generation, word) }

  var all: Set<Feature> {
    let bits = generation == .old ? Self.oldBits : Self.newBits
    return Set(bits.filter { word >> $0.bit & 1 == 1 }.map(\.feature))
  }

  func has(_ feature: Feature) -> Bool { all.contains(feature) }
}

/// Device information. The old generation sends 32 bytes (2/0x12). The new one (2/0x11) is assumed to begin with the
/// same bytes, for which there is a single source.
///
///     byte 0-5   project
///     6-9        feature flags, big-endian
///     10-13      pages
///     14-19      patch
///     20-23      flash
///     24-27      app
///     28-31      serial
struct FitCloudInformation: Sendable, Hashable {
  let features: FitCloudFeatures
  /// Upper-case hexadecimal digits; nil if the reply ends before the field.
  let project: String
  let patch: String?
  let flash: String?
  let app: String?
  let serial: String?
  /// The reply as received.
  let raw: [UInt8]

  /// Shortest useful reply: project and flags.
  static let smallest = 10
  static let size = 32

  /// nil for a shorter reply.
  init?(_ value: [UInt8], _ generation: FitCloudGeneration) {
    guard value.count >= Self.smallest else { return nil }
    func part(_ range: Range<Int>) -> String? { value.count >= Self.size ? hexadecimal(value[range]) : nil }
    raw = value
    project = hexadecimal(value[0..<6])
    features = FitCloudFeatures(generation, value[6..<10].reduce(0) { $0 << 8 | UInt32($1) })
    (patch, flash, app, serial) = (part(14..<20), part(20..<24), part(24..<28), part(28..<32))
  }

  /// Firmware for display: every part that an update changes.
  var firmware: String? {
    guard let patch, let flash, let app else { return nil }
    return "patch \(patch) flash \(flash) app \(app)"
  }
}
