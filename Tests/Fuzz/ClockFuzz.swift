// libFuzzer harness: what the clocks of wearables show. Compiled together with Sources/Drivers/StandardGATT by ./run.

import Bluetooth

/// The first byte chooses what the rest is. What is read is the same after it was written.
public func fuzzClock(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = RawBytes(start: start, count: count)
  guard let choice = bytes.first else { return 0 }
  let rest = RawBytes(rebasing: bytes.dropFirst())
  switch choice % 6 {
  case 0: currentTime(rest)
  case 1: zone(rest)
  case 2:
    if let time = try? ReferenceTimeInformation(rest) { precondition((time.hoursSinceUpdate ?? 0) >= 0) }
  case 3: deviceTime(rest)
  case 4: stamp(rest)
  default: moment(rest)
  }
  return 0
}

private func currentTime(_ bytes: RawBytes) {
  guard let time = try? CurrentTime(bytes) else { return }
  let again = time.bytes.withUnsafeBytes { try? CurrentTime($0) }
  precondition(again?.bytes == time.bytes, "does not read what it wrote")
  guard let shown = time.microseconds else { return }
  precondition(CurrentTime(microseconds: shown, time.adjustment).moment == time.moment, "another moment")
}

private func zone(_ bytes: RawBytes) {
  guard let zone = try? LocalTimeInformation(bytes) else { return }
  let again = zone.bytes.withUnsafeBytes { try? LocalTimeInformation($0) }
  precondition(again?.zone == zone.zone && again?.daylight == zone.daylight, "does not read what it wrote")
  precondition((zone.offset == nil) == (zone.zone == nil || zone.daylight == nil))
}

private func deviceTime(_ bytes: RawBytes) {
  guard let time = try? DeviceTime(bytes) else { return }
  precondition(time.time.bytes == Array(bytes.prefix(ElapsedTime.size)), "does not write what it read")
  precondition(time.time.counted.map { $0 >= 0 } ?? true)
  _ = time.time.timeline
}

/// A moment as any clock would tell it, which reads as that moment to the step of its counter.
private func stamp(_ bytes: RawBytes) {
  var reader = ByteReader(bytes)
  guard let flags = reader.u8(), let quarters = reader.i8(), let low = reader.u32(), let high = reader.u16() else {
    return
  }
  let utc = Int64(low) | Int64(high) << 32
  let kind = ElapsedTime.Flags(rawValue: flags)
  guard let time = ElapsedTime(utc: utc * 16, offset: Int(quarters) * 15, like: kind, .manual) else { return }
  precondition(!time.flags.contains(.ticks))
  // A local time without its offset is not UTC.
  guard time.isUTC, let timeline = time.timeline else { return }
  let step = time.flags.microsecondsPerUnit
  // The counter has 48 bits.
  guard time.counter < 1 << 48 else { return }
  precondition((0..<step).contains(utc * 16 - timeline), "\(utc * 16) became \(timeline)")
}

private func moment(_ bytes: RawBytes) {
  var reader = ByteReader(bytes)
  guard let bits = reader.u64() else { return }
  let shown = Int64(bitPattern: bits)
  let time = CurrentTime(microseconds: shown, [])
  precondition(time.weekday <= 7)
  // Years beyond what Date Time can tell are not told.
  guard let again = time.microseconds else { return }
  precondition((0..<4000).contains(shown - again), "\(shown) became \(again)")
}
