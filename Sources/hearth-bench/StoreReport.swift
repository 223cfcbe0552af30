// The report of a contestant of `hearth-bench store`.

/// `key=value` separated by blanks.
struct ReportFields {
  private var fields: [Substring: Substring] = [:]

  init(_ line: String) {
    for field in line.split(whereSeparator: \.isWhitespace) {
      let parts = field.split(separator: "=", maxSplits: 1)
      if parts.count == 2 { fields[parts[0]] = parts[1] }
    }
  }

  subscript<T: FixedWidthInteger>(_ name: Substring) -> T? { fields[name].flatMap { T($0) } }

  func list(_ name: Substring) -> [Int64] { (fields[name] ?? "").split(separator: ",").compactMap { Int64($0) } }
}

/// The run of one contestant over the load.
struct StoreReport {
  /// Nanoseconds from the first sample until everything is committed, packed and the store closed; and its CPU time.
  var elapsed: Int64 = 0
  var cpu: Int64 = 0
  var commits: UInt64 = 0
  /// Moves from the journal into the rings; 0 for the peers.
  var moves: UInt64 = 0
  /// Bytes that the process passed to the kernel for writing, from its start until the store was closed; and by the
  /// kernel's account of pages.
  var written: UInt64 = 0
  var dirtied: UInt64 = 0
  /// Bytes that the disk took while the process ran, from all processes; nil if the kernel does not report it. Measured
  /// by the parent process.
  var device: UInt64?
  /// Lengths of the store's files after that.
  var stored: UInt64 = 0
  /// kB that are not pages of files: before the store was opened, and the maximum.
  var anonymousStart = 0
  var anonymousPeak = 0
  /// Nanoseconds for reading the range of every wearable and series; the median of the passes.
  var read: Int64 = 0
  /// Sums of the samples that were read back.
  var all = StoreTally()
  var range = StoreTally()

  init() {}

  init?(line: String) {
    let fields = ReportFields(line)
    guard let elapsed: Int64 = fields["elapsed_ns"], let cpu: Int64 = fields["cpu_ns"],
      let commits: UInt64 = fields["commits"],
      let written: UInt64 = fields["written"], let dirtied: UInt64 = fields["dirtied"],
      let stored: UInt64 = fields["stored"], let anonymousStart: Int = fields["anonymous_start_kb"],
      let anonymousPeak: Int = fields["anonymous_peak_kb"], let read: Int64 = fields["read_ns"],
      let samples: UInt64 = fields["samples"],
      let times: UInt64 = fields["times"], let values: UInt64 = fields["values"],
      let rangeSamples: UInt64 = fields["range_samples"],
      let rangeTimes: UInt64 = fields["range_times"], let rangeValues: UInt64 = fields["range_values"], elapsed > 0,
      read > 0, samples > 0
    else { return nil }
    self.elapsed = elapsed
    self.cpu = cpu
    self.commits = commits
    self.moves = fields["moves"] ?? 0
    self.written = written
    self.dirtied = dirtied
    self.stored = stored
    self.anonymousStart = anonymousStart
    self.anonymousPeak = anonymousPeak
    self.read = read
    all = StoreTally(samples: samples, times: times, values: values)
    range = StoreTally(samples: rangeSamples, times: rangeTimes, values: rangeValues)
  }

  var line: String {
    """
    elapsed_ns=\(elapsed) cpu_ns=\(cpu) commits=\(commits) moves=\(moves) written=\(written) dirtied=\(dirtied) \
    stored=\(stored) anonymous_start_kb=\(anonymousStart) 
    """
      + """
      anonymous_peak_kb=\(anonymousPeak) read_ns=\(read) samples=\(all.samples) times=\(all.times) \
      values=\(all.values) 
      """
      + "range_samples=\(range.samples) range_times=\(range.times) range_values=\(range.values)"
  }

  // MARK: figures

  var megabytesWritten: Double { Double(written) / 1e6 }
  var bytesPerSample: Double { Double(stored) / Double(all.samples) }
  /// Millions a second.
  var appendRate: Double { Double(all.samples) / Double(elapsed) * 1e3 }
  var readRate: Double { Double(range.samples) / Double(read) * 1e3 }
  /// Seconds in which neither the process nor its system calls ran: it waited for the disk.
  var seconds: Double { Double(elapsed) / 1e9 }
  var secondsWaiting: Double { max(0, Double(elapsed - cpu) / 1e9) }
  var megabytesOfMemory: Double { Double(anonymousPeak - anonymousStart) / 1024 }
}
