// Straps and watches that keep to the Heart Rate Service.

import Bluetooth
import GATTServices
public import Health
public import Wearable

/// Any wearable that advertises the Heart Rate Service. Vendor families that also do are claimed by their own drivers, with a higher
/// priority.
public struct HeartRateDriver: WearableDriver {
  private let listener: (@Sendable () -> any AdvertisementListener)?

  /// - Parameter listener: reads what wearables of this kind advertise without a link. The service says nothing there; some vendors do, under their own identifiers.
  public init(listener: (@Sendable () -> any AdvertisementListener)? = nil) { self.listener = listener }

  public var id: String { HeartRateStrap.driver }

  public func recognise(_ sighting: Sighting) -> Recognition? {
    guard sighting.services.contains(StandardGATT.heartRateService) else { return nil }
    return Recognition(kind: "HR strap", priority: Recognition.standardService)
  }

  public func makeListener() -> (any AdvertisementListener)? { listener?() }

  public var liveSources: [LiveSource] { HeartRateStrap.liveSources }

  public func makeDecoder() -> any LiveDecoder { HeartRateDecoder() }

  public var capabilities: Capabilities { [.live(.heartRate), .live(.rrInterval), .live(.energyExpended), .live(.battery), .battery] }
}
