// Method BT-1: from packets of intervals to beats on the hub's clock. Intervals have no timestamps: they are laid end
// to end and slowly aligned to the arrival of their packets. Memory is fixed; a beat allocates none.

/// The newest `capacity` beats of one sensor.
public struct BeatTimeline: Sendable {
  /// s. A larger difference between beat clock and arrival is a gap. A connection interval, a late event and the beat
  /// in progress stay below it; two lost beats at rest do not.
  public static let driftLimit = 2.0
  /// Share of the difference that each packet corrects: with a packet a second, jitter averages over a minute.
  public static let driftGain = 0.02
  /// Six minutes at 220 beats a minute: enough for the longest measurement (180 s) and for a live view of five minutes.
  public static let usualCapacity = 1320
  /// The most gaps that a measurement of 180 s can have, one every 2 s: a shorter one is no gap.
  static let gapCapacity = 90
  /// s. Up to here `Double` resolves microseconds; no monotonic clock of a machine gets close.
  static let latestArrival = 1e9

  /// Checks that decide which intervals are used.
  public let screening: IntervalScreening
  private var beats: Ring<Beat>
  private var gapRing = Ring<BeatGap>(capacity: Self.gapCapacity)
  /// s; nil before the first usable interval.
  private var clock: Double?
  private var stretch: UInt32 = 0
  private var packet: UInt32 = 0
  private var isReconnected = false
  private var cut: IntervalScreening.Defect?
  /// Packets left out because their arrival is no valid time.
  public private(set) var refusedPackets: UInt64 = 0

  /// A timeline of 16 to 16,384 beats.
  public init(screening: IntervalScreening = IntervalScreening(), capacity: Int = usualCapacity) {
    self.screening = screening
    beats = Ring(capacity: Swift.min(Swift.max(capacity, 16), 16_384))
  }

  /// Number of stored beats, dropped ones included.
  public var count: Int { beats.count }
  /// - Parameter index: 0 is the oldest; below `count`.
  public subscript(index: Int) -> Beat { beats[index] }
  /// s, time of the newest beat with a usable interval; nil before the first.
  public var lastBeat: Double? { clock }
  /// Beats that newer ones overwrote when `capacity` was reached.
  public var overwrittenBeats: UInt64 { beats.overwritten }
  /// Number of stored gaps, at most 90: the newest.
  public var gapCount: Int { gapRing.count }
  /// - Parameter index: 0 is the oldest; below `gapCount`.
  public func gap(_ index: Int) -> BeatGap { gapRing[index] }

  /// Adds the intervals of one packet, oldest first.
  ///
  /// - Parameters:
  ///   - arrival: µs, monotonic.
  ///   - reconnected: whether it is the first packet since the link was restored.
  ///   - contactLost: whether the packet reports lost skin contact.
  public mutating func take(
    _ intervals: [ReceivedInterval], atMicroseconds arrival: Int64, reconnected: Bool = false, contactLost: Bool = false
  ) {
    take(intervals, at: Double(arrival) / 1e6, reconnected: reconnected, contactLost: contactLost)
  }

  /// - Parameter arrival: s, monotonic. A packet without a finite one is left out and counted.
  public mutating func take(
    _ intervals: [ReceivedInterval], at arrival: Double, reconnected: Bool = false, contactLost: Bool = false
  ) {
    let number = packet
    packet &+= 1
    isReconnected = isReconnected || reconnected
    guard arrival.magnitude <= Self.latestArrival else {
      refusedPackets &+= 1
      return
    }
    if contactLost { cut = .noContact }
    // Dropped intervals divide a packet into runs. Each run counts as a packet that arrived earlier by the time of the
    // later intervals.
    var begin = 0
    while begin < intervals.count {
      let verdict = screening.verdict(on: intervals[begin], contactLost: contactLost)
      if case .dropped(let defect) = verdict {
        cut = defect
        let time = arrival - duration(of: intervals, from: begin + 1, contactLost)
        append(intervals[begin], verdict, at: time, number)
        begin += 1
        continue
      }
      var end = begin + 1
      while end < intervals.count, isUsable(intervals[end], contactLost) { end += 1 }
      join(intervals, begin..<end, at: arrival - duration(of: intervals, from: end, contactLost), number)
      begin = end
    }
  }

  private func isUsable(_ interval: ReceivedInterval, _ contactLost: Bool) -> Bool {
    if case .dropped = screening.verdict(on: interval, contactLost: contactLost) { return false }
    return true
  }

  /// s. A dropped interval counts as time only if its length is plausible.
  private func duration(of intervals: [ReceivedInterval], from begin: Int, _ contactLost: Bool) -> Double {
    var sum = 0.0
    for index in begin..<intervals.count {
      let value = intervals[index].milliseconds
      if isUsable(intervals[index], contactLost) || (0...IntervalScreening.plausible.upperBound).contains(value) {
        sum += value
      }
    }
    return sum / 1000
  }

  /// Adds a run of usable intervals: continues the stretch, or starts one.
  private mutating func join(
    _ intervals: [ReceivedInterval], _ run: Range<Int>, at arrival: Double, _ number: UInt32
  ) {
    var sum = 0.0
    for index in run { sum += intervals[index].milliseconds }
    sum /= 1000
    var end = arrival
    if let clock {
      let drift = arrival - (clock + sum)
      if let reason = interruption(drift) {
        stretch &+= 1
        let gap = BeatGap(reason: reason, length: Swift.max(0, drift), end: arrival - sum, packet: number)
        gapRing.append(gap)
      } else {
        end = clock + sum + Self.driftGain * drift
      }
    }
    isReconnected = false
    cut = nil
    clock = end
    // The last beat is at the clock; the earlier ones are counted back from it.
    var later = sum
    for index in run {
      later -= intervals[index].milliseconds / 1000
      let verdict = screening.verdict(on: intervals[index])
      append(intervals[index], verdict, at: index + 1 == run.upperBound ? end : end - later, number)
    }
  }

  private func interruption(_ drift: Double) -> BeatGap.Reason? {
    if isReconnected { return .reconnect }
    if let cut { return .dropped(cut) }
    guard drift.magnitude > Self.driftLimit else { return nil }
    return drift > 0 ? .late : .early
  }

  private mutating func append(
    _ interval: ReceivedInterval, _ verdict: IntervalScreening.Verdict, at time: Double, _ number: UInt32
  ) {
    beats.append(
      Beat(time: time, interval: interval.milliseconds, stretch: stretch, packet: number, verdict: verdict))
  }
}
