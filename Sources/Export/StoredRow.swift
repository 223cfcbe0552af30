// Rows of an export from stored samples.

internal import CivilTime
internal import EventLoop
internal import Health
public import RingStore

extension SampleExport {
  /// The row of a sample.
  ///
  /// - Parameter placed: with its place in the store.
  public func row(_ sample: StoredSample, placed: Bool = false) -> ExportRow {
    let (name, address) = names(of: sample.wearable)
    var row = ExportRow(sample, device: name, address: address, wearer: wearer(of: sample))
    if placed {
      row.place = ExportRow.Place(
        enrolment: sample.wearable.number, way: sample.way.name, ordinal: sample.ordinal, parts: sample.parts)
    }
    return row
  }
}

extension ExportRow {
  /// Total: an item that does not fit its series' layout has its values as they are stored.
  init(_ sample: StoredSample, device: String, address: String, wearer: String?) {
    let (series, values, flags) = (sample.series, sample.values, sample.flags)
    self.init(
      device: device, address: address, series: series.name, known: series, time: sample.time.shown(series),
      value: .none, unit: series.unit, origin: flags.origin.name, kind: flags.kind == .normal ? nil : flags.kind.name,
      isManual: flags.isManual, wearer: wearer, clock: sample.clockName, quality: flags.isLowQuality ? "low" : nil)
    switch series.layout {
    case .scalar where values.isEmpty && sample.bytes.isEmpty:
      value = .number(sample.value)
    case .vector(let names) where values.count == names.count:
      value = .vector(values)
    case .interval where values.count == 2:
      value = .number(values[1])
      end = WallTime(microseconds: sample.time.microseconds &+ values[0]).shown(series)
    case .waveform(let names) where values.count == 3:
      period = values[0]
      if let samples = WaveformSamples(sample.bytes, values[2], count: values[1], components: names.count) {
        value = .samples(samples)
      } else {
        (encoding, count, data) = (values[2], values[1], sample.bytes)
      }
    case .record where values.count == 1:
      (record, data) = (values[0], sample.bytes)
    default:
      value = .stored(values.isEmpty ? [sample.value] : values)
      if !sample.bytes.isEmpty { data = sample.bytes }
    }
  }
}

extension WaveformSamples {
  /// Decodes an encoding that every program can read (FORMAT.md, "Series"); nil for others, or if bytes are not whole
  /// samples.
  fileprivate init?(_ bytes: [UInt8], _ encoding: Int64, count: Int64, components: Int) {
    guard (0...2).contains(encoding), count >= 0, count <= bytes.count else { return nil }
    let width = Int(encoding) + 2
    guard Int(count) * components * width == bytes.count else { return nil }
    self.init(components: components, width: width, bytes)
  }
}

extension WallTime {
  /// Microseconds since 1970 as an export writes them: rounded down to milliseconds if the series has no more.
  func shown(_ series: Series) -> Int64 {
    series.timeStep == 1 ? microseconds : microseconds &- floorRemainder(microseconds, 1000)
  }
}
