// Memory that was needed for a moment goes back to the kernel.

internal import CLinux

/// The C library's allocator, for a daemon that runs for months beside others on a small board.
public enum Heap {
  /// Bytes from which an allocation is pages of its own, which go back when it is freed. Left alone, glibc raises its
  /// threshold to the size of whatever was freed, up to 32 MiB, and keeps such memory from then on.
  private static let ownPages: Int32 = 128 << 10

  /// Called once, before anything large is allocated.
  ///
  /// Refuses huge pages as well: where the kernel gives them to everybody (Debian does), the first word that LMDB
  /// writes into its list of dirty pages, 2 MB for 131,071 of them, made all of it resident, by where it happened to
  /// lie.
  public static func keepSmall() {
    mallopt(M_MMAP_THRESHOLD, ownPages)
    _ = hearth_refuse_huge_pages()
  }

  /// Gives back what small pieces left free: some tenths of a millisecond for a heap of 10 MB.
  public static func giveBack() { malloc_trim(0) }
}
