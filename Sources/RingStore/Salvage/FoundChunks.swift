// Chunks found in an old file, with the place that their checksums give.

internal import EventLoop
internal import Health
internal import StateCodec

/// Position of a chunk in the old files.
struct FoundBytes: Sendable {
  enum File: UInt8 {
    case data, journal
  }

  let file: File
  /// Offset in the file, bytes.
  let offset: Int
  let length: UInt16
}

/// A chunk of a ring.
struct FoundChunk: Sendable {
  let bytes: FoundBytes
  /// Ordinal of the first item.
  let first: UInt64
  let count: UInt16
  /// Checksum of what precedes the ordinal: the number of the store and the ring.
  let start: UInt32
  /// The ring by its key; nil: to be found by the checksum.
  var ring: RingID?

  var range: Range<UInt64> { first..<(first &+ UInt64(count)) }
}

/// A chunk of the journal, with a checksum that holds for this store.
struct FoundJournalChunk: Sendable {
  let bytes: FoundBytes
  let sequence: UInt64
}

/// Rings by the checksum of their place. A chunk does not state its ring, but its checksum covers it.
struct RingFinder {
  private var rings: [UInt32: RingID] = [:]

  /// Rings with the same checksum are left out: a chunk could belong to each of them.
  init(_ number: StoreNumber, _ candidates: Set<RingID>) {
    var doubtful: Set<UInt32> = []
    for ring in candidates {
      let start = ring.key.withUnsafeBytes { number.start($0).value }
      if rings.updateValue(ring, forKey: start) != nil { doubtful.insert(start) }
    }
    for start in doubtful { rings[start] = nil }
  }

  subscript(_ chunk: FoundChunk) -> RingID? { chunk.ring ?? rings[chunk.start] }

  /// Calculates the checksum of number and ring backwards from the chunk's own.
  static func start(of bytes: UnsafeRawBufferPointer, _ header: RingChunkHeader) -> UInt32 {
    var crc = CRC32C(ending: header.checksum)
    crc.takeBack(bytes[ChunkHead.size...])
    crc.takeBack(bytes[..<ChunkHead.checksum])
    withUnsafeBytes(of: header.ordinal.bigEndian) { crc.takeBack($0) }
    return crc.value
  }
}

/// What a pass over the old files found.
struct SalvageFindings {
  /// Limit of chunks: 8 GB of them.
  static let limit = 1 << 21

  var chunks: [FoundChunk] = []
  var journal: [FoundJournalChunk] = []
  /// Of each ring, as its rows in the old file say: items ever purged, and the next ordinal.
  var rows: [RingID: (purged: UInt64, next: UInt64)] = [:]
  /// Rings that keys in the old file name.
  var named: Set<RingID> = []
  /// Numbers of stores by chunks with a known key.
  var votes = NumberVotes()
  var voters = 0
  /// When the old store was made, by its format mark.
  var madeAt: Int64?
  /// Next number of its journal when that was last empty.
  var journalNext: UInt64 = 1
  /// Chunks of earlier formats, whose checksum covers no place, and the keys that lead to them.
  var unplaced: Set<Int> = []
  var keyed: [(page: Int, size: UInt16, ring: RingID, ordinal: UInt64)] = []

  var pages = 0
  var freePages = 0
  var unreadPages = 0
  var isFull: Bool { chunks.count >= Self.limit || journal.count >= Self.limit || keyed.count >= Self.limit }
}
