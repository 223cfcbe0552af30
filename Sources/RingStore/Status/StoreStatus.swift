// What the store says about itself.

public import EventLoop
public import Reasons

/// Why a commit began.
public enum CommitCause: String, Sendable, Hashable, CaseIterable {
  /// The oldest sample in memory had waited for `commitEvery`.
  case time
  /// The packed samples reached `commitBytes`.
  case bytes
  /// Somebody called `flush` or `close`.
  case flush
  /// An earlier attempt failed.
  case retry
}

/// One commit that is durable.
public struct CommitReport: Sendable {
  public let cause: CommitCause
  public let samples: Int
  public let chunks: Int
  /// Packed, before the pages they were written in.
  public let bytes: Int
  /// The last sample now durable.
  public let throughSequence: UInt64
  /// From hand-over to the disk until it answered.
  public let duration: Duration
  /// Samples that had to go to make room.
  public let evictedSamples: Int
  /// Its root was waited for with the pages of the next commit.
  public let sharesWait: Bool
}

/// The store at one moment.
public struct StoreStatus: Sendable {
  public var path: String
  /// Length of `data.mdb`. Never above `sizeBytes`, unless the file was larger when a smaller size was configured: it
  /// does not shrink.
  public var fileBytes = 0
  /// Pages that hold something, in bytes; of the file's others, those that are free to be used again.
  public var usedBytes = 0
  public var freeBytes = 0
  /// Of one page of the file.
  public var pageBytes = 0
  public var sizeBytes: Int
  /// Slots of LMDB's table of readers: taken (also by readers that died, until they are cleared), and all.
  public var readerSlotsUsed = 0
  public var readerSlots = Int(Environment.readers)
  /// Durable items: of the rings, and of the journal, which has them until they are moved.
  public var samples: UInt64 = 0
  public var journalSamples: UInt64 = 0
  public var rings = 0
  public var ringChunks = 0
  public var journalChunks = 0
  public var journalBytes = 0
  /// Earliest time of any ring's oldest chunk and of the journal's; latest time of all.
  public var oldest: WallTime?
  public var newest: WallTime?
  /// Of live samples: the latest time that the hub's own clock gave.
  public var newestLive: WallTime?
  public var journalOldest: WallTime?
  /// Items that no reader has confirmed.
  public var unexported: UInt64 = 0
  /// When a reader confirmed last, of those that are there.
  public var confirmedAt: WallTime?
  /// In memory, not durable yet.
  public var pendingBytes = 0
  public var pendingSamples = 0
  /// When samples, live or fetched, last became durable since start.
  public var lastCommit: WallTime?
  /// Since start.
  public var commits: UInt64 = 0
  public var failedCommits: UInt64 = 0
  public var moves: UInt64 = 0
  public var batches: UInt64 = 0
  /// Commits since start by cause, in the order of `CommitCause.allCases`.
  public var commitCauses: [(cause: CommitCause, count: UInt64)] = CommitCause.allCases.map { ($0, 0) }
  /// Since start: samples that became durable through the journal, and by batches; events by their reason.
  public var storedLive: UInt64 = 0
  public var storedFetched: UInt64 = 0
  public var events: [UInt16: UInt64] = [:]
  /// Ever, durable with the store: items deleted to keep its bounds, of these such that no reader had confirmed, and
  /// the time they spanned.
  public var evictedSamples: UInt64 = 0
  public var evictedUnexported: UInt64 = 0
  public var evictedFrom: WallTime?
  public var evictedTo: WallTime?
  /// The same since start, and when something unconfirmed went last.
  public var evictedSinceStart: UInt64 = 0
  public var evictedUnexportedSinceStart: UInt64 = 0
  public var lastUnexportedEviction: Instant?
  /// Kept of items that are not whole yet, in whole pages; and since start, bytes of them that were given up to keep
  /// the bounds.
  public var stagedBytes = 0
  public var stagedGivenUp: UInt64 = 0
  /// Since start: records of custody that gave way.
  public var custodyGivenWay: UInt64 = 0
  /// Since start: samples lost because the disk refused them for longer than memory lasts, or came after `close`.
  public var droppedSamples: UInt64 = 0
  public var droppedEvents: UInt64 = 0
  /// Found while reading since start; their samples are not served.
  public var corruptChunks: UInt64 = 0
  /// Records and rows of rings that failed their checksum at open. Records stay in the file; rows were made anew from
  /// the chunks.
  public var corruptRecords = 0
  /// Counts of pages that were wrong when the store was opened last, and were written anew; nil: none was.
  public var miscounts: String?
  /// What was taken out of a damaged file when it was opened; nil: the file was whole. Stays until the next start.
  public var rescued: String?
  /// Bytes of damaged files beside the store that were set aside, when it was opened.
  public var bytesAside: UInt64 = 0
  /// What holds the store; nil where nobody looked.
  public var medium: StoreMedium?
  /// Since start: steps of the hub's wall clock of a second or more, noticed while samples came.
  public var clockSteps: UInt64 = 0
  public var wear = WearStatus(bytesToday: 0, budgetPerDay: nil, odometer: 0, forecastPerYear: nil)
  /// nil while commits succeed.
  public var trouble: HearthError?

  init(path: String, sizeBytes: Int) {
    self.path = path
    self.sizeBytes = sizeBytes
  }

  /// A commit of samples is durable.
  mutating func add(_ report: CommitReport, at time: WallTime) {
    commits += 1
    lastCommit = time
    for index in commitCauses.indices where commitCauses[index].cause == report.cause {
      commitCauses[index].count += 1
    }
    storedLive &+= UInt64(report.samples)
  }

  mutating func note(_ extent: StoreExtent, pageSize: Int) {
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
      // What a reader has taken of the journal.
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
