// Capabilities of one series on one wearable: a gate for each thing that people may request.

/// Gates of one series, as a wearable announces them, and as its driver implements them. The intersection is what is
/// available (`WearableCapabilities`).
public struct SeriesCapabilities: OptionSet, Sendable, Hashable {
  public let rawValue: UInt16

  public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// Sent over a link while it is measured.
  public static let live = Self(rawValue: 1 << 0)
  /// Stored in recordings that can be fetched. A person starts them, at the hub or on the wearable.
  public static let recorded = Self(rawValue: 1 << 1)
  /// Stored by the wearable without an order: a history that can be fetched.
  public static let history = Self(rawValue: 1 << 2)
  /// Measured once by order (`MeasuringSession`), not automatically.
  public static let onDemand = Self(rawValue: 1 << 3)
  /// Measured repeatedly by the wearable itself.
  public static let monitoring = Self(rawValue: 1 << 4)
  /// The daily window of automatic measuring can be ordered.
  public static let monitoringWindow = Self(rawValue: 1 << 5)
  /// The interval of automatic measuring can be ordered.
  public static let monitoringInterval = Self(rawValue: 1 << 6)
  /// Measured more densely than usual by order.
  public static let denser = Self(rawValue: 1 << 7)
  /// The wearable reports the resting value; the hub does not compute it.
  public static let resting = Self(rawValue: 1 << 8)
  /// The wearable alerts of a value beyond limits at rest.
  public static let restAlert = Self(rawValue: 1 << 9)
  /// The same during exercise.
  public static let exerciseAlert = Self(rawValue: 1 << 10)
  /// Sent over a link for as long as ordered (`StreamingDriver`).
  public static let streamed = Self(rawValue: 1 << 11)

  /// Gates, each with its stable word, in the order of listings.
  public static let all: [(capability: SeriesCapabilities, word: String)] = [
    (.live, "live"), (.recorded, "recorded"), (.history, "history"), (.onDemand, "on_demand"),
    (.monitoring, "monitoring"), (.monitoringWindow, "monitoring_window"),
    (.monitoringInterval, "monitoring_interval"), (.denser, "denser"), (.resting, "resting"),
    (.restAlert, "rest_alert"), (.exerciseAlert, "exercise_alert"), (.streamed, "streamed"),
  ]

  /// Words of the gates that are set: `["live", "on_demand"]`. Bits of a newer version have no word.
  public var words: [String] { Self.all.filter { contains($0.capability) }.map(\.word) }
}
