// Measured values in a wearable's advertisements, received without a link.

public import Bluetooth

/// Driver that decodes measured values from advertisements. Without this facet, an order to store them is refused.
public protocol AdvertisedValuesDriver: WearableDriver {
  /// Makes a listener for each wearable, for as long as it is enrolled. nil: this driver was made without one.
  func makeListener() -> (any AdvertisementListener)?

  /// Whether a wearable belongs to a family with such advertisements, judged by what it has shown over a link. Any
  /// device can send advertisements under any address. Values are therefore only read for wearables that have proved to
  /// be of the family.
  func advertises(_ shown: ShownWearable) -> Bool
}

/// Identity of one wearable, as shown over its links.
public struct ShownWearable: Sendable, Hashable {
  /// Services of its database; empty if unknown.
  public var services: Set<BluetoothUUID>
  /// Manufacturer Name String of its Device Information; nil: not available.
  public var manufacturer: String?

  /// Identity by services and manufacturer; nil: unknown.
  public init(services: Set<BluetoothUUID> = [], manufacturer: String? = nil) {
    self.services = services
    self.manufacturer = manufacturer
  }
}

/// Listener for one wearable's advertisements while it has no link. Called only on the loop thread, for each
/// manufacturer data of each advertisement, including repetitions. Must not allocate.
public protocol AdvertisementListener: AnyObject {
  /// - Parameters:
  ///   - company: company identifier of the manufacturer data; `data` is its payload.
  ///   - quiet: time between the last advertisement and this one, ns. After a long gap the last value does not show
  ///     what is new.
  func hear(company: UInt16, _ data: RawBytes, quiet: Int64, into sink: any SampleSink)
}

extension WearableDriver {
  /// The facet for values in advertisements; nil without it.
  public var advertisedValues: (any AdvertisedValuesDriver)? { self as? any AdvertisedValuesDriver }
}
