// What a person may ask about a ring.

public import EventLoop

/// One ring at one moment.
public struct RingStatus: Sendable, Hashable {
  public let id: RingID
  /// Items and bytes of its chunks; what is still in the journal is not counted.
  public var items: UInt64
  public var chunks: Int
  public var bytes: Int
  public var retention: Retention
  /// Time of the earliest item of the oldest chunk, and the latest time the ring ever had.
  public var oldest: WallTime?
  public var newest: WallTime?
  /// Items that no reader has confirmed.
  public var unexported: UInt64
  /// Evicted to keep the bounds, ever; of these, what no reader had confirmed; the time that all of it spanned.
  public var evicted: UInt64
  public var evictedUnexported: UInt64
  public var evictedFrom: WallTime?
  public var evictedTo: WallTime?
  /// Deleted by a person, ever.
  public var purged: UInt64
  /// Bytes a day over the time that the ring spans; nil while that is less than an hour.
  public var bytesPerDay: Int?
  /// It is at its bound and its series is to be left on the wearable.
  public var refuses: Bool
}

/// Which whole chunks a purge takes, found by `Store.purgePlan`. Nothing is deleted until it is handed to
/// `Store.purge`.
public struct PurgePlan: Sendable {
  public struct Part: Sendable {
    public let ring: RingID
    public let items: UInt64
    public let unexported: UInt64
    public let from: WallTime
    public let to: WallTime
    let chunks: [Chunk]
  }

  /// One that has since been written anew, with newer items, has another checksum.
  struct Chunk: Sendable {
    let ordinal: UInt64
    let items: UInt64
    let checksum: UInt32
  }

  public let parts: [Part]
  /// What would be lost: the number a person has to repeat.
  public var items: UInt64 { parts.reduce(0) { $0 &+ $1.items } }
  public var unexported: UInt64 { parts.reduce(0) { $0 &+ $1.unexported } }

  /// As it stands in a chunk, right or wrong.
  static func checksum(_ chunk: UnsafeRawBufferPointer) -> UInt32 {
    var reader = StoredReader(chunk)
    return reader.take(RingChunkHeader.Offset.checksum) == nil ? 0 : reader.integer(UInt32.self) ?? 0
  }
}

/// What `verify` found.
public struct VerifyReport: Sendable {
  public struct Finding: Sendable, Hashable {
    /// Table and key, for people: `chunks 3 heart_rate live 120960`.
    public let place: String
    public let what: String
  }
  public var journalChunks = 0
  public var ringChunks = 0
  public var rings = 0
  public var items: UInt64 = 0
  public var records = 0
  /// At most 100 of them; `findingCount` counts all.
  public var findings: [Finding] = []
  public var findingCount = 0
  public var isClean: Bool { findingCount == 0 }
}

/// What the store writes to its card, from the kernel's account of this process.
public struct WearStatus: Sendable {
  /// Since midnight where the hub is; survives restarts but for what was written after the last commit.
  public var bytesToday: UInt64
  /// nil for no budget.
  public var budgetPerDay: UInt64?
  /// All writers of this store, ever.
  public var odometer: UInt64
  /// At the pace of the last seven days (of what there is of them), a year.
  public var forecastPerYear: UInt64?
  public var isOverBudget: Bool { budgetPerDay.map { bytesToday > $0 } ?? false }
}
