// What people want of one wearable, and what the hub knows of it: data that a session works from.

public import Health

/// What people ordered for one wearable. Kept by the hub; a session brings it about at each visit, and at once where it is told that it changed.
public struct WearableOrders: Sendable, Hashable {
  /// Sent live while it is linked, beside what it sends anyway. What it does not have is left out.
  public var streams: Set<Series> = []
  /// Samples a second of streams; the nearest that the wearable offers is taken. What is not in it follows the link's profile.
  public var rates: [Series: Int] = [:]
  /// Opens and encrypts what it keeps encrypted: AES-128. nil: recordings are kept in clear.
  public var secret: [UInt8]?
  /// Who wears it now; nil for nobody known.
  public var wearer: WearerBody?
  /// Names of features that nobody wants and that the wearable can switch off.
  public var switchedOff: Set<String> = []

  /// Bytes.
  public static let secretSize = 16

  public init() {}
}

/// What a wearable's own algorithms want to know of its wearer. Numbers, not names: nothing here says who it is.
public struct WearerBody: Sendable, Hashable {
  public enum Sex: String, Sendable, CaseIterable { case female, male }

  /// Stable for one person; tells the session that the wearer changed.
  public var number: UInt32
  public var birthDate: LocalDate?
  public var sex: Sex?
  /// cm, 90...240.
  public var height: Int?
  /// kg, 15...300.
  public var weight: Int?
  /// Beats a minute, 100...240.
  public var maximumHeartRate: Int?
  /// Beats a minute, 20...120.
  public var restingHeartRate: Int?

  public init(number: UInt32) { self.number = number }
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
