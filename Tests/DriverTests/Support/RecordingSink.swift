import Bluetooth
import Health
import Testing
import Wearable

/// Keeps what a decoder says.
final class RecordingSink: SampleSink {
  /// Set by tests in which it matters.
  var arrivedAt: Int64?
  var samples: [Sample] = []
  var vectors: [(series: Series, values: [Int64])] = []
  var items: [(series: Series, values: [Int64], bytes: [UInt8], ago: Int64)] = []
  var anomalies: [String] = []
  var readings: [Reading] = []

  struct Reading {
    let own: OwnTime?
    let mark: ReadingMark?
  }

  var newItems = 0
  var drained: [Bool] = []
  var facts: [WearableFact] = []
  var writes: [LiveWrite] = []

  func append(_ sample: Sample) { samples.append(sample) }
  func beginReading(_ own: OwnTime?, _ mark: ReadingMark?) { readings.append(Reading(own: own, mark: mark)) }
  func append(_ series: Series, values: UnsafeBufferPointer<Int64>) { vectors.append((series, Array(values))) }
  func noteNewItem() { newItems += 1 }
  func noteDrained(_ isDrained: Bool) { drained.append(isDrained) }
  func learn(_ fact: WearableFact) { facts.append(fact) }
  func ask(_ write: LiveWrite) { writes.append(write) }
  func append(_ series: Series, values: UnsafeBufferPointer<Int64>, bytes: RawBytes, ago: Int64) {
    items.append((series, Array(values), Array(bytes), ago))
  }
  func noteAnomaly(_ what: StaticString) { anomalies.append("\(what)") }

  func reset() {
    samples.removeAll(keepingCapacity: true)
    vectors.removeAll(keepingCapacity: true)
    items.removeAll(keepingCapacity: true)
    anomalies.removeAll(keepingCapacity: true)
    readings.removeAll(keepingCapacity: true)
    drained.removeAll(keepingCapacity: true)
    facts.removeAll(keepingCapacity: true)
    writes.removeAll(keepingCapacity: true)
  }
}

extension LiveDecoder {
  func decode(_ source: LiveSource, _ bytes: [UInt8], into sink: RecordingSink) throws(DecodeError) {
    try outcome(source, bytes, sink).get()
  }

  /// As a value: the testing library takes a backtrace of every error that is thrown, which a million of them would
  /// feel.
  func outcome(_ source: LiveSource, _ bytes: [UInt8], _ sink: RecordingSink) -> Result<Void, DecodeError> {
    bytes.withUnsafeBytes { bytes in
      do throws(DecodeError) { return .success(try decode(source, bytes, into: sink)) } catch { return .failure(error) }
    }
  }

  /// A value, in hexadecimal, of one of the driver's sources.
  func tell(
    _ driver: some WearableDriver, _ characteristic: BluetoothUUID, _ hex: String, into sink: RecordingSink
  ) throws {
    let source = try #require(driver.liveSources.first { $0.characteristic == characteristic })
    try decode(source, #require(Array(hexadecimal: hex)), into: sink)
  }

  func fact(_ source: LiveSource, _ bytes: [UInt8]) -> WearableFact? { bytes.withUnsafeBytes { fact(source, $0) } }
}
