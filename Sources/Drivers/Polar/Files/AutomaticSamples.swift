// Heart rate and pulse intervals around the clock, of one day.

import Health
public import PolarMessages
import Wearable

extension PbAutomaticHeartRateSamples {
  /// Interval between two values, µs. The file does not contain it. A second at high activity and on the user's
  /// request, else 5 minutes, of which values are means (Polar's description of continuous heart rate tracking).
  public var spacing: Int64 {
    triggerType == .triggerTypeHighActivity || triggerType == .triggerTypeManual ? 1_000_000 : 300_000_000
  }
}

extension PbPpIntervalSamples {
  /// A pulse interval.
  public struct Interval: Hashable, Sendable {
    /// Pulse to pulse, ms.
    public let duration: Int64
    /// The wearable's estimate of the error, ms.
    public let error: Int64
    /// Flags of the interval.
    public let status: Status
  }

  /// Flags of a pulse interval.
  public struct Status: OptionSet, Hashable, Sendable {
    public let rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }
    /// The sensor has skin contact.
    public static let skinContact = Status(rawValue: 1)
    /// The wearer moved.
    public static let movement = Status(rawValue: 2)
    /// The sensor was off in between.
    public static let offline = Status(rawValue: 4)
  }

  /// Decodes the intervals. Durations and errors are stored as differences from the previous one, the first from 0.
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

/// Collects the values that one look at today's file stores.
final class AutomaticValues: ItemSink {
  private var anomalies: [StaticString] = []
  private var values: [(series: Series, values: [Int64], time: Int64, isManual: Bool)] = []

  func append(
    _ series: Series, _ values: [Int64], bytes: [UInt8], at deviceTime: Int64, kind: SampleKind, isManual: Bool
  ) { self.values.append((series, values, deviceTime, isManual)) }

  func noteAnomaly(_ what: StaticString) { anomalies.append(what) }

  func append(to sink: any ItemSink) {
    anomalies.forEach(sink.noteAnomaly)
    for value in values {
      sink.append(value.series, value.values, bytes: [], at: value.time, kind: .normal, isManual: value.isManual)
    }
  }
}

extension PbAutomaticSampleSessions {
  func runs() -> [any SampleRun] {
    guard let day = day.civil, day.midnight != nil else { return [OddRun(what: "automatic samples without their day")] }
    return [AutomaticRun(self, after: PolarSessions(day: day))].compactMap { $0 }
  }

  /// The values that are not stored yet, all at once.
  ///
  /// - Parameters:
  ///   - known: how many values of each session are stored; updated to what will be stored.
  ///   - until: only values that ended by then, µs of the wearable's clock; nil for all.
  ///   - limit: most values.
  func append(after known: inout PolarSessions, until: Int64?, limit: Int) -> AutomaticValues {
    let new = AutomaticValues()
    guard var run = AutomaticRun(self, after: known, until: until, limit: limit) else { return new }
    while run.next(.max, into: new) {}
    known = run.known
    return new
  }
}

/// The samples of all sessions in sequence, heart rate first.
struct AutomaticRun: SampleRun {
  /// Number of values of each session are stored or were passed to the sink.
  private(set) var known: PolarSessions
  private let midnight: Int64
  private let until: Int64?
  private let limit: Int
  private let rates: [PbAutomaticHeartRateSamples]
  private let intervals: [PbPpIntervalAutoSamples]
  /// Number of sessions with the same key. If there are several, they wait for the end of the day, and stored values
  /// count for the first one.
  private var seen: [PolarSessions.Key: Int] = [:]
  private var used: Set<PolarSessions.Key> = []
  private var isAtIntervals = false
  /// Index in `rates`, then in `intervals`.
  private var session = 0
  private var current: Current?
  private var handedOn = 0

  private struct Current {
    let key: PolarSessions.Key
    /// Values that are stored already.
    let first: Int
    var count: Int
    var index = 0
    /// ms from the start of the session.
    var passed: Int64 = 0
    /// Sum of the differences so far, ms; the same for `error`.
    var duration: Int64 = 0
    var error: Int64 = 0
  }

  /// nil if the file's day is missing or invalid.
  init?(
    _ file: PbAutomaticSampleSessions, after known: PolarSessions, until: Int64? = nil, limit: Int = .max
  ) {
    guard let midnight = file.day.civil?.midnight else { return nil }
    (self.known, self.midnight, self.until, self.limit) = (known, midnight, until, limit)
    (rates, intervals) = (file.samples, file.ppiSamples)
    for key in rates.compactMap(\.key) + intervals.compactMap(\.key) { seen[key, default: 0] += 1 }
  }

  mutating func next(_ amount: Int, into sink: any ItemSink) -> Bool {
    var left = amount
    while left > 0 {
      left -= 1
      if isAtIntervals {
        if session == intervals.count { return false }
        takeInterval(intervals[session], sink)
      } else if session == rates.count {
        (isAtIntervals, session) = (true, 0)
      } else {
        takeRate(rates[session], sink)
      }
    }
    return true
  }

  private mutating func first(of key: PolarSessions.Key) -> Int? {
    if until != nil { return seen[key] == 1 && (known.knows(key) || !known.isFull) ? known.count(key) : nil }
    return used.insert(key).inserted ? known.count(key) : 0
  }

  /// nil if the session is skipped.
  private mutating func begin(_ key: PolarSessions.Key?) -> Current? {
    guard let key, let first = first(of: key) else {
      session += 1
      return nil
    }
    return Current(key: key, first: first, count: first)
  }

  private mutating func end(_ current: Current) {
    known.note(current.key, current.count)
    self.current = nil
    session += 1
  }

  /// Whether a value that ends at `end`, µs, may be passed to the sink.
  private func takes(_ end: Int64) -> Bool { handedOn < limit && (until.map { end <= $0 } ?? true) }

  private mutating func takeRate(_ session: PbAutomaticHeartRateSamples, _ sink: any ItemSink) {
    guard var now = current ?? begin(session.key) else { return }
    if current == nil { now.index = now.first }
    guard now.index < session.heartRate.count else { return end(now) }
    let time = midnight + Int64(now.key.begins) * 1000 + Int64(now.index) * session.spacing
    guard takes(time + session.spacing) else { return end(now) }
    let rate = session.heartRate[now.index]
    now.index += 1
    now.count = now.index
    current = now
    if rate == 0 { return }
    handedOn += 1
    sink.append(
      .heartRate, [Int64(rate)], bytes: [], at: time, kind: .normal, isManual: session.triggerType == .triggerTypeManual
    )
  }

  private mutating func takeInterval(_ session: PbPpIntervalAutoSamples, _ sink: any ItemSink) {
    let ppi = session.ppi
    guard var now = current ?? begin(session.key) else { return }
    if current == nil,
      ppi.ppiErrorEstimateDelta.count != ppi.ppiDelta.count || ppi.status.count != ppi.ppiDelta.count
    {
      sink.noteAnomaly("pulse intervals without an error or status each")
    }
    guard now.index < ppi.ppiDelta.count else { return end(now) }
    let index = now.index
    now.index += 1
    // Durations and errors are differences from the previous ones.
    now.duration += Int64(ppi.ppiDelta[index])
    if index < ppi.ppiErrorEstimateDelta.count { now.error += Int64(ppi.ppiErrorEstimateDelta[index]) }
    // An interval of more than a minute is implausible, and would also shift all that follow.
    let isInterval = (1...60_000).contains(now.duration)
    let begins = midnight + Int64(now.key.begins) * 1000
    let time = begins + now.passed * 1000
    if isInterval { now.passed += now.duration }
    if index >= now.first {
      guard takes(begins + now.passed * 1000) else { return end(now) }
      now.count = now.index
      if isInterval {
        handedOn += 1
        sink.append(
          .ppi, [now.duration, now.error, Int64(index < ppi.status.count ? ppi.status[index] : 0)], bytes: [], at: time,
          kind: .normal, isManual: session.triggerType == .ppiTriggerTypeManual)
      }
    }
    current = now
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
