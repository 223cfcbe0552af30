// Layout of one item of a series, and its meaning for a day.

/// Content of an item besides its time.
public enum SampleLayout: Sendable, Hashable {
  /// A single value.
  case scalar
  /// Several values of one moment, in the order of their names.
  case vector([String])
  /// Equidistant samples from a start on, as the wearable sent them; each sample has one value per name. See
  /// `Waveform`.
  case waveform([String])
  /// Period with one value: steps in a minute, a stage of sleep. The item's time is its beginning.
  case interval
  /// Whole event in the wearable's own format: a training session, a night.
  case record

  /// Values of a stored item: a vector's components; length and value; period, count and encoding; kind of record.
  public var valueCount: Int {
    switch self {
    case .scalar, .record: 1
    case .vector(let names): names.count
    case .interval: 2
    case .waveform: 3
    }
  }

  /// True if an item has bytes.
  public var hasBytes: Bool {
    switch self {
    case .waveform, .record: true
    case .scalar, .vector, .interval: false
    }
  }

  /// Name in documents.
  public var name: String {
    switch self {
    case .scalar: "scalar"
    case .vector: "vector"
    case .waveform: "waveform"
    case .interval: "interval"
    case .record: "record"
    }
  }

  /// Names of the components of a vector or of a waveform's samples; otherwise empty.
  public var components: [String] {
    switch self {
    case .vector(let names), .waveform(let names): names
    case .scalar, .interval, .record: []
    }
  }
}

/// Meaning of a series' values for a day.
public enum DailyMeaning: Sendable, Hashable {
  /// Measurements: the lowest, the highest, the mean.
  case level
  /// Counts: the sum.
  case amount
  /// Numbers of classes, below `stateLimit`: the time in each.
  case state
  /// Whole events with numbers that cannot be added: a training, a night.
  case event

  /// Classes of one series.
  public static let stateLimit = 16
}

extension Series {
  /// End of an item, µs since 1970. Intervals and waveforms end after their beginning, according to their values.
  ///
  /// - Parameter values: as many as the layout has. With fewer values, or if they overflow, the end equals the
  ///   beginning.
  public func end(of values: [Int64], at begins: Int64) -> Int64 {
    var length: Int64 = 0
    switch layout {
    case .scalar, .vector, .record: return begins
    case .interval: length = values.first ?? 0
    case .waveform:
      guard values.count > 1 else { return begins }
      let (nanoseconds, isFar) = values[0].multipliedReportingOverflow(by: values[1])
      length = isFar ? 0 : nanoseconds / 1000
    }
    let (end, overflow) = begins.addingReportingOverflow(max(0, length))
    return overflow ? begins : end
  }
}
