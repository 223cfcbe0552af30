// Stored spot-checks of a pulse oximeter: records without numbers, identified by their bytes.

import Bluetooth
import Health
import Wearable

extension RecordFormat {
  /// Pulse Oximeter Service 1.0.1, section 3.2: stored measurements are sent as spot-checks.
  static let spotChecks = RecordFormat(
    id: "spot-checks", series: PulseOximeter.series, isNumbered: false, isAutomatic: false,
    place: { SpotCheckRecord.place($0) }, makeAssembly: { WholeRecords() },
    identity: { SpotCheckRecord.identity($0) }, mark: { SpotCheckRecord.mark($0) },
    decode: { bytes, sink throws(ItemDefect) in try SpotCheckRecord.decode(bytes, sink) })
}

enum SpotCheckRecord {
  /// Hours of one item: with `RecordDigests.limit` records, one every 43 s.
  private static let hours: Int64 = 6

  /// The item of a record: a quarter of a day of its clock.
  static func place(_ bytes: RawBytes) -> RecordPlace {
    guard let record = try? PLXMeasurement(spotCheck: bytes) else { return .odd }
    guard let time = record.time, let date = time.date, let begins = time.microseconds else {
      return RecordPlace(slot: "undated", isTimeUnsure: true)
    }
    let hour = time.inDay / 3_600_000_000 / hours * hours
    let quarter = "\(date.text)T\(hour < 10 ? "0" : "")\(hour)"
    // The clock was never set: it only shows the order of records.
    if record.clockIsNotSet { return RecordPlace(slot: "unset-" + quarter, begins: begins, isTimeUnsure: true) }
    return RecordPlace(slot: quarter, begins: begins)
  }

  /// The identity of a record: its time and its two numbers. The status changes when it comes from storage (bit 9). A
  /// record without a time, or from a clock that was never set, may have the same time as another. The identity is then
  /// all bytes but that bit, and is not unique.
  static func identity(_ bytes: [UInt8]) -> RecordIdentity {
    let read = bytes.withUnsafeBytes { try? PLXMeasurement(spotCheck: $0) }
    guard let record = read else { return RecordIdentity(bytes: bytes, isUnique: false) }
    if record.time?.isKnown ?? false, !record.clockIsNotSet {
      let identity = bytes.withUnsafeBytes { Array(PLXMeasurement.identity(ofSpotCheck: $0)) }
      return RecordIdentity(bytes: identity, isUnique: true, formerBytes: bytes)
    }
    let plain = PLXMeasurement.withoutStorage(spotCheck: bytes)
    return RecordIdentity(bytes: plain, isUnique: false, formerBytes: plain == bytes ? nil : bytes)
  }

  /// The mark of the same spot-check as if it was indicated live.
  static func mark(_ bytes: RawBytes) -> ReadingMark? {
    guard let record = try? PLXMeasurement(spotCheck: bytes), record.time?.isKnown ?? false else { return nil }
    return ReadingMark(of: PulseOximeter.spotCheck.wireBytes + PLXMeasurement.identity(ofSpotCheck: bytes))
  }

  static func decode(_ bytes: RawBytes, _ sink: any ItemSink) throws(ItemDefect) {
    let record: PLXMeasurement
    do throws(DecodeError) { record = try PLXMeasurement(spotCheck: bytes) } catch {
      throw .malformed("a spot-check that is \(error.rawValue)")
    }
    if record.trailingBytes != 0 { sink.noteAnomaly("pulse oximeter: bytes after the last field of a record") }
    if record.hasReservedBits { sink.noteAnomaly("pulse oximeter: flags or states of a record that are reserved") }
    if record.hasReservedNumber { sink.noteAnomaly("pulse oximeter: a number of a record that is reserved, left out") }
    let worth = record.worth(hasOwnTime: true)
    if worth == .nothing {
      return sink.noteAnomaly("pulse oximeter: a record that is no measurement, by its own status")
    }
    let time = record.time?.microseconds ?? RecordFormat.noTime
    func put(_ series: Series, _ number: MedicalFloat, _ range: ClosedRange<Int64>) {
      Self.put(series, number, range, time, isLowQuality: worth == .low, sink)
    }
    put(.spo2, record.normal.saturation, 0...100)
    put(.pulseRate, record.normal.pulse, 0...300)
    if let index = record.amplitudeIndex { put(.pulseAmplitudeIndex, index, 0...100) }
  }

  /// Appends a value. Special values and 0 are ignored, implausible values are counted, as for live values.
  private static func put(
    _ series: Series, _ number: MedicalFloat, _ range: ClosedRange<Int64>, _ time: Int64, isLowQuality: Bool,
    _ sink: any ItemSink
  ) {
    let scale = series.denominator
    guard let value = number.scaled(by: scale), value != 0 else { return }
    guard value >= range.lowerBound * scale, value <= range.upperBound * scale else {
      return sink.noteAnomaly("pulse oximeter: a value out of range")
    }
    // A spot-check is a deliberate measurement.
    sink.append(
      series, [value], bytes: [], at: time, kind: .normal, isManual: true, isLowQuality: isLowQuality)
  }
}
