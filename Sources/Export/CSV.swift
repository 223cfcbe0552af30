// A sample as one row of CSV (RFC 4180, rows ended by a line feed alone), with the members of an NDJSON line as
// columns.

internal import Health
import JSONText
internal import RingStore

extension SampleExport {
  /// The first row. The numbers of a list stand in one field, with `;` between.
  public static let csvHeader =
    "device,address,series,time,value,unit,origin,kind,manual,end,wearer,encoding,period_ns,count,record,data,clock,"
    + "quality"

  func appendCSV(_ sample: StoredSample, _ content: SampleContent, _ wearer: String?, to text: inout [UInt8]) {
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
    if content.hasData { Base64.append(sample.bytes, to: &text) }
    text.append(comma)
    if let clock = sample.clockName { text.append(contentsOf: clock.utf8) }
    text.append(comma)
    if sample.flags.isLowQuality { text.append(contentsOf: "low".utf8) }
    text.append(UInt8(ascii: "\n"))
  }
}

extension Array where Element == UInt8 {
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
