// Spot-checks that a pulse oximeter kept: records without numbers, each known by its own bytes.

import Bluetooth
import Health
import Wearable

extension RecordFormat {
  /// Pulse Oximeter Service 1.0.1, section 3.2: stored measurements come again as spot-checks.
  static let spotChecks = RecordFormat(
    id: "spot-checks", series: PulseOximeter.series, isNumbered: false, isAutomatic: false,
    place: { SpotCheckRecord.place($0) }, makeAssembly: { WholeRecords() },
    identity: { SpotCheckRecord.identity($0) }, mark: { SpotCheckRecord.mark($0) },
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

  /// Its time and its two numbers. Its states differ with how it comes: from storage has bit 9. Without a time, or by a
  /// clock that nobody had set and that may show the same twice, it is all but that bit, and another one may be alike.
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

  /// The same as of one that was indicated when it was measured.
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

  /// What is no number, and 0, is left out in silence; counted is what cannot be, as of live values.
  private static func put(
    _ series: Series, _ number: MedicalFloat, _ range: ClosedRange<Int64>, _ time: Int64, isLowQuality: Bool,
    _ sink: any ItemSink
  ) {
    let scale = series.denominator
    guard let value = number.scaled(by: scale), value != 0 else { return }
    guard value >= range.lowerBound * scale, value <= range.upperBound * scale else {
      return sink.noteAnomaly("pulse oximeter: a value out of range")
    }
    // Who puts a finger in for a spot-check does it on purpose.
    sink.append(
      series, [value], bytes: [], at: time, kind: .normal, isManual: true, isLowQuality: isLowQuality)
  }
}
