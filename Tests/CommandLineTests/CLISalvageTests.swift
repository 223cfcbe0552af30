import EventLoop
import Foundation
import Health
import ProgramSupport
import Reasons
import RingStore
import Testing

/// `hearth store salvage`, with a store on a card that lost a page.
@Suite("Salvage on the command line", .serialized)
struct CLISalvageTests {
  /// Fills a store with 3,000 intervals that no codec makes smaller.
  private func fill(_ path: String, seed: UInt64) throws {
    try VirtualLoop.run { loop in
      let store = try Store.open(StoreOptions(path: path, sizeBytes: 16 << 20), loop: loop, disk: InlineDiskLane())
      let strap = try await store.enrol(name: "strap-07", addressValue: 7, addressKind: 1, driver: "d", kind: "k")
      var number = seed
      for _ in 0..<3000 {
        number = number &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        store.append(strap.id, .rrInterval, Int64(number >> 8), at: loop.now)
      }
      try await store.flush()
      try await store.pack(whole: true)
      await store.close()
    }
  }

  @Test("H4021, H4116: lost samples come back on the command line, from the right file only")
  func salvage() throws {
    let hub = try RunningDaemon(simulate: 1)
    let folder = hub.folder.path
    let data = URL(fileURLWithPath: hub.store.path + "/data.mdb")
    let old = folder + "/old.mdb"
    try fill(hub.store.path, seed: 1)
    try fill(folder + "/other", seed: 2)
    func salvage(_ words: String...) throws -> (status: Int32, output: String) {
      try hub.hearth(arguments: ["--config", hub.configuration.path, "store", "salvage"] + words)
    }
    let whole = try Data(contentsOf: data)
    try whole.write(to: URL(fileURLWithPath: old))
    let none = try salvage(old)
    #expect(none.status == 1 && none.output.contains("0 samples of 0 rings came back"), "\(none)")

    let page = try #require(
      (2..<(whole.count / 4096)).last { whole[$0 * 4096 + 10] == 4 && whole[$0 * 4096 + 16] == 2 })
    var damaged = whole
    damaged.replaceSubrange((page * 4096 + 100)..<(page * 4096 + 900), with: Data(count: 800))
    try damaged.write(to: data)
    let foreign = try salvage(folder + "/other")
    #expect(foreign.status == 1 && foreign.output.contains("H4021"), "\(foreign)")
    let planned = try salvage("--dry-run", old)
    #expect(planned.status == 0 && planned.output.contains("would come back"), "\(planned)")
    #expect(planned.output.contains("strap-07") && planned.output.contains("rr_interval"), "\(planned)")
    #expect(try Data(contentsOf: data) == damaged)
    let done = try salvage(old)
    #expect(done.status == 0 && done.output.contains("of 1 ring came back"), "\(done)")
    #expect(try salvage(old).status == 1)
    let reader = try StoreReader(path: hub.store.path)
    #expect(reader.status.samples == 3000)
    #expect(try reader.verify().findings == [])

    try hub.start()
    #expect(try hub.hearth("events").output.contains("H4116"))
    let busy = try salvage(old)
    #expect(busy.status == 6 && busy.output.contains("systemctl stop hearthd"), "\(busy)")
  }
}
