// Rows of an export from lines of the control socket.

internal import CivilTime
internal import Health
public import JSONText

extension ExportRow {
  /// nil for what is no line about a sample. What a newer hub says besides is kept as it came.
  public init?(_ line: JSON) {
    guard case .object(let members) = line, let device = line["device"]?.text, let series = line["series"]?.text,
      let time = line["time"]?.text.flatMap({ CivilTime.moment(rfc3339: $0) })
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
        guard let moment = CivilTime.moment(rfc3339: text) else { return nil }
        end = moment
      case ("was", .string(let text)):
        guard let moment = CivilTime.moment(rfc3339: text) else { return nil }
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
