// Dispatch of the hub's writes in a simulated Polar wearable, and its refusals without a bond.

import Bluetooth
import Simulation

extension VirtualPolar {
  func take(_ write: GATTWrite) {
    if write.attribute == .clientCharacteristicConfiguration {
      if write.characteristic == 0x2A37 { write.value.first == 1 ? startHeart() : stopHeart() }
      return
    }
    switch write.attribute {
    case PolarUUID.mtu: takePacket(write.value)
    case PolarUUID.h2d: takeHostNotification(write.value)
    case PolarUUID.pmdControl:
      // Reads must keep returning the features.
      if let handle = server.valueHandle(of: PolarUUID.pmdControl) { server.setValue(features, at: handle) }
      obey(write.value)
    case PolarUUID.pfcControl: configure(write.value)
    default: break
    }
  }

  func obey(_ bytes: [UInt8]) {
    if bytes.first == 3, commandsSinceEnd == nil { commandsSinceEnd = 0 }
    let number = commandsSinceEnd
    commandsSinceEnd = number.map { $0 + 1 }
    let cut = number == nil ? nil : cutsLink.flatMap { $0.command == number ? $0 : nil }
    if let cut, !cut.isHandled { return hangUp() }
    command(bytes)
    if cut != nil { hangUp() }
  }

  var features: [UInt8] {
    traits.services.flatMap(\.characteristics).first { $0.uuid == PolarUUID.pmdControl }?.value ?? []
  }

  /// 0x05 without a bond, 0x0F with one.
  func securityRefusal(_ pdu: RawBytes, _ link: VirtualLink) -> [UInt8]? {
    guard traits.needsBond, !link.isSecured, pdu.count >= 3, [0x0A, 0x0C, 0x12].contains(pdu[0]) else { return nil }
    let handle = UInt16(pdu[1]) | UInt16(pdu[2]) << 8
    let guarded = [PolarUUID.mtu, PolarUUID.d2h, PolarUUID.h2d, PolarUUID.pmdControl, PolarUUID.pmdData].compactMap {
      server.valueHandle(of: $0)
    }
    guard guarded.contains(handle) || guarded.contains(handle - 1) else { return nil }
    return [0x01, pdu[0], pdu[1], pdu[2], bond == nil ? 0x05 : 0x0F]
  }
}
