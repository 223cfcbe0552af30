// Advertisements as the kernel reports them: events of their own socket, parsed in place because they come in floods.

import Bluetooth

/// Advertisement event, in place. Events 0x0012 (Device Found) and 0x002F (Adv Monitor Device Found):
///
///     [0x002F only: monitor handle u16]  address 6, type 1, RSSI i8, flags u32, length u16, AD structures
struct AdvertisementReport {
  static let deviceFound: UInt16 = 0x0012
  static let monitorDeviceFound: UInt16 = 0x002F
  /// Longest advertising data: a chained extended advertisement (Core specification, volume 4, part E, 7.8.57).
  static let dataLimit = 1650

  let address: BluetoothAddress
  /// Nil if the controller does not know it: 127.
  let rssi: Int8?
  let isConnectable: Bool
  let isScanResponse: Bool
  let data: RawBytes

  init?(_ frame: ManagementFrame) {
    var reader = ByteReader(frame.parameters)
    if frame.code == Self.monitorDeviceFound { reader.skip(2) } else if frame.code != Self.deviceFound { return nil }
    guard let address = BluetoothAddress(management: &reader), let rssi = reader.i8(), let flags = reader.u32(),
      let length = reader.u16(),
      reader.remaining == Int(length), Int(length) <= Self.dataLimit
    else { return nil }
    self.address = address
    self.rssi = rssi == 127 ? nil : rssi
    isConnectable = flags & 1 << 2 == 0
    isScanResponse = flags & 1 << 5 != 0
    data = reader.rest()
  }
}
