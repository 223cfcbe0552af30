// Pages that never hold anything.

/// What LMDB needs to write copies beside what is still visible: of a file of so many pages, these hold nothing.
enum PageReserve {
  static func of(_ pages: Int) -> Int { max(160, pages / 64) }
}
