// Bytes of a store's file outside its tables: free pages, and the unused ends of other pages. LMDB leaves old data
// there, keys of bonds included; this overwrites it with zeros.

internal import Glibc
internal import Reasons

/// Overwrites bytes in place that LMDB never reads. These are pages outside every table, the gap between directory and
/// nodes of a tree's page, and the rest of a long value's last page. A kill or a power cut at any moment therefore
/// leaves the store whole, and the work begins again.
///
/// A copy would need room for a second store, and a compacted copy would contain the gaps too.
///
/// The file is read once from end to end: some 75 s for a store of 1.5 GB on a card with 20 MB/s. Only bytes other
/// than zero are written. The work takes 16 bytes of memory for each long value (a chunk is one): 6 MB for the largest
/// usual store, released at once.
///
/// Only readers may have the file mapped, and `awaitReaders` has waited for them. Any deviation from LMDB 0.9's layout
/// (64 bits, little-endian) ends the work before more is overwritten: in a damaged tree no page counts as free.
struct PageScrub {
  /// Bytes that are read and written at once: 1 MiB.
  private static let block = 1 << 20

  private let file: PageFile
  private let walk: PageWalk
  private let progress: (@Sendable (Int) -> Void)?
  private let probe: (@Sendable (String) -> Void)?

  /// - Throws: `storeInputOutput` with the deviation, or the disk's error.
  static func run(_ options: StoreOptions) throws(HearthError) {
    let name = options.path + "/data.mdb"
    let descriptor = open(name, O_RDWR | O_NOFOLLOW | O_CLOEXEC)
    if descriptor < 0 { throw openFailure(errno, name) }
    defer { close(descriptor) }
    do throws(PageFault) {
      let scrub = try PageScrub(PageFile(descriptor), options)
      try scrub.overwrite()
      if fsync(descriptor) != 0 { throw .unread(errno) }
    } catch {
      switch error {
      case .broken(let what):
        throw HearthError(.storeInputOutput, "\(name) \(what): old pages were not overwritten")
      case .unread(let code): throw openFailure(code, name)
      }
    }
  }

  private init(_ file: PageFile, _ options: StoreOptions) throws(PageFault) {
    self.file = file
    progress = options.whileConverting
    probe = options.conversionProbe
    var walk = PageWalk(file, root: try PageCheck.roots(file).newer, pages: file.pages, keepsEnds: true)
    try walk.run()
    self.walk = walk
  }

  // MARK: What is not

  private func overwrite() throws(PageFault) {
    let (pages, pageSize) = (file.pages, file.pageSize)
    let ends = walk.ends.sorted { $0.page < $1.page }
    var end = 0
    let atOnce = max(1, Self.block / pageSize)
    let block = UnsafeMutableRawBufferPointer.allocate(byteCount: atOnce * pageSize, alignment: 8)
    defer { block.deallocate() }
    func part(_ range: Range<Int>) -> UnsafeMutableRawBufferPointer {
      UnsafeMutableRawBufferPointer(rebasing: block[(range.lowerBound * pageSize)..<(range.upperBound * pageSize)])
    }
    // LMDB writes the two roots over a page of zeros, so they have no old data.
    for first in stride(from: 2, to: pages, by: atOnce) {
      let count = min(atOnce, pages - first)
      try file.read(first, into: part(0..<count))
      var changed: Range<Int>?
      for place in 0..<count {
        let number = first + place
        while end < ends.count, ends[end].page < number { end += 1 }
        let used = end < ends.count && ends[end].page == number ? ends[end].used : pageSize
        let page = part(place..<(place + 1))
        guard let range = unused(of: number, used, UnsafeRawBufferPointer(page)) else {
          throw .broken("has a page \(number) that changed")
        }
        if page[range].allSatisfy({ $0 == 0 }) { continue }
        for index in range { page[index] = 0 }
        changed = min(changed?.lowerBound ?? place, place)..<(place + 1)
      }
      if let changed {
        probe?("write at page \(first + changed.lowerBound)")
        try file.write(part(changed), at: (first + changed.lowerBound) * pageSize)
      }
      progress?((first + count) * 100 / pages)
    }
  }

  private func unused(of number: Int, _ used: Int, _ page: UnsafeRawBufferPointer) -> Range<Int>? {
    if !walk.reached.contains(number) { return 0..<page.count }
    return walk.treePages.contains(number) ? PageWalk.gap(of: page, UInt64(number)) : used..<page.count
  }
}
