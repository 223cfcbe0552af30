// What a reader may ask of the journal, and what it gets.

public import EventLoop
public import Health

/// Which samples. Everything that is nil does not filter.
public struct SampleQuery: Sendable {
  public var wearables: Set<WearableID>?
  public var series: [Series]?
  /// At or after.
  public var since: WallTime?
  /// Before.
  public var until: WallTime?

  public init(wearables: Set<WearableID>? = nil, series: [Series]? = nil, since: WallTime? = nil, until: WallTime? = nil) {
    self.wearables = wearables
    self.series = series
    self.since = since
    self.until = until
  }
}

/// A place in the journal: after the sample with this sequence number. Stays valid for ever; what was evicted meanwhile is skipped.
public struct JournalCursor: Hashable, Sendable, Comparable {
  public let sequence: UInt64

  public init(after sequence: UInt64) { self.sequence = sequence }

  public static func < (a: JournalCursor, b: JournalCursor) -> Bool { a.sequence < b.sequence }
}

/// One durable sample.
public struct StoredSample: Sendable, Hashable {
  public let wearable: WearableID
  public let series: Series
  /// In the series' stored scale.
  public let value: Int64
  /// Civil time as the hub believed it when the sample came.
  public let time: WallTime
  /// Monotonic time in whole microseconds of the boot that `bootID` names: evidence for intervals when the wall clock was stepped.
  public let monotonic: Instant
  public let bootID: BootID
  /// Whether a time source disciplined the wall clock when the sample's chunk was begun.
  public let clockTrusted: Bool
  public let origin: Origin
  /// Ascending in the order in which the hub received samples, over restarts. A gap means samples that were lost before they were durable.
  public let sequence: UInt64
}

/// Some samples in order of sequence.
public struct SamplePage: Sendable {
  public var samples: [StoredSample] = []
  /// Where to go on; nil when everything durable was seen. A page may be empty and still have a next one: the work for one page is
  /// bounded, and filters may reject all that it looked at.
  public var next: JournalCursor?
  /// Chunks on this page that failed their checksum or their parser. Their samples are missing, the rest is served.
  public var corruptChunks: Int { corruptKeys.count }
  /// Samples of series that this version of the program does not know.
  public var unknownSamples = 0
  var corruptKeys: [UInt64] = []
}
