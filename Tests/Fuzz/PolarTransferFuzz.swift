// libFuzzer harness: what Polar's wearables answer and say by themselves. Compiled together with Sources/Drivers/Polar
// by ./run.

import Bluetooth
import GATTServices
import Health
import PolarMessages

/// The first byte chooses a reader (2 bits) and the size of pieces, or which message it is (6 bits). The rest is its
/// bytes: packets of one characteristic, a message, or a file's text.
public func fuzzPolarTransfer(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = UnsafeRawBufferPointer(start: start, count: count)
  guard let choice = bytes.first else { return 0 }
  let content = UnsafeRawBufferPointer(rebasing: bytes.dropFirst())
  switch choice >> 6 {
  case 0: packets(content, max(1, Int(choice & 63)))
  case 1: carried(Array(content), Int(choice & 63))
  case 2: message(content, choice & 63)
  default: directory(content)
  }
  return 0
}

private func packets(_ content: UnsafeRawBufferPointer, _ size: Int) {
  var response = PSFTP.ResponseAssembly()
  var notifications = PSFTP.NotificationAssembly()
  var offset = 0
  while offset < content.count {
    let packet = UnsafeRawBufferPointer(rebasing: content[offset..<min(offset + size, content.count)])
    offset += size
    if let read = PSFTP.AirPacket(packet) {
      precondition(read.payload.count < packet.count && (read.code == nil || read.payload.isEmpty))
    }
    _ = PSFTP.ResponseAssembly.refusal(packet)
    if case .failed(let error, _) = response.take(packet) {
      precondition(PSFTPError(code: error.code) == error && !error.text.isEmpty)
      _ = error.trouble("x")
      response = PSFTP.ResponseAssembly()
    }
    if let said = notifications.take(packet) {
      precondition(said.parameters.count <= content.count && !notifications.isOpen)
      if let event = PSFTP.DeviceEvent(said) {
        precondition(event.parameters == said.parameters && !event.kind.name.isEmpty)
      }
    }
  }
}

private func directory(_ bytes: UnsafeRawBufferPointer) {
  guard let directory = PSFTP.Directory(bytes) else { return }
  precondition(directory.entries.count + directory.refused <= bytes.count)
  for entry in directory.entries {
    precondition(PSFTP.Entry.isSound(entry.name) && !entry.name.dropLast().contains("/"))
    let path = "/U/0/" + entry.name
    precondition(PolarPath.parent(path) == "/U/0/")
    if let day = PolarPath.day(folder: entry.name) {
      precondition(PolarPath.folder(of: day) == path && PolarPath.day(of: path) == day)
    }
  }
}

/// Events from number 0 on, then the other messages.
private func message(_ bytes: UnsafeRawBufferPointer, _ choice: UInt8) {
  switch choice {
  case 0..<20:
    guard let event = PSFTP.DeviceEvent(PSFTP.RawNotification(id: choice, parameters: Array(bytes))) else { return }
    precondition(event.kind.rawValue == choice)
  case 20..<28:
    guard let time = try? PbPFtpSetLocalTimeParams(wire: bytes), let civil = ClockFace(time.date, time.time) else {
      return
    }
    if let microseconds = civil.microseconds { precondition(ClockFace(microseconds: microseconds) == civil) }
  case 28..<36: if let space = try? PbPFtpDiskSpaceResult(wire: bytes) { _ = PSFTP.DiskSpace(space) }
  case 36..<44: if let device = try? PbDeviceInfo(wire: bytes) { _ = PSFTP.DeviceInformation(device) }
  default: _ = PSFTP.sampleDay(Array(bytes))
  }
}

/// What is cut into packets comes together again.
private func carried(_ content: [UInt8], _ size: Int) {
  var assembly = PSFTP.ResponseAssembly()
  var whole: [UInt8] = []
  for packet in PSFTP.AirPackets(content, size: size) {
    precondition(packet.count <= max(20, size))
    let step = packet.withUnsafeBytes { assembly.take($0) }
    precondition(step == .more || step == .last)
    whole += packet.dropFirst()
  }
  precondition(whole == content)
}
