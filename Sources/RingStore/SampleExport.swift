// Samples as lines of text, the same from the daemon and from the command line.

internal import EventLoop
internal import Health

/// Writes samples as ndjson or CSV.
///
/// The names are those of the enrolled and the retired at the time of the export; a wearable that the registry no longer knows is
/// `wearable-17` without an address.
public struct SampleExport: Sendable {
  public enum Format: String, Sendable, CaseIterable {
    case ndjson, csv
  }

  /// The first line of a CSV export (RFC 4180, lines ended by a line feed alone).
  public static let csvHeader = "device,address,series,time,value,unit,origin"

  public let format: Format
  private var names: [WearableID: (name: String, address: String)] = [:]

  public init(_ format: Format, wearables: [WearableRecord]) {
    self.format = format
    for record in wearables { names[record.id] = (record.name, record.addressText) }
  }

  /// What comes before the first line, with its line feed; empty for ndjson.
  public var head: String { format == .csv ? Self.csvHeader + "\n" : "" }

  public func name(of wearable: WearableID) -> String { names[wearable]?.name ?? "wearable-\(wearable.number)" }

  /// One line, without a line feed.
  public func line(_ sample: StoredSample) -> String {
    var text: [UInt8] = []
    append(sample, to: &text)
    return String(decoding: text.dropLast(), as: UTF8.self)
  }

  /// One line and its line feed.
  public func append(_ sample: StoredSample, to text: inout [UInt8]) {
    let name = name(of: sample.wearable)
    let address = names[sample.wearable]?.address ?? ""
    let value = sample.series.text(sample.value)
    switch format {
    case .ndjson:
      text.append(contentsOf: "{\"device\":".utf8)
      text.append(json: name)
      text.append(contentsOf: ",\"address\":".utf8)
      text.append(json: address)
      text.append(contentsOf: ",\"series\":".utf8)
      text.append(json: sample.series.name)
      text.append(contentsOf: ",\"time\":\"".utf8)
      sample.time.appendRFC3339(to: &text)
      text.append(contentsOf: "\",\"value\":".utf8)
      text.append(contentsOf: value.utf8)
      text.append(contentsOf: ",\"unit\":".utf8)
      text.append(json: sample.series.unit)
      text.append(contentsOf: ",\"origin\":".utf8)
      text.append(json: sample.origin.name)
      text.append(contentsOf: "}\n".utf8)
    case .csv:
      text.append(csv: name)
      text.append(0x2C)
      text.append(contentsOf: address.utf8)
      text.append(0x2C)
      text.append(csv: sample.series.name)
      text.append(0x2C)
      sample.time.appendRFC3339(to: &text)
      text.append(0x2C)
      text.append(contentsOf: value.utf8)
      text.append(0x2C)
      text.append(csv: sample.series.unit)
      text.append(0x2C)
      text.append(csv: sample.origin.name)
      text.append(0x0A)
    }
  }
}

extension Array where Element == UInt8 {
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
