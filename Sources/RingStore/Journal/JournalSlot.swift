// The bytes of the journal file. FORMAT.md, "journal.log".

internal import StateCodec

/// A slot of the journal file: a chunk with a head of 16 bytes.
///
/// | offset | bytes | field |
/// |---:|---:|---|
/// | 0 | 4 | CRC-32C of the file's number (u64) and of the bytes from 4 to the end of the chunk |
/// | 4 | 2 | length of the chunk (u16), 89 to 4,080 |
/// | 6 | 2 | 0 |
/// | 8 | 8 | number of the slot (u64): one more for each chunk ever written; its place is the number modulo 512 |
/// | 16 | … | chunk, as in the table `journal`; zeros behind it |
struct JournalSlot {
  /// A page of a card: with its head a full chunk fills it.
  static let size = 4096
  static let headSize = 16

  let number: UInt64
  /// Length of the chunk, bytes.
  let length: Int
  /// Number of the chunk's first record, and the number behind its last one.
  let sequence: UInt64
  let nextSequence: UInt64
  /// See `ChunkHeader.sameWriteFlag`.
  let isOfSameWrite: Bool

  /// nil for what is no whole slot of the file with this number, in the store with its own.
  init?(_ bytes: UnsafeRawBufferPointer, _ file: UInt64, _ store: StoreNumber) {
    var reader = StoredReader(bytes)
    guard bytes.count == Self.size, let checksum = reader.integer(UInt32.self),
      let length = reader.integer(UInt16.self), reader.integer(UInt16.self) == 0,
      let number = reader.integer(UInt64.self), number < .max, let chunk = reader.take(Int(length)),
      checksum == Self.checksum(bytes, file, length: Int(length)),
      let stated = ChunkHeader(chunk), let header = JournalReading.soundHeader(chunk, stated.sequence, store)
    else { return nil }
    self.number = number
    self.length = Int(length)
    (sequence, nextSequence) = (header.sequence, header.nextSequence)
    isOfSameWrite = header.isOfSameWrite
  }

  /// Notes the number of the store in the chunk of a whole slot.
  static func note(_ bytes: UnsafeRawBufferPointer, _ file: UInt64, _ votes: inout NumberVotes) {
    var reader = StoredReader(bytes)
    guard bytes.count == size, let checksum = reader.integer(UInt32.self), let length = reader.integer(UInt16.self),
      reader.take(10) != nil, let chunk = reader.take(Int(length)), chunk.count >= ChunkHeader.size,
      checksum == Self.checksum(bytes, file, length: Int(length))
    else { return }
    let sequence = chunk.loadUnaligned(fromByteOffset: ChunkHeader.Offset.sequence, as: UInt64.self)
    withUnsafeBytes(of: UInt64(littleEndian: sequence).bigEndian) { votes.note($0, chunk, ChunkHeader.placedFlag) }
  }

  /// - Parameter bytes: those that it was made of.
  func chunk(_ bytes: UnsafeRawBufferPointer) -> TailChunk {
    TailChunk(sequence, UnsafeRawBufferPointer(rebasing: bytes[Self.headSize..<(Self.headSize + length)]))
  }

  /// Writes a chunk as slot `number`.
  static func write(
    _ chunk: UnsafeRawBufferPointer, _ number: UInt64, _ file: UInt64, to slot: UnsafeMutableRawBufferPointer
  ) {
    guard slot.count == size, chunk.count <= ChunkBuffer.capacity else { fatalError("a chunk above a slot's size") }
    slot.initializeMemory(as: UInt8.self, repeating: 0)
    slot.store(UInt16(chunk.count), at: 4)
    slot.store(number, at: 8)
    UnsafeMutableRawBufferPointer(rebasing: slot[headSize...]).copyMemory(from: chunk)
    slot.store(checksum(UnsafeRawBufferPointer(slot), file, length: chunk.count), at: 0)
  }

  private static func checksum(_ slot: UnsafeRawBufferPointer, _ file: UInt64, length: Int) -> UInt32 {
    var crc = CRC32C()
    withUnsafeBytes(of: file.littleEndian) { crc.update($0) }
    crc.update(UnsafeRawBufferPointer(rebasing: slot[4..<(headSize + length)]))
    return crc.value
  }
}

/// The first page of the journal file.
///
/// | offset | bytes | field |
/// |---:|---:|---|
/// | 0 | 8 | `hearthjl` |
/// | 8 | 4 | version (u32): 1 |
/// | 12 | 4 | CRC-32C of bytes 0 to 11 and 16 to 31 |
/// | 16 | 8 | number of the file (u64), random: that of the key `journal-file` of `meta` |
/// | 24 | 8 | chunks below this sequence number (u64) are in a table or in rings; may be too low, never too high |
/// | 32 | … | zeros |
struct JournalHead {
  static let magic = Array("hearthjl".utf8)
  static let version: UInt32 = 1
  private static let size = 32

  let file: UInt64
  var movedBelow: UInt64 = 0

  init(file: UInt64) { self.file = file }

  /// nil for what is no such page.
  init?(_ bytes: UnsafeRawBufferPointer) {
    var reader = StoredReader(bytes)
    guard bytes.count >= Self.size, reader.take(Self.magic.count)?.elementsEqual(Self.magic) == true,
      reader.integer(UInt32.self) == Self.version, let checksum = reader.integer(UInt32.self),
      let file = reader.integer(UInt64.self), let moved = reader.integer(UInt64.self),
      checksum == Self.checksum(bytes)
    else { return nil }
    (self.file, movedBelow) = (file, moved)
  }

  /// The page as written.
  var bytes: [UInt8] {
    var bytes = Self.magic
    bytes.append(littleEndian: Self.version)
    bytes.append(littleEndian: UInt32(0))
    bytes.append(littleEndian: file)
    bytes.append(littleEndian: movedBelow)
    let checksum = bytes.withUnsafeBytes { Self.checksum($0) }
    bytes.withUnsafeMutableBytes { $0.store(checksum, at: 12) }
    return bytes + [UInt8](repeating: 0, count: JournalSlot.size - bytes.count)
  }

  private static func checksum(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
    var crc = CRC32C()
    crc.update(UnsafeRawBufferPointer(rebasing: bytes[..<12]))
    crc.update(UnsafeRawBufferPointer(rebasing: bytes[16..<size]))
    return crc.value
  }
}

/// Journal behind a table, as slots describe it.
enum JournalSlots {
  /// Slots of the file. A full file is drained when half of the slots are in use. 512 are 2 MiB, twice what the journal
  /// has before it is moved into the rings.
  static let count = 512
  /// Chunks of one write at most.
  static let writeLimit = 32

  /// Returns the slots that count, in order, and apart from them those of a write that a power cut interrupted.
  ///
  /// The disk may write the slots of one write in any order, and none was promised before all were there. Therefore the
  /// newest write ends before its first missing slot. In an older write a missing slot is damage, as it is in the
  /// newest one if this process has seen that write succeed.
  ///
  /// - Parameters:
  ///   - slots: all that are whole, in any order.
  ///   - end: the number of the record behind the journal's table. What is missing below it was moved, and overwritten.
  ///   - promisedBelow: slots below this number were durable.
  static func split(_ slots: [JournalSlot], end: UInt64, promisedBelow: UInt64) -> (
    counted: [JournalSlot], torn: [JournalSlot]
  ) {
    let slots = slots.sorted { $0.number < $1.number }
    guard let newest = slots.last?.number else { return ([], []) }
    var counted: [JournalSlot] = []
    for slot in slots where newest - slot.number < UInt64(count) {
      // A slot with a lower number than the one before belongs to another journal.
      if let before = counted.last, slot.sequence < before.nextSequence { continue }
      counted.append(slot)
    }
    var whole = counted.count
    for index in counted.indices.reversed() {
      let slot = counted[index]
      if !slot.isOfSameWrite || newest - slot.number >= UInt64(writeLimit) { break }
      let before = index > 0 ? counted[index - 1] : nil
      if let before, before.number + 1 == slot.number { continue }
      if slot.sequence <= max(before?.nextSequence ?? 0, end) || slot.number <= promisedBelow { break }
      whole = index
    }
    return (Array(counted[..<whole]), Array(counted[whole...]))
  }

  /// Returns the chunks that are in no table yet, with a mark for each stretch of lost slots between others.
  ///
  /// - Parameters:
  ///   - slots: those that count, in order.
  ///   - isBehind: whether a chunk with this sequence number is in no table.
  ///   - chunk: reads the chunk of a slot.
  static func tail(
    _ slots: [JournalSlot], _ isBehind: (UInt64) -> Bool, chunk: (JournalSlot) -> TailChunk?
  ) -> [TailChunk] {
    var tail: [TailChunk] = []
    var before: JournalSlot?
    for slot in slots {
      if isBehind(slot.sequence) {
        // Numbers are skipped without a lost slot too, if the disk had refused samples for too long.
        if let before, slot.number - before.number > 1, slot.sequence > before.nextSequence,
          isBehind(before.nextSequence)
        {
          tail.append(.lost(before.nextSequence))
        }
        tail.append(chunk(slot) ?? .lost(slot.sequence))
      }
      before = slot
    }
    return tail
  }
}
