// A service of the Bluetooth SIG as a value: what a hub listens to of it, what comes of that, and who reads it.

public import Bluetooth
public import Health
public import Wearable

/// One row of what a driver of standard services serves. A wearable has several of them, as its database says.
public struct ServiceProfile: Sendable {
  public let service: BluetoothUUID
  /// What a wearable that advertises the service is, for people: at most 24 bytes. nil: the service tells nothing of
  /// what a wearable is, and nobody is claimed by it.
  public let kind: String?
  /// Wearables of this service are there for seconds, after they measured.
  public let isBrief: Bool
  /// What to listen to and read, in this order. Those that are required are what the profile measures by: a wearable
  /// that has any one of them serves it. A profile without one only accompanies others.
  public let sources: [LiveSource]
  public let capabilities: Capabilities
  /// What of the service wearables keep for later; nil: nothing.
  public let storedRecords: StoredRecords?
  /// A fresh decoder of its sources for one link.
  public let makeDecoder: @Sendable () -> any LiveDecoder

  public init(
    service: BluetoothUUID, kind: String?, isBrief: Bool = false, sources: [LiveSource], capabilities: Capabilities,
    storedRecords: StoredRecords? = nil, makeDecoder: @escaping @Sendable () -> any LiveDecoder
  ) {
    self.service = service
    self.kind = kind
    self.isBrief = isBrief
    self.sources = sources
    self.capabilities = capabilities
    self.storedRecords = storedRecords
    self.makeDecoder = makeDecoder
  }

  /// Records behind a Record Access Control Point, which sends them again as values of a characteristic.
  public struct StoredRecords: Sendable, Hashable {
    public let controlPoint: BluetoothUUID
    /// Where the records come.
    public let characteristic: BluetoothUUID
    public let series: [Series]

    public init(controlPoint: BluetoothUUID, characteristic: BluetoothUUID, series: [Series]) {
      self.controlPoint = controlPoint
      self.characteristic = characteristic
      self.series = series
    }
  }

  /// Whether a wearable with this database serves it.
  public func isServed(in database: GATTDatabase) -> Bool {
    let measuring = sources.filter(\.isRequired)
    if measuring.isEmpty { return true }
    return measuring.contains { database.characteristic($0.characteristic, in: $0.service) != nil }
  }

  /// The sources of all, each with the place of its profile: what `ProfileDecoder` goes by.
  public static func sources(of profiles: [ServiceProfile]) -> [LiveSource] {
    profiles.enumerated().flatMap { place, profile in profile.sources.map { $0.read(by: place) } }
  }

  /// What a wearable of these profiles is, for people: as many of their kinds as fit a column. nil where none has one.
  public static func kind(of profiles: [ServiceProfile]) -> String? {
    var text: String?
    for kind in profiles.compactMap(\.kind) {
      guard let before = text else {
        text = kind
        continue
      }
      let both = before + ", " + kind
      if both.utf8.count <= kindLimit { text = both }
    }
    return text
  }

  /// Bytes: the width of a column of kinds.
  private static let kindLimit = 24
}

/// Reads what the profiles of one wearable bring. A source says which of them it belongs to, so nothing is searched or
/// allocated for a notification.
public final class ProfileDecoder: LiveDecoder {
  private let decoders: [any LiveDecoder]

  /// - Parameter profiles: as they were given to `ServiceProfile.sources(of:)`.
  public init(_ profiles: [ServiceProfile]) { decoders = profiles.map { $0.makeDecoder() } }

  public func decode(_ source: LiveSource, _ value: RawBytes, into sink: any SampleSink) throws(DecodeError) {
    guard decoders.indices.contains(source.profile) else { return }
    try decoders[source.profile].decode(source, value, into: sink)
  }

  public func begin(_ database: GATTDatabase) { for decoder in decoders { decoder.begin(database) } }

  public func fact(_ source: LiveSource, _ value: RawBytes) -> WearableFact? {
    guard decoders.indices.contains(source.profile), let fact = decoders[source.profile].fact(source, value) else {
      return nil
    }
    for decoder in decoders { (decoder as? any CompanionDecoder)?.learned(fact) }
    return fact
  }
}

/// A decoder to which it matters what another profile of the same wearable says of it.
public protocol CompanionDecoder: LiveDecoder {
  /// A fact that some profile gave.
  func learned(_ fact: WearableFact)
}
