// The page size of a new store: 4 KiB on every kernel. LMDB would take the kernel's own page size. With the 16 KiB of a
// Raspberry Pi 5, it would write four times as much with each commit. LMDB keeps the page size that a file states, so
// the head of a new file is written here, before LMDB opens it.

internal import CLMDB
internal import Glibc

/// The first two pages of an environment without any table, as LMDB 0.9 makes them on 64-bit machines. Source: mdb.c,
/// MDB_page, MDB_meta, MDB_db, mdb_env_init_meta. Both pages are equal except for their numbers.
///
/// | offset | bytes | field |
/// |---:|---:|---|
/// | 0 | 8 | number of the page: 0, 1 |
/// | 8 | 2 | 0 |
/// | 10 | 2 | flags of the page: 8, a root page |
/// | 12 | 4 | 0 |
/// | 16 | 4 | magic: 0xBEEFC0DE |
/// | 20 | 4 | version: 1 |
/// | 24 | 8 | address of a fixed mapping: 0 |
/// | 32 | 8 | size of the mapping |
/// | 40 | 48 | free pages: page size (4), flags 8: integer keys (2), depth (2), four counts (8 each), root page (8) |
/// | 88 | 48 | named databases, the same with page size and flags 0 |
/// | 136 | 8 | last page: 1 |
/// | 144 | 8 | number of the transaction: 0 |
enum StorePages {
  /// The size that a chunk fills (`RingState.chunkSpace`), and the block of a file system on a card.
  static let size = 4096

  private static let rootPage: UInt16 = 8
  private static let magic: UInt32 = 0xBEEF_C0DE
  private static let version: UInt32 = 1
  private static let noPage = UInt64.max

  static func head(mapSize: Int, pageSize: Int = size) -> [UInt8] {
    [page(0, mapSize, pageSize), page(1, mapSize, pageSize)].flatMap { $0 }
  }

  private static func page(_ number: UInt64, _ mapSize: Int, _ pageSize: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(pageSize)
    bytes.append(littleEndian: number)
    bytes.append(littleEndian: UInt16(0))
    bytes.append(littleEndian: rootPage)
    bytes.append(littleEndian: UInt32(0))
    bytes.append(littleEndian: magic)
    bytes.append(littleEndian: version)
    bytes.append(littleEndian: UInt64(0))
    bytes.append(littleEndian: UInt64(mapSize))
    for (pad, flags) in [(UInt32(pageSize), UInt16(MDB_INTEGERKEY)), (0, 0)] {
      bytes.append(littleEndian: pad)
      bytes.append(littleEndian: flags)
      bytes.append(contentsOf: [UInt8](repeating: 0, count: 2 + 4 * 8))
      bytes.append(littleEndian: noPage)
    }
    bytes.append(littleEndian: UInt64(1))
    bytes.append(littleEndian: UInt64(0))
    bytes.append(contentsOf: [UInt8](repeating: 0, count: pageSize - bytes.count))
    return bytes
  }

  /// Writes the head of an environment without data. A power cut leaves no data file, the empty one that was there, or
  /// one with a whole head. A file with any content is left unchanged. The caller holds the store's lock.
  static func prepare(_ path: String, mapSize: Int, pageSize: Int = size) throws(DatabaseFailure) {
    var status = stat()
    // LMDB finds and reports any other fault of the file.
    if lstat("\(path)/data.mdb", &status) == 0 ? status.st_size > 0 : errno != ENOENT { return }
    try WholeFile.write(head(mapSize: mapSize, pageSize: pageSize)[...], "data.mdb", in: path)
  }
}
