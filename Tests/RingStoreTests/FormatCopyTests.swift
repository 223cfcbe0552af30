import EventLoop
import Foundation
import Reasons
import Testing

@testable import RingStore

/// A store of an earlier format is converted only after it was copied. This program's format stands for the earlier
/// one, the next number for the one that comes.
@Suite("The copy before a conversion")
struct FormatCopyTests {
  private let next = FormatMark.version + 1

  private func makeStore(_ scratch: Scratch) throws {
    try VirtualLoop.run { loop in
      let store = try Store.open(.test(scratch.store), loop: loop, disk: InlineDiskLane())
      for index in 0..<100 { store.append(one, .heartRate, Int64(index), at: loop.now) }
      await store.close()
    }
  }

  private func data(_ path: String) -> Data? { FileManager.default.contents(atPath: path) }

  @Test("is the store as it was, byte by byte, with both formats named, and opens as a store of before")
  func copied() throws {
    let scratch = Scratch()
    try makeStore(scratch)
    let before = try #require(data(scratch.data))
    let copy = scratch.store + "/before-conversion"
    // A copy of an earlier conversion, and one that a kill left half written.
    for folder in [copy, copy + ".new"] {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
      try Data("old".utf8).write(to: URL(fileURLWithPath: folder + "/data.mdb"))
    }
    let permit = try FormatCopy.permit(scratch.store, to: next)
    #expect(permit?.found == FormatMark.version)
    #expect(data(copy + "/data.mdb") == before && data(scratch.data) == before)
    #expect(data(copy + "/format").map { String(decoding: $0, as: UTF8.self) } == "\(FormatMark.version) \(next)\n")
    #expect(!FileManager.default.fileExists(atPath: copy + ".new"))
    #expect(try FileManager.default.attributesOfItem(atPath: copy)[.posixPermissions] as? Int == 0o700)
    #expect(try StoreReader(path: copy).status.samples == 100)
  }

  @Test("has the samples that only the journal file has")
  func journal() throws {
    let (scratch, killed) = (Scratch(), Scratch())
    try VirtualLoop.run { loop in
      let store = try Store.open(.test(scratch.store), loop: loop, disk: InlineDiskLane())
      for index in 0..<100 { store.append(one, .heartRate, Int64(index), at: loop.now) }
      try await store.flush()
      // As a hub that lost its power leaves it.
      try FileManager.default.createDirectory(atPath: killed.store, withIntermediateDirectories: true)
      for file in ["data.mdb", "journal.log"] {
        try FileManager.default.copyItem(atPath: scratch.store + "/" + file, toPath: killed.store + "/" + file)
      }
      await store.close()
    }
    _ = try FormatCopy.permit(killed.store, to: next)
    let copy = killed.store + "/before-conversion"
    #expect(data(copy + "/journal.log") == data(killed.store + "/journal.log"))
    #expect(try StoreReader(path: copy).status.samples == 100)
    try FileManager.default.removeItem(atPath: copy + "/journal.log")
    #expect(try StoreReader(path: copy).status.samples == 0, "the table has none of them")
  }

  @Test("is not made of a store that needs no conversion, nor of formats that were never in a package")
  func none() throws {
    let scratch = Scratch()
    try makeStore(scratch)
    #expect(try FormatCopy.permit(scratch.store) == nil)
    // Format 5 from here: there is no way back, and its keys are in clear.
    let environment = try Environment(path: scratch.store, size: 64 << 20, mode: .writer)
    try environment.openTables()
    try environment.write { transaction throws(DatabaseFailure) in
      var mark = FormatMark.bytes(created: VirtualLoop.morning)
      mark[FormatMark.magic.count] = 5
      try transaction.put(transaction.tables.meta, FormatMark.key, mark)
    }
    environment.close()
    #expect(try FormatCopy.permit(scratch.store)?.found == 5)
    #expect(!FileManager.default.fileExists(atPath: scratch.store + "/before-conversion"))
  }

  @Test("H4012: a store that cannot be copied is not converted, and stays as it is")
  func refused() throws {
    let scratch = Scratch()
    try makeStore(scratch)
    let before = data(scratch.data)
    // Something that is no folder of ours is in the way, and is not deleted.
    let draft = scratch.store + "/before-conversion.new"
    try FileManager.default.createDirectory(atPath: draft + "/mine", withIntermediateDirectories: true)
    do throws(HearthError) {
      _ = try FormatCopy.permit(scratch.store, to: next)
      Issue.record("it has a permit without a copy")
    } catch {
      #expect(error.reason == .storeNotCopied, "\(error)")
    }
    #expect(data(scratch.data) == before && FileManager.default.fileExists(atPath: draft + "/mine"))
    // Without a permit of its own format no mark is raised: there is no other way to make one.
    let mark = FormatMark.bytes(created: VirtualLoop.morning)
    let other = Scratch()
    try makeStore(other)
    let permit = try #require(try FormatCopy.permit(other.store, to: next))
    #expect(FormatMark.upgraded(mark, permit) == nil, "this program's own format needs none")
  }
}
