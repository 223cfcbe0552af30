// From the chunks of an old file to the items that a ring misses: each ordinal once, in order.

internal import EventLoop
internal import Health
internal import Reasons

/// Consecutive items that fill a part of a hole.
struct SalvagePart: Sendable {
  let range: Range<UInt64>
  /// nil: an order deleted these items, so they stay away.
  let items: ItemColumns?
  let anchor: ClockAnchor
  /// Largest time of the ring up to these items, as far as their chunk knows it.
  let highWater: Int64
  /// Whether the first item is the rest of the one before.
  let continues: Bool
}

/// Time spans in which an erased person wore wearables.
struct ErasedSpans: Sendable {
  private var spans: [WearableID: [WornSpan]] = [:]
  private let clocks: BootClocks

  init(_ transaction: Transaction) throws(DatabaseFailure) {
    clocks = try BootClocks.load(transaction)
    for erasure in try transaction.records(Erasure.self).records {
      for span in erasure.spans { spans[span.wearable, default: []].append(span) }
    }
  }

  /// A test of stored times, by their corrected values, as an erasure compares them.
  func test(_ ring: RingID, _ anchor: ClockAnchor, latest: Int64) -> (Int64) -> Bool {
    guard let spans = spans[ring.wearable] else { return { _ in false } }
    let shift = clocks.shift(anchor, ring.way, latest: latest) ?? 0
    return { stored in spans.contains { $0.holds(stored &+ shift) } }
  }
}

/// The missing items of one ring.
struct RingMerge {
  let ring: RingID
  let number: StoreNumber
  /// Ascending by first ordinal, longer ones first.
  let chunks: [FoundChunk]
  let erased: ErasedSpans
  let old: OldStore
  /// Chunks with a checksum that holds but content that cannot be read.
  private(set) var unreadable: Set<UInt64> = []

  init(_ ring: RingID, _ number: StoreNumber, _ chunks: [FoundChunk], _ erased: ErasedSpans, _ old: OldStore) {
    (self.ring, self.number, self.erased, self.old) = (ring, number, erased, old)
    self.chunks = chunks.sorted { ($0.first, $1.count) < ($1.first, $0.count) }
  }

  /// Passes on the parts of a hole in ascending order.
  mutating func fill(_ hole: Range<UInt64>, _ take: (SalvagePart) throws(HearthError) -> Void) throws(HearthError) {
    var filled = hole.lowerBound
    for chunk in chunks where chunk.range.upperBound > filled {
      if chunk.first >= hole.upperBound { return }
      let wanted = max(filled, chunk.first)..<min(chunk.range.upperBound, hole.upperBound)
      if wanted.isEmpty { continue }
      guard let (header, items) = decoded(chunk) else {
        unreadable.insert(chunk.first)
        continue
      }
      for part in parts(of: items, header, wanted) { try take(part) }
      filled = wanted.upperBound
    }
  }

  private func decoded(_ chunk: FoundChunk) -> (RingChunkHeader, ItemColumns)? {
    guard let bytes = old.load(chunk.bytes) else { return nil }
    let place = ChunkPlace(number, ring, chunk.first)
    return bytes.withUnsafeBytes { bytes in
      guard let header = RingChunkHeader(bytes), place.mayHave(header), header.count == chunk.count else { return nil }
      var items = ItemColumns(valueCount: header.valueCount, hasBytes: header.hasBytes)
      guard RingChunkDecoder.decode(bytes, at: place, into: &items) != nil else { return nil }
      return (header, items)
    }
  }

  private func parts(of items: ItemColumns, _ header: RingChunkHeader, _ wanted: Range<UInt64>) -> [SalvagePart] {
    let isErased = erased.test(ring, header.anchor, latest: header.latest)
    let (from, to) = (Int(wanted.lowerBound - header.ordinal), Int(wanted.upperBound - header.ordinal))
    func part(_ range: Range<Int>, _ items: ItemColumns?, continues: Bool) -> SalvagePart {
      SalvagePart(
        range: (header.ordinal &+ UInt64(range.lowerBound))..<(header.ordinal &+ UInt64(range.upperBound)),
        items: items, anchor: header.anchor, highWater: header.highWater, continues: continues)
    }
    var parts: [SalvagePart] = []
    var place = from
    for run in items.placedRuns(where: { (from..<to).contains($0) && !isErased(items.times[$0]) }) {
      if place < run.start { parts.append(part(place..<run.start, nil, continues: false)) }
      place = run.start + run.items.count
      let continues = run.start == 0 ? header.continues : items.goesOn(run.start - 1)
      parts.append(part(run.start..<place, run.items, continues: continues))
    }
    if place < to { parts.append(part(place..<to, nil, continues: false)) }
    return parts
  }
}

extension WornSpan {
  /// Whether a time is in the span; one without an end has every later time.
  func holds(_ time: Int64) -> Bool {
    from.microseconds <= time && (time < to.microseconds || to.microseconds == .max)
  }
}
