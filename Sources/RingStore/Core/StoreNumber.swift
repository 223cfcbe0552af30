// The number of a store, which the checksums of its chunks cover together with their keys. A chunk in another place, or
// of another store, fails its checksum. FORMAT.md, "Checksums that cover a place".

internal import EventLoop
internal import StateCodec

/// A number drawn for each store. A backup contains it, because the chunks of a restored store are the same ones.
///
/// The value of the key `chunk-number` of `meta`: the number (u32), never 0, and its complement (u32). If that is lost
/// or damaged, chunks give it: a checksum can be calculated backwards.
struct StoreNumber: Sendable, Hashable {
  let value: UInt32

  /// Writers without a number cover no place.
  static let none = StoreNumber(value: 0)
  /// The first format with such checksums.
  static let firstFormat: UInt16 = 8
  static let key = Array("chunk-number".utf8)

  static func random() -> StoreNumber { StoreNumber(value: UInt32.random(in: 1...UInt32.max)) }

  /// Parses the value of the key; nil if it is damaged.
  init?(_ bytes: UnsafeRawBufferPointer) {
    var reader = StoredReader(bytes)
    guard let value = reader.integer(UInt32.self), let complement = reader.integer(UInt32.self), reader.isAtEnd,
      value == ~complement, value != 0
    else { return nil }
    self.value = value
  }

  init(value: UInt32) { self.value = value }

  static func load(_ transaction: Transaction) throws(DatabaseFailure) -> StoreNumber? {
    try transaction.get(transaction.tables.meta, key).flatMap { StoreNumber($0) }
  }

  func keep(_ transaction: Transaction) throws(DatabaseFailure) {
    var bytes: [UInt8] = []
    bytes.append(littleEndian: value)
    bytes.append(littleEndian: ~value)
    try transaction.put(transaction.tables.meta, Self.key, bytes)
  }

  /// The checksum of the number and a key, to be continued with a value.
  func start(_ key: UnsafeRawBufferPointer) -> CRC32C {
    var crc = CRC32C()
    withUnsafeBytes(of: value.littleEndian) { crc.update($0) }
    crc.update(key)
    return crc
  }

  // MARK: Recovery

  /// Chunks at either end of a table that are looked at.
  private static let voters = 32

  /// The number that most chunks agree on.
  static func recover(_ transaction: Transaction) throws(DatabaseFailure) -> StoreNumber? {
    let mark = try transaction.get(transaction.tables.meta, FormatMark.key).flatMap { FormatMark.version(of: $0) }
    if let mark, mark < firstFormat { return nil }
    var votes = NumberVotes()
    for (table, flag) in [
      (transaction.tables.chunks, ChunkHead.placedInRing), (transaction.tables.journal, ChunkHead.placedInJournal),
    ] {
      try transaction.withCursor(table) { cursor throws(DatabaseFailure) in
        var (entry, front) = (try cursor.first(), [UInt8]())
        for _ in 0..<voters {
          guard let found = entry else { break }
          votes.note(found.key, found.value, flag)
          front = Array(found.key)
          entry = try cursor.next()
        }
        entry = try cursor.last()
        for _ in 0..<voters {
          guard let found = entry, front.lexicographicallyPrecedes(found.key) else { break }
          votes.note(found.key, found.value, flag)
          entry = try cursor.previous()
        }
      }
    }
    return votes.winner
  }
}

/// Numbers that chunks have in their checksums.
struct NumberVotes {
  private var votes: [UInt32: Int] = [:]

  /// Counts a chunk if the flag says that its checksum covers its place.
  mutating func note(_ key: UnsafeRawBufferPointer, _ bytes: UnsafeRawBufferPointer, _ flag: UInt8) {
    guard bytes.count > ChunkHead.size, bytes[ChunkHead.flags] & flag != 0 else { return }
    let stated = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: ChunkHead.checksum, as: UInt32.self))
    var crc = CRC32C(ending: stated)
    crc.takeBack(bytes[ChunkHead.size...])
    crc.takeBack(bytes[..<ChunkHead.checksum])
    crc.takeBack(key)
    votes[crc.firstFour, default: 0] += 1
  }

  /// The number of most chunks, of at least two: a damaged chunk agrees with any.
  var winner: StoreNumber? { most(2) }
  /// The number of a chunk that is known to be sound.
  var only: StoreNumber? { most(1) }

  private func most(_ least: Int) -> StoreNumber? {
    guard let best = votes.max(by: { ($0.value, $0.key) < ($1.value, $1.key) }), best.value >= least, best.key != 0
    else { return nil }
    return StoreNumber(value: best.key)
  }
}

/// Fields at the start of all chunks: layout, flags, count, checksum.
enum ChunkHead {
  static let flags = 1
  static let checksum = 4
  static let size = 8
  /// Flags of a chunk of a ring and of the journal: the checksum covers the place as well.
  static let placedInRing: UInt8 = 8
  static let placedInJournal: UInt8 = 4
}

extension Environment {
  /// Reads the store's number, or calculates it from chunks.
  func learnNumber() throws(DatabaseFailure) {
    if tables.meta == 0 { return }
    number = try read { transaction throws(DatabaseFailure) in
      if let known = try StoreNumber.load(transaction) { return known }
      return try StoreNumber.recover(transaction) ?? .none
    }
  }

  /// The same for a writer, which draws a number if there is none, and writes it.
  ///
  /// - Parameter told: reads the number of the journal file.
  func settleNumber(_ told: () throws(DatabaseFailure) -> StoreNumber? = { nil }) throws(DatabaseFailure) {
    try learnNumber()
    if number == .none, let told = try told() { number = told }
    let settled = number == .none ? .random() : number
    number = settled
    let isWritten = try read { transaction throws(DatabaseFailure) in try StoreNumber.load(transaction) == settled }
    if !isWritten { try write { transaction throws(DatabaseFailure) in try settled.keep(transaction) } }
  }
}
