// Chunks of the journal that are durable in the journal file and not in a table yet.

internal import Synchronization

/// A chunk, or the mark of one that is lost. The bytes never change, so both threads may read them.
final class TailChunk: @unchecked Sendable {
  /// Sequence number of the first record: the key that the chunk has in the table.
  let sequence: UInt64
  private let storage: UnsafeMutableRawBufferPointer

  private static let keySize = 8
  /// Bytes in the place of a lost chunk. No checksum fits them, so every reader reports the loss.
  static let mark = [UInt8](repeating: 0, count: 16)

  /// A chunk was lost here.
  static func lost(_ sequence: UInt64) -> TailChunk { mark.withUnsafeBytes { TailChunk(sequence, $0) } }

  /// - Parameter bytes: a whole chunk.
  init(_ sequence: UInt64, _ bytes: UnsafeRawBufferPointer) {
    self.sequence = sequence
    storage = .allocate(byteCount: Self.keySize + bytes.count, alignment: 8)
    storage.storeBytes(of: sequence.bigEndian, as: UInt64.self)
    UnsafeMutableRawBufferPointer(rebasing: storage[Self.keySize...]).copyMemory(from: bytes)
  }

  deinit { storage.deallocate() }

  /// Entry as a table gives it; its bytes live as long as the chunk.
  var entry: Cursor.Entry {
    Cursor.Entry(
      key: UnsafeRawBufferPointer(rebasing: storage[..<Self.keySize]),
      value: UnsafeRawBufferPointer(rebasing: storage[Self.keySize...]))
  }
}

/// The chunks in the order of their numbers. The disk's side adds and removes them, readers on the loop take a copy of
/// the list.
///
/// A reader takes the list first and begins its transaction then. A chunk that moves into a table meanwhile is in both,
/// and `JournalCursor` returns it once.
final class JournalTail: Sendable {
  /// Name of the file in the folder of the store.
  static let fileName = "journal.log"

  private let list = Mutex<[TailChunk]>([])

  var chunks: [TailChunk] { list.withLock { $0 } }
  var count: Int { list.withLock { $0.count } }

  func append(_ chunks: [TailChunk]) { list.withLock { $0 += chunks } }

  /// Forgets chunks that a durable transaction has put into a table, or taken into rings.
  func drop(through sequence: UInt64) { list.withLock { $0.removeAll { $0.sequence <= sequence } } }

  func replace(_ chunks: [TailChunk]) { list.withLock { $0 = chunks } }
}
