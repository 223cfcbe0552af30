// Wearables that keep to services of the Bluetooth SIG: which of them one serves is seen in its database.

public import Bluetooth
import EventLoop
public import GATTServices
public import Health
public import Wearable

/// Any wearable that advertises one of its profiles' services. Vendor families that also do are claimed by their own
/// drivers, with a higher priority.
public struct StandardDriver: WearableDriver, AdvertisedValuesDriver, BriefDriver, MixedDriver {
  private let profiles: [ServiceProfile]
  /// What of measuring by themselves its profiles let be ordered.
  let choices: [MonitoringChoice]
  private let listener: (@Sendable () -> any AdvertisementListener)?
  private let shows: @Sendable (ShownWearable) -> Bool
  public let liveSources: [LiveSource]
  /// What its profiles can do altogether; one wearable can what it serves of them.
  public let capabilities: Capabilities

  /// - Parameters:
  ///   - profiles: in the order in which their sources are asked for: those that measure first.
  ///   - listener: reads what wearables of this kind advertise without a link. Profiles say nothing there; some vendors
  ///     do, under their own identifiers.
  ///   - shows: whether a wearable has shown that it is one of that vendor's.
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

  /// The name under which straps were enrolled before there were other profiles: it stays.
  public var id: String { HeartRateStrap.driver }

  public func recognise(_ sighting: Sighting) -> Recognition? {
    let claims = profiles.filter { sighting.services.contains($0.service) }
    guard let kind = ServiceProfile.kind(of: claims) else { return nil }
    return Recognition(kind: kind, priority: Recognition.standardService)
  }

  /// Who also serves something that stays is there for longer.
  public func isBrief(advertising services: [BluetoothUUID]) -> Bool {
    let measured = profiles.filter { $0.kind != nil && services.contains($0.service) }
    return !measured.isEmpty && measured.allSatisfy(\.isBrief)
  }

  public func makeListener() -> (any AdvertisementListener)? { listener?() }

  public func advertises(_ shown: ShownWearable) -> Bool { shows(shown) }

  /// Of the profiles that the wearable serves. One that measures by several characteristics, or several profiles that
  /// measure, are alternatives: what one of them refuses costs the others nothing. Where none measures, everything, so
  /// that what is missing fails the visit. A wearable may tell what it keeps as soon as it is listened to: if that
  /// depends on its model, the model is read first.
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

  public func makeDecoder() -> any LiveDecoder { ProfileDecoder(profiles) }

  /// Straps want no bond; cuffs, scales and oximeters often indicate nothing without. None says so before it refuses.
  public var pairing: PairingNeed { .whereRefused }

  /// nil for one that is only listened to.
  @LoopActor public func makeSession(_ link: any WearableLink) -> (any WearableSession)? {
    StandardSession(link, makeDecoder())
  }
}
