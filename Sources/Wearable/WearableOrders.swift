// Orders of people for one wearable, and the hub's knowledge of it: input of a session.

import Custody
public import Health

/// Orders for one wearable. The hub stores them; a session carries them out at each visit, and at once when it is
/// notified of a change.
public struct WearableOrders: Sendable, Hashable {
  /// Series to stream while it is linked, besides those sent in any case. Missing series are skipped.
  public var streams: Set<Series> = []
  /// Samples per second of streams, from `RatedDriver.rates`; the nearest rate that the wearable offers is used. Other
  /// streams follow the link's profile.
  public var rates: [Series: Int] = [:]
  /// Secret that encrypts and decrypts recordings: AES-128. nil: recordings are not encrypted.
  public var secret: [UInt8]?
  /// Present wearer; nil if unknown.
  public var wearer: WearerBody?
  /// Number of the wearer whose body must be deleted from it, because that person reported to have taken it off. Nil:
  /// the body on the wearable stays.
  public var takeOff: UInt32?
  /// Names of features to switch off.
  public var switchedOff: Set<String> = []
  /// Values of `ConfigurableDriver.settings`, by name. A setting without an order is left unchanged, or restored if
  /// this hub changed it.
  public var settings: [String: String] = [:]
  /// Automatic measuring, from `MonitoringDriver.monitoring`. A series without an order is left unchanged, or restored
  /// if this hub changed it.
  public var monitoring: [Series: MonitoringOrder] = [:]

  /// Upper bound of plausible rates, Hz. The fastest known streams are raw pulse waves with 176 and movement with 416.
  public static let fastestRate = 100_000
  /// Size of a wearable's secret, 16 bytes.
  public static let secretSize = WearableSecret.size

  /// Creates orders, all empty.
  public init() {}
}

/// Body of the wearer for a wearable's own algorithms. Contains numbers only, without a name.
public struct WearerBody: Sendable, Hashable {
  /// Number that is stable for one person, so that the session notices a change of wearer.
  public var number: UInt32
  /// Sex, date of birth, height, weight and other numbers; each nil while unknown.
  public var facts: BodyFacts

  /// A wearer by number, never by name.
  public init(number: UInt32, _ facts: BodyFacts = BodyFacts()) {
    self.number = number
    self.facts = facts
  }
}

/// Knowledge from before of a wearable.
public struct KnownWearable: Sendable, Hashable {
  /// Name in its last advertisement; nil before the first one.
  public var advertisedName: String?
  /// Model as the wearable reported on an earlier link or on this one.
  public var model: String?
  /// Firmware revision at the last link; nil: unknown.
  public var firmware: String?

  /// Creates a record without earlier knowledge.
  public init() {}
}

/// Rate at which a wearable can stream.
public struct WearableRate: Sendable, Hashable {
  /// Samples per second, Hz.
  public let hertz: Int
  /// True if at this rate the wearable sends no heart rate, or other values that it computes itself.
  public let silencesHeartRate: Bool

  /// A rate in Hz.
  public init(_ hertz: Int, silencesHeartRate: Bool = false) {
    self.hertz = hertz
    self.silencesHeartRate = silencesHeartRate
  }
}

/// Feature of a wearable that can be switched off, for a list of choices.
public struct WearableSwitch: Sendable, Hashable {
  /// `training-detection`: lower case, digits and `-`.
  public let name: String
  /// Description in a sentence.
  public let summary: String

  /// A feature by name, with its description.
  public init(_ name: String, _ summary: String) {
    self.name = name
    self.summary = summary
  }
}
