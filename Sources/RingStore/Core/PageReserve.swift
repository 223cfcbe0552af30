// Pages that are always kept free.

/// The reserve of a file of `pages` pages: LMDB writes copies before it frees the pages that are still visible.
enum PageReserve {
  static func of(_ pages: Int) -> Int { max(160, pages / 64) }
}
