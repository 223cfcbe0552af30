// The public status of rings, purges and verification.

public import EventLoop

/// A ring at one moment.
public struct RingStatus: Sendable, Hashable {
  public let id: RingID
  /// Items and bytes of its chunks, without those still in the journal.
  public var items: UInt64
  public var chunks: Int
  public var bytes: Int
  public var retention: Retention
  /// Time of the earliest item of the oldest chunk, and the latest time the ring ever had.
  public var oldest: WallTime?
  public var newest: WallTime?
  /// Items that no reader has confirmed.
  public var unexported: UInt64
  /// Items evicted because of bounds since the ring exists; how many of them were unconfirmed; and their time span.
  public var evicted: UInt64
  public var evictedUnexported: UInt64
  public var evictedFrom: WallTime?
  public var evictedTo: WallTime?
  /// Items that operators deleted since the ring exists.
  public var purged: UInt64
  /// Average bytes a day over the ring's time span; nil for a span below an hour.
  public var bytesPerDay: Int?
  /// Whether the ring is at its bound and its series is to be left on the wearable.
  public var refuses: Bool
}

/// The whole chunks that a purge deletes, found by `Store.purgePlan`. `Store.purge` deletes them.
public struct PurgePlan: Sendable {
  public struct Part: Sendable {
    public let ring: RingID
    public let items: UInt64
    public let unexported: UInt64
    public let from: WallTime
    public let to: WallTime
    let chunks: [Chunk]
  }

  /// A chunk that has since been rewritten with newer items has another checksum.
  struct Chunk: Sendable {
    let ordinal: UInt64
    let items: UInt64
    let checksum: UInt32
  }

  public let parts: [Part]
  /// The number of items to be deleted, which a person has to repeat.
  public var items: UInt64 { parts.reduce(0) { $0 &+ $1.items } }
  public var unexported: UInt64 { parts.reduce(0) { $0 &+ $1.unexported } }

  /// The checksum stated in a chunk, correct or not.
  static func checksum(_ chunk: UnsafeRawBufferPointer) -> UInt32 {
    var reader = StoredReader(chunk)
    return reader.take(RingChunkHeader.Offset.checksum) == nil ? 0 : reader.integer(UInt32.self) ?? 0
  }
}

/// The result of `verify`.
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

/// Bytes that the store writes to its card, from the kernel's account of this process.
public struct WearStatus: Sendable {
  /// Since midnight local time; survives restarts except for what was written after the last commit.
  public var bytesToday: UInt64
  /// Bytes; nil for no budget.
  public var budgetPerDay: UInt64?
  /// Bytes of all writers of this store since it exists.
  public var odometer: UInt64
  /// Forecast for a year at the rate of the last seven days, or of as many as there are.
  public var forecastPerYear: UInt64?
  public var isOverBudget: Bool { budgetPerDay.map { bytesToday > $0 } ?? false }
}
