// Receipts: proof of the store that a batch is durable, and which part of which item it was.

public import EventLoop

/// 128 bits that identify a batch among those of one wearable. Not a secret, and no protection against a wearable that
/// forges its own batches: it could only make the hub skip what it sent itself.
public struct BatchDigest: Hashable, Sendable {
  /// First 8 of the 16 bytes, as a little-endian word.
  public let first: UInt64
  /// Last 8 of the 16 bytes, as a little-endian word.
  public let second: UInt64

  /// A digest from its two halves.
  public init(first: UInt64, second: UInt64) {
    self.first = first
    self.second = second
  }
}

/// Origin of a batch.
public enum BatchSource: Sendable, Hashable, CustomStringConvertible {
  /// Part of an item; a receipt for it counts for the item's removal.
  case part(ItemPart)
  /// A place on the wearable that is no item. A receipt for it proves no item durable.
  case place(String)

  /// Description of the part, or name of the place, for logs.
  public var description: String {
    switch self {
    case .part(let part): part.description
    case .place(let name): name
    }
  }
}

/// Consecutive samples or records in one ring.
public struct ReceiptRange: Sendable, Hashable {
  /// Ring that holds the samples.
  public let ring: RingID
  /// Ordinal of the first sample or record in `ring`.
  public let first: UInt64
  /// Number of samples or records.
  public let count: UInt64

  /// `count` items of a ring from ordinal `first` on.
  public init(ring: RingID, first: UInt64, count: UInt64) {
    self.ring = ring
    self.first = first
    self.count = count
  }
}

/// Proof that a batch of a wearable is durable in the store, with the cursor and the visit that belong to it.
///
/// Only the store makes receipts, and returns one only after its commit has reached the disk. The same batch committed
/// again gives an equal one. There is no public initialiser. `minted` is only used in
/// `RingStore/Custody/Receipts.swift` and its tests; `Tests/House/run.py` fails if any other module uses it.
public struct Receipt: Sendable, Hashable {
  /// Grows with every receipt of the store; never reused.
  public let number: UInt64
  /// Wearable that the batch came from.
  public let wearable: WearableID
  /// Digest of the batch's content: the same batch has the same.
  public let digest: BatchDigest
  /// Origin of the batch on the wearable.
  public let source: BatchSource
  /// Time of the commit, by the hub's clock.
  public let committedAt: WallTime
  /// Number of the visit that fetched it.
  public let visit: UInt64
  /// Number of samples and records.
  public let items: UInt64
  /// Ring positions; they may have been evicted or purged since then.
  public let ranges: [ReceiptRange]

  /// The part of an item that it covers; nil if the batch was not part of an item.
  public var part: ItemPart? {
    guard case .part(let part) = source else { return nil }
    return part
  }

  private init(
    number: UInt64, wearable: WearableID, digest: BatchDigest, source: BatchSource, committedAt: WallTime,
    visit: UInt64, items: UInt64,
    ranges: [ReceiptRange]
  ) {
    self.number = number
    self.wearable = wearable
    self.digest = digest
    self.source = source
    self.committedAt = committedAt
    self.visit = visit
    self.items = items
    self.ranges = ranges
  }

  /// Mints a receipt, for the store only: the batch is durable, or becomes so with the receipt's transaction.
  package static func minted(
    number: UInt64, wearable: WearableID, digest: BatchDigest, source: BatchSource, committedAt: WallTime,
    visit: UInt64, items: UInt64,
    ranges: [ReceiptRange]
  ) -> Receipt {
    Receipt(
      number: number, wearable: wearable, digest: digest, source: source, committedAt: committedAt, visit: visit,
      items: items, ranges: ranges)
  }
}
