// Values that the sensor itself computed, for a measurement. Rates with their times, and the newest reading of an
// oximeter, a thermometer, a cuff or a scale. Memory is fixed.

import EventLoop
import Health
import Vitals

/// Values of one sensor that are no intervals.
struct SensorReadings {
  /// Number of rates: three minutes with five a second.
  static let capacity = 1024
  /// s: time for which a rate is valid, as in `LatestValue`.
  static let rateHolds = 5.0

  private var times: [Double] = []
  private var rates: [Double] = []
  /// Saturation of an oximeter that sends it continuously.
  private var saturation: (time: Double, value: Double)?
  private var spot: SpotReading?
  /// Arrival (not measurement) of the first and the last complete reading of a sensor that measures once.
  private(set) var came: (first: Instant, last: Instant)?

  /// A reading without a known time came and was left out.
  private var hasUndated = false

  init() {
    times.reserveCapacity(Self.capacity)
    rates.reserveCapacity(Self.capacity)
  }

  var count: Int { rates.count }
  /// Whether saturation comes continuously.
  var streams: Bool { saturation != nil }

  /// - Parameter rate: beats a minute.
  mutating func note(rate: Double, at time: Instant) {
    if rates.count == Self.capacity {
      times.removeFirst(Self.capacity / 2)
      rates.removeFirst(Self.capacity / 2)
    }
    times.append(time.seconds)
    rates.append(rate)
  }

  /// - Parameters:
  ///   - time: measurement.
  ///   - now: arrival.
  /// - Returns: whether the sensor itself computed the value.
  mutating func note(_ sample: Sample, at time: Instant, now: Instant) -> Bool {
    if sample.series == .spo2, !sample.flags.isManual {
      if sample.flags.isLowQuality { return false }
      saturation = (time.seconds, Double(sample.value))
      return true
    }
    guard SpotReading.take(sample, at: time, into: &spot) else { return false }
    if spot?.isWhole == true { came = (came?.first ?? now, now) }
    return true
  }

  mutating func noteUndated(_ series: Series) { if SpotReading.holds(series) { hasUndated = true } }

  /// The newest rate, unless it is too old to be a current one.
  func rate(at now: Double) -> Double? {
    guard let time = times.last, let rate = rates.last, now - time <= Self.rateHolds else { return nil }
    return rate
  }

  /// The reading for a time after `start`, up to and including `end`. A reading of a sensor that measures once counts
  /// at any time of the session.
  func reading(from start: Double, to end: Double) -> SensorReading {
    var reading = SensorReading()
    spot?.tell(&reading)
    reading.isUndated = hasUndated
    for (time, rate) in zip(times, rates) where time > start && time <= end { reading.rates.append(rate) }
    if reading.saturation == nil, let saturation, saturation.time > start, saturation.time <= end {
      reading.saturation = saturation.value
    }
    return reading
  }

  /// 0 to 1: share of a time span with a valid rate.
  func coverage(from start: Double, to end: Double) -> Double {
    guard end > start else { return 0 }
    var covered = 0.0
    for index in times.indices where times[index] <= end {
      let next = index + 1 < times.count ? times[index + 1] : end
      let until = min(next, times[index] + Self.rateHolds, end)
      covered += max(0, until - max(times[index], start))
    }
    return min(covered / (end - start), 1)
  }
}

extension Instant {
  /// s, the unit of beat times.
  var seconds: Double { Double(nanoseconds / 1000) / 1e6 }
}
