// Receipts: what the store says of a batch that is durable, and of which part of which item it was.

public import EventLoop

/// 128 bits that tell one batch of a wearable from all others of it. Not a secret and no protection against a wearable
/// that forges its own batches: it could only make the hub leave out what it sent itself.
public struct BatchDigest: Hashable, Sendable {
  /// The 16 bytes as two little-endian words.
  public let first: UInt64
  public let second: UInt64

  public init(first: UInt64, second: UInt64) {
    self.first = first
    self.second = second
  }
}

/// Where a batch came from.
public enum BatchSource: Sendable, Hashable, CustomStringConvertible {
  /// One part of an item.
  case part(ItemPart)
  /// A place on the wearable that is no item. A receipt for it proves nothing of any item.
  case place(String)

  /// For people.
  public var description: String {
    switch self {
    case .part(let part): part.description
    case .place(let name): name
    }
  }
}

/// Items that follow each other in one ring.
public struct ReceiptRange: Sendable, Hashable {
  public let ring: RingID
  /// Ordinal of the first.
  public let first: UInt64
  public let count: UInt64

  public init(ring: RingID, first: UInt64, count: UInt64) {
    self.ring = ring
    self.first = first
    self.count = count
  }
}

/// A batch of a wearable is durable in the store, with the cursor and the visit that belong to it.
///
/// Only the store makes receipts, and hands one out only after its commit has reached the disk. The same batch
/// committed again gives an equal one. There is no public initialiser; `minted` is named in
/// `RingStore/Custody/Receipts.swift` and in tests of it, and `Tests/House/run.py` fails where any other room names it.
public struct Receipt: Sendable, Hashable {
  /// Grows with every receipt of the store; never used again.
  public let number: UInt64
  public let wearable: WearableID
  public let digest: BatchDigest
  /// What the batch was on the wearable.
  public let source: BatchSource
  public let committedAt: WallTime
  /// Number of the visit that brought it.
  public let visit: UInt64
  /// Samples and records.
  public let items: UInt64
  /// Where they lie; what was evicted or purged since then is still named.
  public let ranges: [ReceiptRange]

  /// The part of an item that it covers; nil where the batch was of none.
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

  /// For the store alone: of a batch that is durable, or becomes it with the transaction that holds the receipt.
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
