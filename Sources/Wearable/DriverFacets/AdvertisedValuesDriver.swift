// Values that a wearable tells in its advertisements, without a link.

public import Bluetooth

/// A driver that reads measured values out of advertisements. Without this facet an order to keep them is refused.
public protocol AdvertisedValuesDriver: WearableDriver {
  /// A listener for each wearable, for as long as it is enrolled. Nil: this driver was made without one.
  func makeListener() -> (any AdvertisementListener)?

  /// Whether a wearable is of a family that advertises so, by what it has shown over a link. Anybody can send an
  /// advertisement under any address: nothing is read out of those of a wearable that is of no such family.
  func advertises(_ shown: ShownWearable) -> Bool
}

/// What one wearable has shown of itself over its links.
public struct ShownWearable: Sendable, Hashable {
  /// Of its database; empty while it is not known.
  public var services: Set<BluetoothUUID>
  /// Manufacturer Name String of its Device Information; nil: it told none.
  public var manufacturer: String?

  public init(services: Set<BluetoothUUID> = [], manufacturer: String? = nil) {
    self.services = services
    self.manufacturer = manufacturer
  }
}

/// Hears one wearable's advertisements while it has no link. Called only on the loop thread, for each manufacturer data
/// of each advertisement, heard before or not: must not allocate.
public protocol AdvertisementListener: AnyObject {
  /// - Parameters:
  ///   - company: of the manufacturer data, `data` what follows it.
  ///   - quiet: since its last advertisement before this one, ns: what was heard long ago is no measure for what is
  ///     new.
  func hear(company: UInt16, _ data: RawBytes, quiet: Int64, into sink: any SampleSink)
}

extension WearableDriver {
  /// What reads advertisements; nil: nothing.
  public var advertisedValues: (any AdvertisedValuesDriver)? { self as? any AdvertisedValuesDriver }
}
