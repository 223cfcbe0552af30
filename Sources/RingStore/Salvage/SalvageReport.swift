// What a salvage brought, and what it refused.

public import Custody

/// Outcome of a salvage.
public struct SalvageReport: Sendable {
  /// Reasons not to take items of a chunk with a checksum.
  public enum Refusal: String, Sendable, CaseIterable {
    /// Chunks whose checksum holds for no ring of this store.
    case strange
    /// Chunks whose checksum holds, with content that is no items of their series.
    case unreadable
    /// Chunks with missing items of a ring from which a person deleted items since, or may have.
    case purged
    /// Items of a person who was erased.
    case erased
    /// Items behind which too many later chunks would have to be changed.
    case late
  }

  /// Nothing was written: the report says what would come.
  public let isDryRun: Bool
  /// Pages that were read, that were skipped as free, and that the disk did not return.
  public internal(set) var pages = 0
  /// Pages without current data by the file's own list; 0 if that list cannot be trusted.
  public internal(set) var freePages = 0
  /// Pages that the disk did not return.
  public internal(set) var unreadPages = 0
  /// Chunks with a checksum that holds for this store: of rings, and of the journal.
  public internal(set) var chunks = 0
  /// Chunks of the journal among them.
  public internal(set) var journalChunks = 0
  /// Items that came back, by ring.
  public internal(set) var rings: [(ring: RingID, items: UInt64)] = []
  /// Chunks or items that were refused.
  public internal(set) var refused: [Refusal: UInt64] = [:]
  /// Readers of exports that already passed the place of items that came back.
  public internal(set) var readers: [(name: String, items: UInt64)] = []

  /// Items that came back.
  public var items: UInt64 { rings.reduce(0) { $0 &+ $1.items } }

  init(isDryRun: Bool) { self.isDryRun = isDryRun }

  mutating func add(_ items: UInt64, to ring: RingID) {
    if items == 0 { return }
    if let place = rings.firstIndex(where: { $0.ring == ring }) {
      rings[place].items &+= items
    } else {
      rings.append((ring, items))
    }
  }
}
