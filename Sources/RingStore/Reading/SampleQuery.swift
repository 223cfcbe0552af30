// What a reader may ask of the store, and what it gets.

public import EventLoop
public import Health
internal import Reasons

/// Which samples. Everything that is nil does not filter.
public struct SampleQuery: Sendable {
  public var wearables: Set<WearableID>?
  public var series: [Series]?
  /// At or after.
  public var since: WallTime?
  /// Before.
  public var until: WallTime?
  /// In which stretches of time a wearable's are wanted, where not in all: what somebody wore, while it was on them.
  public var stretches: [WearableID: ItemSource] = [:]

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

  /// - Parameter time: microseconds.
  func wants(_ time: Int64, of wearable: WearableID) -> Bool {
    if let since, time < since.microseconds { return false }
    if let until, time >= until.microseconds { return false }
    return stretches.isEmpty || stretches[wearable]?.wants(time) ?? true
  }

  /// Whether one of the times of a chunk may be wanted, that are read as so much later.
  func mayWant(_ header: RingChunkHeader, _ shift: Int64?) -> Bool {
    let (earliest, latest) = (header.earliest &+ (shift ?? 0), header.latest &+ (shift ?? 0))
    if let since, latest < since.microseconds { return false }
    if let until, earliest >= until.microseconds { return false }
    return true
  }
}

/// One durable item.
public struct StoredSample: Sendable, Hashable {
  public let wearable: WearableID
  public let series: Series
  public let way: Way
  /// Its place in its ring: from 0 upwards in the order in which samples reached the hub, over restarts; never given
  /// again.
  public let ordinal: UInt64
  /// Civil time as the hub believed it when the sample came; corrected where it is known by now how far off that was.
  public let time: WallTime
  public let flags: SampleFlags
  /// The first of its values, in the series' stored scale; 0 if it has none.
  public let value: Int64
  /// All values, where the series is not a scalar.
  public let values: [Int64]
  public let bytes: [UInt8]
  /// Monotonic time, to 10 ms, of the boot that `bootID` names: evidence for intervals when the wall clock was stepped.
  public let monotonic: Instant
  public let bootID: BootID
  /// Whether its time is sure: live, a time source disciplined the wall clock when it came; fetched, the readings that
  /// it rests on were made by such a clock.
  public let clockTrusted: Bool
  /// What was added to its time, microseconds: it was not sure, and a time source has told since how far the clock of
  /// that boot was off. nil: its time is as it was stored.
  public var shift: Int64?
  /// How many places it takes: this one and those directly before it, where its bytes were too long for one.
  public var parts: UInt32 = 1

  public var origin: Origin { flags.origin }
  public var isCorrected: Bool { shift != nil }
  /// As it was read before its boot's clock was known.
  public var storedTime: WallTime { WallTime(microseconds: time.microseconds &- (shift ?? 0)) }
  /// How sure the time is, as it is told: nil: sure; `unsure`; `corrected`.
  public var clockName: String? { clockTrusted ? nil : isCorrected ? "corrected" : "unsure" }
}

extension StoredSample {
  /// A live item on its way into the journal: what an export will say of it, but for its place in the ring.
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

/// Some samples: rings in their order, each in the order of arrival, then what is still in the journal.
public struct SamplePage: Sendable {
  public var samples: [StoredSample] = []
  /// Samples that the reader confirmed before, whose times could be corrected since: each in place of the one of its
  /// ring with its ordinal.
  public var retimed: [StoredSample] = []
  /// Everything durable was seen. A page may be empty and not the last: the work for one page is bounded, and filters
  /// may reject all that it looked at.
  public var isLast = false
  /// Chunks on this page that failed their checksum or their parser. Their samples are missing, the rest is served.
  public var corruptChunks: Int { corrupt.count }
  /// Samples of series that this version of the program does not know.
  public var unknownSamples = 0
  /// What is missing on this page, in the order of rings: the chunks that are damaged, and what the reader of a cursor
  /// had not had when it went.
  public var gaps: [SampleGap] = []
  var corrupt: [DamagedChunk] = []
}

extension SampleQuery {
  static let timesWithReader = HearthError(
    .controlBadParameter, "an export with a cursor takes no times: what its reader confirms has no holes")
}
