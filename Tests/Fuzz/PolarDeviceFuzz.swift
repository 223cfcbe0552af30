// libFuzzer harness: what a Polar wearable advertises, and its small services and documents. Compiled together with
// Sources/Drivers/Polar by ./run.

import Bluetooth
import GATTVectorFormats

/// The first byte chooses what the rest is.
public func fuzzPolarDevice(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = UnsafeRawBufferPointer(start: start, count: count)
  guard let choice = bytes.first else { return 0 }
  let content = UnsafeRawBufferPointer(rebasing: bytes.dropFirst())
  switch choice % 7 {
  case 0: advertisement(content)
  case 1: name(content)
  case 2:
    _ = try? Polar.Features(content)
    _ = try? Polar.ControlResponse(content)
  case 3: settings(content)
  case 4:
    _ = try? Polar.SleepRecording.state(of: [Array(content)], isCompressed: false)
  case 5:
    _ = try? Polar.SleepRecording.state(of: [Array(content)], isCompressed: true)
  default:
    if let number = UInt32(littleEndianBytes: content) {
      precondition(Int64(littleEndianBytes: content).map { UInt32(truncatingIfNeeded: $0) } != nil || number == 0)
    }
    precondition((Int64(littleEndianBytes: content) == nil) == (content.count > 8))
  }
  return 0
}

private func advertisement(_ bytes: UnsafeRawBufferPointer) {
  var listener = Polar.HeartRateListener()
  let first = listener.take(bytes)
  precondition(first == listener.latest, "the first heart rate is new")
  precondition(listener.take(bytes) == nil, "the same twice")
  var count = 0
  for structure in AdvertisingStructures(bytes) { count += structure.payload.count + 2 }
  precondition(count <= bytes.count)
}

private func name(_ bytes: UnsafeRawBufferPointer) {
  let text = String(decoding: bytes, as: UTF8.self)
  if let name = Polar.LocalName(text), let id = name.deviceID {
    precondition(Polar.DeviceID(id.description) == id && Polar.DeviceID.isValid(id.description))
  }
  let whole = Polar.DeviceID.completed(text)
  if text.utf8.count == 6 || text.utf8.count == 7, !whole.isEmpty { precondition(Polar.DeviceID.isValid(whole)) }
  if let version = Polar.FirmwareVersion(text) { precondition(Polar.FirmwareVersion(version.description) == version) }
}

private func settings(_ bytes: UnsafeRawBufferPointer) {
  guard var settings = try? Polar.DeviceSettings(bytes) else { return }
  settings.measuresDayAndNight = false
  settings.usb = true
  settings.telemetry = false
  settings.trainingDetection = Polar.DeviceSettings.TrainingDetection(isOn: true, sensitivity: 50, minimumDuration: 600)
  guard settings.setLocation(3), let written = try? settings.encode() else { return }
  let again = written.withUnsafeBytes { try? Polar.DeviceSettings($0) }
  precondition(again == settings, "does not read what it wrote")
}
