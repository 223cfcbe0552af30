// Decoding of one run of a batch: its columns from differences to values, with a value for each row.

extension RowRun {
  init(reading run: Hearth_Uplink_Run) throws(RowBatchDefect) {
    let rows = Int(run.rows)
    if rows > RowBatch.rowLimit { throw .tooLarge }
    try require(rows > 0, "a run has no rows")
    for text in [run.device, run.series, run.unit, run.origin, run.kind, run.wearer] {
      try require(isPlain(text), "a name is too long, or no text")
    }
    try require(!run.series.isEmpty, "a run is of no series")
    guard run.address < 1 << 48 else { throw .contradiction("an address has more than 48 bits") }
    switch run.way {
    case .live: isFetched = false
    case .fetched: isFetched = true
    case .UNRECOGNIZED: throw .contradiction("rows came a way that is not known")
    }
    (enrolment, device, address, series, unit) = (run.enrolment, run.device, run.address, run.series, run.unit)
    (wearer, isRetimed) = (run.wearer, run.clockCorrected)
    ordinals = try Self.ordinals(run, rows)
    guard let first = ordinals.first, let skipped = Int64(exactly: run.skipped), skipped <= first else {
      throw .contradiction("more ordinals were skipped than there are before the first")
    }
    self.skipped = skipped
    times = try Self.times(run, rows)
    (width, numberEnds) = try Self.widths(run, rows)
    numbers = try Self.numbers(run, width, numberEnds, rows)
    guard run.exponent <= UInt32(RowBatch.exponentLimit) else { throw .contradiction("numbers have too many places") }
    exponent = Int(run.exponent)
    try require(run.ends.isEmpty || run.ends.count == rows, "ends of intervals are not as many as rows")
    ends = run.ends
    for (time, end) in zip(times, ends) {
      let (moment, overflow) = time.addingReportingOverflow(end)
      try require(!overflow && isMoment(moment), "an interval ends at no time that there is")
    }
    try require(run.data.isEmpty || run.data.count == rows, "pieces of data are not as many as rows")
    data = run.data.map { [UInt8]($0) }
    try require(run.counts.isEmpty || run.counts.count == rows, "counts are not as many as rows")
    counts = run.counts
    guard let period = Int64(exactly: run.periodNs) else { throw .contradiction("a period is longer than can be") }
    traits = RowTraits()
    (traits.origin, traits.kind, traits.isManual) = (run.origin, run.kind, run.manual)
    (traits.isClockUnsure, traits.isLowQuality) = (run.clockUnsure, run.lowQuality)
    (traits.encoding, traits.periodNs, traits.record) = (run.encoding, period, run.record)
  }

  private static func ordinals(_ run: Hearth_Uplink_Run, _ rows: Int) throws(RowBatchDefect) -> [Int64] {
    try require(run.gaps.isEmpty || run.gaps.count == rows - 1, "gaps are not as many as rows")
    guard var ordinal = Int64(exactly: run.first) else { throw .contradiction("an ordinal is larger than can be") }
    var ordinals: [Int64] = [ordinal]
    ordinals.reserveCapacity(rows)
    for row in 1..<max(rows, 1) {
      let gap = run.gaps.isEmpty ? 0 : run.gaps[row - 1]
      guard let step = Int64(exactly: gap), step < Int64.max else {
        throw .contradiction("an ordinal is larger than can be")
      }
      let (next, overflow) = ordinal.addingReportingOverflow(step + 1)
      try require(!overflow, "an ordinal is larger than can be")
      ordinal = next
      ordinals.append(next)
    }
    return ordinals
  }

  private static func times(_ run: Hearth_Uplink_Run, _ rows: Int) throws(RowBatchDefect) -> [Int64] {
    try require(run.times.count == rows - 1, "times are not as many as rows")
    try require(rows == 1 || run.timeStep > 0, "times have no unit")
    var (time, difference) = (run.timeUs, Int64(0))
    try require(isMoment(time), "a row is of no time that there is")
    var times = [time]
    times.reserveCapacity(rows)
    for change in run.times {
      let (scaled, over1) = change.multipliedReportingOverflow(by: Int64(run.timeStep))
      let (next, over2) = difference.addingReportingOverflow(scaled)
      let (moment, over3) = time.addingReportingOverflow(next)
      try require(!over1 && !over2 && !over3 && isMoment(moment), "a row is of no time that there is")
      (time, difference) = (moment, next)
      times.append(time)
    }
    return times
  }

  private static func widths(_ run: Hearth_Uplink_Run, _ rows: Int) throws(RowBatchDefect) -> (Int, [Int]) {
    if run.widths.isEmpty {
      let (total, overflow) = Int(run.width).multipliedReportingOverflow(by: rows)
      try require(!overflow && total == run.numbers.count, "numbers are not as many as rows have")
      return (Int(run.width), [])
    }
    try require(run.width == 0 && run.widths.count == rows, "widths are not as many as rows")
    var ends: [Int] = []
    ends.reserveCapacity(rows)
    var end = 0
    // 65,536 widths of 32 bits stay below 2^48.
    for width in run.widths {
      end += Int(width)
      ends.append(end)
    }
    try require(end == run.numbers.count, "numbers are not as many as rows have")
    return (0, ends)
  }

  /// Numbers from differences to the same position of the previous row, times `multiple`.
  private static func numbers(_ run: Hearth_Uplink_Run, _ width: Int, _ ends: [Int], _ rows: Int)
    throws(RowBatchDefect) -> [Int64]
  {
    guard let multiple = Int64(exactly: run.multiple), multiple > 0 || run.numbers.isEmpty else {
      throw .contradiction("numbers have no unit")
    }
    var plain = run.numbers
    var values: [Int64] = []
    values.reserveCapacity(plain.count)
    var (start, before) = (0, 0..<0)
    for row in 0..<rows {
      let end = ends.isEmpty ? start + width : ends[row]
      for place in start..<end {
        let other = before.lowerBound + (place - start)
        let base = other < before.upperBound ? plain[other] : 0
        let (number, over1) = plain[place].addingReportingOverflow(base)
        let (value, over2) = number.multipliedReportingOverflow(by: multiple)
        try require(!over1 && !over2, "a number is larger than can be")
        plain[place] = number
        values.append(value)
      }
      (before, start) = (start..<end, end)
    }
    return values
  }
}
