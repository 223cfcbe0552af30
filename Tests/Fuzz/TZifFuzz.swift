// libFuzzer harness: files of time zones, and what is asked of the zones they make. Compiled together with
// Sources/CivilTime by ./run.

/// The first byte chooses: bit 0 a file as it is, else the parts of one, behind headers that are made for them. What
/// makes a zone is asked for days.
func fuzzTZif(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  var bytes = Array(UnsafeBufferPointer(start: start, count: count))
  guard let choice = bytes.popLast() else { return 0 }
  let file =
    choice & 1 == 1
    ? bytes : assembled(bytes, isOld: choice & 2 != 0, changes: Int(choice >> 4), types: 1 + Int(choice >> 2 & 3))
  guard let rules = TimeZoneRules(tzif: file, name: "Fuzz/Zone") else { return 0 }
  check(rules, bytes)
  return 0
}

/// A file of so many changes and types; the rest of the bytes is the yearly rule.
private func assembled(_ bytes: [UInt8], isOld: Bool, changes: Int, types: Int) -> [UInt8] {
  func header(_ changes: Int, _ types: Int) -> [UInt8] {
    var header = Array("TZif".utf8) + [isOld ? 0 : 0x32] + [UInt8](repeating: 0, count: 15)
    for count in [0, 0, 0, changes, types, 0] { header += [0, 0, 0, UInt8(count)] }
    return header
  }
  let size = changes * (isOld ? 5 : 9) + types * 6
  let data = bytes.prefix(size) + [UInt8](repeating: 0, count: max(0, size - bytes.count))
  if isOld { return header(changes, types) + data }
  return header(0, 0) + header(changes, types) + data + [0x0A] + bytes.dropFirst(size) + [0x0A]
}

/// Days follow each other without gap or overlap, and every time lies in its own.
private func check(_ rules: TimeZoneRules, _ bytes: [UInt8]) {
  var times: [Int64] = [0, .min, .max, 1_795_255_200_000_000]
  for place in stride(from: 0, to: min(bytes.count - 7, 32), by: 8) {
    let time = bytes[place..<(place + 8)].reduce(Int64(0)) { $0 << 8 | Int64($1) }
    // As a time, and as a second in which clocks may change.
    times += [time, time &* 1_000_000, time &* 1_000_000 &- 1]
  }
  for time in times {
    precondition((-89_999...93_599).contains(rules.offset(at: time)), "an offset that no clock has")
    let date = rules.date(of: time)
    let span = rules.span(of: date)
    precondition(span.contains(time) || time == .max, "a time outside of its day")
    if span.upperBound == .max { continue }
    let following = rules.span(of: LocalDate(dayNumber: date.dayNumber + 1))
    precondition(following.lowerBound == span.upperBound, "a gap between days")
    precondition(rules.date(of: span.upperBound) > date, "a day that does not end")
    if span.lowerBound > .min { precondition(rules.date(of: span.lowerBound - 1) < date, "a day that began before") }
  }
}
