// A row as one line of CSV (RFC 4180, lines ended by a line feed alone), with the members of an NDJSON line as columns.

internal import CivilTime
internal import JSONText

extension ExportRow {
  /// The columns, named as the members of a line of ndjson.
  private enum Column: String, CaseIterable {
    case device, address, series, time, value, unit, origin, kind, manual, end, wearer, encoding
    case period = "period_ns"
    case count, record, data, clock, quality
  }

  /// The first line, without its line feed. The numbers of a list stand in one field, with `;` between.
  ///
  /// - Parameter bytes: with the column `data`.
  public static func csvHeader(bytes: Bool = true) -> String {
    Column.allCases.filter { bytes || $0 != .data }.map(\.rawValue).joined(separator: ",")
  }

  /// Appends a line of CSV and its line feed.
  ///
  /// - Parameter bytes: with the column `data`.
  public func appendCSV(bytes: Bool = true, to text: inout [UInt8]) {
    appendCSV(Column.allCases[...], bytes, to: &text)
    text.append(UInt8(ascii: "\n"))
  }

  /// What is before the time, and its comma.
  func appendCSVHead(to text: inout [UInt8]) {
    appendCSV([.device, .address, .series], true, to: &text)
    text.append(UInt8(ascii: ","))
  }

  /// What is behind the value, with its comma, and the line feed.
  func appendCSVTail(bytes: Bool, to text: inout [UInt8]) {
    appendCSV(Column.allCases.drop { $0 != .unit }, bytes, to: &text)
    text.append(UInt8(ascii: "\n"))
  }

  private func appendCSV(_ columns: ArraySlice<Column>, _ bytes: Bool, to text: inout [UInt8]) {
    for column in columns {
      if column == .data, !bytes { continue }
      if column != .device { text.append(UInt8(ascii: ",")) }
      switch column {
      case .device: text.append(csv: device)
      case .address: if let address { text.append(csv: address) }
      case .series: text.append(csv: series)
      case .time: text.append(moment: time, .exact)
      case .value: value.append(known, separator: UInt8(ascii: ";"), to: &text)
      case .unit: text.append(csv: unit)
      case .origin: text.append(csv: origin)
      case .kind: if let kind { text.append(csv: kind) }
      case .manual: if isManual { text += "true".utf8 }
      case .end: if let end { text.append(moment: end, .exact) }
      case .wearer: if let wearer { text.append(csv: wearer) }
      case .encoding: text.append(csv: encoding)
      case .period: text.append(csv: period)
      case .count: text.append(csv: count)
      case .record: text.append(csv: record)
      case .data: if let data { Base64.append(data, to: &text) }
      case .clock: if let clock { text.append(csv: clock) }
      case .quality: if let quality { text.append(csv: quality) }
      }
    }
  }
}

extension Array where Element == UInt8 {
  fileprivate mutating func append(csv number: Int64?) {
    if let number { append(number: number) }
  }

  /// A CSV field (RFC 4180), quoted if needed.
  mutating func append(csv text: String) {
    let start = count
    append(contentsOf: text.utf8)
    // Nearly every text is a name or a unit. Bytes of an array are looked at faster than those of a string.
    let mustQuote = self[start...].contains { $0 == 0x2C || $0 == 0x22 || $0 == 0x0A || $0 == 0x0D }
    if !mustQuote { return }
    removeLast(count - start)
    append(0x22)
    for byte in text.utf8 {
      if byte == 0x22 { append(0x22) }
      append(byte)
    }
    append(0x22)
  }
}
