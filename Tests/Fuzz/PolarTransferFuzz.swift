// libFuzzer harness: what Polar's wearables answer and say by themselves. Compiled together with Sources/Drivers by ./run.

import Bluetooth
import Health
import PolarMessages

/// The first byte is the size of the pieces; the rest are the packets of one characteristic, and once more one message.
public func fuzzPolarTransfer(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = UnsafeRawBufferPointer(start: start, count: count)
  guard let size = bytes.first.map({ max(1, Int($0 % 64)) }) else { return 0 }
  let content = UnsafeRawBufferPointer(rebasing: bytes.dropFirst())
  var response = PSFTP.ResponseAssembly()
  var notifications = PSFTP.NotificationAssembly()
  var offset = 0
  while offset < content.count {
    let packet = UnsafeRawBufferPointer(rebasing: content[offset..<min(offset + size, content.count)])
    offset += size
    if let read = PSFTP.AirPacket(packet) { precondition(read.payload.count < packet.count && (read.code == nil || read.payload.isEmpty)) }
    _ = PSFTP.ResponseAssembly.refusal(packet)
    if case .failed(let error, _) = response.take(packet) {
      precondition(PSFTPError(code: error.code) == error && !error.text.isEmpty)
      _ = error.trouble("x")
      response = PSFTP.ResponseAssembly()
    }
    if let said = notifications.take(packet) {
      precondition(said.parameters.count <= content.count && !notifications.isOpen)
      if let event = PSFTP.DeviceEvent(said) { precondition(event.parameters == said.parameters && !event.kind.name.isEmpty) }
    }
  }
  message(content)
  carried(Array(content), size)
  return 0
}

/// Each reader of messages, over the same bytes.
private func message(_ bytes: UnsafeRawBufferPointer) {
  if let directory = PSFTP.Directory(bytes) {
    precondition(directory.entries.count + directory.refused <= bytes.count)
    for entry in directory.entries {
      precondition(PSFTP.Entry.isSound(entry.name) && !entry.name.dropLast().contains("/"))
      let path = "/U/0/" + entry.name
      precondition(PolarPath.parent(path) == "/U/0/")
      if let day = PolarPath.day(folder: entry.name) { precondition(PolarPath.folder(of: day) == path && PolarPath.day(of: path) == day) }
    }
  }
  if let first = bytes.first, let event = PSFTP.DeviceEvent(PSFTP.RawNotification(id: first % 20, parameters: Array(bytes.dropFirst()))) {
    precondition(event.kind.rawValue == first % 20)
  }
  if let time = try? PbPFtpSetLocalTimeParams(wire: bytes), let civil = CivilTime(time.date, time.time) {
    if let microseconds = civil.microseconds { precondition(CivilTime(microseconds: microseconds) == civil) }
  }
  if let space = try? PbPFtpDiskSpaceResult(wire: bytes) { _ = PSFTP.DiskSpace(space) }
  if let device = try? PbDeviceInfo(wire: bytes) { _ = PSFTP.DeviceInformation(device) }
  if let duration = try? PbDuration(wire: bytes) { precondition(duration.wholeMilliseconds >= 0) }
  _ = PSFTP.sampleDay(Array(bytes))
  let text = String(decoding: bytes, as: UTF8.self)
  precondition(PSFTP.BackupList.requests(text).allSatisfy { $0.hasPrefix("/") && !$0.contains("*") })
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
