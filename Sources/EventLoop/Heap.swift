// Return of temporarily needed memory to the kernel.

internal import CLinux

/// Tuning of the C library's allocator, for a daemon that runs for months beside others on a small board.
public enum Heap {
  /// Size from which an allocation has its own pages, which return to the kernel when it is freed. By default glibc
  /// raises this threshold to the size of freed blocks, up to 32 MiB, and keeps such memory afterwards.
  private static let ownPages: Int32 = 128 << 10

  /// Called once, before any large allocation.
  ///
  /// Refuses huge pages as well. If the kernel gives them to all processes (Debian does), LMDB's list of dirty pages
  /// becomes resident as a whole: 2 MB for 131,071 pages. The first word written was enough for that, depending on the
  /// list's address.
  public static func keepSmall() {
    mallopt(M_MMAP_THRESHOLD, ownPages)
    _ = hearth_refuse_huge_pages()
  }

  /// Returns the free parts of small allocations: takes some tenths of a millisecond for a heap of 10 MB.
  public static func giveBack() { malloc_trim(0) }
}
