// What can be had of one series from one wearable: a gate for each thing that people may ask for.

/// Gates of one series. What a wearable announces and what its driver carries out are both said in them; their
/// intersection is what can be had (`WearableCapabilities`).
public struct SeriesCapabilities: OptionSet, Sendable, Hashable {
  public let rawValue: UInt16

  public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// Sent over a link while it is measured.
  public static let live = Self(rawValue: 1 << 0)
  /// Kept in recordings that somebody begins, here or at the wearable, and that can be fetched.
  public static let recorded = Self(rawValue: 1 << 1)
  /// Kept by the wearable without being asked: a past that can be fetched.
  public static let history = Self(rawValue: 1 << 2)
  /// Measured once when that is ordered (`MeasuringSession`), and not by itself.
  public static let onDemand = Self(rawValue: 1 << 3)
  /// Measured by the wearable itself, again and again.
  public static let monitoring = Self(rawValue: 1 << 4)
  /// Between which times of the day it does so can be ordered.
  public static let monitoringWindow = Self(rawValue: 1 << 5)
  /// How often it does so can be ordered.
  public static let monitoringInterval = Self(rawValue: 1 << 6)
  /// Measured more densely than usual when it is ordered.
  public static let denser = Self(rawValue: 1 << 7)
  /// Its value at rest is told by the wearable, and not worked out here.
  public static let resting = Self(rawValue: 1 << 8)
  /// The wearable warns of a value beyond bounds at rest.
  public static let restAlert = Self(rawValue: 1 << 9)
  /// The same during exercise.
  public static let exerciseAlert = Self(rawValue: 1 << 10)
  /// Sent over a link for as long as that is ordered (`StreamingDriver`).
  public static let streamed = Self(rawValue: 1 << 11)

  /// All there are, each with its stable word, in the order in which they are listed.
  public static let all: [(capability: SeriesCapabilities, word: String)] = [
    (.live, "live"), (.recorded, "recorded"), (.history, "history"), (.onDemand, "on_demand"),
    (.monitoring, "monitoring"), (.monitoringWindow, "monitoring_window"),
    (.monitoringInterval, "monitoring_interval"), (.denser, "denser"), (.resting, "resting"),
    (.restAlert, "rest_alert"), (.exerciseAlert, "exercise_alert"), (.streamed, "streamed"),
  ]

  /// `["live", "on_demand"]`: words of those that are set. Bits of a later program have none.
  public var words: [String] { Self.all.filter { contains($0.capability) }.map(\.word) }
}
