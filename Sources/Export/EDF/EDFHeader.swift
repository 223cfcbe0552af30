// The header of an EDF+ or BDF+ file: fields of ASCII with fixed widths.
//
// EDF+ specification (Kemp and Olivan, 2003), section 2.1.1 and 2.1.3; BDF+ is the same with 24 bits, as EDFbrowser
// defines it. Start date and time are local at the place of the recording, as the specification wants.

public import CivilTime

/// Person, equipment and zone of a recording.
public struct EDFIdentity: Sendable {
  /// The name of the person; nil: not said, which the file shows as X.
  public var person: String?
  /// Equipment that made the recording.
  public var equipment: String
  /// The zone of the hub.
  public var zone: TimeZoneRules

  /// Identity of a recording; `person` nil: unknown.
  public init(person: String? = nil, equipment: String, zone: TimeZoneRules) {
    (self.person, self.equipment, self.zone) = (person, equipment, zone)
  }
}

/// A signal as the header describes it.
struct EDFSignal: Sendable {
  let label: String
  /// Source: series, component, origin, wearable.
  let transducer: String
  let unit: String
  let scale: EDFScale
  /// Samples in one data record.
  let samples: Int
}

struct EDFHeader {
  let isWide: Bool
  let isContinuous: Bool
  let identity: EDFIdentity
  /// Start of the file, seconds since 1970.
  let start: Int64
  let records: Int
  /// Length of a data record in seconds.
  let recordLength: Int64
  let signals: [EDFSignal]
  /// Bytes of the annotations in one record.
  let annotationBytes: Int

  var count: Int { 256 * (signals.count + 2) }

  var bytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count)
    appendFile(to: &bytes)
    appendSignals(to: &bytes)
    return bytes
  }

  private func appendFile(to bytes: inout [UInt8]) {
    let offset = identity.zone.offset(at: start * 1_000_000)
    let local = start + Int64(offset)
    let date = LocalDate(dayNumber: floorDivide(local, 86_400))
    let inDay = floorRemainder(local, 86_400)
    if isWide { bytes += [0xFF] + Array("BIOSEMI".utf8) } else { bytes.append(field: "0", 8) }
    bytes.append(field: "X X X \(identity.person.map(Self.subfield) ?? "X")", 80)
    let day = "\(two(date.day))-\(date.monthName.uppercased())-\(date.year)"
    let zone = "UTC\(offset < 0 ? "-" : "+")\(two(abs(offset) / 3600)):\(two(abs(offset) / 60 % 60))"
    bytes.append(
      field: "Startdate \(day) X X \(Self.subfield(identity.equipment)) \(zone) no_value=digital_minimum", 80)
    // Two digits are a year from 1985 to 2084; others stand in the field before alone.
    let year = (1985...2084).contains(date.year) ? two(date.year % 100) : "yy"
    bytes.append(field: "\(two(date.day)).\(two(date.month)).\(year)", 8)
    bytes.append(
      field: "\(two(Int(inDay / 3600))).\(two(Int(inDay / 60 % 60))).\(two(Int(inDay % 60)))", 8)
    bytes.append(field: "\(count)", 8)
    bytes.append(field: "\(isWide ? "BDF" : "EDF")+\(isContinuous ? "C" : "D")", 44)
    bytes.append(field: "\(records)", 8)
    bytes.append(field: "\(recordLength)", 8)
    bytes.append(field: "\(signals.count + 1)", 4)
  }

  private func appendSignals(to bytes: inout [UInt8]) {
    let most = isWide ? 8_388_607 : 32_767
    func column(_ width: Int, annotations: String, _ text: (EDFSignal) -> String) {
      for signal in signals { bytes.append(field: text(signal), width) }
      bytes.append(field: annotations, width)
    }
    column(16, annotations: isWide ? "BDF Annotations" : "EDF Annotations") { $0.label }
    column(80, annotations: "") { $0.transducer }
    column(8, annotations: "") { $0.unit }
    column(8, annotations: "-1") { $0.scale.physicalMinimum }
    column(8, annotations: "1") { $0.scale.physicalMaximum }
    column(8, annotations: "\(-most - 1)") { "\($0.scale.digitalMinimum)" }
    column(8, annotations: "\(most)") { "\($0.scale.digitalMaximum)" }
    column(80, annotations: "") { _ in "" }
    column(8, annotations: "\(annotationBytes / (isWide ? 3 : 2))") { "\($0.samples)" }
    column(32, annotations: "") { _ in "" }
  }

  private func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

  /// A subfield has no spaces.
  private static func subfield(_ text: String) -> String {
    let text = String(decoding: text.utf8.map { $0 == 0x20 ? 0x5F : $0 }, as: UTF8.self)
    return text.isEmpty ? "X" : text
  }
}

extension Array where Element == UInt8 {
  /// Exactly so many bytes of printable ASCII: cut, or filled with spaces. Other characters become a question mark.
  mutating func append(field text: String, _ width: Int) {
    var left = width
    for scalar in text.unicodeScalars where left > 0 {
      append((0x20...0x7E).contains(scalar.value) ? UInt8(scalar.value) : UInt8(ascii: "?"))
      left -= 1
    }
    append(contentsOf: repeatElement(0x20, count: left))
  }
}
