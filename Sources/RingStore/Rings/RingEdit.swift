// A change of one ring, prepared on the loop and applied by the disk lane.

internal import EventLoop
internal import Health

/// Encoded chunk of a ring, with the ordinals and times of its items.
struct EncodedChunk: Sendable {
  let ordinal: UInt64
  let count: Int
  let earliest: Int64
  let latest: Int64
  let bytes: [UInt8]
}

/// Chunks to add at the end of a ring. If the ring's last chunk has room, the first of the new ones replaces it.
struct RingEdit: Sendable {
  struct Tail: Sendable {
    let ordinal: UInt64
    let count: Int
    let bytes: Int
    let checksum: UInt32
  }

  let ring: RingID
  /// `RingState.next` when the edit was prepared.
  let expectedNext: UInt64
  let tail: Tail?
  let chunks: [EncodedChunk]

  var next: UInt64 { chunks.last.map { $0.ordinal &+ UInt64($0.count) } ?? expectedNext }
  /// Whether its ordinals rise from the end of the ring, or from the tail, without a gap.
  var isInOrder: Bool {
    var ordinal = tail?.ordinal ?? expectedNext
    for chunk in chunks {
      guard chunk.ordinal == ordinal else { return false }
      ordinal &+= UInt64(chunk.count)
    }
    return ordinal >= expectedNext
  }
  /// Number of new items, without those of the tail.
  var items: Int { chunks.reduce(0) { $0 + $1.count } - (tail?.count ?? 0) }
}

/// Items on their way into one ring: runs of equal clock and shape, in order.
struct RingItems: Sendable {
  struct Run: Sendable {
    let anchor: ClockAnchor
    var items: ItemColumns
  }
  var runs: [Run] = []

  var count: Int { runs.reduce(0) { $0 + $1.items.count } }

  mutating func append(_ scalars: ScalarSort.Group, anchor: ClockAnchor) {
    let run = run(anchor, valueCount: 1, hasBytes: false)
    runs[run].items.append(times: scalars.times, flags: scalars.flags, values: scalars.values)
  }

  mutating func append(_ record: ChunkRecord, time: Int64, anchor: ClockAnchor) {
    let run = run(anchor, valueCount: record.valueCount, hasBytes: record.hasBytes)
    record.withValues { runs[run].items.append(time: time, flags: record.flags, values: $0, bytes: record.bytes) }
  }

  /// The last run if its clock and shape are equal, otherwise a new one.
  private mutating func run(_ anchor: ClockAnchor, valueCount: Int, hasBytes: Bool) -> Int {
    if let last = runs.last, last.anchor.isNear(anchor), last.items.valueCount == valueCount,
      last.items.hasBytes == hasBytes
    {
      return runs.count - 1
    }
    runs.append(Run(anchor: anchor, items: ItemColumns(valueCount: valueCount, hasBytes: hasBytes)))
    return runs.count - 1
  }
}

extension ClockAnchor {
  /// Microseconds by which clocks may differ within one chunk. A clock step is larger; the delay between reading two
  /// clocks is smaller.
  static let tolerance: UInt64 = 10_000

  /// Half of the tolerance is for a run of items beside its first, half for a run beside the chunk that it extends.
  func isNear(_ other: ClockAnchor) -> Bool {
    boot == other.boot && trusted == other.trusted && isOwn == other.isOwn
      && (offset &- other.offset).magnitude <= Self.tolerance / 2
  }
}

/// Makes an edit, one chunk a step. If the last chunk of the ring has room, it is decoded and encoded together with the
/// new items.
struct RingEditor {
  /// A chunk with less free room than this is not rewritten: rewriting costs a page, and gains at most these bytes.
  static let worthwhile = 256

  private let ring: RingID
  private let number: StoreNumber
  private let expectedNext: UInt64
  private var tail: RingEdit.Tail?
  /// Runs still to be encoded; the first one begins with the tail's items if they fit together.
  private var runs: [RingItems.Run]
  private var position = 0
  private var ordinal: UInt64
  private var highWater: Int64
  /// Whether the next item is the rest of the one before.
  private var continues = false
  private var chunks: [EncodedChunk] = []

  /// Reads the end of the ring with the known `state`.
  init(_ transaction: Transaction, _ ring: RingID, _ state: RingState, _ items: consuming RingItems)
    throws(DatabaseFailure)
  {
    self.ring = ring
    number = transaction.number
    runs = items.runs
    expectedNext = state.next
    ordinal = state.next
    highWater = state.highWater
    if state.chunks > 0 { try takeTail(transaction, state) }
  }

  private mutating func takeTail(_ transaction: Transaction, _ state: RingState) throws(DatabaseFailure) {
    guard let first = runs.first else { return }
    let ring = ring
    let kept = try transaction.withCursor(transaction.tables.chunks) {
      cursor throws(DatabaseFailure) -> (RingChunkHeader, ItemColumns, Int)? in
      guard let last = try cursor.before(ring.chunkKey(.max)), RingID(key: last.key) == ring,
        let ordinal = RingID.ordinal(last.key),
        last.value.count + Self.worthwhile <= RingChunkEncoder.limit, let header = RingChunkHeader(last.value),
        header.ordinal == ordinal, header.nextOrdinal == state.next, header.count < RingChunkHeader.itemLimit,
        header.anchor.isNear(first.anchor), header.valueCount == first.items.valueCount,
        header.hasBytes == first.items.hasBytes
      else { return nil }
      var items = ItemColumns(valueCount: header.valueCount, hasBytes: header.hasBytes)
      guard RingChunkDecoder.decode(last.value, at: transaction.place(ring, ordinal), into: &items) != nil else {
        return nil
      }
      return (header, items, last.value.count)
    }
    guard case (let header, var items, let size)? = kept else { return }
    items.append(contentsOf: first.items)
    runs[0] = RingItems.Run(anchor: header.anchor, items: items)
    ordinal = header.ordinal
    continues = header.continues
    tail = RingEdit.Tail(ordinal: header.ordinal, count: header.count, bytes: size, checksum: header.checksum)
  }

  /// Encodes one chunk. Returns the number of its items; 0 when all is done.
  mutating func step() -> Int {
    while let run = runs.first, position == run.items.count {
      runs.removeFirst()
      position = 0
    }
    guard let run = runs.first else { return 0 }
    var bytes: [UInt8] = []
    let taken = RingChunkEncoder.encode(
      run.items, from: position, at: ChunkPlace(number, ring, ordinal), highWater: highWater, anchor: run.anchor,
      continues: continues, into: &bytes)
    guard taken > 0 else { fatalError("an item that fits no chunk") }
    var earliest = Int64.max
    var latest = Int64.min
    for time in run.items.times[position..<(position + taken)] {
      earliest = min(earliest, time)
      latest = max(latest, time)
    }
    chunks.append(EncodedChunk(ordinal: ordinal, count: taken, earliest: earliest, latest: latest, bytes: bytes))
    highWater = max(highWater, latest)
    ordinal &+= UInt64(taken)
    position += taken
    continues = run.items.goesOn(position - 1)
    return taken
  }

  /// The encoded edit; nil if it is empty.
  var edit: RingEdit? {
    chunks.isEmpty ? nil : RingEdit(ring: ring, expectedNext: expectedNext, tail: tail, chunks: chunks)
  }
}
