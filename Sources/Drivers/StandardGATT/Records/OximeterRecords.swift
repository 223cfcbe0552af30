// Spot-checks that a pulse oximeter kept: records without numbers, each known by its own bytes.

import Bluetooth
import Health
import Wearable

extension RecordFormat {
  /// Pulse Oximeter Service 1.0.1, section 3.2: stored measurements come again as spot-checks.
  static let spotChecks = RecordFormat(
    id: "spot-checks", series: PulseOximeter.series, isNumbered: false, place: { SpotCheckRecord.place($0) },
    makeAssembly: { WholeRecords() },
    decode: { bytes, sink throws(ItemDefect) in try SpotCheckRecord.decode(bytes, sink) })
}

enum SpotCheckRecord {
  /// Hours of one item: with `RecordDigests.limit` records, one every 43 s.
  private static let hours: Int64 = 6

  /// Where it belongs: to a quarter of the day of its own clock.
  static func place(_ bytes: RawBytes) -> RecordPlace {
    guard let record = try? PLXMeasurement(spotCheck: bytes) else { return .odd }
    guard let time = record.time, let date = time.date, let begins = time.microseconds else {
      return RecordPlace(slot: "undated", isTimeUnsure: true)
    }
    let hour = time.inDay / 3_600_000_000 / hours * hours
    let quarter = "\(date.text)T\(hour < 10 ? "0" : "")\(hour)"
    // By a clock that nobody had set: it tells the order, and no more.
    if record.clockIsNotSet { return RecordPlace(slot: "unset-" + quarter, begins: begins, isTimeUnsure: true) }
    return RecordPlace(slot: quarter, begins: begins)
  }

  static func decode(_ bytes: RawBytes, _ sink: any ItemSink) throws(ItemDefect) {
    let record: PLXMeasurement
    do throws(DecodeError) { record = try PLXMeasurement(spotCheck: bytes) } catch {
      throw .malformed("a spot-check that is \(error.rawValue)")
    }
    if record.trailingBytes != 0 { sink.noteAnomaly("pulse oximeter: bytes after the last field of a record") }
    guard record.isStoredMeasurement else { return }
    let time = record.time?.microseconds ?? RecordFormat.noTime
    put(.spo2, record.normal.saturation, 0...100, time, sink)
    put(.pulseRate, record.normal.pulse, 0...300, time, sink)
    if let index = record.amplitudeIndex { put(.pulseAmplitudeIndex, index, 0...100, time, sink) }
  }

  /// What is no number, and 0, is left out in silence; counted is what cannot be, as of live values.
  private static func put(
    _ series: Series, _ number: MedicalFloat, _ range: ClosedRange<Int64>, _ time: Int64, _ sink: any ItemSink
  ) {
    let scale = series.denominator
    guard let value = number.scaled(by: scale), value != 0 else { return }
    guard value >= range.lowerBound * scale, value <= range.upperBound * scale else {
      return sink.noteAnomaly("pulse oximeter: a value out of range")
    }
    // Who puts a finger in for a spot-check does it on purpose.
    sink.append(series, [value], bytes: [], at: time, kind: .normal, isManual: true)
  }
}

extension PLXMeasurement {
  /// The wearable stands by it: neither of its states says that it is none or is doubtful. That it comes from storage
  /// is what a record is.
  fileprivate var isStoredMeasurement: Bool {
    let none: MeasurementStatus = [
      .demonstration, .testing, .calibrationOngoing, .unavailable, .questionable, .invalid,
    ]
    let doubtful = SensorStatus(rawValue: 0xFFFF).subtracting([.displayUpdateOngoing, .analysisOngoing])
    return (measurementStatus ?? []).isDisjoint(with: none) && (sensorStatus ?? []).isDisjoint(with: doubtful)
  }
}
