// Queries of samples, and their results.

public import EventLoop
public import Health
internal import Reasons

/// A filter of samples. A part that is nil does not filter.
public struct SampleQuery: Sendable {
  /// Wearables to include; nil: all.
  public var wearables: Set<WearableID>?
  /// Series to include; nil: all.
  public var series: [Series]?
  /// Earliest time, inclusive; nil: unbounded.
  public var since: WallTime?
  /// Latest time, exclusive; nil: unbounded.
  public var until: WallTime?
  /// Times when a certain person wore them, for wearables of which only some times are wanted.
  public var stretches: [WearableID: ItemSource] = [:]

  /// A filter; nil parts do not filter.
  public init(
    wearables: Set<WearableID>? = nil, series: [Series]? = nil, since: WallTime? = nil, until: WallTime? = nil
  ) {
    self.wearables = wearables
    self.series = series
    self.since = since
    self.until = until
  }

  var hasTimes: Bool { since != nil || until != nil || !stretches.isEmpty }

  func wants(_ ring: RingID) -> Bool {
    if let wearables, !wearables.contains(ring.wearable) { return false }
    if let series, !series.contains(where: { $0.id == ring.seriesNumber }) { return false }
    return true
  }

  /// Whether a sample passes.
  ///
  /// - Parameter time: microseconds.
  func wants(_ time: Int64, of wearable: WearableID) -> Bool {
    if let since, time < since.microseconds { return false }
    if let until, time >= until.microseconds { return false }
    return stretches.isEmpty || stretches[wearable]?.wants(time) ?? true
  }

  /// Whether a chunk may have items that pass, with its times shifted by `shift`.
  func mayWant(_ header: RingChunkHeader, _ shift: Int64?) -> Bool {
    let (earliest, latest) = (header.earliest &+ (shift ?? 0), header.latest &+ (shift ?? 0))
    if let since, latest < since.microseconds { return false }
    if let until, earliest >= until.microseconds { return false }
    return true
  }
}

/// A durable item.
public struct StoredSample: Sendable, Hashable {
  /// Wearable that measured it.
  public let wearable: WearableID
  /// Series that the values belong to; it gives unit and scale.
  public let series: Series
  /// Way by which it came.
  public let way: Way
  /// The ordinal in its ring: from 0 upwards in the order in which samples reached the hub, across restarts; never
  /// used again.
  public let ordinal: UInt64
  /// Civil time by the hub's clock when the sample came; corrected if the error of that clock is known by now.
  public let time: WallTime
  /// Origin, kind, quality and trigger.
  public let flags: SampleFlags
  /// The first of its values, in the series' stored scale; 0 for an item without values.
  public let value: Int64
  /// Values of all components, if the series is not a scalar.
  public let values: [Int64]
  /// Bytes of the item; empty without any.
  public let bytes: [UInt8]
  /// Monotonic time, to 10 ms, of the boot `bootID`: evidence for intervals if the wall clock was stepped.
  public let monotonic: Instant
  /// Boot of the hub's clock at that time.
  public let bootID: BootID
  /// Whether its time is reliable. Live: a time source disciplined the wall clock when the sample came. Fetched: the
  /// clock readings on which its time rests were made with such a clock.
  public let clockTrusted: Bool
  /// The correction of its time, microseconds. The time was unreliable, and a time source has since shown the error of
  /// that boot's clock. Otherwise nil: the time is as stored.
  public var shift: Int64?
  /// Number of ordinals of the item: this one and those directly before it, if its bytes were too long for one.
  public var parts: UInt32 = 1

  /// Way by which the sample came.
  public var origin: Origin { flags.origin }
  /// True if its time was corrected.
  public var isCorrected: Bool { shift != nil }
  /// The time before the boot's clock was known.
  public var storedTime: WallTime { WallTime(microseconds: time.microseconds &- (shift ?? 0)) }
  /// Reliability of the time as text: nil for a reliable one; `unsure`; `corrected`.
  public var clockName: String? { clockTrusted ? nil : isCorrected ? "corrected" : "unsure" }
}

extension StoredSample {
  /// A live item on its way into the journal, as an export will show it, but without its ordinal.
  ///
  /// - Parameter values: as many as the layout of the series has.
  public static func live(
    _ wearable: WearableID, _ series: Series, _ values: [Int64], _ bytes: [UInt8], flags: SampleFlags = .live,
    at time: WallTime, monotonic: Instant, bootID: BootID?, clockTrusted: Bool
  ) -> StoredSample {
    StoredSample(
      wearable: wearable, series: series, way: .live, ordinal: 0, time: time, flags: flags, value: values.first ?? 0,
      values: series.layout == .scalar ? [] : values, bytes: bytes, monotonic: monotonic, bootID: bootID ?? .unknown,
      clockTrusted: clockTrusted)
  }
}

extension StoredSample {
  /// An item of a ring's chunk.
  ///
  /// - Parameters:
  ///   - bytes: of all its parts.
  ///   - monotonic: microseconds.
  ///   - ordinals: of its parts.
  init(
    _ ring: RingID, _ series: Series, _ anchor: ClockAnchor, _ columns: borrowing ItemColumns, _ index: Int,
    time: Int64, flags: SampleFlags, bytes: [UInt8], monotonic: Int64, shift: Int64?, ordinals: ClosedRange<UInt64>
  ) {
    let isScalar = columns.valueCount == 1 && !columns.hasBytes
    self.init(
      wearable: ring.wearable, series: series, way: ring.way, ordinal: ordinals.upperBound,
      time: WallTime(microseconds: time), flags: flags, value: columns.valueCount > 0 ? columns.values[0][index] : 0,
      values: isScalar ? [] : columns.values.map { $0[index] }, bytes: bytes,
      monotonic: Instant(nanoseconds: monotonic &* 1000), bootID: anchor.boot, clockTrusted: anchor.trusted,
      shift: shift, parts: UInt32(clamping: ordinals.upperBound &- ordinals.lowerBound) &+ 1)
  }
}

/// A page of samples: rings in their order, each in the order of arrival, then the journal.
public struct SamplePage: Sendable {
  /// Samples of the page.
  public var samples: [StoredSample] = []
  /// Samples that the reader confirmed before their times could be corrected. Each replaces the one of its ring with
  /// the same ordinal.
  public var retimed: [StoredSample] = []
  /// Whether everything durable was read. An empty page may not be the last: the work for one page is bounded, and
  /// filters may reject all of its samples.
  public var isLast = false
  /// Chunks on this page that failed their checksum or their parser. Their samples are missing, the rest is served.
  public var corruptChunks: Int { corrupt.count }
  /// Samples of series that this version of the program does not know.
  public var unknownSamples = 0
  /// Missing rows of this page, in the order of rings: damaged chunks, and rows deleted before the reader of a cursor
  /// had them.
  public var gaps: [SampleGap] = []
  var corrupt: [DamagedChunk] = []
}

extension SampleQuery {
  static let timesWithReader = HearthError(
    .controlBadParameter, "an export with a cursor takes no times: what its reader confirms has no holes")
}
