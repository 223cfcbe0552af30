// Heart rate and pulse intervals around the clock, of one day.

import Health
public import PolarMessages
import Wearable

extension PbAutomaticHeartRateSamples {
  /// Between two values, µs. The file does not say: at high activity and when the user asked they come every second, else as means of 5 minutes
  /// (Polar's description of continuous heart rate tracking).
  public var spacing: Int64 { triggerType == .triggerTypeHighActivity || triggerType == .triggerTypeManual ? 1_000_000 : 300_000_000 }
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
      return Interval(duration: duration, error: error, status: Status(rawValue: index < status.count ? status[index] : 0))
    }
  }
}

extension PbAutomaticSampleSessions {
  func append(to sink: any ItemSink) {
    guard let midnight = day.civil?.midnight else { return sink.noteAnomaly("automatic samples without their day") }
    for session in samples {
      guard let time = session.time.timeOfDay else { continue }
      for (index, rate) in session.heartRate.enumerated() where rate > 0 {
        sink.append(
          .heartRate, [Int64(rate)], bytes: [], at: midnight + time + Int64(index) * session.spacing, kind: .normal,
          isManual: session.triggerType == .triggerTypeManual)
      }
    }
    for session in ppiSamples {
      guard let time = session.recordingTime.timeOfDay else { continue }
      if session.ppi.ppiErrorEstimateDelta.count != session.ppi.ppiDelta.count || session.ppi.status.count != session.ppi.ppiDelta.count {
        sink.noteAnomaly("pulse intervals without an error or status each")
      }
      var passed: Int64 = 0
      for interval in session.ppi.intervals {
        // No heart pauses for longer than a minute; what is beyond would also shift all that follow.
        guard (1...60_000).contains(interval.duration) else { continue }
        sink.append(
          .ppi, [interval.duration, interval.error, Int64(interval.status.rawValue)], bytes: [], at: midnight + time + passed * 1000, kind: .normal,
          isManual: session.triggerType == .ppiTriggerTypeManual)
        passed += interval.duration
      }
    }
  }
}
