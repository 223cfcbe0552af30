// Values while a measurement runs, cheap enough for every second of forty sensors: the momentary pulse rate, and
// whether the signal is doubtful. What needs a spectrum waits for `LiveBeats.analysisPeriod`.

/// What can be said at a moment.
public struct InstantValues: Sendable, Hashable {
  /// Beats a minute; nil while there are not enough intervals, or the rate is no heart's.
  public var pulseRate: Double?
  /// 0 to 1, of the last 10 s; nil without intervals in them.
  public var artefactShare: Double?

  public init(pulseRate: Double? = nil, artefactShare: Double? = nil) {
    self.pulseRate = pulseRate
    self.artefactShare = artefactShare
  }

  /// 0 to 1 of the intervals of the last 10 s: beyond, values are hidden.
  public static let doubtfulShare = 0.2

  /// More than a fifth of the intervals of the last 10 s are artefacts.
  public var isDoubtful: Bool { (artefactShare ?? 0) > Self.doubtfulShare }
}

/// Computes them, and keeps the memory for it: one for all sensors of a hub.
public struct LiveBeats: Sendable {
  /// s, how often spectra and the like are: as batches of an optical sensor come, and a tenth of what a minute changes.
  public static let analysisPeriod = 5.0
  /// s, what artefacts are counted over.
  public static let shareSpan = 10.0
  /// 10 s at 220 a minute (37), the 45 values before them of which LT-1 makes its thresholds, the 5 of its median, and
  /// room for dropped ones.
  static let classified = 128

  private var classifier = ArtefactClassifier()
  private var stretch: [Double] = []
  private var times: [Double] = []

  public init() {
    stretch.reserveCapacity(Self.classified)
    times.reserveCapacity(Self.classified)
  }

  /// - Parameter now: s, monotonic.
  public mutating func values(of timeline: BeatTimeline, at now: Double) -> InstantValues {
    InstantValues(pulseRate: PulseRate.instantaneous(timeline, at: now), artefactShare: share(of: timeline, at: now))
  }

  /// Beats by LT-1 among those before them; nil when none came.
  private mutating func share(of timeline: BeatTimeline, at now: Double) -> Double? {
    let since = now - Self.shareSpan
    let first = Swift.max(0, timeline.count - Self.classified)
    var (received, dropped, uncertain, reported) = (0, 0, 0, 0)
    var current: UInt32?
    stretch.removeAll(keepingCapacity: true)
    times.removeAll(keepingCapacity: true)
    for index in first..<timeline.count {
      let beat = timeline[index]
      let isInSpan = beat.time > since && beat.time <= now
      if isInSpan { received += 1 }
      guard beat.isUsable else {
        if isInSpan { dropped += 1 }
        continue
      }
      if isInSpan, beat.verdict == .uncertain { uncertain += 1 }
      if beat.stretch != current {
        reported += reports(after: since, until: now)
        current = beat.stretch
      }
      stretch.append(beat.interval)
      times.append(beat.time)
    }
    reported += reports(after: since, until: now)
    guard received > 0 else { return nil }
    return SignalQuality.share(received: received, dropped: dropped, uncertain: uncertain, reported: reported)
  }

  /// Classifies the stretch that was gathered, and empties it.
  private mutating func reports(after since: Double, until now: Double) -> Int {
    defer {
      stretch.removeAll(keepingCapacity: true)
      times.removeAll(keepingCapacity: true)
    }
    guard let last = times.last, last > since else { return 0 }
    classifier.classifyScreened(stretch[...])
    var count = 0
    for (index, time) in times.enumerated() where time > since && time <= now && classifier.classes[index] != .normal {
      count += 1
    }
    return count
  }
}
