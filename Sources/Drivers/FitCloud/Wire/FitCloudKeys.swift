// Keys that are sent and received, for both generations. The parsers document the values.

/// Set of keys that a band speaks. Both generations have the same frames.
enum FitCloudGeneration: UInt8, Sendable, Hashable, CaseIterable {
  case old = 1
  case new = 2

  var other: FitCloudGeneration { self == .old ? .new : .old }
}

extension FitCloudKey {
  private static let settings: UInt8 = 2
  private static let authentication: UInt8 = 3
  private static let data: UInt8 = 5

  static let setTime = FitCloudKey(settings, 0x01)
  /// Old generation: four bytes (`FitCloudProfile`).
  static let setProfile = FitCloudKey(settings, 0x10)
  /// Sent by the band.
  static let configurationChanged = FitCloudKey(settings, 0x51)

  // Monitoring of the new generation: per type, and for all types.
  static let setTypeMonitor = FitCloudKey(settings, 0xCB)
  static let typeMonitorRequest = FitCloudKey(settings, 0xCC)
  static let typeMonitor = FitCloudKey(settings, 0xCD)
  static let setMonitor = FitCloudKey(settings, 0x22)
  static let monitorRequest = FitCloudKey(settings, 0x23)
  static let monitor = FitCloudKey(settings, 0x24)
  // Monitoring of the old generation, which is read as a part of all settings.
  static let setOldMonitor = FitCloudKey(settings, 0x1C)
  static let allSettingsRequest = FitCloudKey(settings, 0x1E)
  static let allSettings = FitCloudKey(settings, 0x1F)

  // History and totals, the same in both generations.
  static let startSync = FitCloudKey(data, 0x01)
  static let syncStarted = FitCloudKey(data, 0x07)
  static let syncData = FitCloudKey(data, 0x30)
  static let syncEnded = FitCloudKey(data, 0x08)
  static let syncVerdict = FitCloudKey(data, 0x20)
  static let totals = FitCloudKey(data, 0x22)
}

/// Request with the key of its reply.
struct FitCloudQuestion: Sendable, Hashable {
  let ask: FitCloudKey
  let reply: FitCloudKey

  init(_ command: UInt8, _ ask: UInt8, _ reply: UInt8) {
    (self.ask, self.reply) = (FitCloudKey(command, ask), FitCloudKey(command, reply))
  }

  static func bind(_ generation: FitCloudGeneration) -> FitCloudQuestion {
    generation == .new ? FitCloudQuestion(3, 0x11, 0x12) : FitCloudQuestion(3, 0x01, 0x02)
  }
  static func login(_ generation: FitCloudGeneration) -> FitCloudQuestion {
    generation == .new ? FitCloudQuestion(3, 0x13, 0x14) : FitCloudQuestion(3, 0x03, 0x04)
  }
  static func unbind(_ generation: FitCloudGeneration) -> FitCloudQuestion {
    generation == .new ? FitCloudQuestion(3, 0x15, 0x16) : FitCloudQuestion(3, 0x05, 0x08)
  }
  static func battery(_ generation: FitCloudGeneration) -> FitCloudQuestion {
    generation == .new ? FitCloudQuestion(2, 0x1B, 0x1C) : FitCloudQuestion(2, 0x14, 0x15)
  }
  /// Returns the key of information. For the new generation only the reply's number is published; requests are numbered
  /// right before their replies.
  static func information(_ generation: FitCloudGeneration) -> FitCloudQuestion {
    generation == .new ? FitCloudQuestion(2, 0x10, 0x11) : FitCloudQuestion(2, 0x11, 0x12)
  }
  /// Keys that start, stop and carry live values.
  static func live(_ generation: FitCloudGeneration) -> FitCloudQuestion {
    generation == .new ? FitCloudQuestion(5, 0x23, 0x24) : FitCloudQuestion(5, 0x06, 0x15)
  }
  static let totals = FitCloudQuestion(5, 0x21, 0x22)
  static let monitor = FitCloudQuestion(2, 0x23, 0x24)
  static let typeMonitor = FitCloudQuestion(2, 0xCC, 0xCD)
  static let allSettings = FitCloudQuestion(2, 0x1E, 0x1F)
}
