// Two proxy services of a simulated insole: frames for the other foot, and a list of invented files.

import Bluetooth
import Simulation

extension VirtualInsole {
  func writeProxy(_ place: InsolePlace, _ value: [UInt8], _ link: VirtualLink) {
    if place == .smpTarget {
      proxyTarget = value.first ?? 0
    } else if let handle = database.handle(.smpProxy), server.subscription(at: handle) & 1 != 0 {
      link.carry(
        server.notification(at: handle, value: [3, 0, 0, 0, 0, 0, 0, proxyTarget == 0 ? 8 : 2]), .protocolData)
    }
  }

  /// Lists two invented files, whatever exists; see section 9.4.
  func fileProxy(_ place: InsolePlace, _ value: [UInt8], _ link: VirtualLink) -> UInt8? {
    guard place.characteristic == InsoleUUID.fileProxy(3) else { return nil }
    guard let command = value.first else { return 0x0D }
    let data = InsolePlace(service: InsoleUUID.fileProxy(1), characteristic: InsoleUUID.fileProxy(4))
    guard let handle = database.handle(data) else { return nil }
    func tell(_ bytes: [UInt8]) {
      if server.subscription(at: handle) & 1 != 0 {
        link.carry(server.notification(at: handle, value: bytes), .protocolData)
      }
    }
    func name(_ text: String) -> [UInt8] { Array(text.utf8) + [UInt8](repeating: 0, count: 28 - text.utf8.count) }
    switch command {
    case 1:
      tell([1, 2])
      tell([1, 1, 0, 4, 0, 0, 0xD2, 2, 0x96, 0x49] + name("foot_1.bin"))
      tell([2, 2, 0, 8, 0, 0, 0xDC, 2, 0x96, 0x49] + name("bhi360_2.bin"))
      return nil
    case 2, 3: return value.count < 3 ? 0x0D : nil
    case 4:
      if value.count < 3 { return 0x0D }
      tell([4])
      tell([2, value[1], value[2], 0, 4, 0, 0, 0xD2, 2, 0x96, 0x49, 0x78, 0x56, 0x34, 0x12])
      return nil
    case 5: return nil
    default: return 0x06
    }
  }
}
