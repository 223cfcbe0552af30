// A sample as one row of CSV (RFC 4180, rows ended by a line feed alone), with the members of an NDJSON line as
// columns.

internal import Health
public import JSONText
internal import RingStore

extension SampleExport {
  /// The columns, named as the members of a line of ndjson.
  private enum Column: String, CaseIterable {
    case device, address, series, time, value, unit, origin, kind, manual, end, wearer, encoding
    case period = "period_ns"
    case count, record, data, clock, quality
  }

  /// The first row. The numbers of a list stand in one field, with `;` between.
  public static let csvHeader = Column.allCases.map(\.rawValue).joined(separator: ",")

  /// A sample of the control socket as a line: as it came, or as a row.
  public static func append(_ sample: JSON, _ format: Format, to text: inout [UInt8]) {
    switch format {
    case .ndjson:
      text += sample.compact
      text.append(UInt8(ascii: "\n"))
    case .csv: appendRow(to: &text) { text, column in sample[column.rawValue].map { text.append(csv: $0) } }
    }
  }

  func appendCSV(_ sample: StoredSample, _ content: SampleContent, _ wearer: String?, to text: inout [UInt8]) {
    let series = sample.series
    Self.appendRow(to: &text) { text, column in
      switch column {
      case .device: text.append(csv: name(of: sample.wearable))
      case .address: text += address(of: sample.wearable).utf8
      case .series: text.append(csv: series.name)
      case .time: text.append(time: sample.time, of: series)
      case .value: if content.hasNumbers { content.appendNumbers(to: &text, separator: UInt8(ascii: ";")) }
      case .unit: text.append(csv: series.unit)
      case .origin: text.append(csv: sample.origin.name)
      case .kind: if sample.flags.kind != .normal { text.append(csv: sample.flags.kind.name) }
      case .manual: if sample.flags.isManual { text += "true".utf8 }
      case .end: if let end = content.end { text.append(time: end, of: series) }
      case .wearer: if let wearer { text.append(csv: wearer) }
      case .encoding: text.append(csv: content.encoding)
      case .period: text.append(csv: content.period)
      case .count: text.append(csv: content.count)
      case .record: text.append(csv: content.record)
      case .data: if content.hasData { Base64.append(sample.bytes, to: &text) }
      case .clock: text += (sample.clockName ?? "").utf8
      case .quality: if sample.flags.isLowQuality { text += "low".utf8 }
      }
    }
  }

  private static func appendRow(to text: inout [UInt8], _ field: (inout [UInt8], Column) -> Void) {
    for column in Column.allCases {
      if column != .device { text.append(UInt8(ascii: ",")) }
      field(&text, column)
    }
    text.append(UInt8(ascii: "\n"))
  }
}

extension Array where Element == UInt8 {
  fileprivate mutating func append(csv number: Int64?) {
    if let number { append(contentsOf: "\(number)".utf8) }
  }

  /// A list as its items with `;` between.
  fileprivate mutating func append(csv value: JSON) {
    switch value {
    case .string(let text): append(csv: text)
    case .integer(let number): append(csv: number)
    case .decimal(let number): append(contentsOf: number.utf8)
    case .bool(let truth): append(contentsOf: (truth ? "true" : "false").utf8)
    case .array(let items):
      for (place, item) in items.enumerated() {
        if place > 0 { append(UInt8(ascii: ";")) }
        append(csv: item)
      }
    case .null, .object: break
    }
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
