// Reduction of a measurement's record to the size of one item of a ring. Intervals are left out first, the last of them
// first; results stay as long as possible.

extension MeasurementRecord {
  /// The record as its bytes store it: excess entries are left out from the end of their list and counted. The order is
  /// intervals, gaps, signs not reported, results. No measurement of this hub has so many that results are left out.
  public var fitted: MeasurementRecord {
    var record = self
    // Each pass leaves entries out, and the rest without lists has less than 500 bytes.
    while true {
      let excess = record.wholeBytes.count - Self.sizeLimit
      guard excess > 0, record.leaveOut(bytes: excess) else { return record }
    }
  }

  /// Leaves out list ends until so many bytes are saved; false if all lists are empty.
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
