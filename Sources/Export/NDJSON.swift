// A sample as one JSON object on one line.
//
// A line of ndjson has these members, in this order. Optional ones are left out if they do not apply.
//
// | member | |
// |---|---|
// | `device`, `address`, `series`, `time`, `value`, `unit`, `origin` | always |
// | `kind` | if it is not a normal value |
// | `manual` | if the user started the measurement |
// | `end`, `wearer`, `encoding`, `period_ns`, `count`, `record`, `data` | if they apply |
// | `clock` | `unsure` if no trusted clock supports the time; `corrected` if the time was corrected since |
// | `quality` | `low` if the wearable itself doubts the value |
//
// | layout | `value` | besides |
// |---|---|---|
// | scalar | a number | |
// | vector | a list, one number per component | |
// | interval | a number | `end` |
// | waveform | a list, one number per sample, or a list of one per component | `period_ns` |
// | waveform in a wearable's own encoding | – | `encoding`, `period_ns`, `count`, `data` (base64) |
// | record | – | `record` (its kind), `data` (base64) |

internal import CivilTime
internal import JSONText
public import RingStore

extension ExportRow {
  /// Appends a line of ndjson and its line feed.
  public func appendLine(to text: inout [UInt8]) {
    appendJSON(to: &text)
    text.append(UInt8(ascii: "\n"))
  }

  /// The object, without a line feed.
  public func appendJSON(to text: inout [UInt8]) {
    appendJSONHead(to: &text)
    text.append(moment: time, .exact)
    text.append(UInt8(ascii: "\""))
    appendValue(to: &text)
    appendJSONTail(to: &text)
  }

  /// What is before the time.
  func appendJSONHead(to text: inout [UInt8]) {
    text.append(contentsOf: "{\"device\":".utf8)
    text.append(json: device)
    text.append(",\"address\":", address)
    text.append(contentsOf: ",\"series\":".utf8)
    text.append(json: series)
    text.append(contentsOf: ",\"time\":\"".utf8)
  }

  /// What is behind the value.
  func appendJSONTail(to text: inout [UInt8]) {
    if !unit.isEmpty { text.append(",\"unit\":", unit) }
    text.append(",\"origin\":", origin)
    text.append(",\"kind\":", kind)
    if isManual { text.append(contentsOf: ",\"manual\":true".utf8) }
    appendEnd(to: &text)
    text.append(",\"wearer\":", wearer)
    text.append(",\"encoding\":", encoding)
    text.append(",\"period_ns\":", period)
    text.append(",\"count\":", count)
    text.append(",\"record\":", record)
    if let data {
      text.append(contentsOf: ",\"data\":\"".utf8)
      Base64.append(data, to: &text)
      text.append(UInt8(ascii: "\""))
    }
    text.append(",\"clock\":", clock)
    text.append(",\"quality\":", quality)
    appendPlace(to: &text)
    if let was { text.append(moment: was, as: ",\"was\":") }
    for other in others {
      text.append(UInt8(ascii: ","))
      text.append(json: other.key)
      text.append(UInt8(ascii: ":"))
      text += other.value.compact
    }
    text.append(UInt8(ascii: "}"))
  }

  func appendValue(to text: inout [UInt8]) {
    if case .none = value { return }
    text.append(contentsOf: ",\"value\":".utf8)
    value.append(known, to: &text)
  }

  func appendEnd(to text: inout [UInt8]) {
    if let end { text.append(moment: end, as: ",\"end\":") }
  }

  private func appendPlace(to text: inout [UInt8]) {
    guard let place else { return }
    text.append(contentsOf: ",\"enrolment\":".utf8)
    text.append(digits: UInt64(place.enrolment), width: 1)
    text.append(",\"way\":", place.way)
    appendOrdinal(to: &text)
  }

  func appendOrdinal(to text: inout [UInt8]) {
    guard let place else { return }
    text.append(contentsOf: ",\"ordinal\":".utf8)
    text.append(digits: place.ordinal, width: 1)
    if place.parts > 1 {
      text.append(contentsOf: ",\"parts\":".utf8)
      text.append(digits: UInt64(place.parts), width: 1)
    }
  }
}

extension SampleExport {
  /// A live sample as the same object. The wearer is left out, as a later assignment may change it.
  public static func liveObject(_ sample: StoredSample, device: String, address: String) -> [UInt8] {
    var text: [UInt8] = []
    // Most are shorter.
    text.reserveCapacity(256)
    ExportRow(sample, device: device, address: address, wearer: nil).appendJSON(to: &text)
    return text
  }
}

extension Array where Element == UInt8 {
  /// - Parameter key: with the comma before it and the colon behind it.
  fileprivate mutating func append(_ key: StaticString, _ text: String?) {
    guard let text else { return }
    key.withUTF8Buffer { append(contentsOf: $0) }
    append(json: text)
  }

  fileprivate mutating func append(_ key: StaticString, _ number: Int64?) {
    guard let number else { return }
    key.withUTF8Buffer { append(contentsOf: $0) }
    append(number: number)
  }

  fileprivate mutating func append(moment: Int64, as key: StaticString) {
    key.withUTF8Buffer { append(contentsOf: $0) }
    append(UInt8(ascii: "\""))
    append(moment: moment, .exact)
    append(UInt8(ascii: "\""))
  }
}
