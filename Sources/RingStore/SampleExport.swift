// Samples as lines of text, the same from the daemon and from the command line.

public import EventLoop
internal import Health

/// Writes samples as ndjson or CSV.
///
/// The names are those of the enrolled and the retired at the time of the export; a wearable that the registry no longer knows is
/// `wearable-17` without an address. A sample has the name of who wore the wearable at its time.
///
/// A line of ndjson has, in this order, `device`, `address`, `series`, `time`, `value`, `unit`, `origin`, and then only what applies: `kind` (if it
/// is not a normal value), `manual` (if the user started the measurement), `end`, `wearer`, `encoding`, `period_ns`, `count`, `record`, `data`,
/// `clock` (`unsure` where the time does not rest on a clock that somebody vouched for).
///
/// | layout | `value` | besides |
/// |---|---|---|
/// | scalar | a number | |
/// | vector | a list, one number per component | |
/// | interval | a number | `end` |
/// | waveform | a list, one number per sample, or a list of one per component | `period_ns` |
/// | waveform in a wearable's own encoding | – | `encoding`, `period_ns`, `count`, `data` (base64) |
/// | record | – | `record` (its kind), `data` (base64) |
///
/// Times are UTC, rounded down to milliseconds; to microseconds where the series has them and they are not a whole millisecond.
public struct SampleExport: Sendable {
  public enum Format: String, Sendable, CaseIterable {
    case ndjson, csv
  }

  /// The first line of a CSV export (RFC 4180, lines ended by a line feed alone). The numbers of a list stand in one field, with `;` between.
  public static let csvHeader = "device,address,series,time,value,unit,origin,kind,manual,end,wearer,encoding,period_ns,count,record,data,clock"

  public let format: Format
  private var names: [WearableID: (name: String, address: String)] = [:]
  private let people: People

  public init(_ format: Format, wearables: [WearableRecord]) { self.init(format, wearables: wearables, people: People()) }

  init(_ format: Format, wearables: [WearableRecord], people: People) {
    self.format = format
    self.people = people
    for record in wearables { names[record.id] = (record.name, record.addressText) }
  }

  /// What comes before the first line, with its line feed; empty for ndjson.
  public var head: String { format == .csv ? Self.csvHeader + "\n" : "" }

  public func name(of wearable: WearableID) -> String { names[wearable]?.name ?? "wearable-\(wearable.number)" }

  /// Empty for a wearable that the registry no longer knows.
  public func address(of wearable: WearableID) -> String { names[wearable]?.address ?? "" }

  /// Who wore it at one of these times: names in the order of time, each once.
  public func wearers(of wearable: WearableID, from: WallTime, to: WallTime) -> [String] {
    var found: [String] = []
    func add(_ id: WearerID?) {
      if let name = id.flatMap({ people.wearer($0)?.name }), !found.contains(name) { found.append(name) }
    }
    add(people.wearer(of: wearable, at: from))
    for assignment in people.assignments(of: wearable) where assignment.from > from && assignment.from <= to { add(assignment.wearer) }
    return found
  }

  /// One line, without a line feed.
  public func line(_ sample: StoredSample) -> String {
    var text: [UInt8] = []
    append(sample, to: &text)
    return String(decoding: text.dropLast(), as: UTF8.self)
  }

  /// One line and its line feed.
  public func append(_ sample: StoredSample, to text: inout [UInt8]) {
    let content = SampleContent(sample)
    let wearer = people.wearer(of: sample.wearable, at: sample.time).flatMap { people.wearer($0)?.name }
    switch format {
    case .ndjson: appendJSON(sample, content, wearer, to: &text)
    case .csv: appendCSV(sample, content, wearer, to: &text)
    }
  }

  private func appendJSON(_ sample: StoredSample, _ content: SampleContent, _ wearer: String?, to text: inout [UInt8]) {
    let series = sample.series
    text.append(contentsOf: "{\"device\":".utf8)
    text.append(json: name(of: sample.wearable))
    text.append(contentsOf: ",\"address\":".utf8)
    text.append(json: address(of: sample.wearable))
    text.append(contentsOf: ",\"series\":".utf8)
    text.append(json: series.name)
    text.append(contentsOf: ",\"time\":\"".utf8)
    text.append(time: sample.time, of: series)
    text.append(UInt8(ascii: "\""))
    if content.hasNumbers {
      text.append(contentsOf: ",\"value\":".utf8)
      content.appendNumbers(to: &text)
    }
    if !series.unit.isEmpty {
      text.append(contentsOf: ",\"unit\":".utf8)
      text.append(json: series.unit)
    }
    text.append(contentsOf: ",\"origin\":".utf8)
    text.append(json: sample.origin.name)
    if sample.flags.kind != .normal {
      text.append(contentsOf: ",\"kind\":".utf8)
      text.append(json: sample.flags.kind.name)
    }
    if sample.flags.isManual { text.append(contentsOf: ",\"manual\":true".utf8) }
    if let end = content.end {
      text.append(contentsOf: ",\"end\":\"".utf8)
      text.append(time: end, of: series)
      text.append(UInt8(ascii: "\""))
    }
    if let wearer {
      text.append(contentsOf: ",\"wearer\":".utf8)
      text.append(json: wearer)
    }
    if content.hasMembers {
      for (name, number) in content.members {
        if let number { text.append(contentsOf: ",\"\(name)\":\(number)".utf8) }
      }
    }
    if content.hasData {
      text.append(contentsOf: ",\"data\":\"".utf8)
      text.append(base64: sample.bytes)
      text.append(UInt8(ascii: "\""))
    }
    if !sample.clockTrusted { text.append(contentsOf: ",\"clock\":\"unsure\"".utf8) }
    text.append(contentsOf: "}\n".utf8)
  }

  private func appendCSV(_ sample: StoredSample, _ content: SampleContent, _ wearer: String?, to text: inout [UInt8]) {
    let series = sample.series
    let comma = UInt8(ascii: ",")
    text.append(csv: name(of: sample.wearable))
    text.append(comma)
    text.append(contentsOf: address(of: sample.wearable).utf8)
    text.append(comma)
    text.append(csv: series.name)
    text.append(comma)
    text.append(time: sample.time, of: series)
    text.append(comma)
    if content.hasNumbers { content.appendNumbers(to: &text, separator: UInt8(ascii: ";")) }
    text.append(comma)
    text.append(csv: series.unit)
    text.append(comma)
    text.append(csv: sample.origin.name)
    text.append(comma)
    if sample.flags.kind != .normal { text.append(csv: sample.flags.kind.name) }
    text.append(comma)
    if sample.flags.isManual { text.append(contentsOf: "true".utf8) }
    text.append(comma)
    if let end = content.end { text.append(time: end, of: series) }
    text.append(comma)
    if let wearer { text.append(csv: wearer) }
    for (_, number) in content.members {
      text.append(comma)
      if let number { text.append(contentsOf: "\(number)".utf8) }
    }
    text.append(comma)
    if content.hasData { text.append(base64: sample.bytes) }
    text.append(comma)
    if !sample.clockTrusted { text.append(contentsOf: "unsure".utf8) }
    text.append(UInt8(ascii: "\n"))
  }
}

extension Store {
  /// Writes this store's samples, with the names of now.
  public func sampleExport(_ format: SampleExport.Format) -> SampleExport {
    SampleExport(format, wearables: registry.records, people: registry.people)
  }
}

extension StoreReader {
  /// As `Store.sampleExport`.
  public func sampleExport(_ format: SampleExport.Format) -> SampleExport {
    SampleExport(format, wearables: wearables + retiredWearables, people: people)
  }
}

extension Array where Element == UInt8 {
  fileprivate mutating func append(time: WallTime, of series: Series) {
    time.appendRFC3339(to: &self)
    let rest = time.microseconds % 1000
    if series.timeStep != 1 || rest == 0 { return }
    removeLast()
    append(digits: UInt64(rest < 0 ? rest + 1000 : rest), width: 3)
    append(UInt8(ascii: "Z"))
  }

  /// RFC 4648, section 4, with padding.
  mutating func append(base64 bytes: [UInt8]) {
    let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    reserveCapacity(count + (bytes.count + 2) / 3 * 4)
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let present = Swift.min(3, bytes.count - start)
      var group: UInt32 = 0
      for place in 0..<3 { group = group << 8 | (place < present ? UInt32(bytes[start + place]) : 0) }
      for place in 0..<4 {
        append(place <= present ? digits[Int(group >> UInt32(18 - 6 * place) & 63)] : UInt8(ascii: "="))
      }
    }
  }

  /// A JSON string (RFC 8259): quotes, backslashes and control characters escaped, everything else as it is.
  mutating func append(json text: String) {
    let digits = Array("0123456789abcdef".utf8)
    append(0x22)
    for byte in text.utf8 {
      switch byte {
      case 0x22, 0x5C:
        append(0x5C)
        append(byte)
      case 0x0A: append(contentsOf: "\\n".utf8)
      case 0x0D: append(contentsOf: "\\r".utf8)
      case 0x09: append(contentsOf: "\\t".utf8)
      case 0..<0x20:
        append(contentsOf: "\\u00".utf8)
        append(digits[Int(byte >> 4)])
        append(digits[Int(byte & 15)])
      default: append(byte)
      }
    }
    append(0x22)
  }

  /// A CSV field (RFC 4180): quoted where it must be.
  mutating func append(csv text: String) {
    let mustQuote = text.utf8.contains { $0 == 0x2C || $0 == 0x22 || $0 == 0x0A || $0 == 0x0D }
    if !mustQuote {
      append(contentsOf: text.utf8)
      return
    }
    append(0x22)
    for byte in text.utf8 {
      if byte == 0x22 { append(0x22) }
      append(byte)
    }
    append(0x22)
  }
}
