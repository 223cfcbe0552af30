// What is left out of a measurement's record so that its bytes fit into one item of a ring. Intervals go first, the
// last of them; results stay as long as anything else is there.

extension MeasurementRecord {
  /// As its bytes keep it: what has no room is left out from the end of its list and counted. Intervals go first, then
  /// gaps, then what is not reported. Results go last: no measurement of this hub has so many that it comes to that.
  public var fitted: MeasurementRecord {
    var record = self
    // Each turn leaves something out, and what is no list has less than 500 bytes.
    while true {
      let excess = record.wholeBytes.count - Self.sizeLimit
      guard excess > 0, record.leaveOut(bytes: excess) else { return record }
    }
  }

  /// Leaves the ends of lists out until so many bytes are saved; false where nothing is left to leave out.
  private mutating func leaveOut(bytes: Int) -> Bool {
    var saved = 0
    var count: UInt32 = 0
    func shorten<Entry>(_ list: inout [Entry], _ write: (Entry, inout RecordWriter) -> Void) {
      while saved < bytes, let last = list.popLast() {
        var writer = RecordWriter()
        write(last, &writer)
        saved += writer.bytes.count
        count += 1
      }
    }
    shorten(&intervals) { Self.write($0, &$1) }
    shorten(&gaps) { Self.write($0, &$1) }
    shorten(&notReported) { Self.write($0, &$1) }
    shorten(&results) { Self.write($0, &$1) }
    let (sum, isTooMuch) = leftOut.addingReportingOverflow(count)
    leftOut = isTooMuch ? .max : sum
    return count > 0
  }
}
