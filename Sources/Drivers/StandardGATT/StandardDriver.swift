// Driver of wearables with services of the Bluetooth SIG. A wearable's database shows which of them it has.

public import Bluetooth
import EventLoop
public import GATTServices
public import Health
public import Wearable

/// Any wearable that advertises a service of one of the profiles. Vendor families that advertise one too have drivers
/// of their own, with a higher priority.
public struct StandardDriver: WearableDriver, AdvertisedValuesDriver, ShortPresenceDriver, MixedDriver {
  private let profiles: [ServiceProfile]
  /// Monitoring that can be ordered, of all profiles.
  let choices: [MonitoringChoice]
  private let listener: (@Sendable () -> any AdvertisementListener)?
  private let shows: @Sendable (ShownWearable) -> Bool
  /// Sources of all profiles.
  public let liveSources: [LiveSource]
  /// Capabilities of all profiles together; a wearable has those of its services.
  public let capabilities: Capabilities

  /// - Parameters:
  ///   - profiles: in the order in which their sources are requested: those that measure first.
  ///   - listener: decodes advertisements of these wearables, needed without a link. The profiles advertise no values,
  ///     but some vendors do, under identifiers of their own.
  ///   - shows: whether a wearable has proved over a link that it is that vendor's.
  public init(
    _ profiles: [ServiceProfile], shows: @escaping @Sendable (ShownWearable) -> Bool = { _ in false },
    listener: (@Sendable () -> any AdvertisementListener)? = nil
  ) {
    self.profiles = profiles
    self.shows = shows
    self.listener = listener
    liveSources = ServiceProfile.sources(of: profiles)
    capabilities = Capabilities(profiles.flatMap(\.capabilities.list))
    choices = profiles.compactMap(\.monitoring)
  }

  /// The driver name under which straps were enrolled before there were other profiles; unchanged since.
  public var id: String { HeartRateStrap.driver }

  /// Claims wearables that advertise a service of a profile.
  public func recognise(_ scanResult: ScanResult) -> Recognition? {
    let claims = profiles.filter { scanResult.services.contains($0.service) }
    guard let kind = ServiceProfile.kind(of: claims) else { return nil }
    return Recognition(kind: kind, priority: Recognition.standardService)
  }

  /// Wearables with another service stay on for longer.
  public func hasShortPresence(advertising services: [BluetoothUUID]) -> Bool {
    let measured = profiles.filter { $0.kind != nil && services.contains($0.service) }
    return !measured.isEmpty && measured.allSatisfy(\.hasShortPresence)
  }

  /// A listener for values in advertisements; nil: this driver has none.
  public func makeListener() -> (any AdvertisementListener)? { listener?() }

  /// True if the wearable was seen to advertise values.
  public func advertises(_ shown: ShownWearable) -> Bool { shows(shown) }

  /// The sources of the profiles that the wearable has. If several sources or profiles measure, they are alternatives:
  /// a refusal of one does not affect the others. If no source measures, all are returned, so that the missing ones
  /// fail the visit. A wearable may send stored values upon subscription. If their meaning depends on its model, the
  /// model is read first.
  public func liveSources(in database: GATTDatabase) -> [LiveSource] {
    let served = profiles.indices.filter { profiles[$0].isServed(in: database) }
    let sources = liveSources.filter { source in
      served.contains(source.profile)
        && database.characteristic(source.characteristic, in: source.service) != nil
    }
    let measuring = sources.count(where: \.isRequired)
    if measuring == 0 { return liveSources }
    let needed = measuring == 1 ? sources : sources.map { $0.isRequired ? $0.with(.alternative) : $0 }
    guard served.contains(where: { profiles[$0].dependsOnModel }) else { return needed }
    let isModel = { (source: LiveSource) in source.characteristic == StandardGATT.modelNumber }
    return needed.filter(isModel) + needed.filter { !isModel($0) }
  }

  /// A decoder for one link.
  public func makeDecoder() -> any LiveDecoder { ProfileDecoder(profiles) }

  /// Straps need no bond; cuffs, scales and oximeters often indicate no value without one. Only a refusal shows that.
  public var pairing: PairingNeed { .whereRefused }

  /// nil for a wearable that has only live values.
  @LoopActor public func makeSession(_ link: any WearableLink) -> (any WearableSession)? {
    StandardSession(link, makeDecoder())
  }
}
