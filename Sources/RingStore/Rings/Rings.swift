// The public status of rings, purges and verification.

public import EventLoop

/// A ring at one moment.
public struct RingStatus: Sendable, Hashable {
  public let id: RingID
  /// Items and bytes of its chunks, without those still in the journal.
  public var items: UInt64
  /// Number of chunks.
  public var chunks: Int
  /// Bytes of the chunks.
  public var bytes: Int
  /// Bounds of the ring.
  public var retention: Retention
  /// Time of the earliest item of the oldest chunk, and the latest time the ring ever had.
  public var oldest: WallTime?
  /// Latest time that the ring ever had, if any.
  public var newest: WallTime?
  /// Number of items that no reader has confirmed.
  public var unexported: UInt64
  /// Number of items evicted because of bounds since the ring exists.
  public var evicted: UInt64
  /// Number of evicted items that no reader had confirmed.
  public var evictedUnexported: UInt64
  /// Earliest time of an evicted item.
  public var evictedFrom: WallTime?
  /// Latest time of an evicted item.
  public var evictedTo: WallTime?
  /// Number of items that operators deleted since the ring exists.
  public var purged: UInt64
  /// Average bytes a day over the ring's time span; nil for a span below an hour.
  public var bytesPerDay: Int?
  /// Whether the ring is at its bound and its series is to be left on the wearable.
  public var refuses: Bool
}

/// The whole chunks that a purge deletes, found by `Store.purgePlan`. `Store.purge` deletes them.
public struct PurgePlan: Sendable {
  /// Items of one ring that are purged.
  public struct Part: Sendable {
    /// Ring that the items are in.
    public let ring: RingID
    /// Number of items in the chunks to be deleted.
    public let items: UInt64
    /// Number of these items that no reader has confirmed.
    public let unexported: UInt64
    /// Earliest time of these items.
    public let from: WallTime
    /// Latest time of these items.
    public let to: WallTime
    let chunks: [Chunk]
  }

  /// A chunk that has since been rewritten with newer items has another checksum.
  struct Chunk: Sendable {
    let ordinal: UInt64
    let items: UInt64
    let checksum: UInt32
  }

  /// Items to be deleted, one part for each ring.
  public let parts: [Part]
  /// The number of items to be deleted, which a person has to repeat.
  public var items: UInt64 { parts.reduce(0) { $0 &+ $1.items } }
  /// Number of these items, of all rings, that no reader has confirmed.
  public var unexported: UInt64 { parts.reduce(0) { $0 &+ $1.unexported } }

  /// The checksum stated in a chunk, correct or not.
  static func checksum(_ chunk: UnsafeRawBufferPointer) -> UInt32 {
    var reader = StoredReader(chunk)
    return reader.take(RingChunkHeader.Offset.checksum) == nil ? 0 : reader.integer(UInt32.self) ?? 0
  }
}

/// The result of `verify`.
public struct VerifyReport: Sendable {
  /// Fault in one place.
  public struct Finding: Sendable, Hashable {
    /// Table and key, for people: `chunks 3 heart_rate live 120960`.
    public let place: String
    /// Description of the fault.
    public let what: String
  }
  /// Chunks of the journal that were verified.
  public var journalChunks = 0
  /// Chunks of rings that were verified.
  public var ringChunks = 0
  /// Rings that were verified.
  public var rings = 0
  /// Items that were decoded.
  public var items: UInt64 = 0
  /// Records that were verified.
  public var records = 0
  /// Findings, at most 100; `findingCount` counts all.
  public var findings: [Finding] = []
  /// Number of faults, also of those that are not listed.
  public var findingCount = 0
  /// True without a fault.
  public var isClean: Bool { findingCount == 0 }
}

/// Bytes that the store writes to its card, from the kernel's account of this process.
public struct WearStatus: Sendable {
  /// Bytes since midnight local time. The number survives restarts except for what was written after the last commit.
  public var bytesToday: UInt64
  /// Budget of bytes a day; nil: no budget.
  public var budgetPerDay: UInt64?
  /// Bytes of all writers of this store since it exists.
  public var odometer: UInt64
  /// Forecast for a year at the rate of the last seven days, or of as many as there are.
  public var forecastPerYear: UInt64?
  /// True if more was written today than the budget allows.
  public var isOverBudget: Bool { budgetPerDay.map { bytesToday > $0 } ?? false }
}
