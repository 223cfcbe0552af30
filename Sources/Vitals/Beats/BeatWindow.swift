// Part of a timeline: the usable intervals of a period, and the counts that show their quality.

/// Data received between two moments.
public struct BeatWindow: Sendable, Hashable {
  /// Usable intervals in ms, before correction.
  public var series = BeatSeries()
  /// Start in s of the monotonic clock.
  public var start = 0.0
  /// End in s of the monotonic clock.
  public var end = 0.0
  /// Intervals received, dropped ones included.
  public var received = 0
  /// Intervals that the checks dropped.
  public var dropped = 0
  /// Intervals that the checks doubt.
  public var uncertain = 0
  /// s, part of its first interval that lies before the window.
  public var lead = 0.0
  /// s, sum of the gaps that end in the window, counted only within it.
  public var gapSeconds = 0.0

  /// An empty window.
  public init() {}

  /// A window of good intervals, such as a recording.
  ///
  /// - Parameter seconds: nil: the sum of the intervals.
  public init(_ series: BeatSeries, seconds: Double? = nil) {
    self.series = series
    received = series.count
    end = seconds ?? series.duration
  }

  /// s, at least 0.
  public var length: Double {
    let length = end - start
    return length.isFinite ? Swift.max(0, length) : 0
  }
}

extension BeatTimeline {
  /// The intervals with beats after `start`, up to and including `end`.
  ///
  /// - Parameters:
  ///   - start: s, monotonic.
  ///   - end: s, monotonic.
  public func window(from start: Double, to end: Double) -> BeatWindow {
    var window = BeatWindow()
    fill(&window, from: start, to: end)
    return window
  }

  /// Fills like `window(from:to:)`, but reuses memory.
  public func fill(_ window: inout BeatWindow, from start: Double, to end: Double) {
    window.series.removeAll()
    (window.start, window.end) = (start, end)
    (window.received, window.dropped, window.uncertain, window.gapSeconds) = (0, 0, 0, 0)
    window.lead = 0
    var stretch: UInt32?
    for index in 0..<count {
      let beat = self[index]
      guard beat.time > start, beat.time <= end else { continue }
      window.received += 1
      guard beat.isUsable else {
        window.dropped += 1
        continue
      }
      if beat.verdict == .uncertain { window.uncertain += 1 }
      if window.series.isEmpty { window.lead = Swift.max(0, start - (beat.time - beat.interval / 1000)) }
      if beat.stretch != stretch {
        window.series.beginStretch()
        stretch = beat.stretch
      }
      window.series.append(beat.interval)
    }
    for index in 0..<gapCount {
      let gap = self.gap(index)
      guard gap.end > start else { continue }
      window.gapSeconds += Swift.max(0, Swift.min(gap.end, end) - Swift.max(gap.end - gap.length, start))
    }
  }
}
