// The single measurement of a sensor that measures once and sends all values together: a cuff, a scale, a thermometer,
// an oximeter's spot-check.

import EventLoop
import Health
import Vitals

/// Values of one time are one reading. A newer reading replaces an older one; an older one that comes later does not.
struct SpotReading {
  private(set) var isDoubtful = false
  private let time: Instant
  private var values: [Series: Double] = [:]

  /// Series that a reading may contain.
  private static let series: Set<Series> = [
    .spo2, .bodyTemperature, .systolicPressure, .diastolicPressure, .meanPressure, .pulseRate, .weight,
  ]

  static func holds(_ series: Series) -> Bool { self.series.contains(series) }

  private init(_ time: Instant) { self.time = time }

  /// - Returns: whether the sample is part of this reading, or of an older one.
  static func take(_ sample: Sample, at time: Instant, into reading: inout SpotReading?) -> Bool {
    guard series.contains(sample.series), !isStream(sample) else { return false }
    if let reading, time < reading.time { return true }
    var now = reading?.time == time ? reading ?? SpotReading(time) : SpotReading(time)
    // A pulse rate alone begins no reading: from a strap it is a stream.
    if sample.series == .pulseRate, now.values.isEmpty { return false }
    now.values[sample.series] = sample.series.inUnit(Double(sample.value))
    if sample.flags.isLowQuality { now.isDoubtful = true }
    reading = now
    return true
  }

  /// Saturation without a person's order comes each second; a temperature of low quality is an early estimate.
  private static func isStream(_ sample: Sample) -> Bool {
    switch sample.series {
    case .spo2: !sample.flags.isManual
    case .bodyTemperature: sample.flags.isLowQuality
    default: false
    }
  }

  /// Whether it contains what makes a reading of its kind.
  var isWhole: Bool {
    values[.spo2] != nil || values[.bodyTemperature] != nil || values[.weight] != nil || cuff != nil
  }

  private var cuff: CuffReading? {
    guard let systolic = values[.systolicPressure], let diastolic = values[.diastolicPressure] else { return nil }
    return CuffReading(
      systolic: systolic, diastolic: diastolic, mean: values[.meanPressure], pulse: values[.pulseRate])
  }

  func tell(_ reading: inout SensorReading) {
    reading.saturation = values[.spo2]
    reading.temperature = values[.bodyTemperature]
    reading.weight = values[.weight]
    reading.cuff = cuff
    reading.pulse = values[.pulseRate]
    reading.isDoubtful = isDoubtful
  }
}

extension VitalsRun {
  /// Pause after which all readings have come. A sensor may send stored readings one after the other, each as soon as
  /// the one before is confirmed; the newest is the result.
  private static let quiet: Duration = .seconds(2)
  /// Longest wait, as a thermometer that measures each second never pauses.
  private static let enough: Duration = .seconds(10)

  /// Whether the result is complete: a measurement with a sensor that measures once waits only for its reading.
  var hasResult: Bool {
    guard tap.sensor.isSpot, let came = tap.readings.came else { return false }
    return loop.now - came.last >= Self.quiet || loop.now - came.first >= Self.enough
  }

  /// Whether the end of its link is no loss of the sensor. Such a sensor hangs up after sending what it had, and
  /// returns with the next measurement.
  var mayHangUp: Bool { tap.sensor.isSpot && !tap.readings.streams }
}
