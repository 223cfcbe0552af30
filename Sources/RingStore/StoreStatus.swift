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
}

/// The store at one moment.
public struct StoreStatus: Sendable {
  public var path: String
  /// Length of `data.mdb`. Never above `sizeBytes`, unless the file was larger when a smaller size was configured: it does not shrink.
  public var fileBytes = 0
  /// Pages that hold something, in bytes.
  public var usedBytes = 0
  public var sizeBytes: Int
  /// Durable samples and the chunks that hold them.
  public var samples: UInt64 = 0
  public var chunks = 0
  /// Time of the earliest sample of the oldest chunk and of the latest sample of the newest chunk.
  public var oldest: WallTime?
  public var newest: WallTime?
  /// In memory, not durable yet.
  public var pendingBytes = 0
  public var pendingSamples = 0
  public var lastCommit: WallTime?
  /// Since start.
  public var commits: UInt64 = 0
  public var failedCommits: UInt64 = 0
  /// Commits since start by cause, in the order of `CommitCause.allCases`.
  public var commitCauses: [(cause: CommitCause, count: UInt64)] = CommitCause.allCases.map { ($0, 0) }
  /// Ever, durable with the store: samples deleted to make room, and the time they spanned.
  public var evictedSamples: UInt64 = 0
  public var evictedFrom: WallTime?
  public var evictedTo: WallTime?
  /// Since start: samples lost because the disk refused them for longer than memory lasts, or came after `close`.
  public var droppedSamples: UInt64 = 0
  /// Found while reading since start; their samples are not served.
  public var corruptChunks: UInt64 = 0
  /// Records of the registry that failed their checksum at open. They stay in the file.
  public var corruptRecords = 0
  /// What commits made the kernel write to the device since midnight UTC or the start of the hub, whichever came later; nil where the
  /// kernel does not account for it.
  public var bytesWrittenToday: UInt64?
  /// nil while commits succeed.
  public var trouble: HearthError?

  init(path: String, sizeBytes: Int) {
    self.path = path
    self.sizeBytes = sizeBytes
  }

  mutating func note(_ extent: JournalExtent, _ evicted: EvictionTotals, pageSize: Int) {
    fileBytes = extent.fileSize
    usedBytes = extent.pagesUsed * pageSize
    chunks = extent.chunks
    samples = extent.stored - min(extent.stored, evicted.samples)
    oldest = extent.oldest
    newest = extent.newest
    evictedSamples = evicted.samples
    evictedFrom = evicted.samples > 0 ? evicted.from : nil
    evictedTo = evicted.samples > 0 ? evicted.to : nil
  }
}
