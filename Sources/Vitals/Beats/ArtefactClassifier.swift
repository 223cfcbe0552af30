// Method LT-1, first half: classification of artefacts. The decision tree of Lipponen and Tarvainen (2019) with every
// detail fixed; one pass, no iteration. Correction is the other half.

/// Classification of an interval by LT-1.
public enum BeatClass: UInt8, Sendable, Hashable, CaseIterable {
  case normal
  /// A premature beat, or one after it.
  case ectopic
  /// A beat was not detected: the interval holds two.
  case missed
  /// A beat was detected that did not happen.
  case extra
  /// Interval too long or too short, for a reason outside the decision tree.
  case longShort
}

/// Classifies intervals, with reusable buffers.
public struct ArtefactClassifier: Sendable {
  /// Slopes of the ectopic area (Lipponen and Tarvainen, c1 and c2).
  static let slope = 0.13
  static let offset = 0.17
  /// Covers 99.95 % of a normal distribution when multiplied with the quartile deviation (alpha in the paper).
  static let alpha = 5.2
  /// 91 values centred on each: the paper's window for thresholds.
  static let thresholdRadius = 45
  /// 11 values centred on each: the paper's median filter.
  static let medianRadius = 5
  /// Multiples of the threshold by which an interval is far from its median.
  static let far = 3.0
  /// Number of intervals below which the quartiles mean too little: all count as normal.
  public static let fewest = 10

  /// Class of each interval of the last call.
  public private(set) var classes: [BeatClass] = []

  /// R, in s; the mean is put before the first interval, so this and all arrays below have one more element.
  private var intervals: [Double] = []
  /// d, later D: differences in multiples of their threshold; NaN if the threshold is zero.
  private var steps: [Double] = []
  /// e, later M: distance from the median in multiples of its threshold.
  private var distances: [Double] = []
  private var medians: [Double] = []
  /// Magnitudes |d| or |e|, in s.
  private var magnitudes: [Double] = []
  /// T1, later T2.
  private var thresholds: [Double] = []
  private var wide = SortedWindow(capacity: 2 * thresholdRadius + 2)
  private var narrow = SortedWindow(capacity: 2 * medianRadius + 2)
  var correction = ArtefactCorrection()

  /// A classifier with empty buffers.
  public init() {}

  /// Classifies a stretch by LT-1 only.
  ///
  /// - Parameter stretch: ms, finite, in the order of time.
  public mutating func classify(_ stretch: ArraySlice<Double>) {
    classes.removeAll(keepingCapacity: true)
    for _ in stretch { classes.append(.normal) }
    guard stretch.count >= Self.fewest else { return }
    prepare(stretch)
    scan()
  }

  /// Classifies like `classify`, but also reports implausible intervals that LT-1 accepts as long or short.
  public mutating func classifyScreened(_ stretch: ArraySlice<Double>) {
    classify(stretch)
    for (index, interval) in stretch.enumerated()
    where classes[index] == .normal && !IntervalScreening.plausible.contains(interval) {
      classes[index] = .longShort
    }
  }

  private mutating func prepare(_ stretch: ArraySlice<Double>) {
    intervals.removeAll(keepingCapacity: true)
    intervals.append(0)
    var sum = 0.0
    for interval in stretch {
      let seconds = wholeMilliseconds(interval) / 1000
      intervals.append(seconds)
      sum += seconds
    }
    intervals[0] = sum / Double(stretch.count)

    steps.removeAll(keepingCapacity: true)
    steps.append(0)
    var stepSum = 0.0
    for index in 1..<intervals.count {
      let step = intervals[index] - intervals[index - 1]
      steps.append(step)
      stepSum += step
    }
    steps[0] = stepSum / Double(stretch.count)
    fillThresholds(of: steps)
    for index in steps.indices { steps[index] = ratio(steps[index], thresholds[index]) }

    narrow.slide(over: intervals, radius: Self.medianRadius, into: &medians) { $0.median }
    distances.removeAll(keepingCapacity: true)
    for index in intervals.indices {
      let distance = intervals[index] - medians[index]
      distances.append(distance < 0 ? 2 * distance : distance)
    }
    fillThresholds(of: distances)
    for index in distances.indices { distances[index] = ratio(distances[index], thresholds[index]) }
  }

  private mutating func fillThresholds(of series: [Double]) {
    magnitudes.removeAll(keepingCapacity: true)
    for value in series { magnitudes.append(value.magnitude) }
    wide.slide(over: magnitudes, radius: Self.thresholdRadius, into: &thresholds) {
      Self.alpha * (($0.quantile(0.75) - $0.quantile(0.25)) / 2)
    }
  }

  private func ratio(_ value: Double, _ threshold: Double) -> Double { threshold == 0 ? .nan : value / threshold }

  /// D, extended by two mirrored values on each side; the edge itself is not repeated.
  private func step(_ index: Int) -> Double {
    let last = steps.count - 1
    return steps[index < 0 ? -index : index > last ? 2 * last - index : index]
  }

  /// NaN if either is NaN, so that every comparison with it is false.
  private func larger(_ a: Double, _ b: Double) -> Double { a.isNaN || b.isNaN ? .nan : Swift.max(a, b) }
  private func smaller(_ a: Double, _ b: Double) -> Double { a.isNaN || b.isNaN ? .nan : Swift.min(a, b) }

  private func isEctopic(_ index: Int) -> Bool {
    let here = steps[index]
    // The neighbour on the other side (S12).
    if here > 1 { return larger(step(index - 1), step(index + 1)) < -Self.slope * here - Self.offset }
    if here < -1 { return smaller(step(index - 1), step(index + 1)) > -Self.slope * here + Self.offset }
    return false
  }

  private mutating func scan() {
    var index = 0
    while index < intervals.count - 2 {
      let here = steps[index].magnitude
      if here <= 1 {
        index += 1
      } else if isEctopic(index) {
        report(index, .ectopic)
        index += 1
      } else if !(here > 1), !(distances[index].magnitude > Self.far) {
        index += 1
      } else {
        let both = steps[index + 1].magnitude < steps[index + 2].magnitude
        examine(index)
        if both { examine(index + 1) }
        index += both ? 2 : 1
      }
    }
  }

  /// Classifies a candidate for missed, extra, long or short.
  ///
  /// - Parameter index: below the last index of R.
  private mutating func examine(_ index: Int) {
    let here = steps[index]
    // The following interval goes the other way (S22).
    let isLong = here > 1 && smaller(step(index + 1), step(index + 2)) < -1
    let isShort = here < -1 && larger(step(index + 1), step(index + 2)) > 1
    guard isLong || isShort || distances[index].magnitude > Self.far else { return }
    let (median, threshold) = (medians[index], thresholds[index])
    if isShort, (intervals[index] + intervals[index + 1] - median).magnitude < threshold {
      report(index, .extra)
    } else if isLong, (intervals[index] / 2 - median).magnitude < threshold {
      report(index, .missed)
    } else {
      report(index, .longShort)
    }
  }

  /// - Parameter index: in R; a report about the mean before the first interval is dropped.
  private mutating func report(_ index: Int, _ found: BeatClass) {
    if index > 0 { classes[index - 1] = found }
  }
}

/// ms, as a whole number. Half to even, as the reference implementations round.
func wholeMilliseconds(_ interval: Double) -> Double { interval.rounded(.toNearestOrEven) }
