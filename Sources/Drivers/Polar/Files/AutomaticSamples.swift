// Heart rate and pulse intervals around the clock, of one day.

import Health
public import PolarMessages
import Wearable

extension PbAutomaticHeartRateSamples {
  /// Between two values, µs. The file does not say: at high activity and when the user asked they come every second,
  /// else as means of 5 minutes (Polar's description of continuous heart rate tracking).
  public var spacing: Int64 {
    triggerType == .triggerTypeHighActivity || triggerType == .triggerTypeManual ? 1_000_000 : 300_000_000
  }
}

extension PbPpIntervalSamples {
  /// One pulse interval.
  public struct Interval: Hashable, Sendable {
    /// Pulse to pulse, ms.
    public let duration: Int64
    /// How far off it may be by the wearable's own estimate, ms.
    public let error: Int64
    public let status: Status
  }

  public struct Status: OptionSet, Hashable, Sendable {
    public let rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }
    public static let skinContact = Status(rawValue: 1)
    public static let movement = Status(rawValue: 2)
    /// The sensor was off in between.
    public static let offline = Status(rawValue: 4)
  }

  /// Durations and errors are stored as differences from the one before, the first from 0.
  public var intervals: [Interval] {
    var (duration, error) = (Int64(0), Int64(0))
    return ppiDelta.indices.map { index in
      duration += Int64(ppiDelta[index])
      if index < ppiErrorEstimateDelta.count { error += Int64(ppiErrorEstimateDelta[index]) }
      return Interval(
        duration: duration, error: error, status: Status(rawValue: index < status.count ? status[index] : 0))
    }
  }
}

/// Samples of sessions, in the order in which they are stored.
struct AutomaticValues {
  fileprivate(set) var anomalies: [StaticString] = []
  fileprivate(set) var values: [(series: Series, values: [Int64], time: Int64, isManual: Bool)] = []

  func append(to sink: any ItemSink) {
    anomalies.forEach(sink.noteAnomaly)
    for value in values {
      sink.append(value.series, value.values, bytes: [], at: value.time, kind: .normal, isManual: value.isManual)
    }
  }
}

extension PbAutomaticSampleSessions {
  func append(to sink: any ItemSink) {
    guard let day = day.civil, day.midnight != nil else {
      return sink.noteAnomaly("automatic samples without their day")
    }
    var known = PolarSessions(day: day)
    append(after: &known, until: nil, limit: .max).append(to: sink)
  }

  /// Values that are not stored yet.
  ///
  /// - Parameters:
  ///   - known: how many each session has in the store; and will have.
  ///   - until: those that ended by then, µs of the wearable's clock; nil: all of them.
  ///   - limit: of values.
  func append(after known: inout PolarSessions, until: Int64?, limit: Int) -> AutomaticValues {
    var new = AutomaticValues()
    guard let midnight = day.civil?.midnight else { return new }
    // Two that cannot be told apart wait for the end of the day, and what is in the store is of the first of them.
    var seen: [PolarSessions.Key: Int] = [:]
    for key in samples.compactMap(\.key) + ppiSamples.compactMap(\.key) { seen[key, default: 0] += 1 }
    var used: Set<PolarSessions.Key> = []
    func first(of key: PolarSessions.Key) -> Int? {
      if until != nil { return seen[key] == 1 && (known.knows(key) || !known.isFull) ? known.count(key) : nil }
      return used.insert(key).inserted ? known.count(key) : 0
    }
    for session in samples {
      guard let key = session.key, let first = first(of: key) else { continue }
      var count = first
      for (index, rate) in session.heartRate.enumerated().dropFirst(first) {
        let time = midnight + Int64(key.begins) * 1000 + Int64(index) * session.spacing
        guard new.values.count < limit, until.map({ time + session.spacing <= $0 }) ?? true else { break }
        count = index + 1
        if rate > 0 { new.values.append((.heartRate, [Int64(rate)], time, session.triggerType == .triggerTypeManual)) }
      }
      known.note(key, count)
    }
    for session in ppiSamples {
      guard let key = session.key, let first = first(of: key) else { continue }
      if session.ppi.ppiErrorEstimateDelta.count != session.ppi.ppiDelta.count
        || session.ppi.status.count != session.ppi.ppiDelta.count
      {
        new.anomalies.append("pulse intervals without an error or status each")
      }
      var passed: Int64 = 0
      var count = first
      for (index, interval) in session.ppi.intervals.enumerated() {
        // No heart pauses for longer than a minute; what is beyond would also shift all that follow.
        let isInterval = (1...60_000).contains(interval.duration)
        let time = midnight + Int64(key.begins) * 1000 + passed * 1000
        if isInterval { passed += interval.duration }
        if index < first { continue }
        guard new.values.count < limit, until.map({ midnight + Int64(key.begins) * 1000 + passed * 1000 <= $0 }) ?? true
        else { break }
        count = index + 1
        guard isInterval else { continue }
        new.values.append(
          (
            .ppi, [interval.duration, interval.error, Int64(interval.status.rawValue)], time,
            session.triggerType == .ppiTriggerTypeManual
          ))
      }
      known.note(key, count)
    }
    return new
  }
}

extension PbAutomaticHeartRateSamples {
  /// nil without a time.
  fileprivate var key: PolarSessions.Key? {
    time.timeOfDay.map {
      PolarSessions.Key(
        isIntervals: false, trigger: UInt8(truncatingIfNeeded: triggerType.rawValue) & 0x7F, begins: UInt32($0 / 1000))
    }
  }
}

extension PbPpIntervalAutoSamples {
  fileprivate var key: PolarSessions.Key? {
    recordingTime.timeOfDay.map {
      PolarSessions.Key(
        isIntervals: true, trigger: UInt8(truncatingIfNeeded: triggerType.rawValue) & 0x7F, begins: UInt32($0 / 1000))
    }
  }
}
