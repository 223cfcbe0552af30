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
  /// Some models send values of a layout of their own: what a wearable is called is read before it is listened to.
  public let dependsOnModel: Bool
  /// What to listen to and read, in this order. Those that are required are what the profile measures by: a wearable
  /// that has any one of them serves it. A profile without one only accompanies others.
  public let sources: [LiveSource]
  public let capabilities: Capabilities
  /// Characteristic that says which optional series a wearable has; nil where the service has none. One of `sources`.
  public let feature: BluetoothUUID?
  /// Which of `capabilities.live` a wearable has; nil: always all of them.
  public let liveSeries: (@Sendable (Shown) -> [Series])?
  /// What of the service wearables keep for later; nil: nothing.
  public let storedRecords: StoredRecords?
  /// What of measuring by themselves can be ordered; nil: nothing.
  public let monitoring: MonitoringChoice?
  /// A fresh decoder of its sources for one link.
  public let makeDecoder: @Sendable () -> any LiveDecoder

  public init(
    service: BluetoothUUID, kind: String?, isBrief: Bool = false, dependsOnModel: Bool = false, sources: [LiveSource],
    capabilities: Capabilities,
    feature: BluetoothUUID? = nil, liveSeries: (@Sendable (Shown) -> [Series])? = nil,
    storedRecords: StoredRecords? = nil, monitoring: MonitoringChoice? = nil,
    makeDecoder: @escaping @Sendable () -> any LiveDecoder
  ) {
    self.service = service
    self.kind = kind
    self.isBrief = isBrief
    self.dependsOnModel = dependsOnModel
    self.sources = sources
    self.capabilities = capabilities
    self.feature = feature
    self.liveSeries = liveSeries
    self.storedRecords = storedRecords
    self.monitoring = monitoring
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

    /// Whether a wearable with this database keeps such records where they can be had.
    func isServed(in service: BluetoothUUID, of database: GATTDatabase) -> Bool {
      guard let control = database.characteristic(controlPoint, in: service) else { return false }
      return control.properties.isSuperset(of: [.write, .indicate])
        && database.characteristic(characteristic, in: service) != nil
    }
  }

  /// What a wearable shows of the service over a link.
  public struct Shown {
    public let database: GATTDatabase
    /// Value of `feature`; nil where it has none, or did not let it be read: then it may have whatever the service
    /// allows.
    public let feature: [UInt8]?
  }

  /// Whether a wearable with this database serves it.
  public func isServed(in database: GATTDatabase) -> Bool {
    let measuring = sources.filter(\.isRequired)
    if measuring.isEmpty { return true }
    return measuring.contains { database.characteristic($0.characteristic, in: $0.service) != nil }
  }

  /// What a wearable announces of the service: its live series, and the history that it keeps.
  func announced(_ shown: Shown) -> WearableCapabilities {
    var all = WearableCapabilities()
    let database = shown.database
    let hasSource = sources.contains { database.characteristic($0.characteristic, in: $0.service) != nil }
    if hasSource, isServed(in: database) { all.insert(.live, liveSeries?(shown) ?? capabilities.live) }
    if let storedRecords, storedRecords.isServed(in: service, of: database) {
      all.insert(.history, storedRecords.series)
    }
    return all
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
  private let profiles: [ServiceProfile]
  private let decoders: [any LiveDecoder]
  private let companions: [any CompanionDecoder]
  private var database: GATTDatabase?
  /// What was read of features over this link, by place of the profile.
  private var features: [Int: [UInt8]] = [:]

  /// - Parameter profiles: as they were given to `ServiceProfile.sources(of:)`.
  public init(_ profiles: [ServiceProfile]) {
    self.profiles = profiles
    decoders = profiles.map { $0.makeDecoder() }
    companions = decoders.compactMap { $0 as? any CompanionDecoder }
  }

  public func decode(_ source: LiveSource, _ value: RawBytes, into sink: any SampleSink) throws(DecodeError) {
    guard decoders.indices.contains(source.profile) else { return }
    try decoders[source.profile].decode(source, value, into: sink)
    if source.isKept { for companion in companions { companion.heard(source, value) } }
  }

  public func begin(_ database: GATTDatabase) { begin(database, of: KnownWearable()) }

  public func begin(_ database: GATTDatabase, of known: KnownWearable) {
    self.database = database
    features = [:]
    for decoder in decoders { decoder.begin(database, of: known) }
  }

  /// What its profiles announce, but where a decoder knows better.
  public var announced: WearableCapabilities? {
    guard let database else { return nil }
    return profiles.indices.reduce(WearableCapabilities()) { all, place in
      let shown = ServiceProfile.Shown(database: database, feature: features[place])
      return all.union(decoders[place].announced ?? profiles[place].announced(shown))
    }
  }

  /// Asked of each value that is read, once over a link: it may allocate.
  public func fact(_ source: LiveSource, _ value: RawBytes) -> WearableFact? {
    guard decoders.indices.contains(source.profile) else { return nil }
    if source.characteristic == profiles[source.profile].feature {
      // The longest value that an attribute has.
      features[source.profile] = Array(value.prefix(512))
    }
    guard let fact = decoders[source.profile].fact(source, value) else { return nil }
    for companion in companions { companion.learned(fact) }
    return fact
  }
}

/// A decoder to which it matters what another profile of the same wearable says of it.
public protocol CompanionDecoder: LiveDecoder {
  /// A fact that some profile gave.
  func learned(_ fact: WearableFact)
  /// A reading that its wearable keeps until it is confirmed (`LiveSource.isKept`), of whichever profile, once it was
  /// decoded.
  func heard(_ source: LiveSource, _ value: RawBytes)
}

extension CompanionDecoder {
  public func learned(_ fact: WearableFact) {}
  public func heard(_ source: LiveSource, _ value: RawBytes) {}
}
