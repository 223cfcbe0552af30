// An old file of a store, read page by page. No tree is followed, so a lost branch or leaf hides no chunk.

internal import EventLoop
internal import Glibc
internal import Reasons

/// The old file, never written to. Its bytes may be anything.
final class OldStore {
  /// Limit of its length: 64 GiB.
  private static let sizeLimit = 1 << 36
  private static let voterLimit = 64
  /// Limit of slots of a journal file: eight times as many as there are.
  private static let slotLimit = 4096

  /// Name of the data file.
  let name: String
  /// Whether this store's rescue set the file aside: its list of free pages then knows every earlier order.
  let isSetAside: Bool
  private let data: Int32
  private let log: Int32
  private let rescued: RescuedFile
  /// Called now and then while pages are read.
  private let whileReading: (@Sendable () -> Void)?

  /// - Parameters:
  ///   - path: a data file, or the folder of a store.
  ///   - store: folder of the store that must not be its own source.
  /// - Throws: `salvageRefused`.
  init(_ path: String, for store: String, _ whileReading: (@Sendable () -> Void)?) throws(HearthError) {
    var status = stat()
    let isFolder = stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    name = isFolder ? path + "/data.mdb" : path
    isSetAside = !isFolder && Self.isSetAside(path, of: store)
    data = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    let (code, file) = (errno, name)
    log = isFolder ? open("\(path)/\(JournalTail.fileName)", O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1
    self.whileReading = whileReading
    var size = stat()
    let isRead = data >= 0 && fstat(data, &size) == 0
    rescued = RescuedFile(data, bytes: isRead ? Int(clamping: size.st_size) : 0)
    if !isRead { throw Self.refused(file, String(cString: strerror(code))) }
    var own = stat()
    let isOwn = stat(store + "/data.mdb", &own) == 0 && own.st_ino == size.st_ino && own.st_dev == size.st_dev
    if isOwn { throw Self.refused(file, "it is the store's own file") }
    if size.st_mode & S_IFMT != S_IFREG { throw Self.refused(file, "it is no regular file") }
    if Int(size.st_size) > Self.sizeLimit { throw Self.refused(file, "it is larger than any store") }
  }

  deinit {
    if data >= 0 { close(data) }
    if log >= 0 { close(log) }
  }

  private static func isSetAside(_ path: String, of store: String) -> Bool {
    guard let file = path.split(separator: "/").last, file.hasPrefix(StoreProbe.asideName) else { return false }
    var (given, own) = (stat(), stat())
    return stat(path, &given) == 0 && stat("\(store)/\(file)", &own) == 0 && given.st_ino == own.st_ino
      && given.st_dev == own.st_dev
  }

  static func refused(_ name: String, _ why: String) -> HearthError { HearthError(.salvageRefused, "\(name): \(why)") }

  /// Pages that hold no current data; nil if that is not known. With one root only, the last commit's pages count as
  /// free, although that commit wrote them.
  private var free: PageSet? { rescued.roots.count == 2 ? rescued.free : nil }

  /// Whether chunks that an order deleted can be told from current ones.
  var knowsFree: Bool { free != nil }

  // MARK: The pass

  /// Finds all chunks.
  ///
  /// - Throws: `salvageRefused` for more than any store has.
  func scan(_ number: StoreNumber) throws(HearthError) -> SalvageFindings {
    var found = SalvageFindings()
    let size = rescued.file.pageSize
    var page = [UInt8](repeating: 0, count: size)
    for index in 0..<rescued.file.pages {
      if index % 1024 == 0 { whileReading?() }
      if found.isFull { throw Self.refused(name, "it has more chunks than any store") }
      if let free, free.contains(index) {
        found.freePages += 1
        continue
      }
      found.pages += 1
      do throws(PageFault) { try rescued.file.read(&page, at: index * size) } catch {
        found.unreadPages += 1
        continue
      }
      page.withUnsafeBytes { bytes in
        if isLeaf(bytes) {
          readLeaf(bytes, index * size, number, &found)
        } else {
          read(bytes, .data, index * size, number, &found)
        }
      }
    }
    scanLog(number, &found)
    addKeyed(number, &found)
    return found
  }

  private func isLeaf(_ page: UnsafeRawBufferPointer) -> Bool {
    page.loadUnaligned(fromByteOffset: 10, as: UInt16.self) == PageWalk.leafPage
  }

  /// Slots have their chunk where pages have it.
  private func scanLog(_ number: StoreNumber, _ found: inout SalvageFindings) {
    if log < 0 { return }
    let size = JournalSlot.size
    var slot = [UInt8](repeating: 0, count: size)
    for index in 1...Self.slotLimit {
      let count = slot.withUnsafeMutableBytes { pread(log, $0.baseAddress, size, index * size) }
      if count == 0 { return }
      if count != size { continue }
      slot.withUnsafeBytes { read($0, .journal, index * size, number, &found) }
    }
  }

  /// Takes the chunk behind a page's header, if there is one.
  private func read(
    _ page: UnsafeRawBufferPointer, _ file: FoundBytes.File, _ offset: Int, _ number: StoreNumber,
    _ found: inout SalvageFindings
  ) {
    let content = UnsafeRawBufferPointer(rebasing: page[PageWalk.header...])
    guard let layout = content.first else { return }
    if layout == RingChunkHeader.layout, file == .data, let length = ChunkLength.ofRing(content) {
      let chunk = UnsafeRawBufferPointer(rebasing: content[..<length])
      if !note(chunk, FoundBytes(file: file, offset: offset + PageWalk.header, length: UInt16(length)), &found) {
        found.unplaced.insert(offset / rescued.file.pageSize)
      }
    } else if layout == ChunkHeader.layout, let length = ChunkLength.ofJournal(content) {
      let bytes = FoundBytes(file: file, offset: offset + PageWalk.header, length: UInt16(length))
      noteJournal(UnsafeRawBufferPointer(rebasing: content[..<length]), bytes, number, &found)
    }
  }

  /// Notes a chunk of a ring. Returns false if its checksum covers no place.
  private func note(_ chunk: UnsafeRawBufferPointer, _ bytes: FoundBytes, _ found: inout SalvageFindings) -> Bool {
    guard let header = RingChunkHeader(chunk), header.isPlaced else { return false }
    if header.ordinal >= RecordNumber.end { return true }
    found.chunks.append(
      FoundChunk(
        bytes: bytes, first: header.ordinal, count: UInt16(header.count), start: RingFinder.start(of: chunk, header)))
    return true
  }

  private func noteJournal(
    _ chunk: UnsafeRawBufferPointer, _ bytes: FoundBytes, _ number: StoreNumber, _ found: inout SalvageFindings
  ) {
    guard let flags = ChunkHeader(chunk)?.flags, flags & ChunkHeader.placedFlag != 0,
      let header = ChunkHeader.verify(chunk, of: number), !Quarantine.isUnreachable(header.sequence)
    else { return }
    found.journal.append(FoundJournalChunk(bytes: bytes, sequence: header.sequence))
  }

  // MARK: Leaves

  /// Reads each entry of a leaf by itself: a damaged one does not hide the others.
  private func readLeaf(
    _ page: UnsafeRawBufferPointer, _ offset: Int, _ number: StoreNumber, _ found: inout SalvageFindings
  ) {
    let lower = Int(page.loadUnaligned(fromByteOffset: 12, as: UInt16.self))
    let count = (min(lower, page.count) - PageWalk.header) / 2
    if count < 1 { return }
    for index in 0..<count {
      let gap = PageWalk.header..<PageWalk.header
      guard isNode(page, index), let node = try? PageNode(page, index, gap, 0, isBranch: false),
        node.size <= RingChunkEncoder.limit
      else { continue }
      if node.kind == .long {
        let first = page.loadUnaligned(fromByteOffset: node.content, as: UInt64.self)
        noteKey(node.key, first, node.size, &found)
      } else if node.kind == .plain {
        let value = UnsafeRawBufferPointer(rebasing: page[node.content..<node.end])
        noteInline(node.key, value, offset + node.content, number, &found)
      }
    }
  }

  /// A first look at a node, without the text of a fault: a page of noise has thousands of them.
  private func isNode(_ page: UnsafeRawBufferPointer, _ index: Int) -> Bool {
    let place = Int(page.loadUnaligned(fromByteOffset: PageWalk.header + 2 * index, as: UInt16.self))
    guard place >= PageWalk.header, place + 8 <= page.count else { return false }
    return page.loadUnaligned(fromByteOffset: place + 4, as: UInt16.self) <= PageNode.Kind.table.rawValue
      && page.loadUnaligned(fromByteOffset: place + 6, as: UInt16.self) <= UInt16(BackupRow.keyLimit)
  }

  /// Notes the key of a chunk on a page of its own, which is read by itself.
  private func noteKey(
    _ key: UnsafeRawBufferPointer, _ page: UInt64, _ size: Int, _ found: inout SalvageFindings
  ) {
    guard let ring = RingID(key: key), let ordinal = RingID.ordinal(key), page >= 2, page < UInt64(rescued.file.pages)
    else { return }
    found.named.insert(ring)
    found.keyed.append((Int(page), UInt16(size), ring, ordinal))
    if found.voters >= Self.voterLimit { return }
    let bytes = FoundBytes(
      file: .data, offset: Int(page) * rescued.file.pageSize + PageWalk.header, length: UInt16(size))
    guard let chunk = load(bytes) else { return }
    found.voters += 1
    chunk.withUnsafeBytes { found.votes.note(key, $0, ChunkHead.placedInRing) }
  }

  private func noteInline(
    _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, _ offset: Int, _ number: StoreNumber,
    _ found: inout SalvageFindings
  ) {
    let bytes = FoundBytes(file: .data, offset: offset, length: UInt16(clamping: value.count))
    if key.count == RingID.keySize, let ring = RingID(key: key), let row = RingState(value) {
      found.named.insert(ring)
      let known = found.rows[ring] ?? (0, 0)
      found.rows[ring] = (max(known.purged, row.purged), max(known.next, row.next))
    } else if key.elementsEqual(FormatMark.key), FormatMark.version(of: value) != nil, value.count >= 16 {
      found.madeAt = Int64(littleEndian: value.loadUnaligned(fromByteOffset: 8, as: Int64.self))
    } else if key.elementsEqual(BackupTable.journalEnd), value.count >= 8 {
      found.journalNext = max(1, UInt64(littleEndian: value.loadUnaligned(as: UInt64.self)))
    } else if value.first == RingChunkHeader.layout {
      let ring = RingID.ordinal(key) == nil ? nil : RingID(key: key)
      if let ring { found.named.insert(ring) }
      if note(value, bytes, &found) {
        if ring != nil, found.voters < Self.voterLimit {
          found.voters += 1
          found.votes.note(key, value, ChunkHead.placedInRing)
        }
      } else if let ring, let ordinal = RingID.ordinal(key) {
        take(value, bytes, ring, ordinal, number, &found)
      }
    } else if value.first == ChunkHeader.layout {
      noteJournal(value, bytes, number, &found)
    }
  }

  // MARK: Chunks of earlier formats

  /// Adds chunks whose checksum covers no place, at the places that keys of the old file give.
  private func addKeyed(_ number: StoreNumber, _ found: inout SalvageFindings) {
    let keyed = found.keyed
    for entry in keyed where found.unplaced.contains(entry.page) {
      let bytes = FoundBytes(
        file: .data, offset: entry.page * rescued.file.pageSize + PageWalk.header, length: entry.size)
      guard let chunk = load(bytes) else { continue }
      chunk.withUnsafeBytes { take($0, bytes, entry.ring, entry.ordinal, number, &found) }
    }
    found.keyed = []
  }

  private func take(
    _ chunk: UnsafeRawBufferPointer, _ bytes: FoundBytes, _ ring: RingID, _ ordinal: UInt64, _ number: StoreNumber,
    _ found: inout SalvageFindings
  ) {
    guard ordinal < RecordNumber.end,
      let header = RingChunkHeader.verify(chunk, at: ChunkPlace(number, ring, ordinal))
    else { return }
    found.chunks.append(
      FoundChunk(bytes: bytes, first: ordinal, count: UInt16(header.count), start: 0, ring: ring))
  }

  // MARK: Bytes

  /// Reads the bytes of a chunk; nil if the disk refuses.
  func load(_ place: FoundBytes) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: Int(place.length))
    let descriptor = place.file == .data ? data : log
    let count = bytes.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, place.offset) }
    return count == bytes.count ? bytes : nil
  }

  // MARK: The journal

  /// Spans of the journal that a rescue of this file lost, and the chunks that it found all the same. Reads the whole
  /// file as the rescue did.
  func lostJournal() -> (spans: [KeySpan], taken: Set<UInt64>) {
    var file = rescued
    var taken: Set<UInt64> = []
    guard knowsFree, !file.isOfOlder, let journal = file.tables.firstIndex(where: { $0.name == "journal" }) else {
      return ([], [])
    }
    func note(_ entry: PageRescue.Entry) {
      if let sequence = RecordNumber.read(Array(entry.key)) { taken.insert(sequence) }
    }
    do throws(DatabaseFailure) {
      for index in file.tables.indices {
        try file.readNewest(index) { entry throws(DatabaseFailure) in if index == journal { note(entry) } }
      }
      try file.fill(journal) { entry throws(DatabaseFailure) in note(entry) }
    } catch { return ([], []) }
    return (file.tables[journal].gaps, taken)
  }
}
