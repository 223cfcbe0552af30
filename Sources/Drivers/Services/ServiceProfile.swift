// A service of the Bluetooth SIG as a value: its sources, the series that they give, and their decoder.

public import Bluetooth
public import Health
public import Wearable

/// A service that a driver of standard services supports. A wearable has several of them, according to its database.
public struct ServiceProfile: Sendable {
  /// UUID of the service, as advertised and in the database.
  public let service: BluetoothUUID
  /// Kind of the wearables that advertise the service, for people, in at most 24 bytes. With nil the service does not
  /// show what a wearable is, and no wearable is recognised by it.
  public let kind: String?
  /// Wearables of this service are switched on for seconds, after a measurement.
  public let hasShortPresence: Bool
  /// Some models send values in a layout of their own, so the model is read before the first subscription.
  public let dependsOnModel: Bool
  /// Characteristics to subscribe to and to read, in this order. The required ones are those that measure: a wearable
  /// with any of them has the service. A profile without required ones only accompanies others.
  public let sources: [LiveSource]
  /// Abilities that the service gives a wearable.
  public let capabilities: Capabilities
  /// The characteristic that shows which optional series a wearable has; nil if the service has no such characteristic.
  /// `sources` must contain it.
  public let feature: BluetoothUUID?
  /// The subset of `capabilities.live` that a wearable has; nil for all of them.
  public let liveSeries: (@Sendable (Shown) -> [Series])?
  /// Records that wearables of the service store; nil without records.
  public let storedRecords: StoredRecords?
  /// Monitoring that can be ordered; nil without any.
  public let monitoring: MonitoringChoice?
  /// Makes a decoder of its sources for one link.
  public let makeDecoder: @Sendable () -> any LiveDecoder

  /// A service with its sources; parameters as the properties of the same names.
  public init(
    service: BluetoothUUID, kind: String?, hasShortPresence: Bool = false, dependsOnModel: Bool = false,
    sources: [LiveSource],
    capabilities: Capabilities,
    feature: BluetoothUUID? = nil, liveSeries: (@Sendable (Shown) -> [Series])? = nil,
    storedRecords: StoredRecords? = nil, monitoring: MonitoringChoice? = nil,
    makeDecoder: @escaping @Sendable () -> any LiveDecoder
  ) {
    self.service = service
    self.kind = kind
    self.hasShortPresence = hasShortPresence
    self.dependsOnModel = dependsOnModel
    self.sources = sources
    self.capabilities = capabilities
    self.feature = feature
    self.liveSeries = liveSeries
    self.storedRecords = storedRecords
    self.monitoring = monitoring
    self.makeDecoder = makeDecoder
  }

  /// Records behind a Record Access Control Point, which sends them as values of a characteristic.
  public struct StoredRecords: Sendable, Hashable {
    /// Record Access Control Point: takes the requests for records.
    public let controlPoint: BluetoothUUID
    /// The characteristic that carries the records.
    public let characteristic: BluetoothUUID
    /// Series of the records.
    public let series: [Series]

    /// Records that `characteristic` sends after a request to `controlPoint`.
    public init(controlPoint: BluetoothUUID, characteristic: BluetoothUUID, series: [Series]) {
      self.controlPoint = controlPoint
      self.characteristic = characteristic
      self.series = series
    }

    /// Whether a wearable with this database has such records, and all that is needed to fetch them.
    func isServed(in service: BluetoothUUID, of database: GATTDatabase) -> Bool {
      guard let control = database.characteristic(controlPoint, in: service) else { return false }
      return control.properties.isSuperset(of: [.write, .indicate])
        && database.characteristic(characteristic, in: service) != nil
    }
  }

  /// Facts about the service that a link to one wearable shows.
  public struct Shown {
    /// Database of the wearable.
    public let database: GATTDatabase
    /// Value of `feature`; nil if it is missing or could not be read. The wearable may then have all that the service
    /// allows.
    public let feature: [UInt8]?
  }

  /// Whether a wearable with this database has the service.
  public func isServed(in database: GATTDatabase) -> Bool {
    let measuring = sources.filter(\.isRequired)
    if measuring.isEmpty { return true }
    return measuring.contains { database.characteristic($0.characteristic, in: $0.service) != nil }
  }

  /// Capabilities that a wearable has by this service: live series, and the history that it stores.
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

  /// The sources of all profiles, each with the index of its profile, which `ProfileDecoder` uses.
  public static func sources(of profiles: [ServiceProfile]) -> [LiveSource] {
    profiles.enumerated().flatMap { place, profile in profile.sources.map { $0.read(by: place) } }
  }

  /// Kind of a wearable with these profiles, for people: as many of their kinds as fit into a column; nil if no profile
  /// has one.
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

/// Decodes the values of all profiles of one wearable. A source has the index of its profile, so a notification needs
/// no search and no allocation.
public final class ProfileDecoder: LiveDecoder {
  private let profiles: [ServiceProfile]
  private let decoders: [any LiveDecoder]
  private let companions: [any CompanionDecoder]
  private var database: GATTDatabase?
  /// Values of feature characteristics over this link, by index of the profile.
  private var features: [Int: [UInt8]] = [:]

  /// - Parameter profiles: the same that were given to `ServiceProfile.sources(of:)`.
  public init(_ profiles: [ServiceProfile]) {
    self.profiles = profiles
    decoders = profiles.map { $0.makeDecoder() }
    companions = decoders.compactMap { $0 as? any CompanionDecoder }
  }

  /// Decodes one value with its profile's decoder.
  ///
  /// - Throws: the error of the profile's decoder; companions then do not receive the value.
  public func decode(_ source: LiveSource, _ value: RawBytes, into sink: any SampleSink) throws(DecodeError) {
    guard decoders.indices.contains(source.profile) else { return }
    try decoders[source.profile].decode(source, value, into: sink)
    if source.isKept { for companion in companions { companion.heard(source, value) } }
  }

  /// Prepares for a link to an unknown wearable.
  public func begin(_ database: GATTDatabase) { begin(database, of: KnownWearable()) }

  /// Prepares for a link to a known wearable.
  public func begin(_ database: GATTDatabase, of known: KnownWearable) {
    self.database = database
    features = [:]
    for decoder in decoders { decoder.begin(database, of: known) }
  }

  /// Capabilities of all profiles, unless a decoder has better information.
  public var announced: WearableCapabilities? {
    guard let database else { return nil }
    return profiles.indices.reduce(WearableCapabilities()) { all, place in
      let shown = ServiceProfile.Shown(database: database, feature: features[place])
      return all.union(decoders[place].announced ?? profiles[place].announced(shown))
    }
  }

  /// Called for each value that is read, once over a link, so it may allocate.
  public func fact(_ source: LiveSource, _ value: RawBytes) -> WearableFact? {
    guard decoders.indices.contains(source.profile) else { return nil }
    if source.characteristic == profiles[source.profile].feature {
      // The longest value of an attribute.
      features[source.profile] = Array(value.prefix(512))
    }
    guard let fact = decoders[source.profile].fact(source, value) else { return nil }
    for companion in companions { companion.learned(fact) }
    return fact
  }
}

/// A decoder that depends on facts or values of other profiles of the same wearable.
public protocol CompanionDecoder: LiveDecoder {
  /// Called with a fact of any profile.
  func learned(_ fact: WearableFact)
  /// Called with a decoded reading that the wearable keeps until it is confirmed (`LiveSource.isKept`), of any profile.
  func heard(_ source: LiveSource, _ value: RawBytes)
}

extension CompanionDecoder {
  /// Ignores the fact.
  public func learned(_ fact: WearableFact) {}
  /// Ignores the value.
  public func heard(_ source: LiveSource, _ value: RawBytes) {}
}
