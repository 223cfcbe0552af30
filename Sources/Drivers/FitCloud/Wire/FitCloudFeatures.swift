// What a band says that it has: the flags of either generation, and the reply they come in.

import Bluetooth
import EventLoop
import Health

/// Flags of a band, brought to one meaning. The word is kept as it came.
struct FitCloudFeatures: Sendable, Hashable {
  enum Feature: Sendable, Hashable, CaseIterable {
    case heartRate, spo2, pressure, respiration, weather, ecg, sports, exerciseHeartRate, temperature, femaleHealth
    case stress, pressureByPump, manualSync, noSleep, location, ultraviolet, enhanced, weekOfSleep
  }

  let generation: FitCloudGeneration
  let word: UInt32

  /// Bits of the old generation's sensor flags.
  private static let oldBits: [(bit: Int, feature: Feature)] = [
    (0, .heartRate), (1, .ultraviolet), (2, .weather), (3, .spo2), (4, .pressure), (5, .respiration), (6, .enhanced),
    (7, .weekOfSleep), (8, .ecg),
  ]
  /// Bits of the new generation's hardware flags.
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

/// Device information: of the old generation 32 bytes (2/0x12); of the new one (2/0x11) the same is taken to stand at
/// its beginning, which one source says and nobody else.
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
  /// Upper-case hexadecimal digits; nil where the reply ends before it.
  let project: String
  let patch: String?
  let flash: String?
  let app: String?
  let serial: String?
  /// As it came.
  let raw: [UInt8]

  /// Project and flags, the least that says anything.
  static let smallest = 10
  static let size = 32

  /// nil for what is too short.
  init?(_ value: [UInt8], _ generation: FitCloudGeneration) {
    guard value.count >= Self.smallest else { return nil }
    func part(_ range: Range<Int>) -> String? { value.count >= Self.size ? hexadecimal(value[range]) : nil }
    raw = value
    project = hexadecimal(value[0..<6])
    features = FitCloudFeatures(generation, value[6..<10].reduce(0) { $0 << 8 | UInt32($1) })
    (patch, flash, app, serial) = (part(14..<20), part(20..<24), part(24..<28), part(28..<32))
  }

  /// For people: whatever changes with an update.
  var firmware: String? {
    guard let patch, let flash, let app else { return nil }
    return "patch \(patch) flash \(flash) app \(app)"
  }
}
