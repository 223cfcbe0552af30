// What the control socket says about the store: how full, how old, how worn, what it gave up.

import EventLoop
public import Export
import Health
public import Reasons
public import RingStore

/// The store: how full, how old, how well.
public struct StoreDocument: Codable, Sendable, Hashable {
  /// What is not in a ring yet.
  public struct Journal: Codable, Sendable, Hashable {
    public var samples: UInt64
    public var chunks: Int
    public var bytes: Int
    public var oldest: String?
  }

  /// One series of one wearable, by one way in.
  public struct Ring: Codable, Sendable, Hashable {
    public var device: String
    public var series: String
    /// `live`, `fetched`
    public var way: String
    public var samples: UInt64
    public var chunks: Int
    public var bytes: Int
    /// Bytes, seconds; nil for no bound.
    public var quotaBytes: Int?
    public var keepSeconds: Int64?
    /// `oldest`, `refuse`
    public var evict: String
    public var oldest: String?
    public var newest: String?
    /// Nil until the ring spans an hour.
    public var bytesPerDay: Int?
    /// No reader has confirmed them.
    public var unexported: UInt64
    /// Deleted to keep the bounds, ever; of these, such that no reader had confirmed; the time that all of it spanned.
    public var evictedSamples: UInt64
    public var evictedUnexported: UInt64
    public var evictedFrom: String?
    public var evictedTo: String?
    /// Deleted by a person, ever.
    public var purgedSamples: UInt64
    /// At its bound; what is new is left on the wearable.
    public var refuses: Bool
  }

  /// What was written to the card.
  public struct Wear: Codable, Sendable, Hashable {
    /// Since midnight UTC.
    public var bytesToday: UInt64
    public var budgetPerDay: UInt64?
    public var overBudget: Bool
    /// By all writers of this store, ever.
    public var odometer: UInt64
    /// At the pace of the last seven days.
    public var forecastPerYear: UInt64?
  }

  /// A cursor of an export.
  public struct Reader: Codable, Sendable, Hashable {
    public var name: String
    public var createdAt: String
    public var confirmedAt: String
    /// Confirmed, ever.
    public var samples: UInt64
    /// Who confirmed last.
    public var by: String
  }

  public var schema = "io.hearth.store/1"
  public var path: String
  /// Bytes of the file, bytes in use, bytes free to be used again, and the bound of the file.
  public var fileBytes: Int
  public var usedBytes: Int
  public var freeBytes: Int
  public var limitBytes: Int
  public var samples: UInt64
  /// Of the journal and of the rings.
  public var chunks: Int
  public var oldest: String?
  public var newest: String?
  /// In memory, not durable yet.
  public var pendingSamples: Int
  public var pendingBytes: Int
  public var lastCommit: String?
  public var commits: UInt64
  public var failedCommits: UInt64
  public var journal: Journal
  /// In the order of wearables, series and ways. Nil in a status, which has no room for them.
  public var rings: [Ring]?
  /// No reader has confirmed them.
  public var unexported: UInt64
  /// By name; nil in a status.
  public var readers: [Reader]?
  /// Deleted to keep the bounds, ever; of these, such that no reader had confirmed; the time that all of it spanned.
  public var evictedSamples: UInt64
  public var evictedUnexported: UInt64
  public var evictedFrom: String?
  public var evictedTo: String?
  /// Since start: lost because the disk refused them.
  public var droppedSamples: UInt64
  public var corruptChunks: UInt64
  public var corruptRecords: Int
  /// Kept of items that are not whole yet; since start: bytes of these that were given up for want of room and are fetched again, and records of
  /// custody that gave way.
  public var stagedBytes: Int
  public var stagedGivenUp: UInt64
  public var custodyGivenWay: UInt64
  /// Read transactions of LMDB, open and possible.
  public var readerSlotsUsed: Int
  public var readerSlots: Int
  public var bytesWrittenToday: UInt64?
  public var wear: Wear
  public var wearables: Int
  public var reason: TroubleDocument?
  /// False where the store was read with no daemon running.
  public var daemon: Bool

  /// Without rings and readers.
  public init(_ status: StoreStatus, wearables: Int, daemon: Bool) {
    path = status.path
    fileBytes = status.fileBytes
    usedBytes = status.usedBytes
    freeBytes = status.freeBytes
    limitBytes = status.sizeBytes
    samples = status.samples
    chunks = status.journalChunks + status.ringChunks
    oldest = status.oldest?.rfc3339
    newest = status.newest?.rfc3339
    pendingSamples = status.pendingSamples
    pendingBytes = status.pendingBytes
    lastCommit = status.lastCommit?.rfc3339
    commits = status.commits
    failedCommits = status.failedCommits
    journal = Journal(
      samples: status.journalSamples, chunks: status.journalChunks, bytes: status.journalBytes, oldest: status.journalOldest?.rfc3339)
    unexported = status.unexported
    evictedSamples = status.evictedSamples
    evictedUnexported = status.evictedUnexported
    evictedFrom = status.evictedFrom?.rfc3339
    evictedTo = status.evictedTo?.rfc3339
    droppedSamples = status.droppedSamples
    corruptChunks = status.corruptChunks
    corruptRecords = status.corruptRecords
    stagedBytes = status.stagedBytes
    stagedGivenUp = status.stagedGivenUp
    custodyGivenWay = status.custodyGivenWay
    readerSlotsUsed = status.readerSlotsUsed
    readerSlots = status.readerSlots
    bytesWrittenToday = status.wear.bytesToday
    wear = Wear(
      bytesToday: status.wear.bytesToday, budgetPerDay: status.wear.budgetPerDay, overBudget: status.wear.isOverBudget,
      odometer: status.wear.odometer, forecastPerYear: status.wear.forecastPerYear)
    self.wearables = wearables
    reason = status.trouble.map { TroubleDocument($0) }
    self.daemon = daemon
  }

  /// With everything that `hearth store` shows; `names` has those of the wearables.
  public init(
    _ status: StoreStatus, rings: [RingStatus], readers: [ExportReader], names: SampleExport, wearables: Int, daemon: Bool
  ) {
    self.init(status, wearables: wearables, daemon: daemon)
    self.rings = rings.map { Ring($0, names.name(of: $0.id.wearable)) }
    self.readers = readers.map {
      Reader(name: $0.name, createdAt: $0.createdAt.rfc3339, confirmedAt: $0.confirmedAt.rfc3339, samples: $0.items, by: $0.by)
    }
  }
}

extension StoreDocument.Ring {
  init(_ ring: RingStatus, _ device: String) {
    self.device = device
    series = ring.id.seriesName
    way = ring.id.way.name
    samples = ring.items
    chunks = ring.chunks
    bytes = ring.bytes
    quotaBytes = ring.retention.quota
    keepSeconds = ring.retention.keep.map { $0.components.seconds }
    evict = ring.retention.whenFull == .refuse ? "refuse" : "oldest"
    oldest = ring.oldest?.rfc3339
    newest = ring.newest?.rfc3339
    bytesPerDay = ring.bytesPerDay
    unexported = ring.unexported
    evictedSamples = ring.evicted
    evictedUnexported = ring.evictedUnexported
    evictedFrom = ring.evictedFrom?.rfc3339
    evictedTo = ring.evictedTo?.rfc3339
    purgedSamples = ring.purged
    refuses = ring.refuses
  }
}

extension RingID {
  /// `series-300` for what a newer program wrote.
  var seriesName: String { series?.name ?? "series-\(seriesNumber)" }
}

/// What a check of the whole store found.
public struct VerifyDocument: Codable, Sendable, Hashable {
  public struct Finding: Codable, Sendable, Hashable {
    /// Table and key.
    public var place: String
    public var what: String
  }

  public var schema = "io.hearth.verify/1"
  public var clean: Bool
  public var journalChunks: Int
  public var ringChunks: Int
  public var rings: Int
  public var samples: UInt64
  /// Of the small tables.
  public var records: Int
  public var findingCount: Int
  /// At most a hundred.
  public var findings: [Finding]

  public init(_ report: VerifyReport) {
    clean = report.isClean
    journalChunks = report.journalChunks
    ringChunks = report.ringChunks
    rings = report.rings
    samples = report.items
    records = report.records
    findingCount = report.findingCount
    findings = report.findings.map { Finding(place: $0.place, what: $0.what) }
  }
}

/// What a purge would delete, or has deleted.
public struct PurgeDocument: Codable, Sendable, Hashable {
  public struct Part: Codable, Sendable, Hashable {
    public var device: String
    /// Whose samples these are, as far as anybody said.
    public var wearers: [String]
    public var series: String
    public var way: String
    public var samples: UInt64
    /// No reader has confirmed them.
    public var unexported: UInt64
    public var from: String
    public var to: String
  }

  public var schema = "io.hearth.purge/1"
  public var samples: UInt64
  public var unexported: UInt64
  public var parts: [Part]
  /// How many went; nil for a plan.
  public var purged: UInt64?

  public init(_ plan: PurgePlan, names: SampleExport, purged: UInt64? = nil) {
    samples = plan.items
    unexported = plan.unexported
    parts = plan.parts.map { part in
      Part(
        device: names.name(of: part.ring.wearable), wearers: names.wearers(of: part.ring.wearable, from: part.from, to: part.to),
        series: part.ring.seriesName, way: part.ring.way.name, samples: part.items, unexported: part.unexported, from: part.from.rfc3339,
        to: part.to.rfc3339)
    }
    self.purged = purged
  }
}

/// Something that happened.
public struct EventDocument: Codable, Sendable, Hashable {
  public var number: UInt64
  public var time: String
  /// `H4101`, also where this program does not know what it means.
  public var code: String
  public var area: String
  /// Nil: the hub itself.
  public var device: String?
  public var text: String

  public init(_ event: StoreEvent, names: SampleExport) {
    number = event.number
    time = event.time.rfc3339
    code = "H\(event.reason)"
    area = Reason(rawValue: event.reason)?.area ?? ""
    device = event.wearable.map { names.name(of: $0) }
    text = event.text
  }

  /// Among as many events those of one wearable are looked for: all that a store keeps.
  public static let searchLimit = 10_000

  /// The first `limit` events; of one wearable, by name or address, if that is asked for.
  ///
  /// - Throws: `noSuchWearable`.
  public static func list(
    _ events: [StoreEvent], _ limit: Int, of name: String?, _ records: [WearableRecord], _ names: SampleExport
  ) throws(HearthError) -> [EventDocument] {
    let wearables = try name.map { (name) throws(HearthError) in try ExportFilter.wearables(name, records) }
    let wanted = events.lazy.filter { event in wearables.map { wearables in event.wearable.map(wearables.contains) ?? false } ?? true }
    return wanted.prefix(limit).map { EventDocument($0, names: names) }
  }
}
