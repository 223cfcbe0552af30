// Values that a sensor worked out itself, as a measurement needs them: rates with their times, and the newest reading
// of an oximeter, a thermometer, a cuff or a scale. Memory is fixed.

import EventLoop
import Health
import Vitals

/// What came of one sensor that is no interval.
struct SensorReadings {
  /// Of three minutes with five rates a second.
  static let capacity = 1024
  /// s: a rate says something of the time after it for so long, as `LatestValue` has it.
  static let rateHolds = 5.0

  private var times: [Double] = []
  private var rates: [Double] = []
  /// Of an oximeter that tells it as it goes on.
  private var saturation: (time: Double, value: Double)?
  private var spot: SpotReading?
  /// When the first whole reading of a sensor that measures once came, and the last: not when they were measured.
  private(set) var came: (first: Instant, last: Instant)?

  /// A reading came that is left out, as nothing tells when it was measured.
  private var hasUndated = false

  init() {
    times.reserveCapacity(Self.capacity)
    rates.reserveCapacity(Self.capacity)
  }

  var count: Int { rates.count }
  /// Saturation comes as it goes on.
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
  ///   - time: when it was measured.
  ///   - now: when it came.
  /// - Returns: it is a value of a sensor's own.
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

  /// The newest rate, unless it is too old to be one of now.
  func rate(at now: Double) -> Double? {
    guard let time = times.last, let rate = rates.last, now - time <= Self.rateHolds else { return nil }
    return rate
  }

  /// Of a time: after `start`, up to and with `end`. What measures once counts whenever it came in the session.
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

  /// 0 to 1: how much of a time has a rate that holds.
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
  /// s, as beats have their times.
  var seconds: Double { Double(nanoseconds / 1000) / 1e6 }
}
