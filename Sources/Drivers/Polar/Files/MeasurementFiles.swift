// Skin temperature of a day, and tests of blood oxygen.

import Health
public import PolarMessages
import Wearable

extension TemperatureMeasurementPeriod {
  /// Largest plausible distance of a sample from its day's midnight, ms. A period may continue on the day after.
  static let reach: UInt64 = 2 * 86_400_000

  /// - Parameter begins: midnight of the folder's day, µs of the wearable's clock. The file itself has no start.
  func append(begins: Int64?, to sink: any ItemSink) {
    if temperatureMeasurementSamples.isEmpty { return }
    guard let begins else { return sink.noteAnomaly("temperatures without their day") }
    let series: Series = measurementType == .tmCoreTemperature ? .temperature : .skinTemperature
    for sample in temperatureMeasurementSamples {
      guard sample.recordingTimeDeltaMilliseconds <= Self.reach, let value = stored(sample.temperatureCelsius, 1000)
      else {
        sink.noteAnomaly("an invalid temperature, or one far from its day")
        continue
      }
      sink.append(series, value, at: begins + Int64(sample.recordingTimeDeltaMilliseconds) * 1000)
    }
  }
}

extension PbSpo2TestResult {
  /// Time of the test: that of its folder, or its own if the folder's name is not a time. Years 1970 to 9999.
  public func moment(of file: PolarFile) -> PolarMoment? {
    let zone = (-720...840).contains(timeZoneOffset) ? Int(timeZoneOffset) : nil
    if let begins = file.begins, file.timeOfDay != nil { return PolarMoment(microseconds: begins, zoneOffset: zone) }
    guard testTime > 0, let time = Int64(exactly: testTime), time < 253_402_300_800_000 else { return nil }
    return PolarMoment(microseconds: (time + Int64(zone ?? 0) * 60_000) * 1000, zoneOffset: zone)
  }

  func append(of file: PolarFile, to sink: any ItemSink) {
    guard let time = moment(of: file)?.microseconds else {
      return sink.noteAnomaly("a test of blood oxygen without its time")
    }
    func append(_ series: Series, _ value: Int64) {
      sink.append(series, [value], bytes: [], at: time, kind: .normal, isManual: true)
    }
    // A failed test may have a value, which is not reliable.
    if testStatus == .spo2TestPassed, hasBloodOxygenPercent, (1...100).contains(bloodOxygenPercent) {
      append(.spo2, Int64(bloodOxygenPercent))
    }
    if hasAverageHeartRateBpm, averageHeartRateBpm > 0 { append(.heartRate, Int64(averageHeartRateBpm)) }
    if hasHeartRateVariabilityMs, let value = stored(heartRateVariabilityMs, 10), value > 0 {
      append(.heartRateVariability, value)
    }
  }
}
