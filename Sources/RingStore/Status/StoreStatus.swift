// The store's status.

public import EventLoop
public import Reasons

/// Causes for which a commit began.
public enum CommitCause: String, Sendable, Hashable, CaseIterable {
  /// The oldest sample in memory had waited for `commitEvery`.
  case time
  /// The packed samples reached `commitBytes`.
  case bytes
  /// `flush` or `close` was called.
  case flush
  /// An earlier attempt failed.
  case retry
}

/// A durable commit.
public struct CommitReport: Sendable {
  /// Reason of the commit.
  public let cause: CommitCause
  /// Number of samples in the commit.
  public let samples: Int
  /// Number of chunks in the commit.
  public let chunks: Int
  /// Bytes of packed samples, not of the pages that hold them.
  public let bytes: Int
  /// Sequence number of the last sample now durable.
  public let throughSequence: UInt64
  /// Time from hand-over to the disk until its answer.
  public let duration: Duration
  /// Number of samples deleted to make room.
  public let evictedSamples: Int
  /// Whether its root was waited for together with the pages of the next commit.
  public let sharesWait: Bool
}

/// The store at one moment.
public struct StoreStatus: Sendable {
  /// Path of the store.
  public var path: String
  /// Length of `data.mdb`. At most `sizeBytes`, unless the file was larger when a smaller size was configured: the
  /// file does not shrink.
  public var fileBytes = 0
  /// Pages in use, in bytes; and of the other pages of the file, those that are free.
  public var usedBytes = 0
  /// Bytes of free pages in the file.
  public var freeBytes = 0
  /// Size of one page of the file, in bytes.
  public var pageBytes = 0
  /// Bound of `data.mdb` in bytes.
  public var sizeBytes: Int
  /// Slots of LMDB's reader table: taken (by readers that died too, until they are cleared), and all.
  public var readerSlotsUsed = 0
  /// Slots of LMDB's reader table.
  public var readerSlots = Int(Environment.readers)
  /// Number of durable items: of the rings, and of the journal, which holds items until they are moved.
  public var samples: UInt64 = 0
  /// Number of durable items in the journal.
  public var journalSamples: UInt64 = 0
  /// Number of rings in the store.
  public var rings = 0
  /// Number of chunks of all rings.
  public var ringChunks = 0
  /// Number of chunks in the journal.
  public var journalChunks = 0
  /// Bytes of the chunks in the journal.
  public var journalBytes = 0
  /// Earliest time of any ring's oldest chunk and of the journal's; latest time of all.
  public var oldest: WallTime?
  /// Latest time of all items, if any.
  public var newest: WallTime?
  /// The latest time of live samples, by the hub's own clock.
  public var newestLive: WallTime?
  /// Time of the oldest item in the journal; nil: empty.
  public var journalOldest: WallTime?
  /// Number of items that no reader has confirmed.
  public var unexported: UInt64 = 0
  /// The last confirmation of a present reader.
  public var confirmedAt: WallTime?
  /// Bytes in memory that are not durable yet.
  public var pendingBytes = 0
  /// Samples in memory that are not durable yet.
  public var pendingSamples = 0
  /// Time when samples, live or fetched, last became durable since start.
  public var lastCommit: WallTime?
  /// Number of durable commits since the start.
  public var commits: UInt64 = 0
  /// Commits that failed since the start.
  public var failedCommits: UInt64 = 0
  /// Moves from the journal into rings since the start.
  public var moves: UInt64 = 0
  /// Batches of fetched data since the start.
  public var batches: UInt64 = 0
  /// Commits since start by cause, in the order of `CommitCause.allCases`.
  public var commitCauses: [(cause: CommitCause, count: UInt64)] = CommitCause.allCases.map { ($0, 0) }
  /// Number of samples that became durable through the journal, since the start.
  public var storedLive: UInt64 = 0
  /// Number of fetched items that became durable by batches, since the start.
  public var storedFetched: UInt64 = 0
  /// Stored events by reason code.
  public var events: [UInt16: UInt64] = [:]
  /// Number of items deleted because of the store's bounds, since the store exists.
  public var evictedSamples: UInt64 = 0
  /// Number of these items that no reader had confirmed.
  public var evictedUnexported: UInt64 = 0
  /// Earliest time of these items.
  public var evictedFrom: WallTime?
  /// Latest time of these items.
  public var evictedTo: WallTime?
  /// Number of items deleted because of the store's bounds, since the start.
  public var evictedSinceStart: UInt64 = 0
  /// Number of these items that no reader had confirmed.
  public var evictedUnexportedSinceStart: UInt64 = 0
  /// Time of the last such eviction, if any.
  public var lastUnexportedEviction: Instant?
  /// Staged bytes of items that are not whole yet, in whole pages; and bytes of them that were deleted because of the
  /// bounds, since start.
  public var stagedBytes = 0
  /// Staged bytes that were deleted because of the bounds, since the start.
  public var stagedGivenUp: UInt64 = 0
  /// Number of custody records deleted because of their limit, since the start.
  public var custodyGivenWay: UInt64 = 0
  /// Number of samples lost since the start: the disk refused them for longer than memory lasts, or they came after
  /// `close`.
  public var droppedSamples: UInt64 = 0
  /// Events that newer ones displaced while they waited for a commit, since the start.
  public var droppedEvents: UInt64 = 0
  /// Number of damaged chunks found while reading since the start; their samples are not served.
  public var corruptChunks: UInt64 = 0
  /// Records and rows of rings that failed their checksum at opening. Records stay in the file; rows were made again
  /// from the chunks.
  public var corruptRecords = 0
  /// Page counts that were wrong at the last opening and were written again; nil if all were correct.
  public var miscounts: String?
  /// Records recovered from a damaged file at opening; nil if the file was whole. Stays until the next start.
  public var rescued: String?
  /// Bytes of damaged files beside the store, set aside at opening.
  public var bytesAside: UInt64 = 0
  /// The medium of the store; nil if it was not determined.
  public var medium: StoreMedium?
  /// Steps of the hub's wall clock since start, of a second or more, noticed while samples came.
  public var clockSteps: UInt64 = 0
  /// Bytes written to the card.
  public var wear = WearStatus(bytesToday: 0, budgetPerDay: nil, odometer: 0, forecastPerYear: nil)
  /// nil while commits succeed.
  public var trouble: HearthError?

  init(path: String, sizeBytes: Int) {
    self.path = path
    self.sizeBytes = sizeBytes
  }

  /// Counts a durable commit of samples.
  mutating func add(_ report: CommitReport, at time: WallTime) {
    commits += 1
    lastCommit = time
    for index in commitCauses.indices where commitCauses[index].cause == report.cause {
      commitCauses[index].count += 1
    }
    storedLive &+= UInt64(report.samples)
  }

  mutating func note(_ extent: StoreSummary, pageSize: Int) {
    fileBytes = extent.fileSize
    pageBytes = pageSize
    usedBytes = extent.pagesUsed * pageSize
    freeBytes = extent.pagesFree * pageSize
    readerSlotsUsed = extent.readersInUse
    stagedBytes = extent.stagedPages * pageSize
    journalChunks = extent.journalChunks
    journalBytes = extent.journalPages * pageSize
    journalSamples = extent.journalItems
    journalOldest = extent.journalChunks > 0 ? extent.journalOldest : nil
    let legacy = extent.legacyEviction
    (evictedSamples, evictedUnexported) = (legacy.samples, legacy.samples)
    var (from, to) = (legacy.from.microseconds, legacy.to.microseconds)
    var (first, last, lastLive) = (Int64.max, Int64.min, Int64.min)
    (rings, ringChunks, samples, unexported) = (extent.rings.rings.count, 0, journalSamples, journalSamples)
    for (id, ring) in extent.rings.rings {
      ringChunks += Int(ring.chunks)
      samples &+= ring.items
      unexported &+= ring.unexported
      // Samples of the journal that a reader has confirmed.
      unexported -= min(unexported, ring.exported > ring.next ? ring.exported - ring.next : 0)
      evictedSamples &+= ring.evicted
      evictedUnexported &+= ring.evictedUnexported
      if ring.evicted > 0 { (from, to) = (min(from, ring.evictedFrom), max(to, ring.evictedTo)) }
      if ring.chunks > 0 { first = min(first, ring.firstEarliest) }
      if ring.next > 0 { last = max(last, ring.highWater) }
      if ring.next > 0, id.way == .live { lastLive = max(lastLive, ring.highWater) }
    }
    evictedFrom = evictedSamples > 0 && from <= to ? WallTime(microseconds: from) : nil
    evictedTo = evictedSamples > 0 && from <= to ? WallTime(microseconds: to) : nil
    oldest = [first == .max ? nil : WallTime(microseconds: first), journalOldest].compactMap { $0 }.min()
    let highWater = extent.stored > 0 ? extent.highWater : nil
    newest = [last == .min ? nil : WallTime(microseconds: last), highWater].compactMap { $0 }.max()
    newestLive = [lastLive == .min ? nil : WallTime(microseconds: lastLive), highWater].compactMap { $0 }.max()
  }
}
