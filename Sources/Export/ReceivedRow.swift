// Rows of an export from lines of the control socket.

internal import CivilTime
internal import Health
public import JSONText

extension ExportRow {
  /// nil for what is no line about a sample. What a newer hub says besides is kept as it came.
  public init?(_ line: JSON) {
    guard case .object(let members) = line, let device = line["device"]?.text, let series = line["series"]?.text,
      let time = line["time"]?.text.flatMap(Self.moment)
    else { return nil }
    self.init(device: device, series: series, time: time, value: .none, unit: "", origin: "")
    var (place, hasPlace) = (Place(enrolment: 0, way: "", ordinal: 0), false)
    var number: JSON?
    for member in members {
      switch (member.key, member.value) {
      case ("device", _), ("series", _), ("time", _): continue
      case ("address", .string(let text)): address = text
      case ("value", let value): number = value
      case ("unit", .string(let text)): unit = text
      case ("origin", .string(let text)): origin = text
      case ("kind", .string(let text)): kind = text
      case ("manual", .bool(true)): isManual = true
      case ("wearer", .string(let text)): wearer = text
      case ("encoding", .integer(let value)): encoding = value
      case ("period_ns", .integer(let value)): period = value
      case ("count", .integer(let value)): count = value
      case ("record", .integer(let value)): record = value
      case ("clock", .string(let text)): clock = text
      case ("quality", .string(let text)): quality = text
      case ("data", .string(let text)):
        guard let bytes = Base64.bytes(text) else { return nil }
        data = bytes
      case ("end", .string(let text)):
        guard let moment = Self.moment(text) else { return nil }
        end = moment
      case ("was", .string(let text)):
        guard let moment = Self.moment(text) else { return nil }
        was = moment
      case ("enrolment", .integer(let value)):
        guard let enrolment = UInt32(exactly: value) else { return nil }
        (place.enrolment, hasPlace) = (enrolment, true)
      case ("way", .string(let text)): (place.way, hasPlace) = (text, true)
      case ("ordinal", let value):
        guard let ordinal = Self.whole(value) else { return nil }
        (place.ordinal, hasPlace) = (ordinal, true)
      case ("parts", .integer(let value)):
        guard let parts = UInt32(exactly: value) else { return nil }
        place.parts = parts
      case (_, .null): continue
      default: others.append(member)
      }
    }
    if hasPlace { self.place = place }
    // The scale of a newer hub may be another.
    known = Series(name: series).flatMap { $0.unit == unit ? $0 : nil }
    value = RowValue(number, known, hasData: data != nil)
  }

  /// A whole number of 64 bits; nil for anything else.
  private static func whole(_ json: JSON) -> UInt64? {
    switch json {
    case .integer(let number): UInt64(exactly: number)
    case .decimal(let text): UInt64(text)
    default: nil
    }
  }

  /// Microseconds since 1970 of a time as exports write it; nil for anything else.
  private static func moment(_ text: String) -> Int64? {
    var bytes = text
    let moment = bytes.withUTF8 { bytes in
      var reader = MomentReader(rest: bytes[...])
      return reader.read()
    }
    return moment ?? CivilTime.moment(rfc3339: text)
  }
}

extension RowValue {
  /// - Parameter hasData: the row has bytes besides.
  fileprivate init(_ json: JSON?, _ series: Series?, hasData: Bool) {
    guard let json else {
      self = .none
      return
    }
    self = series.flatMap { Self.known(json, $0, hasData: hasData) } ?? .foreign(json)
  }

  private static func known(_ json: JSON, _ series: Series, hasData: Bool) -> RowValue? {
    guard case .array(let items) = json else { return series.stored(json).map { .number($0) } }
    switch series.layout {
    case .waveform(let names) where !hasData:
      var numbers: [Int64] = []
      numbers.reserveCapacity(items.count * names.count)
      for item in items {
        guard names.count > 1 else {
          guard let number = series.stored(item) else { return nil }
          numbers.append(number)
          continue
        }
        guard case .array(let parts) = item, parts.count == names.count else { return nil }
        for part in parts {
          guard let number = series.stored(part) else { return nil }
          numbers.append(number)
        }
      }
      return WaveformSamples(components: names.count, numbers).map { .samples($0) }
    case .vector(let names) where items.count == names.count:
      var numbers: [Int64] = []
      for item in items {
        guard let number = series.stored(item) else { return nil }
        numbers.append(number)
      }
      return .vector(numbers)
    default:
      var numbers: [Int64] = []
      for item in items {
        guard case .integer(let number) = item else { return nil }
        numbers.append(number)
      }
      return .stored(numbers)
    }
  }
}

extension Series {
  /// The number as an integer in the stored scale; nil if it has no exact one.
  fileprivate func stored(_ json: JSON) -> Int64? {
    var (digits, divisor) = (Int128(0), Int128(numerator))
    switch json {
    case .integer(let number): digits = Int128(number)
    case .decimal(let text):
      // Of 64 bits and ten places there are at most 30 digits.
      guard text.utf8.count <= 32, text.utf8.last != UInt8(ascii: "0") || !text.utf8.contains(UInt8(ascii: "."))
      else { return nil }
      var (isFraction, isNegative) = (false, false)
      for byte in text.utf8 {
        switch byte {
        case UInt8(ascii: "-"): isNegative = true
        case UInt8(ascii: "."): isFraction = true
        case 0x30...0x39:
          digits = digits * 10 + Int128(byte - 0x30)
          if isFraction { divisor *= 10 }
        default: return nil
        }
      }
      if isNegative { digits = -digits }
    default: return nil
    }
    let (product, overflow) = digits.multipliedReportingOverflow(by: Int128(denominator))
    if overflow || divisor == 0 { return nil }
    let (whole, rest) = product.quotientAndRemainder(dividingBy: divisor)
    return rest == 0 ? Int64(exactly: whole) : nil
  }
}

/// `2026-11-21T10:00:00.123Z` with three or six digits behind the second, and years outside 0 to 9999 with a sign.
private struct MomentReader {
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
