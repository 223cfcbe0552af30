// libFuzzer harness: values beside the measurements of a wearable, one by one: battery, maker, body location. Also the
// heart rate, which is also written. Compiled together with Sources/Drivers/Services by ./run.

import Bluetooth

/// The first byte chooses what the rest is.
public func fuzzCompanion(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = RawBytes(start: start, count: count)
  guard let choice = bytes.first else { return 0 }
  let rest = RawBytes(rebasing: bytes.dropFirst())
  switch choice % 7 {
  case 0:
    guard let level = try? BatteryLevel(rest) else { return 0 }
    precondition(level.percent <= 100 && level.trailingBytes == rest.count - 1)
  case 1: batteryStatus(rest)
  case 2: product(rest)
  case 3: system(rest)
  case 4:
    guard let location = try? BodySensorLocation(rest) else { return 0 }
    precondition(location.code == rest[0] && location.trailingBytes == rest.count - 1)
    precondition((location.place == nil) == (location.code > 6))
  case 5: heartRate(rest)
  default: text(rest)
  }
  return 0
}

private func batteryStatus(_ bytes: RawBytes) {
  guard let status = try? BatteryLevelStatus(bytes) else { return }
  let fields = (status.identifier == nil ? 0 : 2) + (status.percent == nil ? 0 : 1) + (status.additional == nil ? 0 : 1)
  precondition(3 + fields + status.trailingBytes == bytes.count && (status.percent ?? 0) <= 100)
  precondition((status.charging ?? "").utf8.count < 80)
  precondition(status.chargingFaults.rawValue < 8)
}

/// A number that is written in its text is the one that came.
private func product(_ bytes: RawBytes) {
  guard let product = try? PnPID(bytes) else { return }
  precondition(product.trailingBytes == bytes.count - 7 && product.text.utf8.count < 80)
  precondition(product.text.contains(String(product.product, radix: 16, uppercase: true)))
}

private func system(_ bytes: RawBytes) {
  guard let system = try? SystemID(bytes) else { return }
  precondition(system.trailingBytes == bytes.count - 8 && system.text.utf8.count == 16)
  let number = UInt64(system.text, radix: 16)
  precondition(number == UInt64(system.organization) << 40 | system.manufacturerIdentifier, system.text)
}

/// What was read reads the same after it was written.
private func heartRate(_ bytes: RawBytes) {
  guard let read = try? HeartRateMeasurement(bytes) else { return }
  precondition(read.intervals.count <= bytes.count / 2 && read.trailingBytes < bytes.count)
  let written = HeartRateMeasurement.encode(
    beatsPerMinute: read.beatsPerMinute, isWide: read.isWide, contact: read.contact,
    energyKilojoules: read.energyKilojoules, intervals: Array(read.intervals))
  written.withUnsafeBytes { bytes in
    guard let again = try? HeartRateMeasurement(bytes) else { preconditionFailure("does not read what it wrote") }
    precondition(again.beatsPerMinute == read.beatsPerMinute && again.contact == read.contact)
    precondition(again.energyKilojoules == read.energyKilojoules && again.anomaly == nil)
    precondition(again.intervals.elementsEqual(read.intervals), "other intervals")
  }
}

/// What people see of a text is short, and moves no cursor.
private func text(_ bytes: RawBytes) {
  guard let text = String(cleaning: bytes) else { return }
  precondition(!text.isEmpty && text.utf8.count <= String.cleanedLimit)
  precondition(
    text.unicodeScalars.allSatisfy { $0.value >= 32 && !(127..<160).contains($0.value) }, "a control character")
  let again = Array(text.utf8).withUnsafeBytes { String(cleaning: $0) }
  precondition(again == text, "cleaned again it is another")
}
