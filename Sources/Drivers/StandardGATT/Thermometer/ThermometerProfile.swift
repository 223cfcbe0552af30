// The Health Thermometer Service as a profile of the standard driver.

import Bluetooth
public import GATTServices
import Health
import Wearable

/// The SIG's assigned numbers.
enum Thermometer {
  static let service: BluetoothUUID = 0x1809
  static let measurement: BluetoothUUID = 0x2A1C
  static let type: BluetoothUUID = 0x2A1D
  static let intermediate: BluetoothUUID = 0x2A1E
  static let interval: BluetoothUUID = 0x2A21
}

extension ServiceProfile {
  /// Health Thermometer Service 1.0. The type is read first: a thermometer may indicate stored values as soon as the
  /// hub subscribes.
  public static let thermometer = ServiceProfile(
    service: Thermometer.service, kind: "thermometer", hasShortPresence: true,
    sources: [
      LiveSource(
        service: Thermometer.service, characteristic: Thermometer.type, mode: .read, isRequired: false),
      LiveSource(
        service: Thermometer.service, characteristic: Thermometer.measurement, mode: .subscribe, isRequired: true,
        isKept: true),
      LiveSource(
        service: Thermometer.service, characteristic: Thermometer.intermediate, mode: .subscribe, isRequired: false),
      LiveSource(
        service: Thermometer.service, characteristic: Thermometer.interval, mode: .read, isRequired: false),
    ],
    capabilities: [.live(.bodyTemperature), .live(.temperaturePlace)], monitoring: ThermometerInterval.choice,
    makeDecoder: { ThermometerDecoder() })
}

final class ThermometerDecoder: LiveDecoder {
  /// Place of measurements without a type of their own.
  private var usualPlace: TemperaturePlace?

  func decode(_ source: LiveSource, _ value: RawBytes, into sink: any SampleSink) throws(DecodeError) {
    switch source.characteristic {
    case Thermometer.measurement:
      let measurement = try TemperatureMeasurement(value)
      sink.beginReading(source.characteristic, measurement.time, value)
      let temperature = measurement.temperature
      if temperature.special != nil, !temperature.isReserved {
        sink.noteAnomaly("thermometer: a measurement that failed, without a temperature")
      }
      tell(measurement, flags: .live, sink)
    // An early estimate during the measurement.
    case Thermometer.intermediate:
      tell(try TemperatureMeasurement(value), flags: SampleFlags(origin: .live, isLowQuality: true), sink)
    case Thermometer.type:
      guard let code = value.first else { throw .empty }
      if value.count > 1 { sink.noteAnomaly("thermometer: bytes after the type") }
      usualPlace = knownPlace(code, sink)
    case Thermometer.interval:
      // Seconds, 0 for measurements on request. The interval gives no sample.
      if try MeasurementInterval(value).trailingBytes != 0 { sink.noteAnomaly("thermometer: bytes after the interval") }
    default: break
    }
  }

  private func tell(_ measurement: TemperatureMeasurement, flags: SampleFlags, _ sink: any SampleSink) {
    if measurement.trailingBytes != 0 { sink.noteAnomaly("thermometer: bytes after the last field") }
    if measurement.hasReservedFlags { sink.noteAnomaly("thermometer: flags that are reserved") }
    if measurement.temperature.isReserved { sink.noteAnomaly("thermometer: a number that is reserved, left out") }
    let isKept = sink.append(
      .bodyTemperature, measurement.celsius(times: 1000), within: Self.possible, flags: flags,
      "thermometer: a value out of range")
    guard isKept else { return }
    let place = measurement.type.map { knownPlace($0, sink) } ?? usualPlace
    if let place { sink.append(Sample(.temperaturePlace, Int64(place.rawValue), flags: flags)) }
  }

  /// nil for a reserved code.
  private func knownPlace(_ code: UInt8, _ sink: any SampleSink) -> TemperaturePlace? {
    let place = TemperaturePlace(rawValue: code)
    if place == nil { sink.noteAnomaly("thermometer: a type that is reserved") }
    return place
  }

  /// °C: the range of living bodies.
  private static let possible: ClosedRange<Int64> = 10...50

  func fact(_ source: LiveSource, _ value: RawBytes) -> WearableFact? { nil }
}

/// Measurement Interval (2A21; Health Thermometer Service 1.0, section 3.4): u16, seconds, 0 for "not periodic".
struct MeasurementInterval: Sendable, Hashable {
  let seconds: UInt16
  let trailingBytes: Int

  /// - Throws: `empty` without bytes, `truncated` below two.
  init(_ bytes: RawBytes) throws(DecodeError) {
    var reader = ByteReader(bytes)
    if bytes.isEmpty { throw .empty }
    guard let seconds = reader.u16() else { throw .truncated }
    self.seconds = seconds
    trailingBytes = reader.remaining
  }
}
