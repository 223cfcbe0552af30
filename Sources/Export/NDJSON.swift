// A sample as one JSON object on one line.
//
// A line of ndjson has, in this order, `device`, `address`, `series`, `time`, `value`, `unit`, `origin`, and then only
// what applies: `kind` (if it is not a normal value), `manual` (if the user started the measurement), `end`, `wearer`,
// `encoding`, `period_ns`, `count`, `record`, `data`, `clock` (`unsure` where the time does not rest on a clock that
// somebody vouched for, `corrected` where it did not and was corrected since), `quality` (`low` where the wearable
// itself doubts the value).
//
// | layout | `value` | besides |
// |---|---|---|
// | scalar | a number | |
// | vector | a list, one number per component | |
// | interval | a number | `end` |
// | waveform | a list, one number per sample, or a list of one per component | `period_ns` |
// | waveform in a wearable's own encoding | – | `encoding`, `period_ns`, `count`, `data` (base64) |
// | record | – | `record` (its kind), `data` (base64) |

internal import Health
import JSONText
public import RingStore

extension SampleExport {
  func appendJSON(_ sample: StoredSample, _ content: SampleContent, _ wearer: String?, to text: inout [UInt8]) {
    Self.appendJSON(sample, content, (name(of: sample.wearable), address(of: sample.wearable)), wearer, to: &text)
  }

  /// A sample that just came: the same object, without its line feed. The wearer is left out, as a later assignment may
  /// say who it is.
  public static func liveObject(_ sample: StoredSample, device: String, address: String) -> [UInt8] {
    var text: [UInt8] = []
    // Most are shorter.
    text.reserveCapacity(256)
    appendJSON(sample, SampleContent(sample), (device, address), nil, to: &text)
    text.removeLast()
    return text
  }

  private static func appendJSON(
    _ sample: StoredSample, _ content: SampleContent, _ device: (name: String, address: String), _ wearer: String?,
    to text: inout [UInt8]
  ) {
    let series = sample.series
    text.append(contentsOf: "{\"device\":".utf8)
    text.append(json: device.name)
    text.append(contentsOf: ",\"address\":".utf8)
    text.append(json: device.address)
    text.append(contentsOf: ",\"series\":".utf8)
    text.append(json: series.name)
    text.append(contentsOf: ",\"time\":\"".utf8)
    text.append(time: sample.time, of: series)
    text.append(UInt8(ascii: "\""))
    appendValue(content, to: &text)
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
    appendEnd(sample, content, to: &text)
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
      Base64.append(sample.bytes, to: &text)
      text.append(UInt8(ascii: "\""))
    }
    if let clock = sample.clockName { text.append(contentsOf: ",\"clock\":\"\(clock)\"".utf8) }
    if sample.flags.isLowQuality { text.append(contentsOf: ",\"quality\":\"low\"".utf8) }
    text.append(contentsOf: "}\n".utf8)
  }

  static func appendValue(_ content: SampleContent, to text: inout [UInt8]) {
    if !content.hasNumbers { return }
    text.append(contentsOf: ",\"value\":".utf8)
    content.appendNumbers(to: &text)
  }

  static func appendEnd(_ sample: StoredSample, _ content: SampleContent, to text: inout [UInt8]) {
    guard let end = content.end else { return }
    text.append(contentsOf: ",\"end\":\"".utf8)
    text.append(time: end, of: sample.series)
    text.append(UInt8(ascii: "\""))
  }
}
