// Values while a measurement runs, cheap enough for every second of forty sensors: the momentary pulse rate, and
// whether the signal is doubtful. Values that need a spectrum are computed every `LiveBeatAnalyser.analysisPeriod`.

/// Values of one moment.
public struct InstantValues: Sendable, Hashable {
  /// Beats a minute; nil if there are too few intervals, or the rate is implausible.
  public var pulseRate: Double?
  /// 0 to 1, of the last 10 s; nil without intervals in that time.
  public var artefactShare: Double?

  /// Values; `pulseRate` in 1/min, `artefactShare` from 0 to 1, nil: unknown.
  public init(pulseRate: Double? = nil, artefactShare: Double? = nil) {
    self.pulseRate = pulseRate
    self.artefactShare = artefactShare
  }

  /// Share of artefacts, 0 to 1, in the last 10 s above which values are hidden.
  public static let doubtfulShare = 0.2

  /// Whether more than a fifth of the intervals of the last 10 s are artefacts.
  public var isDoubtful: Bool { (artefactShare ?? 0) > Self.doubtfulShare }
}

/// Computes live values, with reusable buffers: one instance for all sensors of a hub.
public struct LiveBeatAnalyser: Sendable {
  /// s, period of spectral analysis: that of an optical sensor's batches, and a tenth of a one-minute window.
  public static let analysisPeriod = 5.0
  /// s, period over which artefacts are counted.
  public static let shareSpan = 10.0
  /// 10 s at 220 a minute (37), the 45 values before them for LT-1's thresholds, the 5 for its median, and room for
  /// dropped ones.
  static let classified = 128

  private var classifier = ArtefactClassifier()
  private var stretch: [Double] = []
  private var times: [Double] = []

  /// An analyser with empty buffers.
  public init() {
    stretch.reserveCapacity(Self.classified)
    times.reserveCapacity(Self.classified)
  }

  /// - Parameter now: s, monotonic.
  public mutating func values(of timeline: BeatTimeline, at now: Double) -> InstantValues {
    InstantValues(pulseRate: PulseRate.instantaneous(timeline, at: now), artefactShare: share(of: timeline, at: now))
  }

  /// Artefact share by LT-1, with earlier beats as context; nil without beats.
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

  /// Classifies the collected stretch, and clears it.
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
