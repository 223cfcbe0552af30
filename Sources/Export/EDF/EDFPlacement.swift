// Further passes over the rows: the cell of each value, and annotations for values without a cell.
//
// Every pass makes the same decisions, as they depend on the rows before alone. The first marks the data records, the
// second counts the annotations, the last one writes.

internal import Health

/// Receiver of the placed values in one pass.
protocol EDFSink {
  /// Values of neighbouring cells of a lane's rate, cell after cell, each with all its components.
  mutating func put(
    _ numbers: some RandomAccessCollection<Int64>, track: Int, lane: Int, _ rate: EDFRate, at cell: Int64)
  mutating func annotate(_ annotation: EDFAnnotation)
}

/// Signals of one track that have the same rate and do not overlap: most tracks have one.
struct EDFLane {
  let rate: EDFRate
  var cells = EDFCells()
}

struct EDFPlacement {
  /// Signals beside each other for rows that overlap. Blocks beyond are left out, and an annotation says so.
  static let laneLimit = 8
  /// Seconds that a value of its own time may stand behind it. A value without a free cell is an annotation.
  private static let patience: Int64 = 2
  /// Microseconds without a row that end a stretch of marks.
  private static let stretch: Int64 = 60_000_000

  private struct State {
    var lanes: [EDFLane] = []
    var run = EDFRun()
    /// Index of the present run.
    var runIndex = -1
    var lane = 0
    var next: Int64?
    /// Quarters of a second that values stand late by.
    var late: Int64 = 0
    var marks: EDFRow.Marks = []
    var marked: (from: Int64, to: Int64) = (0, 0)
  }

  private let tracks: EDFTracks
  /// Names of the wearables, if there are several.
  private let devices: [String]
  private var states: [State]
  /// Rows of a waveform that found no place.
  private(set) var leftOut = 0

  init(_ tracks: EDFTracks, devices: [String]) {
    self.tracks = tracks
    self.devices = devices.count > 1 ? devices : []
    states = Array(repeating: State(), count: tracks.all.count)
  }

  /// The rates of the signals of a track.
  func lanes(_ track: Int) -> [EDFRate] { states[track].lanes.map(\.rate) }

  private func name(_ device: Int) -> String? { devices.indices.contains(device) ? devices[device] : nil }

  mutating func place(_ row: EDFRow, _ sink: inout some EDFSink) {
    guard let key = row.trackKey, let track = tracks.places[key] else {
      return sink.annotate(row.annotation(device: name(row.device)))
    }
    switch row.content {
    case .values(let values):
      mark(row, track, end: row.time, &sink)
      place(values, of: row, track, &sink)
    case .block(let period, let numbers):
      let count = Int64(numbers.count / row.series.edfComponents)
      mark(row, track, end: row.time + count * period / 1000, &sink)
      place(numbers, count, period, of: row, track, &sink)
    case .span, .opaque: break
    }
  }

  /// Ends the stretches that are open.
  mutating func finish(_ sink: inout some EDFSink) {
    for track in states.indices { endStretch(track, &sink) }
  }

  // MARK: Values

  private mutating func place(_ values: [Int64], of row: EDFRow, _ track: Int, _ sink: inout some EDFSink) {
    let rate = tracks.all[track].classes[0]
    if states[track].lanes.isEmpty { states[track].lanes.append(EDFLane(rate: rate)) }
    let wanted = rate.cell(of: row.time, nearest: false)
    let cell = states[track].lanes[0].cells.free(from: wanted)
    guard cell - wanted <= Self.patience * rate.samples else {
      var other = row
      // The marks have an annotation already.
      other.marks = []
      return sink.annotate(other.annotation(device: name(row.device)))
    }
    states[track].lanes[0].cells.take(cell..<(cell + 1))
    sink.put(values, track: track, lane: 0, rate, at: cell)
  }

  // MARK: Waveforms

  private mutating func place(
    _ numbers: [Int32], _ count: Int64, _ period: Int64, of row: EDFRow, _ track: Int, _ sink: inout some EDFSink
  ) {
    let goesOn = states[track].run.goesOn(at: row.time, period)
    if goesOn {
      states[track].run.add(count, period, at: row.time)
    } else {
      let end = states[track].run.end
      if states[track].runIndex >= 0, row.time > end { gap(row, from: end, &sink) }
      states[track].run = EDFRun(count, period, at: row.time)
      states[track].runIndex += 1
      (states[track].next, states[track].late) = (nil, 0)
    }
    let rates = tracks.all[track].rates
    guard rates.indices.contains(states[track].runIndex) else { return }
    let rate = rates[states[track].runIndex]
    let wanted = follow(rate, row, track, &sink)
    guard let (lane, cell) = room(for: count, at: wanted, rate, track) else {
      leftOut += 1
      states[track].next = nil
      return sink.annotate(row.annotation(device: name(row.device)))
    }
    states[track].lanes[lane].cells.take(cell..<(cell + count))
    (states[track].lane, states[track].next) = (lane, cell + count)
    sink.put(numbers.lazy.map { Int64($0) }, track: track, lane: lane, rate, at: cell)
  }

  /// The cell of the next block. Blocks of a run stand one after the other. If the wearable's clock is slower than
  /// the rate, cells without a value follow after a quarter of a second.
  private mutating func follow(_ rate: EDFRate, _ row: EDFRow, _ track: Int, _ sink: inout some EDFSink) -> Int64 {
    let own = rate.cell(of: row.time, nearest: true)
    guard let next = states[track].next else { return own }
    let quarter = Self.quarter(rate)
    if own - next > quarter {
      gap(row, from: rate.time(of: next), &sink)
      return own
    }
    let late = max(next - own, 0) / quarter
    if late > states[track].late {
      let text = "\(row.series.name) stands \(late * 250) ms late"
      sink.annotate(EDFAnnotation(time: row.time, text: text + suffix(row.device)))
      states[track].late = late
    }
    return next
  }

  private static func quarter(_ rate: EDFRate) -> Int64 { max(2, rate.samples / (4 * rate.seconds)) }

  /// The lane of the run before others; behind what is there, if that is less than a quarter of a second.
  private mutating func room(for count: Int64, at wanted: Int64, _ rate: EDFRate, _ track: Int)
    -> (lane: Int, cell: Int64)?
  {
    let lanes = states[track].lanes
    let first = states[track].lane
    for lane in [first] + lanes.indices.filter({ $0 != first }) where lanes.indices.contains(lane) {
      if lanes[lane].rate != rate { continue }
      var cell = wanted
      if let end = lanes[lane].cells.end, end > wanted, end - wanted <= Self.quarter(rate) { cell = end }
      if lanes[lane].cells.isFree(cell..<(cell + count)) { return (lane, cell) }
    }
    if lanes.count >= Self.laneLimit { return nil }
    states[track].lanes.append(EDFLane(rate: rate))
    return (lanes.count, wanted)
  }

  private func gap(_ row: EDFRow, from start: Int64, _ sink: inout some EDFSink) {
    sink.annotate(
      EDFAnnotation(
        time: start, duration: max(0, row.time - start), text: "gap in \(row.series.name)" + suffix(row.device)))
  }

  private func suffix(_ device: Int) -> String { name(device).map { " [\($0)]" } ?? "" }

  // MARK: Marks

  /// Makes one annotation for all neighbouring values with the same marks.
  private mutating func mark(_ row: EDFRow, _ track: Int, end: Int64, _ sink: inout some EDFSink) {
    let state = states[track]
    if state.marks == row.marks, state.marks == [] { return }
    if state.marks == row.marks, row.time >= state.marked.from, row.time - state.marked.to <= Self.stretch {
      states[track].marked.to = max(state.marked.to, end)
      return
    }
    endStretch(track, &sink)
    (states[track].marks, states[track].marked) = (row.marks, (row.time, end))
  }

  private mutating func endStretch(_ track: Int, _ sink: inout some EDFSink) {
    let (marks, marked) = (states[track].marks, states[track].marked)
    states[track].marks = []
    if marks == [] { return }
    let key = tracks.all[track].key
    sink.annotate(
      EDFAnnotation(
        time: marked.from, duration: marked.to - marked.from,
        text: "\(key.series.name): \(marks.words)\(suffix(key.device))"))
  }
}
