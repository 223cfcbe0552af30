// A line of an export as typed values. All formats are written from it, for samples of a store and of a daemon.

public import Health
public import JSONText

/// Content of an export line for one sample.
///
/// Made from a stored sample (`SampleExport.row`) or from a line of the control socket (`init?(_: JSON)`). Both give
/// equal rows for the same sample, except for the type that holds a waveform's numbers.
public struct ExportRow: Sendable, Hashable {
  /// A row's position in its store.
  public struct Place: Sendable, Hashable {
    /// Number of the enrolment; a wearable that is enrolled again has another.
    public var enrolment: UInt32
    /// Way to the store: `live` or `fetched`.
    public var way: String
    /// Ordinal in the ring; grows by one with each item.
    public var ordinal: UInt64
    /// Ordinals that the row takes: this one and those directly before it.
    public var parts: UInt32

    /// A position; `parts` counts the items that one row is made of.
    public init(enrolment: UInt32, way: String, ordinal: UInt64, parts: UInt32 = 1) {
      self.enrolment = enrolment
      self.way = way
      self.ordinal = ordinal
      self.parts = parts
    }
  }

  /// Name of the wearable.
  public var device: String
  /// Empty for a wearable that the registry no longer knows; nil: not said.
  public var address: String?
  /// The series by its name, for example `heart_rate`.
  public var series: String
  /// nil: a newer hub's series; its numbers are `RowValue.foreign`.
  public var known: Series?
  /// Microseconds since 1970, rounded down to milliseconds for series that are not more exact.
  public var time: Int64
  /// Value, in the stored scale.
  public var value: RowValue
  /// Empty for series without a unit.
  public var unit: String
  /// `live`, `fetched`, `replayed` or `advertised`.
  public var origin: String
  /// nil for a normal value, else `maximum`, `minimum` or `resting`.
  public var kind: String?
  /// The wearer started the measurement.
  public var isManual = false
  /// End of an interval, microseconds since 1970.
  public var end: Int64?
  /// The wearable's wearer at `time`.
  public var wearer: String?
  /// The wearable's own encoding, for a waveform that only its driver can decode.
  public var encoding: Int64?
  /// Nanoseconds from sample to sample of a waveform.
  public var period: Int64?
  /// Samples of a waveform that only its driver can decode.
  public var count: Int64?
  /// Kind of a record, as its series numbers them; nil for other layouts.
  public var record: Int64?
  /// Bytes of a record, of a waveform that only its driver can decode, and of an item that does not fit its series.
  public var data: [UInt8]?
  /// nil: the time is sure; else `unsure` or `corrected`.
  public var clock: String?
  /// `low` for values that the wearable itself doubts.
  public var quality: String?
  /// Position in the store; nil: not requested.
  public var place: Place?
  /// The time that the row was given with before, microseconds since 1970.
  public var was: Int64?
  /// Members of a newer hub's line.
  public var others: [JSON.Member] = []
}

/// The numbers of a row.
public enum RowValue: Sendable, Hashable {
  /// The row has only bytes.
  case none
  /// Number in the stored scale of the series (`Series.numerator`, `Series.denominator`).
  case number(Int64)
  /// A number for each component, in the stored scale.
  case vector([Int64])
  case samples(WaveformSamples)
  /// Numbers of an item that does not fit the layout of its series, without a factor.
  case stored([Int64])
  /// Value of a newer hub: no number of a series that this program knows.
  case foreign(JSON)
}

/// Equidistant samples, each with one number per component.
public struct WaveformSamples: Sendable, Hashable {
  /// Numbers of one sample.
  public let components: Int
  /// Number of samples.
  public let count: Int
  /// Bytes of a number.
  private let width: Int
  /// Signed integers, little-endian, sample after sample.
  private let bytes: [UInt8]

  /// nil if the bytes are not whole samples.
  init?(components: Int, width: Int, _ bytes: [UInt8]) {
    guard components > 0, (1...8).contains(width), bytes.count.isMultiple(of: components * width) else { return nil }
    (self.components, self.width, self.bytes) = (components, width, bytes)
    count = bytes.count / (components * width)
  }

  /// - Parameter numbers: sample after sample.
  init?(components: Int, _ numbers: [Int64]) {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(numbers.count * 8)
    for number in numbers {
      for place in 0..<8 { bytes.append(UInt8(truncatingIfNeeded: number >> Int64(8 * place))) }
    }
    self.init(components: components, width: 8, bytes)
  }

  /// A number in the stored scale of the series; 0 for one that is not there.
  ///
  /// - Parameters:
  ///   - sample: 0 to `count - 1`.
  ///   - component: 0 to `components - 1`.
  public func number(_ sample: Int, _ component: Int) -> Int64 {
    guard sample >= 0, sample < count, component >= 0, component < components else { return 0 }
    let offset = (sample * components + component) * width
    var value: UInt64 = 0
    for place in 0..<width { value |= UInt64(bytes[offset + place]) << UInt64(8 * place) }
    let shift = Int64(64 - 8 * width)
    return Int64(bitPattern: value << UInt64(shift)) >> shift
  }

  public static func == (a: WaveformSamples, b: WaveformSamples) -> Bool {
    a.components == b.components && a.count == b.count
      && (0..<a.count).allSatisfy { sample in
        (0..<a.components).allSatisfy { a.number(sample, $0) == b.number(sample, $0) }
      }
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(components)
    hasher.combine(count)
  }
}
