// The places of rings at which items may come back. An order of a person leaves no such place: purged and erased items
// are gone together with the mark of their damage.

internal import EventLoop
internal import Health

/// Ordinals of one ring that no sound chunk has.
struct RingHole: Sendable {
  enum Kind {
    /// Evicted, or counted as such.
    case evicted
    /// From a damaged chunk, or the mark of a lost one, to the next chunk.
    case damaged
    /// Behind the last ordinal that the ring ever used.
    case behind
  }

  var range: Range<UInt64>
  let kind: Kind

  /// Holes of a ring, in order.
  ///
  /// - Parameters:
  ///   - waiting: items of the ring in the journal: the next ordinals are theirs.
  ///   - takesEvicted: also ordinals that the ring gave up for room.
  static func all(
    of ring: RingID, _ state: RingState, waiting: UInt64, takesEvicted: Bool, _ transaction: Transaction
  ) throws(DatabaseFailure) -> [RingHole] {
    var holes: [RingHole] = []
    func add(_ from: UInt64, _ to: UInt64, _ kind: Kind) {
      if from < to { holes.append(RingHole(range: from..<to, kind: kind)) }
    }
    if takesEvicted { add(0, min(state.first, state.next), .evicted) }
    try transaction.withCursor(transaction.tables.chunks) { cursor throws(DatabaseFailure) in
      var entry = try cursor.seek(ring.key)
      var (open, end) = (UInt64?.none, UInt64(0))
      while let found = entry, let chunk = RingReading.chunk(found, ring), chunk.first < RecordNumber.end {
        if let from = open { add(from, chunk.first, .damaged) }
        if let header = RingChunkHeader.verify(chunk.bytes, at: transaction.place(ring, chunk.first)) {
          open = nil
          end = max(end, header.nextOrdinal)
        } else {
          open = max(end, chunk.first)
        }
        entry = try cursor.next()
      }
      if let from = open { add(from, state.next, .damaged) }
    }
    let end = state.next.addingReportingOverflow(waiting)
    if !end.overflow { add(end.partialValue, RecordNumber.end, .behind) }
    return holes
  }

  /// Items of each live ring that are still in the journal.
  static func waiting(_ transaction: Transaction) throws(DatabaseFailure) -> [RingID: UInt64] {
    var waiting: [RingID: UInt64] = [:]
    try transaction.withJournal { cursor throws(DatabaseFailure) in
      var entry = try cursor.first()
      while let found = entry {
        if let key = found.sequence,
          let header = JournalReading.soundHeader(found.value, key, transaction.number)
        {
          var records = ChunkRecords(found.value, header)
          while let record = records.next() {
            let ring = RingID(
              wearable: WearableID(number: record.wearable), seriesNumber: record.series, way: .live)
            waiting[ring, default: 0] += 1
          }
        }
        entry = try cursor.next()
      }
    }
    return waiting
  }
}
