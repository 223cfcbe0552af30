// The characteristic by which a wearable is told how awake its link is to be.

public import Bluetooth

/// A driver whose wearables take a connection profile. Without this facet the hub alone sets the link's parameters.
public protocol ProfiledDriver: WearableDriver {
  /// Where a profile is written.
  var profileCharacteristic: ProfileCharacteristic { get }
}

/// A characteristic that takes a connection profile.
///
/// What a wearable does with it is never taken for granted: properties are those of discovery, and the proof is the
/// link, not the value read.
public struct ProfileCharacteristic: Sendable, Hashable {
  public let service: BluetoothUUID
  public let characteristic: BluetoothUUID
  /// One octet for each profile it knows.
  public let codes: [LinkProfile: UInt8]
  /// What the wearable then asks for, where it is known; shown, and checked for legality when the hub starts.
  public let published: [LinkProfile: ConnectionParameters]
  /// How long after connecting it begins to act on a write.
  public let deferral: Duration
  /// How long after a write, or after the deferral, the link may take to change.
  public let patience: Duration

  public init(
    service: BluetoothUUID, characteristic: BluetoothUUID, codes: [LinkProfile: UInt8],
    published: [LinkProfile: ConnectionParameters] = [:],
    deferral: Duration = .zero, patience: Duration
  ) {
    self.service = service
    self.characteristic = characteristic
    self.codes = codes
    self.published = published
    self.deferral = deferral
    self.patience = patience
  }
}

extension WearableDriver {
  /// What takes a profile; nil: nothing.
  public var profiled: (any ProfiledDriver)? { self as? any ProfiledDriver }
}
