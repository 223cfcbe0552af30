// libFuzzer harness: activity files of an insole. Compiled together with Sources/Drivers/Botz by ./run.

import Bluetooth

private let header = Botz.ActivityHeader(start: 1_759_233_600).encode()

/// Bit 0 of the first byte chooses. The bytes behind it are used as they are, or as the content behind a header, so
/// that it is reached. 0x42 0x4F 0x00 in them then becomes another whole header.
public func fuzzActivityFile(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  guard count > 0, let start else { return 0 }
  let bytes = UnsafeRawBufferPointer(start: start + 1, count: count - 1)
  if start[0] & 1 == 0 {
    check(bytes)
    return 0
  }
  var file = header
  var index = 0
  while index < bytes.count {
    if index + 3 <= bytes.count, bytes[index] == 0x42, bytes[index + 1] == 0x4F, bytes[index + 2] == 0 {
      file += header
      index += 3
    } else {
      file.append(bytes[index])
      index += 1
    }
  }
  file.withUnsafeBytes { check($0) }
  return 0
}

private func check(_ raw: UnsafeRawBufferPointer) {
  _ = ActivityMark(raw, size: raw.count)
  guard let file = try? Botz.ActivityFile(raw) else { return }
  precondition(!file.sessions.isEmpty && file.sessions.count <= Botz.ActivityFile.sessionLimit)
  var accounted = 0
  for session in file.sessions {
    var clock = Botz.ClockUnwrapper(start: session.header.start)
    var records = 0
    session.forEachRecord(in: raw) { record in
      records += 1
      precondition(clock.unwrap(record.time) >= Int64(record.time))
      record.forEachSample { series, values in precondition(values.count == series.layout.valueCount) }
    }
    precondition(records == session.recordCount && !(session.footer != nil && !session.rest.isEmpty))
    accounted +=
      Botz.ActivityHeader.size + records * Botz.ActivityRecord.size
      + (session.footer == nil ? session.rest.count : Botz.ActivityFooter.size)
  }
  // Every byte belongs to something.
  precondition(accounted == (file.unknownVersion?.offset ?? raw.count), "bytes are lost")
}
