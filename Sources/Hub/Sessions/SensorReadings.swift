// Values that a sensor worked out itself, as a measurement needs them: rates with their times, and the newest reading
// of an oximeter, a thermometer or a cuff. Memory is fixed.

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
  private var saturation: (time: Double, value: Double)?
  private var temperature: Double?
  private var cuffTime: Instant?
  private var systolic: Double?
  private var diastolic: Double?
  private var mean: Double?
  private var pulse: Double?

  init() {
    times.reserveCapacity(Self.capacity)
    rates.reserveCapacity(Self.capacity)
  }

  var count: Int { rates.count }
  /// Something that is passed through came.
  var hasReading: Bool { saturation != nil || temperature != nil || systolic != nil && diastolic != nil }
  var hasRate: Bool { !rates.isEmpty }

  /// - Parameter rate: beats a minute.
  mutating func note(rate: Double, at time: Instant) {
    if rates.count == Self.capacity {
      times.removeFirst(Self.capacity / 2)
      rates.removeFirst(Self.capacity / 2)
    }
    times.append(time.seconds)
    rates.append(rate)
    if cuffTime == time { pulse = rate }
  }

  /// - Returns: it is a value of a sensor's own.
  mutating func note(_ series: Series, _ value: Int64, at time: Instant) -> Bool {
    switch series {
    case .spo2: saturation = (time.seconds, Double(value))
    case .bodyTemperature: temperature = Double(value) / 1000
    case .systolicPressure:
      begin(at: time)
      systolic = Double(value) / 100
    case .diastolicPressure:
      begin(at: time)
      diastolic = Double(value) / 100
    case .meanPressure:
      begin(at: time)
      mean = Double(value) / 100
    default: return false
    }
    return true
  }

  /// Values of one time are one reading of a cuff.
  private mutating func begin(at time: Instant) {
    if cuffTime == time { return }
    cuffTime = time
    (systolic, diastolic, mean, pulse) = (nil, nil, nil, nil)
    if times.last == time.seconds { pulse = rates.last }
  }

  /// The newest rate, unless it is too old to be one of now.
  func rate(at now: Double) -> Double? {
    guard let time = times.last, let rate = rates.last, now - time <= Self.rateHolds else { return nil }
    return rate
  }

  /// Of a time: after `start`, up to and with `end`. Thermometers and cuffs measure once, so their newest reading
  /// counts whenever it came in the session.
  func reading(from start: Double, to end: Double) -> SensorReading {
    var reading = SensorReading()
    for (time, rate) in zip(times, rates) where time > start && time <= end { reading.rates.append(rate) }
    if let saturation, saturation.time > start, saturation.time <= end { reading.saturation = saturation.value }
    reading.temperature = temperature
    if let systolic, let diastolic {
      reading.cuff = CuffReading(systolic: systolic, diastolic: diastolic, mean: mean, pulse: pulse)
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
