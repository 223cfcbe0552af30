// The rows of the table `rings`: the ends of each ring, its losses, and the position confirmed by readers.

internal import EventLoop
internal import Health

/// A row of the table `rings`.
///
/// | offset | bytes | field | | offset | bytes | field |
/// |---:|---:|---|---|---:|---:|---|
/// | 0 | 1 | layout: 1 | | 56 | 8 | high water, i64 |
/// | 1 | 3 | 0 | | 64 | 8 | exported below this ordinal |
/// | 4 | 4 | CRC-32C of bytes 0–3 and 8–end | | 72 | 8 | evicted items, ever |
/// | 8 | 8 | next ordinal | | 80 | 8 | of these, never exported |
/// | 16 | 8 | items | | 88 | 16 | earliest and latest evicted time |
/// | 24 | 4 | chunks | | 104 | 8 | purged items, ever |
/// | 28 | 4 | items of the first chunk | | 112 | 8 | bytes of the chunks |
/// | 32 | 8 | first ordinal | | 40 | 16 | earliest and latest time of the first chunk |
struct RingState: Sendable, Equatable {
  static let size = 120
  static let layout: UInt8 = 1
  /// Bytes that a chunk takes of the file, beside its entry in a leaf.
  static let chunkSpace = 4096

  var next: UInt64 = 0
  var items: UInt64 = 0
  var chunks: UInt32 = 0
  var firstItems: UInt32 = 0
  var first: UInt64 = 0
  var firstEarliest: Int64 = 0
  var firstLatest: Int64 = 0
  var highWater: Int64 = .min
  var exported: UInt64 = 0
  var evicted: UInt64 = 0
  var evictedUnexported: UInt64 = 0
  var evictedFrom: Int64 = .max
  var evictedTo: Int64 = .min
  var purged: UInt64 = 0
  var bytes: UInt64 = 0

  init() {}

  /// nil if the bytes are not an undamaged row of this layout.
  init?(_ row: UnsafeRawBufferPointer) {
    var reader = StoredReader(row)
    guard row.count == Self.size, reader.u8() == Self.layout, reader.take(3) != nil,
      let checksum = reader.integer(UInt32.self),
      checksum == ChunkHeader.checksum(row),
      let next = reader.integer(UInt64.self), let items = reader.integer(UInt64.self),
      let chunks = reader.integer(UInt32.self),
      let firstItems = reader.integer(UInt32.self), let first = reader.integer(UInt64.self),
      let firstEarliest = reader.integer(Int64.self),
      let firstLatest = reader.integer(Int64.self), let highWater = reader.integer(Int64.self),
      let exported = reader.integer(UInt64.self),
      let evicted = reader.integer(UInt64.self), let evictedUnexported = reader.integer(UInt64.self),
      let evictedFrom = reader.integer(Int64.self), let evictedTo = reader.integer(Int64.self),
      let purged = reader.integer(UInt64.self),
      let bytes = reader.integer(UInt64.self), next < RecordNumber.end
    else { return nil }
    self.next = next
    self.items = items
    self.chunks = chunks
    self.firstItems = firstItems
    self.first = first
    self.firstEarliest = firstEarliest
    self.firstLatest = firstLatest
    self.highWater = highWater
    self.exported = exported
    self.evicted = evicted
    self.evictedUnexported = evictedUnexported
    self.evictedFrom = evictedFrom
    self.evictedTo = evictedTo
    self.purged = purged
    self.bytes = bytes
  }

  var row: [UInt8] {
    var row: [UInt8] = [Self.layout, 0, 0, 0, 0, 0, 0, 0]
    row.append(littleEndian: next)
    row.append(littleEndian: items)
    row.append(littleEndian: chunks)
    row.append(littleEndian: firstItems)
    row.append(littleEndian: first)
    row.append(littleEndian: firstEarliest)
    row.append(littleEndian: firstLatest)
    row.append(littleEndian: highWater)
    row.append(littleEndian: exported)
    row.append(littleEndian: evicted)
    row.append(littleEndian: evictedUnexported)
    row.append(littleEndian: evictedFrom)
    row.append(littleEndian: evictedTo)
    row.append(littleEndian: purged)
    row.append(littleEndian: bytes)
    let checksum = row.withUnsafeBytes { ChunkHeader.checksum($0) }
    row.withUnsafeMutableBytes { $0.store(checksum, at: 4) }
    return row
  }

  /// Bytes of its chunks in the file.
  var space: Int { Int(chunks) * Self.chunkSpace }
  /// Items that no reader has confirmed. Ordinals have gaps only after purges or damage, so this may be slightly too
  /// high.
  var unexported: UInt64 { next > exported ? min(items, next - exported) : 0 }
  /// The time span of evicted items; nil if there are no such items or the span is unknown.
  var evictedSpan: (from: WallTime, to: WallTime)? {
    evicted > 0 && evictedFrom <= evictedTo
      ? (WallTime(microseconds: evictedFrom), WallTime(microseconds: evictedTo)) : nil
  }
  /// Whether readers have confirmed the whole first chunk.
  var firstIsExported: Bool { chunks > 0 && first &+ UInt64(firstItems) <= exported }

  /// Records which chunk is the first one now. A damaged chunk has no readable times: those of the previous first
  /// chunk remain.
  mutating func begin(at ordinal: UInt64, _ header: RingChunkHeader?) {
    first = ordinal
    firstItems = UInt32(header?.count ?? 0)
    guard let header else { return }
    firstEarliest = header.earliest
    firstLatest = header.latest
  }

  mutating func becomeEmpty() {
    first = next
    firstItems = 0
    firstEarliest = 0
    firstLatest = 0
    items = 0
    chunks = 0
    bytes = 0
  }
}

extension RingID {
  static let keySize = 7

  /// The key of its row, big-endian.
  var key: [UInt8] {
    let n = wearable.number
    return [
      UInt8(truncatingIfNeeded: n >> 24), UInt8(truncatingIfNeeded: n >> 16), UInt8(truncatingIfNeeded: n >> 8),
      UInt8(truncatingIfNeeded: n),
      UInt8(truncatingIfNeeded: seriesNumber >> 8), UInt8(truncatingIfNeeded: seriesNumber), way.rawValue,
    ]
  }

  /// The key of the chunk that begins with this ordinal.
  func chunkKey(_ ordinal: UInt64) -> [UInt8] {
    var key = key
    key.reserveCapacity(Self.keySize + 8)
    Swift.withUnsafeBytes(of: ordinal.bigEndian) { key.append(contentsOf: $0) }
    return key
  }

  /// Reads the first seven bytes; nil if they do not name a ring.
  init?(key: UnsafeRawBufferPointer) {
    guard key.count >= Self.keySize, let way = Way(rawValue: key[6]) else { return nil }
    let wearable = UInt32(bigEndian: key.loadUnaligned(as: UInt32.self))
    let series = UInt16(bigEndian: key.loadUnaligned(fromByteOffset: 4, as: UInt16.self))
    self.init(wearable: WearableID(number: wearable), seriesNumber: series, way: way)
  }

  /// The ordinal in a chunk's key.
  static func ordinal(_ key: UnsafeRawBufferPointer) -> UInt64? {
    key.count == keySize + 8 ? UInt64(bigEndian: key.loadUnaligned(fromByteOffset: keySize, as: UInt64.self)) : nil
  }
}

/// Rings in the order of their keys. Used by the disk lane; the loop gets copies.
struct RingTable: Sendable {
  private(set) var rings: [(id: RingID, state: RingState)] = []
  /// Rings with rows that failed their checksum at opening, with substitutes made from their chunks. The row is
  /// written again when its ring changes.
  private(set) var rebuilt: [RingID: RingState] = [:]

  subscript(id: RingID) -> RingState? {
    get {
      let place = place(of: id)
      return place < rings.count && rings[place].id == id ? rings[place].state : nil
    }
    set {
      let place = place(of: id)
      let isThere = place < rings.count && rings[place].id == id
      if let newValue {
        if isThere { rings[place].state = newValue } else { rings.insert((id, newValue), at: place) }
      } else if isThere {
        rings.remove(at: place)
      }
    }
  }

  /// The first ring at or behind `id`.
  func place(of id: RingID) -> Int {
    var low = 0
    var high = rings.count
    while low < high {
      let middle = (low + high) / 2
      if rings[middle].id < id { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// - Parameter awaited: `StoreOptions.awaitedReaders`, for rows that are rebuilt.
  static func load(_ transaction: Transaction, awaiting awaited: [String] = []) throws(DatabaseFailure) -> RingTable {
    var table = RingTable()
    try transaction.withCursor(transaction.tables.rings) { cursor throws(DatabaseFailure) in
      var entry = try cursor.first()
      while let found = entry {
        if let id = RingID(key: found.key), found.key.count == RingID.keySize {
          if let state = RingState(found.value) {
            // Keys come in ascending order.
            table.rings.append((id, state))
          } else {
            let state = try rebuild(transaction, id, awaiting: awaited)
            table.rebuilt[id] = state
            table.rings.append((id, state))
          }
        }
        entry = try cursor.next()
      }
    }
    return table
  }

  /// Rebuilds a row from the ring's chunks and its readers. Ordinals that any reader has confirmed are not used again;
  /// as exported counts what all awaited ones have. Missing items count as evicted, at unknown times.
  static func rebuild(
    _ transaction: Transaction, _ id: RingID, awaiting awaited: [String]
  ) throws(DatabaseFailure) -> RingState {
    var state = RingState()
    try transaction.withCursor(transaction.tables.chunks) { cursor throws(DatabaseFailure) in
      var entry = try cursor.seek(id.key)
      while let found = entry, RingID(key: found.key) == id, let ordinal = RingID.ordinal(found.key) {
        // All further keys are damaged too.
        if ordinal >= RecordNumber.end { break }
        let header = RingChunkHeader.verify(found.value, at: transaction.place(id, ordinal))
        if state.chunks == 0 { state.begin(at: ordinal, header) }
        state.chunks &+= 1
        state.bytes += UInt64(found.value.count)
        state.items += UInt64(header?.count ?? 0)
        state.next = header?.nextOrdinal ?? ordinal + UInt64(RingChunkHeader.itemLimit)
        if let header { state.highWater = max(state.highWater, header.highWater) }
        entry = try cursor.next()
      }
    }
    let (furthest, exported) = try Readers.reach(transaction, id, awaiting: awaited)
    state.exported = exported
    state.next = max(state.next, furthest)
    state.evicted = state.next - min(state.next, state.items)
    state.evictedUnexported = state.evicted - min(state.evicted, state.exported)
    if state.chunks == 0 { state.first = state.next }
    return state
  }
}
