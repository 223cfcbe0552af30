// Method LT-1, second half: replacement of the classified beats. Works on times of beats in whole ms, so that a shorter
// interval makes its neighbour longer.

/// Interval after correction.
public struct CorrectedInterval: Sendable, Hashable {
  /// Length in ms after correction.
  public var milliseconds: Double
  /// Whether correction touched one of its two beats.
  public var isCorrected: Bool

  /// An interval; `isCorrected`: it was changed.
  public init(milliseconds: Double, isCorrected: Bool) {
    self.milliseconds = milliseconds
    self.isCorrected = isCorrected
  }
}

/// Corrects one stretch at a time, with reusable buffers.
struct ArtefactCorrection: Sendable {
  private struct Moment {
    /// ms since the beat before the first interval.
    var time: Int
    /// Whether the interval that ends here was changed.
    var isTouched = false
  }

  private var moments: [Moment] = []
  private var spare: [Moment] = []
  // Indexes of beats in `moments`, ascending. Interval i ends with beat i + 1.
  private var extra: [Int] = []
  private var missed: [Int] = []
  private var ectopic: [Int] = []
  private var longShort: [Int] = []

  init() {}

  /// - Parameters:
  ///   - stretch: ms.
  ///   - found: class of each interval.
  ///   - append: receives the corrected intervals. A stretch without artefacts is passed unchanged, fractions of a ms
  ///     included.
  mutating func correct(
    _ stretch: ArraySlice<Double>, _ found: [BeatClass], _ append: (CorrectedInterval) -> Void
  ) {
    guard found.count == stretch.count, found.contains(where: { $0 != .normal }) else {
      for interval in stretch { append(CorrectedInterval(milliseconds: interval, isCorrected: false)) }
      return
    }
    lay(stretch)
    Self.places(of: .extra, in: found, into: &extra)
    Self.places(of: .missed, in: found, into: &missed)
    Self.places(of: .ectopic, in: found, into: &ectopic)
    Self.places(of: .longShort, in: found, into: &longShort)
    removeExtra()
    Self.shift(&missed, by: -1, for: extra)
    Self.shift(&ectopic, by: -1, for: extra)
    Self.shift(&longShort, by: -1, for: extra)
    insertMissed()
    Self.shift(&ectopic, by: 1, for: missed)
    Self.shift(&longShort, by: 1, for: missed)
    move(ectopic)
    move(longShort)
    for index in moments.indices.dropFirst() {
      let length = moments[index].time - moments[index - 1].time
      append(CorrectedInterval(milliseconds: Double(length), isCorrected: moments[index].isTouched))
    }
  }

  private mutating func lay(_ stretch: ArraySlice<Double>) {
    moments.removeAll(keepingCapacity: true)
    moments.append(Moment(time: 0))
    let range = IntervalScreening.representable
    var time = 0
    for interval in stretch {
      let bounded = interval.isFinite ? Swift.min(Swift.max(interval, range.lowerBound), range.upperBound) : 0
      time += Int(wholeMilliseconds(bounded))
      moments.append(Moment(time: time))
    }
  }

  private static func places(of kind: BeatClass, in found: [BeatClass], into places: inout [Int]) {
    places.removeAll(keepingCapacity: true)
    for index in found.indices where found[index] == kind { places.append(index + 1) }
  }

  /// Shifts indexes for beats that were removed or added before them.
  ///
  /// The beats are processed one after the other, and each is compared with the index as shifted so far. So a report
  /// directly behind a removed beat stays one too high if others were removed before. The method and its test vectors
  /// define it so. An artefact with two reports may therefore be corrected beside its middle.
  private static func shift(_ places: inout [Int], by distance: Int, for beats: [Int]) {
    var passed = 0
    for index in places.indices {
      while passed < beats.count, beats[passed] - distance * passed < places[index] { passed += 1 }
      places[index] += distance * passed
    }
  }

  private mutating func removeExtra() {
    guard !extra.isEmpty else { return }
    spare.removeAll(keepingCapacity: true)
    var (next, wasRemoved) = (0, false)
    for index in moments.indices {
      if next < extra.count, extra[next] == index {
        next += 1
        wasRemoved = true
        continue
      }
      var moment = moments[index]
      moment.isTouched = moment.isTouched || wasRemoved
      wasRemoved = false
      spare.append(moment)
    }
    swap(&spare, &moments)
  }

  /// Inserts a beat midway before each beat that follows a missed one.
  private mutating func insertMissed() {
    guard !missed.isEmpty else { return }
    spare.removeAll(keepingCapacity: true)
    var next = 0
    for index in moments.indices {
      var moment = moments[index]
      if next < missed.count, missed[next] == index, index > 0 {
        spare.append(Moment(time: Self.middle(moments[index - 1].time, moment.time), isTouched: true))
        moment.isTouched = true
      }
      while next < missed.count, missed[next] <= index { next += 1 }
      spare.append(moment)
    }
    swap(&spare, &moments)
  }

  /// Moves beats to the middle of their neighbours' old times. The first two and the last stay.
  private mutating func move(_ places: [Int]) {
    guard !places.isEmpty else { return }
    spare.removeAll(keepingCapacity: true)
    spare.append(contentsOf: moments)
    for index in places where index > 1 && index < spare.count - 1 {
      moments[index].time = Self.middle(spare[index - 1].time, spare[index + 1].time)
      moments[index].isTouched = true
      moments[index + 1].isTouched = true
    }
    // If two neighbours moved, their order may have changed.
    moments.sort { $0.time < $1.time }
  }

  /// Whole ms; times are not negative, so truncation rounds down.
  private static func middle(_ before: Int, _ after: Int) -> Int { before + (after - before) / 2 }
}

extension ArtefactClassifier {
  /// Classifies and corrects every stretch.
  ///
  /// - Parameters:
  ///   - series: ms, as received.
  ///   - corrected: receives the result, with the same stretches.
  /// - Returns: number of intervals that LT-1 reports.
  public mutating func correct(_ series: BeatSeries, into corrected: inout CorrectedSeries) -> Int {
    corrected.removeAll()
    var reports = 0
    for range in series.stretches {
      let stretch = series.intervals[range]
      classifyScreened(stretch)
      for found in classes where found != .normal { reports += 1 }
      corrected.beginStretch()
      correction.correct(stretch, classes) { corrected.append($0) }
    }
    return reports
  }
}

/// Intervals after correction, with a flag for each that was changed.
public struct CorrectedSeries: Sendable, Hashable {
  /// Corrected intervals, in ms.
  public private(set) var series = BeatSeries()
  /// Flags with the length of the series.
  public private(set) var isCorrected: [Bool] = []

  /// A correction with empty buffers.
  public init() {}

  mutating func beginStretch() { series.beginStretch() }

  mutating func append(_ interval: CorrectedInterval) {
    let before = series.count
    series.append(interval.milliseconds)
    if series.count > before { isCorrected.append(interval.isCorrected) }
  }

  mutating func removeAll() {
    series.removeAll()
    isCorrected.removeAll(keepingCapacity: true)
  }
}
