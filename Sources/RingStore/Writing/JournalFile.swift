// The journal file. It is preallocated, so a commit of live samples is one write and one wait for the disk. The file
// system itself writes no metadata.
//
// LMDB writes seven pages and waits twice for one page of samples. A file with all blocks allocated and written takes
// one page alone. Its content goes into LMDB together with other writes there, or is moved into the rings, half an hour
// at a time.

internal import EventLoop
internal import Glibc

/// Used by the disk lane alone, which is why it may be handed there. Kept while the environment is opened again.
final class JournalFile: @unchecked Sendable {
  static let fileName = JournalTail.fileName
  static let size = JournalSlot.size * (1 + JournalSlots.count)
  /// A card that refuses this file again and again may take the tables still.
  private static let failureLimit = 2

  private let path: String
  private var descriptor: Int32 = -1
  private var head: JournalHead
  private var nextNumber: UInt64 = 0
  private var failuresInARow = 0

  private init(_ path: String, _ head: JournalHead) { (self.path, self.head) = (path, head) }

  deinit { if descriptor >= 0 { close(descriptor) } }

  private var name: String { Self.name(path) }
  private static func name(_ path: String) -> String { "\(path)/\(fileName)" }

  static func exists(_ path: String) -> Bool { access(name(path), F_OK) == 0 }

  /// Describes a file that is missing or too short. What it lost may have been in no table yet. nil for a whole file,
  /// and for a store that has had none.
  static func loss(_ transaction: Transaction, _ path: String) throws(DatabaseFailure) -> String? {
    if try JournalFileNumber.load(transaction) == nil { return nil }
    var status = stat()
    if lstat(name(path), &status) != 0 { return errno == ENOENT ? "\(fileName) is missing" : nil }
    return Int(status.st_size) < size ? "\(fileName) has lost its end" : nil
  }

  /// False after repeated failures: live samples then go into the tables.
  var isUsable: Bool { failuresInARow < Self.failureLimit }

  // MARK: Opening

  /// The journal file of an open store, created if it is missing. Its chunks that are in no table become the
  /// environment's tail.
  ///
  /// - Parameter isRescued: the tables were made of a damaged file, and may have lost the file's number.
  /// - Returns: nil if the disk refuses such a file: samples are as durable without it.
  static func attach(_ environment: Environment, _ options: StoreOptions, isRescued: Bool) throws(DatabaseFailure)
    -> JournalFile?
  {
    let known = try environment.read { transaction throws(DatabaseFailure) in try JournalFileNumber.load(transaction) }
    let found = readHead(options.path)
    let number = known ?? (isRescued ? found?.file : nil)
    if known == nil, let number { try JournalFileNumber.keep(number, environment) }
    if !options.usesJournalFile { return try readOnly(environment, options.path) }
    if let number {
      var head = found ?? JournalHead(file: number)
      // The number of another store: this one was restored, or the file was copied here.
      if head.file != number { head = JournalHead(file: number) }
      let file = JournalFile(options.path, head)
      // Tables that were made of an older root may lack what was moved last, and the file still has it.
      if isRescued {
        let end = try environment.read { transaction throws(DatabaseFailure) in try JournalEnd(transaction) }
        file.head.movedBelow = min(head.movedBelow, end?.nextSequence ?? 0)
      }
      do throws(DatabaseFailure) { try file.openOrMake(writesHead: isRescued || found?.file != number) } catch {
        return try readOnly(environment, options.path)
      }
      try file.load(environment)
      return file
    }
    let file = JournalFile(options.path, JournalHead(file: UInt64.random(in: 1...UInt64.max)))
    do throws(DatabaseFailure) { try file.make() } catch { return nil }
    try JournalFileNumber.keep(file.head.file, environment)
    return file
  }

  /// A file that cannot be written to may still have samples.
  private static func readOnly(_ environment: Environment, _ path: String) throws(DatabaseFailure) -> JournalFile? {
    environment.tail.replace(try tail(environment, path))
    return nil
  }

  /// Chunks that the journal file of a store at rest has.
  static func tail(_ environment: Environment, _ path: String) throws(DatabaseFailure) -> [TailChunk] {
    let (number, end) = try environment.read { transaction throws(DatabaseFailure) in
      (try JournalFileNumber.load(transaction), try JournalTableEnd(transaction))
    }
    guard let number else { return [] }
    let descriptor = open(name(path), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
    if descriptor < 0 { return [] }
    defer { close(descriptor) }
    let slots = slots(descriptor, number, environment.number)
    return tail(descriptor, end, JournalSlots.split(slots, end: end.next, promisedBelow: 0).counted)
  }

  /// The store's number by the chunks of the file, if the tables have lost it. A slot's own checksum does not cover it.
  static func storeNumber(_ environment: Environment, _ path: String) throws(DatabaseFailure) -> StoreNumber? {
    let number = try environment.read { transaction throws(DatabaseFailure) in
      try JournalFileNumber.load(transaction)
    }
    guard let number = number ?? readHead(path)?.file else { return nil }
    let descriptor = open(name(path), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
    if descriptor < 0 { return nil }
    defer { close(descriptor) }
    var votes = NumberVotes()
    var buffer = [UInt8](repeating: 0, count: JournalSlot.size)
    for index in 0..<JournalSlots.count where pread(descriptor, &buffer, buffer.count, place(index)) == buffer.count {
      buffer.withUnsafeBytes { JournalSlot.note($0, number, &votes) }
      if votes.only != nil { break }
    }
    return votes.only
  }

  /// Reads the file, also again for an environment that was opened again. Overwrites what an interrupted write left,
  /// because the next write takes its numbers.
  func load(_ environment: Environment) throws(DatabaseFailure) {
    let end = try environment.read { transaction throws(DatabaseFailure) in try JournalTableEnd(transaction) }
    let found = Self.slots(descriptor, head.file, environment.number)
    let (counted, torn) = JournalSlots.split(found, end: end.next, promisedBelow: nextNumber)
    do throws(DatabaseFailure) {
      if !torn.isEmpty { try clear(torn.map { Self.index($0.number) }) }
    } catch {
      // The tables take the samples, and the next start finds the same.
      failuresInARow = Self.failureLimit
    }
    let gone = Set(torn.map(\.number))
    nextNumber = max(nextNumber, found.map(\.number).filter { !gone.contains($0) }.max().map { $0 + 1 } ?? 0)
    environment.tail.replace(Self.tail(descriptor, end, counted))
  }

  /// Makes the kernel read it from the disk again; see `StoreOpening.forgetCached`.
  func forgetCached() { _ = posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED) }

  /// Reads only the chunks that are wanted: a file full of old ones has two megabytes.
  private static func tail(_ descriptor: Int32, _ end: JournalTableEnd, _ slots: [JournalSlot]) -> [TailChunk] {
    var buffer = [UInt8](repeating: 0, count: JournalSlot.size)
    return JournalSlots.tail(slots, end.isBehind) { slot in
      guard pread(descriptor, &buffer, buffer.count, place(index(slot.number))) == buffer.count else { return nil }
      return buffer.withUnsafeBytes { slot.chunk($0) }
    }
  }

  private static func slots(_ descriptor: Int32, _ number: UInt64, _ store: StoreNumber) -> [JournalSlot] {
    var slots: [JournalSlot] = []
    var buffer = [UInt8](repeating: 0, count: JournalSlot.size)
    for index in 0..<JournalSlots.count {
      let count = pread(descriptor, &buffer, buffer.count, place(index))
      if count == JournalSlot.size, let slot = buffer.withUnsafeBytes({ JournalSlot($0, number, store) }),
        Self.index(slot.number) == index
      {
        slots.append(slot)
      }
    }
    return slots
  }

  private static func index(_ number: UInt64) -> Int { Int(number % UInt64(JournalSlots.count)) }
  private static func place(_ index: Int) -> Int { JournalSlot.size * (1 + index) }

  static func readHead(_ path: String) -> JournalHead? {
    let descriptor = open(name(path), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
    if descriptor < 0 { return nil }
    defer { close(descriptor) }
    var page = [UInt8](repeating: 0, count: JournalSlot.size)
    guard pread(descriptor, &page, page.count, 0) == page.count else { return nil }
    return page.withUnsafeBytes { JournalHead($0) }
  }

  /// Opens the existing file, or makes one. A file with another number, or a short one, is repaired.
  private func openOrMake(writesHead: Bool) throws(DatabaseFailure) {
    descriptor = open(name, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
    var status = stat()
    if descriptor < 0 {
      // A file that cannot be opened may have samples, so it is not replaced.
      if errno == ENOENT { return try make() }
      throw DatabaseFailure(call: name, code: errno)
    }
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_nlink == 1 else {
      throw DatabaseFailure(call: name, code: ELOOP)
    }
    let size = Int(status.st_size)
    if size < Self.size {
      // What it has stays: it may be all that there is of the last half an hour.
      let zeros = [UInt8](repeating: 0, count: Self.size - size)
      try put(zeros, at: size)
      if fsync(descriptor) != 0 { throw DatabaseFailure(call: name, code: errno) }
    }
    if writesHead {
      try put(head.bytes, at: 0)
      if fdatasync(descriptor) != 0 { throw DatabaseFailure(call: name, code: errno) }
    }
  }

  /// Makes the file and writes every block of it. A block that is only allocated would have to be marked at its first
  /// write: the file system's own work in a commit.
  private func make() throws(DatabaseFailure) {
    if descriptor >= 0 { close(descriptor) }
    descriptor = -1
    try WholeFile.write(
      (head.bytes + [UInt8](repeating: 0, count: Self.size - JournalSlot.size))[...], Self.fileName, in: path)
    descriptor = open(name, O_RDWR | O_NOFOLLOW | O_CLOEXEC)
    if descriptor < 0 { throw DatabaseFailure(call: name, code: errno) }
  }

  // MARK: Writing

  /// Makes chunks durable, one write and one wait. The caller has asked that so many slots are free.
  ///
  /// - Throws: why the disk refused; then some of them may be there, or become so.
  func append(_ chunks: [TailChunk]) throws(DatabaseFailure) {
    do throws(DatabaseFailure) {
      var written = 0
      while written < chunks.count {
        let first = Self.index(nextNumber + UInt64(written))
        let run = chunks[written..<min(chunks.count, written + JournalSlots.count - first)]
        var bytes = [UInt8](repeating: 0, count: run.count * JournalSlot.size)
        bytes.withUnsafeMutableBytes { bytes in
          for (place, chunk) in run.enumerated() {
            JournalSlot.write(
              chunk.entry.value, nextNumber + UInt64(written + place), head.file,
              to: UnsafeMutableRawBufferPointer(
                rebasing: bytes[(place * JournalSlot.size)..<((place + 1) * JournalSlot.size)]))
          }
        }
        try put(bytes, at: Self.place(first))
        written += run.count
      }
      if fdatasync(descriptor) != 0 { throw DatabaseFailure(call: Self.fileName, code: errno) }
    } catch {
      failuresInARow += 1
      throw error
    }
    nextNumber += UInt64(chunks.count)
    failuresInARow = 0
  }

  /// Records that everything below a number is durable in a table or in rings. Written without a wait: read only if the
  /// tables have lost it.
  func noteMoved(below sequence: UInt64) {
    head.movedBelow = max(head.movedBelow, sequence)
    try? put(head.bytes, at: 0)
  }

  /// Overwrites all slots but those of the last `kept` chunks with zeros, so that the file keeps no deleted data.
  func wipe(keeping kept: Int) throws(DatabaseFailure) {
    let kept = Set((0..<kept).map { Self.index(nextNumber &- UInt64($0) &- 1) })
    try clear((0..<JournalSlots.count).filter { !kept.contains($0) })
  }

  private func clear(_ indices: [Int]) throws(DatabaseFailure) {
    let zeros = [UInt8](repeating: 0, count: JournalSlot.size)
    for index in indices { try put(zeros, at: Self.place(index)) }
    if fdatasync(descriptor) != 0 { throw DatabaseFailure(call: Self.fileName, code: errno) }
  }

  private func put(_ bytes: [UInt8], at place: Int) throws(DatabaseFailure) {
    var done = 0
    while done < bytes.count {
      let count = bytes.withUnsafeBytes {
        pwrite(descriptor, $0.baseAddress.map { $0 + done }, bytes.count - done, place + done)
      }
      if count < 0, errno == EINTR { continue }
      if count <= 0 { throw DatabaseFailure(call: Self.fileName, code: count < 0 ? errno : EIO) }
      done += count
    }
  }
}

/// The value of the key `journal-file` of `meta`: the number of the journal file (u64), never 0. A slot with another
/// file's number does not belong to this store.
enum JournalFileNumber {
  static let key = Array("journal-file".utf8)

  static func load(_ transaction: Transaction) throws(DatabaseFailure) -> UInt64? {
    try transaction.drawnNumber(key)
  }

  static func keep(_ number: UInt64, _ environment: Environment) throws(DatabaseFailure) {
    try environment.write { transaction throws(DatabaseFailure) in
      try transaction.put(drawnNumber: number, key)
    }
  }
}
