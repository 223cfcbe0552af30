// A waveform as one row for each sample.

extension ExportRow {
  /// Calls `body` with a row for each sample of a waveform, each with its own time. Other rows, and waveforms that only
  /// their driver can decode, are passed unchanged.
  public func forEachSample(_ body: (ExportRow) throws -> Void) rethrows {
    guard case .samples(let samples) = value, let period else { return try body(self) }
    var row = self
    for sample in 0..<samples.count {
      let (passed, isFar) = Int64(sample).multipliedReportingOverflow(by: period)
      row.time = isFar ? time : time &+ passed / 1000
      row.value =
        samples.components == 1
        ? .number(samples.number(sample, 0)) : .vector((0..<samples.components).map { samples.number(sample, $0) })
      try body(row)
    }
  }
}
