// Abilities of a wearable as data: declared by drivers, used by the hub's scheduling, readable for people.

/// Ability of a wearable. The text of each is stable.
public enum Capability: Hashable, Sendable {
  /// Streams a series while it is measured.
  case live(Series)
  /// Records a series in its own memory, from which it can be fetched.
  case recorded(Series)
  /// Recording can be switched on and off by the hub.
  case recordingControl
  /// Stores recordings as named files, which are listed, fetched and erased one by one.
  case files
  /// Fetched data can be erased on the wearable. Needs a receipt.
  case erase
  /// The clock can be read.
  case timeRead
  /// The clock can be set.
  case timeSet
  /// The wearable has a characteristic for connection profiles.
  case connectionProfile
  /// The wearable reports its remaining charge.
  case battery
  /// The wearable requires a bonded link.
  case pairingRequired

  /// `live:heart_rate`, `erase`, `pairing_required`.
  public var text: String {
    switch self {
    case .live(let series): "live:" + series.name
    case .recorded(let series): "recorded:" + series.name
    case .recordingControl: "recording_control"
    case .files: "files"
    case .erase: "erase"
    case .timeRead: "time_read"
    case .timeSet: "time_set"
    case .connectionProfile: "connection_profile"
    case .battery: "battery"
    case .pairingRequired: "pairing_required"
    }
  }

  /// nil for any text that `text` never returns.
  public init?(text: String) {
    if let plain = Self.plain.first(where: { $0.text == text }) {
      self = plain
      return
    }
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, let series = Series(name: String(parts[1])) else { return nil }
    switch parts[0] {
    case "live": self = .live(series)
    case "recorded": self = .recorded(series)
    default: return nil
    }
  }

  /// Capabilities without a series.
  private static let plain: [Capability] = [
    .recordingControl, .files, .erase, .timeRead, .timeSet, .connectionProfile, .battery, .pairingRequired,
  ]

  /// Capabilities, in the order of listings.
  public static let all: [Capability] = Series.all.map { .live($0) } + Series.all.map { .recorded($0) } + plain
}

/// Set of abilities of a wearable.
public struct Capabilities: Sendable, Hashable, ExpressibleByArrayLiteral {
  /// Each once, in the order of `Capability.all`, however they were given.
  public let list: [Capability]

  /// A set; duplicates count once.
  public init(_ capabilities: some Sequence<Capability>) {
    let given = Set(capabilities)
    list = Capability.all.filter { given.contains($0) }
  }

  public init(arrayLiteral capabilities: Capability...) { self.init(capabilities) }

  /// True if the set has this ability.
  public func contains(_ capability: Capability) -> Bool { list.contains(capability) }

  /// Abilities of either set.
  public func union(_ other: Capabilities) -> Capabilities { Capabilities(list + other.list) }

  /// Series that are streamed, by number.
  public var live: [Series] {
    list.compactMap { if case .live(let series) = $0 { series } else { nil } }
  }

  /// Series that can be fetched, by number.
  public var recorded: [Series] {
    list.compactMap { if case .recorded(let series) = $0 { series } else { nil } }
  }
}
