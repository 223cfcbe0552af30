import CLMDB
import EventLoop
import Foundation
import Health
import Reasons
import Testing

@testable import RingStore

@Suite(.serialized) struct StorePagesTests {
  private static let mapSize = 8 << 20

  /// As a hub leaves it that dies while it makes its store: its lock is there before its data.
  private func folder(_ scratch: Scratch) throws {
    try FileManager.default.createDirectory(atPath: scratch.store, withIntermediateDirectories: true)
    try Data().write(to: URL(fileURLWithPath: scratch.store + "/hearth.lock"))
  }

  private func bytes(_ file: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: file)) }

  /// As both root pages of a file state it.
  private func pageSizes(_ file: String) throws -> [Int] {
    let data = try bytes(file)
    func stated(_ root: Int) -> Int {
      (0..<4).reduce(0) { value, byte in value | Int(data[root + 40 + byte]) << (8 * byte) }
    }
    return [stated(0), stated(stated(0))]
  }

  private func fill(_ scratch: Scratch, _ values: Range<Int64>) throws -> [Int64] {
    try VirtualLoop.run { loop in
      let store = try Store.open(.test(scratch.store, size: 64 << 20), loop: loop, disk: InlineDiskLane())
      for value in values {
        store.append(one, .heartRate, value, at: loop.now)
        if value % 100 == 0 { try await loop.sleep(for: .milliseconds(10)) }
      }
      try await store.flush()
      let found = try await store.all(limit: 100_000).map { $0.value }
      await store.close()
      return found
    }
  }

  @Test("the head of a new file is, byte for byte, what LMDB writes on a kernel with pages of that size")
  func asLMDB() throws {
    let scratch = Scratch()
    try folder(scratch)
    var environment: OpaquePointer?
    #expect(mdb_env_create(&environment) == 0)
    #expect(mdb_env_set_mapsize(environment, Self.mapSize) == 0)
    #expect(mdb_env_open(environment, scratch.store, UInt32(MDB_NOMETASYNC | MDB_NOTLS), 0o600) == 0)
    mdb_env_close(environment)
    let kernel = sysconf(Int32(_SC_PAGESIZE))
    #expect(try bytes(scratch.data) == Data(StorePages.head(mapSize: Self.mapSize, pageSize: kernel)))
  }

  @Test("a new store has pages of 4 KiB, and is opened by LMDB as it is")
  func fresh() throws {
    let scratch = Scratch()
    try folder(scratch)
    try StorePages.prepare(scratch.store, mapSize: Self.mapSize)
    let head = try bytes(scratch.data)
    #expect(head == Data(StorePages.head(mapSize: Self.mapSize)))
    #expect(head.count == 8192)
    let environment = try Environment(path: scratch.store, size: Self.mapSize, mode: .writer)
    #expect(environment.pageSize == 4096)
    environment.close()
    #expect(try bytes(scratch.data) == head, "LMDB made its own")
    #expect(try fill(scratch, 0..<3000) == Array(0..<3000))
    #expect(try pageSizes(scratch.data) == [4096, 4096])
  }

  /// Were the head left to LMDB, these would have the pages of the kernel that the test runs on.
  @Test("every environment is made through here", arguments: [8192, 16_384, 65_536])
  func through(size: Int) throws {
    let scratch = Scratch()
    try folder(scratch)
    let environment = try Environment(path: scratch.store, size: 16 << 20, mode: .writer, newPages: size)
    defer { environment.close() }
    #expect(environment.pageSize == size)
    #expect(environment.pageLimit == 16 << 20 / size)
  }

  @Test("a store that was made with pages of 16 KiB keeps them, works, and is whole")
  func large() throws {
    let scratch = Scratch()
    try folder(scratch)
    try StorePages.prepare(scratch.store, mapSize: Self.mapSize, pageSize: 16_384)
    #expect(try fill(scratch, 0..<3000) == Array(0..<3000))
    #expect(try fill(scratch, 3000..<6000) == Array(0..<6000))
    #expect(try pageSizes(scratch.data) == [16_384, 16_384])
    let reader = try StoreReader(path: scratch.store)
    #expect(reader.status.samples == 6000)
    #expect(try reader.all(limit: 10_000).map { $0.value } == Array(0..<6000))
  }

  @Test(
    "what a power cut left of a head is thrown away: beside no data file, and beside an empty one",
    arguments: [false, true], [0, 1, 4096, 8191, 8192])
  func leftOver(hasEmptyFile: Bool, length: Int) throws {
    let scratch = Scratch()
    try folder(scratch)
    let draft = scratch.data + ".new"
    try Data(StorePages.head(mapSize: 1 << 40).prefix(length)).write(to: URL(fileURLWithPath: draft))
    if hasEmptyFile { try Data().write(to: URL(fileURLWithPath: scratch.data)) }
    #expect(try fill(scratch, 0..<10) == Array(0..<10))
    #expect(!FileManager.default.fileExists(atPath: draft))
  }

  @Test("a link in the head's way is no way to write another file")
  func links() throws {
    let scratch = Scratch()
    try folder(scratch)
    let precious = scratch.path + "/precious"
    try Data("precious".utf8).write(to: URL(fileURLWithPath: precious))
    #expect(symlink(precious, scratch.data + ".new") == 0)
    #expect(try fill(scratch, 0..<10) == Array(0..<10))
    #expect(try bytes(precious) == Data("precious".utf8))
  }

  /// LMDB's own way could leave them. 152 bytes of the second page are what LMDB must read of it.
  @Test("half a head is handled as before", arguments: [1, 152, 4096, 5000, 8191], [false, true])
  func half(length: Int, hasLock: Bool) throws {
    let scratch = Scratch()
    try folder(scratch)
    if !hasLock { unlink(scratch.store + "/hearth.lock") }
    let half = Data(StorePages.head(mapSize: Self.mapSize).prefix(length))
    try half.write(to: URL(fileURLWithPath: scratch.data))
    let reason: Reason? = try VirtualLoop.run { loop in
      do throws(HearthError) {
        let store = try Store.open(.test(scratch.store), loop: loop, disk: InlineDiskLane())
        await store.close()
      } catch { return error.reason }
      return nil
    }
    if hasLock, length > 4096 + 152 {
      #expect(reason == nil, "it is made as long as its roots say")
      return
    }
    #expect(reason == .storeForeign || reason == .storeInputOutput)
    #expect(try bytes(scratch.data) == half, "it was touched")
  }

  @Test("a folder that cannot be written is refused with why")
  func refused() throws {
    let scratch = Scratch()
    do throws(DatabaseFailure) {
      try StorePages.prepare(scratch.path + "/absent", mapSize: Self.mapSize)
      Issue.record("it was made")
    } catch { #expect(error.code == ENOENT) }
  }
}
