// A change of one ring, made ready on the loop and applied on the disk's side.

internal import EventLoop
internal import Health

/// An encoded chunk.
struct EncodedChunk: Sendable {
  let ordinal: UInt64
  let count: Int
  let earliest: Int64
  let latest: Int64
  let bytes: [UInt8]
}

/// Chunks to be added at the end of a ring. The last chunk that is there may have had room: then the first of the new
/// ones takes its place.
struct RingEdit: Sendable {
  struct Tail: Sendable {
    let ordinal: UInt64
    let count: Int
    let bytes: Int
    let checksum: UInt32
  }

  let ring: RingID
  /// What `RingState.next` was when this was made ready.
  let expectedNext: UInt64
  let tail: Tail?
  let chunks: [EncodedChunk]

  var next: UInt64 { chunks.last.map { $0.ordinal &+ UInt64($0.count) } ?? expectedNext }
  /// Its ordinals rise from the end of the ring, or from the tail, without a gap.
  var isInOrder: Bool {
    var ordinal = tail?.ordinal ?? expectedNext
    for chunk in chunks {
      guard chunk.ordinal == ordinal else { return false }
      ordinal &+= UInt64(chunk.count)
    }
    return ordinal >= expectedNext
  }
  /// New items, without those of the tail.
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

  /// The last run if its clock and shape are these, else a new one.
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
  /// Microseconds that clocks may differ within one chunk: a step is more, reading two clocks one after the other is
  /// less.
  static let tolerance: UInt64 = 10_000

  /// Half of it for a run of items beside its first, half for a run beside the chunk that it goes into: together within
  /// the tolerance.
  func isNear(_ other: ClockAnchor) -> Bool {
    boot == other.boot && trusted == other.trusted && isOwn == other.isOwn
      && (offset &- other.offset).magnitude <= Self.tolerance / 2
  }
}

/// Makes an edit, one chunk a step: decodes the last chunk of the ring if it has room, encodes it together with what is
/// new.
struct RingEditor {
  /// A chunk with less room than this is left as it is: rewriting costs a page, and this much is all it would gain.
  static let worthwhile = 256

  private let ring: RingID
  private let expectedNext: UInt64
  private var tail: RingEdit.Tail?
  /// What is still to be encoded; the first run begins with the tail's items where they fit together.
  private var runs: [RingItems.Run]
  private var position = 0
  private var ordinal: UInt64
  private var highWater: Int64
  /// The next item to be encoded is the rest of the one before.
  private var continues = false
  private var chunks: [EncodedChunk] = []

  /// Reads the end of the ring, of which `state` is known.
  init(_ transaction: Transaction, _ ring: RingID, _ state: RingState, _ items: consuming RingItems)
    throws(DatabaseFailure)
  {
    self.ring = ring
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
      guard RingChunkDecoder.decode(last.value, into: &items) != nil else { return nil }
      return (header, items, last.value.count)
    }
    guard case (let header, var items, let size)? = kept else { return }
    items.append(contentsOf: first.items)
    runs[0] = RingItems.Run(anchor: header.anchor, items: items)
    ordinal = header.ordinal
    continues = header.continues
    tail = RingEdit.Tail(ordinal: header.ordinal, count: header.count, bytes: size, checksum: header.checksum)
  }

  /// Encodes one chunk. Returns how many items it took; 0 when all is done.
  mutating func step() -> Int {
    while let run = runs.first, position == run.items.count {
      runs.removeFirst()
      position = 0
    }
    guard let run = runs.first else { return 0 }
    var bytes: [UInt8] = []
    let taken = RingChunkEncoder.encode(
      run.items, from: position, ordinal: ordinal, highWater: highWater, anchor: run.anchor, continues: continues,
      into: &bytes)
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

  /// What was encoded; nil if there was nothing.
  var edit: RingEdit? {
    chunks.isEmpty ? nil : RingEdit(ring: ring, expectedNext: expectedNext, tail: tail, chunks: chunks)
  }
}
