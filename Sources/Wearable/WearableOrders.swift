// What people want of one wearable, and what the hub knows of it: data that a session works from.

import Custody
public import Health

/// What people ordered for one wearable. Kept by the hub; a session brings it about at each visit, and at once where it
/// is told that it changed.
public struct WearableOrders: Sendable, Hashable {
  /// Sent live while it is linked, beside what it sends anyway. What it does not have is left out.
  public var streams: Set<Series> = []
  /// Samples a second of streams, out of `RatedDriver.rates`; the nearest that the wearable itself offers is taken.
  /// What is not in it follows the link's profile.
  public var rates: [Series: Int] = [:]
  /// Opens and encrypts what it keeps encrypted: AES-128. nil: recordings are kept in clear.
  public var secret: [UInt8]?
  /// Who wears it now; nil for nobody known.
  public var wearer: WearerBody?
  /// Number of the wearer whose body is to be taken off it: nobody wears it now, and this one said so. nil: what it was
  /// told of a body stays.
  public var takeOff: UInt32?
  /// Names of features that nobody wants and that the wearable can switch off.
  public var switchedOff: Set<String> = []
  /// Values of `ConfigurableDriver.settings` that it is to have, by name. What is not in it is left as it is, or was
  /// before this hub changed it.
  public var settings: [String: String] = [:]
  /// How it is to measure by itself, out of `MonitoringDriver.monitoring`. What is not in it is left as it is, or was
  /// before this hub changed it.
  public var monitoring: [Series: MonitoringOrder] = [:]

  /// Hz: what nobody can mean. The fastest stream of a body that is known, raw pulse waves, has 176, movement 416.
  public static let fastestRate = 100_000
  /// Bytes.
  public static let secretSize = WearableSecret.size

  public init() {}
}

/// What a wearable's own algorithms want to know of its wearer. Numbers, not names: nothing here says who it is.
public struct WearerBody: Sendable, Hashable {
  /// Stable for one person; tells the session that the wearer changed.
  public var number: UInt32
  public var facts: BodyFacts

  public init(number: UInt32, _ facts: BodyFacts = BodyFacts()) {
    self.number = number
    self.facts = facts
  }
}

/// What the hub knows of a wearable from before.
public struct KnownWearable: Sendable, Hashable {
  /// As it advertised last; nil while it was not heard.
  public var advertisedName: String?
  /// As it said itself on an earlier link or on this one.
  public var model: String?
  public var firmware: String?

  public init() {}
}

/// A rate at which a wearable can stream.
public struct WearableRate: Sendable, Hashable {
  /// Samples a second.
  public let hertz: Int
  /// While anything streams so, what the wearable computes by itself does not come: the heart rate.
  public let silencesHeartRate: Bool

  public init(_ hertz: Int, silencesHeartRate: Bool = false) {
    self.hertz = hertz
    self.silencesHeartRate = silencesHeartRate
  }
}

/// A feature of a wearable that can be switched off, for people to choose from.
public struct WearableSwitch: Sendable, Hashable {
  /// `training-detection`: lower case, digits and `-`.
  public let name: String
  /// One sentence.
  public let summary: String

  public init(_ name: String, _ summary: String) {
    self.name = name
    self.summary = summary
  }
}
