// Parsing of moments as `append(moment:_:separator:)` writes them, without allocations: exports have one in each row.

/// `2026-11-21T10:00:00.123Z` with three or six digits behind the second, and years outside 0 to 9999 with a sign.
struct MomentReader {
  var rest: Slice<UnsafeBufferPointer<UInt8>>

  mutating func read() -> Int64? {
    var isNegative = false
    var yearDigits = 4
    if let sign = rest.first, sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") {
      isNegative = sign == UInt8(ascii: "-")
      rest = rest.dropFirst()
      yearDigits = rest.prefix(7).prefix { $0 != UInt8(ascii: "-") }.count
    }
    guard (4...6).contains(yearDigits), let year = number(yearDigits), take("-"), let month = number(2), take("-"),
      let day = number(2), take("T"), let hour = number(2), take(":"), let minute = number(2), take(":"),
      let second = number(2), take("."), hour < 24, minute < 60, second < 60
    else { return nil }
    let places = rest.count - 1
    guard places == 3 || places == 6, let fraction = number(places), take("Z"), rest.isEmpty,
      let date = LocalDate(year: Int(isNegative ? -year : year), month: Int(month), day: Int(day))
    else { return nil }
    let inDay = ((hour * 60 + minute) * 60 + second) * 1_000_000 + (places == 3 ? fraction * 1000 : fraction)
    // Days from the first date on, so that the earliest of all times does not overflow on its way.
    let day64 = date.dayNumber
    let (start, overflow) = (day64 + 1).multipliedReportingOverflow(by: 86_400_000_000)
    let (time, beyond) = start.addingReportingOverflow(inDay - 86_400_000_000)
    if !overflow { return beyond ? nil : time }
    let (late, lateOverflow) = day64.multipliedReportingOverflow(by: 86_400_000_000)
    let (lateTime, lateBeyond) = late.addingReportingOverflow(inDay)
    return lateOverflow || lateBeyond ? nil : lateTime
  }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard rest.first == UInt8(ascii: character) else { return false }
    rest = rest.dropFirst()
    return true
  }

  private mutating func number(_ width: Int) -> Int64? {
    guard width > 0, rest.count >= width else { return nil }
    var value: Int64 = 0
    for byte in rest.prefix(width) {
      guard (0x30...0x39).contains(byte) else { return nil }
      value = value * 10 + Int64(byte - 0x30)
    }
    rest = rest.dropFirst(width)
    return value
  }
}
