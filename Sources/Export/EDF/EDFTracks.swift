// First pass over the rows: which signals there are, between which numbers, and at which rates.

internal import CivilTime
internal import Health

/// Samples in a number of whole seconds.
struct EDFRate: Sendable, Hashable {
  /// Number of samples in `seconds`, at least 1.
  var samples: Int64
  /// Number of whole seconds, 1 to `secondsLimit`.
  var seconds: Int64

  static let secondsLimit: Int64 = 10

  /// Nanoseconds from sample to sample.
  var period: Double { Double(seconds) * 1e9 / Double(samples) }

  /// The rate with the shortest number of seconds that is within a thousandth, else the nearest of all.
  ///
  /// - Parameter period: nanoseconds.
  init(period: Double) {
    (samples, seconds) = (1, 1)
    var least = Double.infinity
    for length in 1...Self.secondsLimit {
      let count = min(max((Double(length) * 1e9 / period).rounded(), 1), 100_000)
      let error = abs(count * period / (Double(length) * 1e9) - 1)
      if error < least { (samples, seconds, least) = (Int64(count), length, error) }
      if least <= 0.001 { return }
    }
  }

  init(samples: Int64, seconds: Int64 = 1) { (self.samples, self.seconds) = (samples, seconds) }

  /// The cell that a time lies in, counted from 1970.
  ///
  /// - Parameter isNearest: the cell that begins nearest, as for samples of a waveform with jitter.
  func cell(of time: Int64, nearest isNearest: Bool) -> Int64 {
    let divisor = Int128(seconds) * 1_000_000
    let product = Int128(time) * Int128(samples) + (isNearest ? divisor / 2 : 0)
    return Int64(truncatingIfNeeded: floorDivide(product, divisor))
  }

  /// Microseconds since 1970 at which a cell begins.
  func time(of cell: Int64) -> Int64 {
    Int64(truncatingIfNeeded: floorDivide(Int128(cell) * Int128(seconds) * 1_000_000, Int128(samples)))
  }
}

/// Key of the values that become one signal, or several beside each other if rows overlap.
struct EDFTrackKey: Hashable {
  let device: Int
  let series: Series
  let kind: SampleKind
  let origin: Origin
  let isWaveform: Bool
}

/// Facts about one track, from the first pass.
struct EDFTrack {
  let key: EDFTrackKey
  /// Lowest stored value of each component.
  var lowest: [Int64]
  var highest: [Int64]
  /// Rates of a waveform, one for each of its runs: blocks that follow each other without a gap.
  var rates: [EDFRate] = []
  /// Distinct elements of `rates`; a single one for values.
  var classes: [EDFRate] = []

  private var runs: [(period: Double, length: Double)] = []
  private var run = EDFRun()
  private var intervals = (count: Int64(0), sum: Int64(0))
  private var last: Int64?
  private var count = 0
  /// Values in the same second as the one before.
  private var crowd = 0

  init(_ key: EDFTrackKey) {
    self.key = key
    lowest = Array(repeating: .max, count: key.series.edfComponents)
    highest = Array(repeating: .min, count: key.series.edfComponents)
  }

  mutating func add(values: [Int64], at time: Int64) {
    for (component, value) in values.enumerated() { widen(component, value) }
    let second = floorDivide(time, 1_000_000)
    if let last {
      if time > last, time - last < 5_000_000 { intervals = (intervals.count + 1, intervals.sum + (time - last)) }
      if floorDivide(last, 1_000_000) == second { crowd += 1 }
    }
    (last, count) = (time, count + 1)
  }

  mutating func add(block numbers: [Int32], period: Int64, at time: Int64) {
    let components = lowest.count
    for (index, number) in numbers.enumerated() { widen(index % components, Int64(number)) }
    let count = Int64(numbers.count / components)
    if run.goesOn(at: time, period) {
      run.add(count, period, at: time)
    } else {
      endRun()
      run = EDFRun(count, period, at: time)
    }
  }

  /// The rates are known from here on. The period of a short run jitters. Such a run takes the rate of a longer one
  /// if its samples then lie within a quarter of a second.
  mutating func finish() {
    guard key.isWaveform else {
      // By the distances of neighbours, as times jitter; and by the seconds that have any, as values come in bursts.
      let mean = intervals.count > 0 ? Double(intervals.sum) / Double(intervals.count) : 1_000_000
      let perSecond = min(1_000_000 / mean, Double(count) / Double(max(count - crowd, 1)))
      classes = [EDFRate(samples: Int64(min(max((perSecond - 0.03).rounded(.up), 1), 1000)))]
      return
    }
    endRun()
    rates = Array(repeating: EDFRate(samples: 1), count: runs.count)
    for index in runs.indices.sorted(by: { (runs[$0].length, $1) > (runs[$1].length, $0) }) {
      let (period, length) = runs[index]
      let known = classes.first { abs($0.period / period - 1) * length <= 250_000_000 }
      rates[index] = known ?? EDFRate(period: period)
      if !classes.contains(rates[index]) { classes.append(rates[index]) }
    }
    runs = []
  }

  /// Takes whole hertz if the seconds of all rates together would make a data record too long.
  mutating func useWholeHertz() {
    func whole(_ rate: EDFRate) -> EDFRate { EDFRate(samples: (rate.samples + rate.seconds - 1) / rate.seconds) }
    rates = rates.map(whole)
    var seen: [EDFRate] = []
    for rate in classes.map(whole) where !seen.contains(rate) { seen.append(rate) }
    classes = seen
  }

  private mutating func endRun() {
    if run.count > 0 { runs.append((run.meanPeriod, run.meanPeriod * Double(run.count))) }
    run = EDFRun()
  }

  private mutating func widen(_ component: Int, _ value: Int64) {
    guard component < lowest.count else { return }
    lowest[component] = min(lowest[component], value)
    highest[component] = max(highest[component], value)
  }
}

/// Tracks of a file, in the order in which their first rows come.
struct EDFTracks {
  /// Nanoseconds from sample to sample of a waveform that becomes a signal of its own rate: 0.2 ms to 5 s.
  static let periods: ClosedRange<Int64> = 200_000...5_000_000_000
  /// Times that the header of a file can say: the years 1970 to 9999.
  static let times: ClosedRange<Int64> = 0...253_402_300_799_000_000
  /// Seconds of a data record at most.
  private static let recordLimit: Int64 = 60

  private(set) var all: [EDFTrack] = []
  private(set) var places: [EDFTrackKey: Int] = [:]
  /// Seconds of a data record: whole samples of each rate.
  private(set) var recordLength: Int64 = 1

  mutating func add(_ row: EDFRow) {
    guard let key = row.trackKey else { return }
    let place = places[key] ?? all.count
    if place == all.count {
      places[key] = place
      all.append(EDFTrack(key))
    }
    switch row.content {
    case .values(let values): all[place].add(values: values, at: row.time)
    case .block(let period, let numbers): all[place].add(block: numbers, period: period, at: row.time)
    case .span, .opaque: break
    }
  }

  mutating func finish() {
    for place in all.indices { all[place].finish() }
    for place in all.indices {
      var length = recordLength
      for rate in all[place].classes { length = Self.common(length, rate.seconds) }
      if length > Self.recordLimit { all[place].useWholeHertz() } else { recordLength = length }
    }
  }

  /// The least number of seconds that both divide.
  private static func common(_ a: Int64, _ b: Int64) -> Int64 {
    var (x, y) = (a, b)
    while y != 0 { (x, y) = (y, x % y) }
    return a / x * b
  }
}

extension EDFRow {
  /// The track of the row; nil for a row that is an annotation.
  var trackKey: EDFTrackKey? {
    if series.edfIsEvent || !EDFTracks.times.contains(time) { return nil }
    let isWaveform: Bool
    switch content {
    case .values(let values) where values.count == series.edfComponents: isWaveform = false
    case .block(let period, let numbers):
      guard EDFTracks.periods.contains(period), !numbers.isEmpty, numbers.count % series.edfComponents == 0 else {
        return nil
      }
      isWaveform = true
    case .values, .span, .opaque: return nil
    }
    return EDFTrackKey(device: device, series: series, kind: kind, origin: origin, isWaveform: isWaveform)
  }

  /// A waveform that is slower than `EDFTracks.periods` as values, each with its time; every other row as it is.
  func forEachPart(_ body: (EDFRow) -> Void) {
    guard case .block(let period, let numbers) = content, period > EDFTracks.periods.upperBound,
      numbers.count % series.edfComponents == 0
    else { return body(self) }
    let components = series.edfComponents
    for sample in 0..<(numbers.count / components) {
      var part = self
      part.time = time &+ Int64(truncatingIfNeeded: Int128(sample) * Int128(period) / 1000)
      part.content = .values(numbers[(sample * components)..<((sample + 1) * components)].map { Int64($0) })
      body(part)
    }
  }
}

/// Blocks of a waveform that follow each other without a gap.
struct EDFRun {
  private(set) var count: Int64 = 0
  private var start: Int64 = 0
  /// Begin of the next block, microseconds.
  private(set) var end: Int64 = 0
  private var counted: Int64 = 0
  private var lastStart: Int64 = 0
  private var lastPeriod: Int64 = 0

  init() {}

  init(_ count: Int64, _ period: Int64, at time: Int64) {
    start = time
    add(count, period, at: time)
  }

  /// Whether a block is the next one: within two samples and 5 ms of the end of the one before.
  func goesOn(at time: Int64, _ period: Int64) -> Bool {
    count > 0 && abs(time &- end) <= 2 * min(period, 10_000_000_000) / 1000 + 5000
  }

  mutating func add(_ more: Int64, _ period: Int64, at time: Int64) {
    (counted, lastStart, lastPeriod) = (count, time, period)
    count += more
    end = time &+ Int64(truncatingIfNeeded: Int128(more) * Int128(period) / 1000)
  }

  /// Nanoseconds: from the first block to the last, as a block's own period jitters.
  var meanPeriod: Double {
    let measured = counted > 0 ? Double(lastStart - start) * 1000 / Double(counted) : 0
    return max(measured > 0 ? measured : Double(lastPeriod), Double(EDFTracks.periods.lowerBound))
  }
}
