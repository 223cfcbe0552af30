// A live value as subscribers get it, with the wearable that it came from.

public import Bluetooth
public import RingStore

/// A live value of any layout, for `hearth live`.
public struct LiveValue: Sendable {
  /// Name of the wearable.
  public var wearable: String
  /// Address of the wearable.
  public var address: BluetoothAddress
  /// The value as an export will show it, except for its ordinal, which is 0.
  public var sample: StoredSample
  /// A value of the wearable with this name and address.
  public init(wearable: String, address: BluetoothAddress, sample: StoredSample) {
    self.wearable = wearable
    self.address = address
    self.sample = sample
  }
}
