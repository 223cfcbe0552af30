import CLMDB
import EventLoop
import Foundation
import Health
import Reasons
import Testing

@testable import RingStore

@Suite(.serialized) struct OpeningTests {
  /// What opening gives: nil, or the reason.
  private func open(
    _ path: String, size: Int = 8 << 20, _ body: @escaping @LoopActor (Store) async throws -> Void = { _ in }
  ) throws -> Reason? {
    try VirtualLoop.run { loop in
      let store: Store
      do throws(HearthError) {
        store = try Store.open(.test(path, size: size), loop: loop, disk: InlineDiskLane())
      } catch { return error.reason }
      try await body(store)
      await store.close()
      return nil
    }
  }

  private func read(_ path: String) -> Reason? {
    do { _ = try StoreReader(path: path) } catch { return error.reason }
    return nil
  }

  /// Names and contents of everything in a directory.
  private func contents(_ path: String) throws -> [String: Data] {
    var found: [String: Data] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: path) {
      found[name] = try Data(contentsOf: URL(fileURLWithPath: path + "/" + name))
    }
    return found
  }

  @Test("a link in place of the lock, or a lock with a second name, is refused, and what it points to stays as it is")
  func links() throws {
    let scratch = Scratch()
    #expect(try open(scratch.store) == nil)
    let lock = scratch.store + "/hearth.lock"
    let precious = scratch.store + "-precious"
    defer { unlink(precious) }
    try Data("precious".utf8).write(to: URL(fileURLWithPath: precious))
    for isHard in [false, true] {
      unlink(lock)
      #expect((isHard ? link(precious, lock) : symlink(precious, lock)) == 0)
      #expect(try open(scratch.store) == .storeUnwritable)
      #expect(try Data(contentsOf: URL(fileURLWithPath: precious)) == Data("precious".utf8))
    }
    unlink(lock)
    #expect(mkfifo(lock, 0o600) == 0)
    #expect(try open(scratch.store) == .storeUnwritable)
    unlink(lock)
    #expect(try open(scratch.store) == nil)
    // LMDB would follow it, and write to it, even as a reader.
    let readers = scratch.store + "/lock.mdb"
    unlink(readers)
    #expect(symlink(precious, readers) == 0)
    #expect(try open(scratch.store) != nil)
    #expect(read(scratch.store) != nil)
    #expect(try Data(contentsOf: URL(fileURLWithPath: precious)) == Data("precious".utf8))
    unlink(readers)
    #expect(try open(scratch.store) == nil)
  }

  private func fill(_ path: String, _ count: Int) throws {
    try VirtualLoop.run { loop in
      let store = try Store.open(.test(path), loop: loop, disk: InlineDiskLane())
      for index in 0..<count {
        store.append(one, .heartRate, Int64(index), at: loop.now)
        if index % 100 == 0 { try await loop.sleep(for: .milliseconds(10)) }
      }
      await store.close()
    }
  }

  @Test("a missing store is made, with files that others cannot read")
  func fresh() throws {
    let scratch = Scratch()
    #expect(try open(scratch.store) == nil)
    #expect(
      Set(try contents(scratch.store).keys) == [
        "data.mdb", "lock.mdb", "hearth.lock", "journal.log", "secrets.key", "records.copy",
      ])
    let mode = try FileManager.default.attributesOfItem(atPath: scratch.data)[.posixPermissions] as? Int
    #expect(mode.map { $0 & 0o007 } == 0)
    #expect(try open(scratch.store) == nil)
  }

  @Test("a path that cannot be a store is refused with H4001")
  func unwritable() throws {
    let scratch = Scratch()
    #expect(try open(scratch.path + "/no/such/place") == .storeUnwritable)
    try Data("text".utf8).write(to: URL(fileURLWithPath: scratch.path + "/file"))
    #expect(try open(scratch.path + "/file") == .storeUnwritable)
    #expect(try open(scratch.path + "/file/store") == .storeUnwritable)
  }

  @Test("another program's data is refused with H4002, and not touched")
  func foreign() throws {
    let contentsOfOthers: [(String) throws -> Void] = [
      { try Data("not a database".utf8).write(to: URL(fileURLWithPath: $0 + "/data.mdb")) },
      { try Data(repeating: 0, count: 8192).write(to: URL(fileURLWithPath: $0 + "/data.mdb")) },
      {
        try Data((0..<20_000).map { UInt8(truncatingIfNeeded: $0 &* 7919) }).write(
          to: URL(fileURLWithPath: $0 + "/data.mdb"))
      },
      { try self.makeForeign($0, table: nil) },
      { try self.makeForeign($0, table: "settings") },
      { try self.makeForeign($0, table: "meta") },
    ]
    for make in contentsOfOthers {
      let scratch = Scratch()
      try FileManager.default.createDirectory(atPath: scratch.store, withIntermediateDirectories: true)
      try make(scratch.store)
      let before = try contents(scratch.store)
      #expect(try open(scratch.store) == .storeForeign)
      #expect(read(scratch.store) == .storeForeign)
      #expect(try contents(scratch.store) == before)
    }
  }

  /// An environment of another program, closed.
  private func makeForeign(_ path: String, table: String?) throws {
    var environment: OpaquePointer?
    var transaction: OpaquePointer?
    var handle: MDB_dbi = 0
    #expect(mdb_env_create(&environment) == 0)
    #expect(mdb_env_set_maxdbs(environment, 4) == 0)
    #expect(mdb_env_open(environment, path, 0, 0o600) == 0)
    #expect(mdb_txn_begin(environment, nil, 0, &transaction) == 0)
    #expect(mdb_dbi_open(transaction, table, UInt32(MDB_CREATE), &handle) == 0)
    var bytes = Array("format".utf8)
    bytes.withUnsafeMutableBytes { bytes in
      var value = MDB_val(mv_size: bytes.count, mv_data: bytes.baseAddress)
      var key = value
      #expect(mdb_put(transaction, handle, &key, &value, 0) == 0)
    }
    #expect(mdb_txn_commit(transaction) == 0)
    mdb_env_close(environment)
    try FileManager.default.removeItem(atPath: path + "/lock.mdb")
  }

  @Test("a store of a later format is refused with H4004, and its data is not touched")
  func newer() throws {
    let scratch = Scratch()
    try fill(scratch.store, 10)
    let environment = try Environment(path: scratch.store, size: 8 << 20, mode: .writer)
    try environment.openTables()
    try environment.write { transaction throws(DatabaseFailure) in
      var mark = FormatMark.bytes(created: VirtualLoop.morning)
      mark[6] = UInt8(FormatMark.version) + 1
      try transaction.put(transaction.tables.meta, FormatMark.key, mark + [1, 2, 3])
    }
    environment.close()
    let before = try contents(scratch.store)["data.mdb"]
    #expect(try open(scratch.store) == .storeNewer)
    #expect(read(scratch.store) == .storeNewer)
    #expect(try contents(scratch.store)["data.mdb"] == before)
    #expect(try open(scratch.path + "/other") == nil, "in another folder it begins anew")
  }

  @Test(
    """
    a store that is open is refused with H4005, in this process and by a reader, with the owner's number; after \
    close it is free
    """
  )
  func inUse() throws {
    let scratch = Scratch()
    try VirtualLoop.run { loop in
      let store = try Store.open(.test(scratch.store), loop: loop, disk: InlineDiskLane())
      do throws(HearthError) {
        _ = try Store.open(.test(scratch.store), loop: loop, disk: InlineDiskLane())
        Issue.record("opened twice")
      } catch {
        #expect(error.reason == .storeInUse)
        #expect(error.detail.contains("\(getpid())"))
      }
      #expect(self.read(scratch.store) == .storeInUse)
      await store.close()
      #expect(self.read(scratch.store) == nil)
      let again = try Store.open(.test(scratch.store), loop: loop, disk: InlineDiskLane())
      await again.close()
    }
  }

  @Test("a reader finds no store with H4009, reads one at rest, and stops with H4005 when a daemon takes it over")
  func reader() throws {
    let scratch = Scratch()
    #expect(read(scratch.store) == .storeAbsent)
    #expect(read(scratch.path) == .storeAbsent)
    try fill(scratch.store, 5000)
    let before = try contents(scratch.store)["data.mdb"]
    let reader = try StoreReader(path: scratch.store)
    #expect(reader.status.samples == 5000)
    #expect(reader.status.oldest == VirtualLoop.morning)
    let values = try reader.all(limit: 999).map { $0.value }
    #expect(values == Array(0..<5000))
    #expect(try contents(scratch.store)["data.mdb"] == before)
    try VirtualLoop.run { loop in
      let store = try Store.open(.test(scratch.store), loop: loop, disk: InlineDiskLane())
      do throws(HearthError) {
        _ = try reader.export(SampleQuery()).next()
        Issue.record("read beside a daemon")
      } catch { #expect(error.reason == .storeInUse) }
      await store.close()
    }
  }

  @Test("an empty data file, left by a hub that died in its store's first moment, is no obstacle")
  func emptyFile() throws {
    let scratch = Scratch()
    try FileManager.default.createDirectory(atPath: scratch.store, withIntermediateDirectories: true)
    try Data().write(to: URL(fileURLWithPath: scratch.data))
    #expect(read(scratch.store) == .storeAbsent)
    #expect(try open(scratch.store) == nil)
  }

  @Test("a file cut short is an error or a store with damaged chunks, never the end of the process", arguments: 0..<24)
  func cutShort(step: Int) throws {
    let scratch = Scratch()
    try fill(scratch.store, 20_000)
    let length = scratch.size(scratch.data)
    let cut = length * step / 24 / (step % 2 == 0 ? 1 : 512) * (step % 2 == 0 ? 1 : 512)
    #expect(truncate(scratch.data, cut) == 0)
    // A reader must not repair.
    if cut > 0 { #expect(read(scratch.store) != nil) }
    let reason = try open(scratch.store) { store in
      for sample in (try? await store.all()) ?? [] { #expect(sample.value < 20_000) }
    }
    if let reason { #expect([.storeForeign, .storeInputOutput, .storeDamaged].contains(reason)) }
  }

  @Test("roots that make no sense are no obstacle, whatever they claim about pages; a last page that is wrong is found")
  func hostileRoots() throws {
    let scratch = Scratch()
    try fill(scratch.store, 1000)
    let data = try Data(contentsOf: URL(fileURLWithPath: scratch.data))
    let page = 4096
    guard data.count > 2 * page, data[page + 16] == 0xDE else { return }
    // Layout of LMDB's root page (0.9, 64 bits): head of 16 bytes, magic, version, address, map size. Then the table of
    // free pages, which begins with the page size; the last page number is at 136.
    for (offset, value) in [
      (40, UInt64(0)), (40, 3), (40, .max), (32, .max), (136, .max), (136, 1 << 40), (136, 1 << 52 - 1), (136, 0),
    ] {
      var damaged = data
      for root in [0, page] {
        for byte in 0..<(offset == 40 ? 4 : 8) {
          damaged[root + offset + byte] = UInt8(truncatingIfNeeded: value >> UInt64(8 * byte))
        }
      }
      try damaged.write(to: URL(fileURLWithPath: scratch.data))
      // Which page is the last in use follows from the trees.
      #expect(try open(scratch.store) == nil, "\(value) at \(offset)")
      #expect(scratch.size(scratch.data) <= 64 << 20)
    }
    try data.write(to: URL(fileURLWithPath: scratch.data))
    #expect(try open(scratch.store) == nil)
  }

  @Test("on a read-only file system the daemon is refused with H4001 and a reader still reads")
  func readOnly() throws {
    let scratch = Scratch()
    let mountPoint = scratch.path + "/mount"
    guard mountTemporary(mountPoint, "size=8m") else { return }
    defer { umount2(mountPoint, Int32(MNT_DETACH)) }
    try fill(mountPoint + "/store", 100)
    // A child that another test starts holds our descriptors until it has become its program: busy for a moment.
    var tries = 0
    while mount("tmpfs", mountPoint, "tmpfs", UInt(MS_REMOUNT | MS_RDONLY), "size=8m") != 0, errno == EBUSY, tries < 500
    {
      usleep(10_000)
      tries += 1
    }
    #expect(try open(mountPoint + "/store") == .storeUnwritable)
    #expect(try open(mountPoint + "/other") == .storeUnwritable)
    let reader = try StoreReader(path: mountPoint + "/store")
    #expect(try reader.all().count == 100)
  }

  @Test(
    """
    a disk that is full at open is refused with H4007; full while open, samples wait and arrive when there is room \
    again
    """
  )
  func diskFull() throws {
    let scratch = Scratch()
    let mountPoint = scratch.path + "/mount"
    guard mountTemporary(mountPoint, "size=1m") else { return }
    defer { umount2(mountPoint, Int32(MNT_DETACH)) }
    let ballast = mountPoint + "/ballast"
    let everything = Data(repeating: 1, count: 1 << 20)
    try? everything.write(to: URL(fileURLWithPath: ballast))
    #expect(truncate(ballast, 1 << 20) == 0)
    let whole = Foundation.open(ballast, O_WRONLY)
    _ = everything.withUnsafeBytes { pwrite(whole, $0.baseAddress, $0.count, 0) }
    close(whole)
    #expect(try open(mountPoint + "/store") == .storeFull)
    #expect(truncate(ballast, 512 << 10) == 0)

    try VirtualLoop.run { loop in
      let store = try Store.open(.test(mountPoint + "/store"), loop: loop, disk: InlineDiskLane())
      let journal = Journal(store)
      var count: Int64 = 0
      while store.status.trouble == nil, count < 400_000 {
        for _ in 0..<100 {
          store.append(one, .heartRate, count, at: loop.now)
          count += 1
        }
        try await loop.sleep(for: .milliseconds(100))
      }
      #expect(store.status.trouble?.reason == .storeFull)
      let durable = try await store.all(limit: 10_000)
      #expect(durable.map { $0.value } == Array(0..<Int64(durable.count)), "a failed commit left something behind")
      do {
        _ = try await store.enrol(name: "late", addressValue: 1, addressKind: 1, driver: "d", kind: "k")
      } catch { #expect((error as? HearthError)?.reason == .storeFull) }
      #expect(truncate(ballast, 0) == 0)
      try await loop.sleep(for: .seconds(61))
      #expect(store.status.trouble == nil)
      #expect(try await store.all(limit: 10_000).map { $0.value } == Array(0..<count))
      #expect(journal.troubles.map { $0?.reason } == [.storeFull, nil])
      await store.close()
    }
    #expect(try open(mountPoint + "/store") == nil)
  }
}
