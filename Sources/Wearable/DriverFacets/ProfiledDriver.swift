// Characteristic through which a wearable gets the link's profile: its preset of connection parameters.

public import Bluetooth

/// Driver of wearables that accept a connection profile. Without this facet only the hub sets the link's parameters.
public protocol ProfiledDriver: WearableDriver {
  /// Characteristic to which a profile is written.
  var profileCharacteristic: ProfileCharacteristic { get }
}

/// Characteristic that accepts a connection profile.
///
/// The effect is never assumed. Properties are those of discovery, and the proof is the link, not the value read back.
public struct ProfileCharacteristic: Sendable, Hashable {
  /// Service of the characteristic.
  public let service: BluetoothUUID
  /// Characteristic that accepts the profile's octet.
  public let characteristic: BluetoothUUID
  /// Octet for each profile that the wearable knows.
  public let codes: [LinkProfile: UInt8]
  /// Parameters that the wearable then requests, if known. The hub displays the parameters, and checks their legality
  /// at its start.
  public let published: [LinkProfile: ConnectionParameters]
  /// Time after connecting from which the wearable acts on a write; zero: at once.
  public let deferral: Duration
  /// Time after a write, or after the deferral, in which the link may change.
  public let patience: Duration

  /// A characteristic with the code of each profile.
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
  /// The facet for profiles; nil without it.
  public var profiled: (any ProfiledDriver)? { self as? any ProfiledDriver }
}
