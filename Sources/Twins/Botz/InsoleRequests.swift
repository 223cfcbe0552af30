// Answers of a simulated insole to reads and writes of the hub.

import Bluetooth
import EventLoop
import Simulation

extension VirtualInsole {
  func take(_ pdu: RawBytes, on link: VirtualLink) {
    guard let opcode = pdu.first else { return }
    // Odd opcodes below a notification's are responses.
    if opcode & 1 == 1, opcode < 0x1B {
      if question != 0 { answered(pdu) }
      return
    }
    if writeDelay != nil { return held.append(Array(pdu)) }
    if let refusal = securityRefusal(pdu, link) { return link.carry(refusal, .protocolData) }
    if opcode == 0x12 || opcode == 0x52, pdu.count >= 3 {
      let handle = UInt16(pdu[1]) | UInt16(pdu[2]) << 8
      if let place = database.place(handle), takesWrites(place) {
        return write(place, Array(pdu[3...]), handle: handle, isRequest: opcode == 0x12, on: link)
      }
    }
    refresh(pdu, opcode)
    if let response = server.respond(to: pdu) { link.carry(response, .protocolData) }
    for write in server.takeWrites() where write.attribute == .clientCharacteristicConfiguration { subscribed(write) }
  }

  /// Builds of June 2025 require an encrypted link for all of the vendor's attributes: 0x0F with a bond, 0x05 without.
  func securityRefusal(_ pdu: RawBytes, _ link: VirtualLink) -> [UInt8]? {
    guard traits.era == .june2025, !link.isSecured, let opcode = pdu.first, pdu.count >= 3,
      [0x0A, 0x0C, 0x12, 0x16].contains(opcode)
    else { return nil }
    let handle = UInt16(pdu[1]) | UInt16(pdu[2]) << 8
    guard database.isVendor(handle) else { return nil }
    return [0x01, opcode, pdu[1], pdu[2], bond == nil ? 0x05 : 0x0F]
  }

  func takesWrites(_ place: InsolePlace) -> Bool {
    place.service == InsoleUUID.control || place == .smp || place.service == InsoleUUID.smpProxy
      || place.service == InsoleUUID.otherFootReceiver
      || place.service == InsoleUUID.fota(1) || place.service == InsoleUUID.fileProxy(1)
  }

  /// Updates values that are computed when they are read.
  func refresh(_ pdu: RawBytes, _ opcode: UInt8) {
    let now = world.loop.now
    statusTold = asksForStatus(pdu, opcode) ? now : nil
    guard opcode == 0x0A || opcode == 0x0C || opcode == 0x08 || opcode == 0x0E || opcode == 0x20 else { return }
    set(.currentTime, clock.currentTime(at: now))
    set(.info(0xAB), littleEndian(statusWord))
    var pack = littleEndian(statusWord) + [80, 0, 25, 0]
    pack.append(littleEndian: UInt32(truncatingIfNeeded: Int64(uptime.inSeconds)))
    set(.info(0xC7), pack + [0, 0, 0, 0])
    set(.info(0xC2), [announcement.id])
    set(.info(0xC3), Array(announcement.path.utf8))
    refreshMetrics()
    guard traits.conduct == .oddValues else { return }
    for part: UInt8 in [0xAB, 0xC7, 0xC8, 0xC2] { set(.info(part), [0xFF, 0xFE, 0xFD, 0xFC, 0xFB]) }
    set(.currentTime, [0xE9])
  }

  /// Whether a request reads the status word, or the pack that begins with it.
  private func asksForStatus(_ pdu: RawBytes, _ opcode: UInt8) -> Bool {
    guard opcode == 0x0A, pdu.count >= 3, let place = database.place(UInt16(pdu[1]) | UInt16(pdu[2]) << 8) else {
      return false
    }
    return place == .info(0xAB) || place == .info(0xC7)
  }

  func set(_ place: InsolePlace, _ value: [UInt8]) {
    if let handle = database.handle(place) { server.setValue(value, at: handle) }
  }

  func littleEndian(_ value: UInt32) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(littleEndian: value)
    return bytes
  }

  func subscribed(_ write: GATTWrite) {
    armStreams()
    armRecords()
  }

  func write(_ place: InsolePlace, _ value: [UInt8], handle: UInt16, isRequest: Bool, on link: VirtualLink) {
    defer { statusTold = nil }
    if place == .smp || place.service == InsoleUUID.smpProxy {
      let isProxy = place != .smp
      if isRequest, place == .smp { return refuse(handle, 0x03, link) }
      if isProxy { writeProxy(place, value, link) } else { takeSMP(value, link) }
      if isRequest { link.carry([0x13], .protocolData) }
      return
    }
    var code: UInt8?
    if place.service == InsoleUUID.control {
      let command = UInt8(truncatingIfNeeded: place.characteristic.high >> 32)
      noteCommand(command, value)
      code = control(command, value)
    } else if place.service == InsoleUUID.otherFootReceiver {
      forbid("a write to the service of the other foot")
    } else if place.service == InsoleUUID.fileProxy(1) {
      code = fileProxy(place, value, link)
    } else if place == InsolePlace(service: InsoleUUID.fota(1), characteristic: InsoleUUID.fota(4)) {
      code = 0x03
    }
    guard isRequest else { return }
    let response: [UInt8] =
      code.map { [0x01, 0x12, UInt8(truncatingIfNeeded: handle), UInt8(handle >> 8), $0] } ?? [0x13]
    let delay = random.duration(in: traits.controlLatency)
    if delay == .zero { return link.carry(response, .protocolData) }
    writeDelay = world.loop.schedule(after: delay) { [weak self] in
      guard let self, let link = self.link else { return }
      writeDelay = nil
      link.carry(response, .protocolData)
      let waiting = held
      held = []
      for pdu in waiting { pdu.withUnsafeBytes { self.take($0, on: link) } }
    }
  }

  func refuse(_ handle: UInt16, _ code: UInt8, _ link: VirtualLink) {
    link.carry([0x01, 0x12, UInt8(truncatingIfNeeded: handle), UInt8(handle >> 8), code], .protocolData)
  }
}
