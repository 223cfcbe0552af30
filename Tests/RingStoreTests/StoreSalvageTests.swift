import EventLoop
import Foundation
import Health
import Reasons
import Testing

@testable import RingStore

/// What comes back from a damaged file after its rescue.
@Suite(.serialized) struct StoreSalvageTests {
  private static func number(_ path: String) throws -> StoreNumber {
    let environment = try Environment(path: path, size: 0, mode: .traceless)
    defer { environment.close() }
    try environment.openTables()
    return environment.number
  }

  private static func count(_ rings: [RingID: [SalvageItem]]) -> Int { rings.values.reduce(0) { $0 + $1.count } }

  @Test("whichever page of a tree is lost, all samples on other pages come back, each once and in order")
  func everyTreePage() throws {
    let bench = try SalvageBench()
    let number = try Self.number(bench.scratch.store)
    let pages = SalvagePages(bench.bytes)
    #expect(pages.kinds.values.contains("chunks branch"))
    var back: [String: UInt64] = [:]
    var seen: [String: Int] = [:]
    for (page, kind) in pages.kinds.sorted(by: { $0.key < $1.key }) {
      seen[kind, default: 0] += 1
      // Bounds of a journal that is lost as a whole are not known.
      if seen[kind, default: 0] > 2 || kind == "journal leaf" { continue }
      let lost = kind.hasSuffix("leaf") ? pages.items(in: page, of: number) : []
      let store = try bench.started(with: pages.with((page * 4096)..<(page * 4096 + 4096)), packs: page % 2 == 0)
      guard let old = try SalvageBench.aside(store) else { continue }
      let before = try SalvageBench.rings(store.store)
      let planned = try SalvageBench.salvage(store, from: old, dryRun: true)
      #expect(try SalvageBench.rings(store.store) == before, "\(kind): a dry run changes nothing")
      let report = try SalvageBench.salvage(store, from: old)
      #expect(planned.items == report.items, "\(kind)")
      let after = try SalvageBench.rings(store.store)
      for (ring, items) in bench.rings {
        let expected = items.filter { !lost.contains($0) }
        let found = after[ring] ?? []
        #expect(Set(found) == Set(expected) && found.count == expected.count, "\(kind) \(page) \(ring.text)")
        if !kind.hasPrefix("journal") { #expect(found == expected, "\(kind) \(page) \(ring.text)") }
      }
      #expect(Self.count(before) + Int(report.items) == Self.count(after), "\(kind) \(page)")
      let again = try SalvageBench.salvage(store, from: old)
      #expect(again.items == 0, "\(kind): a second run brings nothing")
      #expect(try SalvageBench.rings(store.store) == after, "\(kind)")
      back[kind, default: 0] += report.items
    }
    #expect(back["chunks leaf"] ?? 0 > 1000, "\(back)")
  }

  @Test("with a lost leaf in another table, a rescue cannot tell where leaves behind a branch belong; they come back")
  func twoTables() throws {
    let bench = try SalvageBench()
    var pages = SalvagePages(bench.bytes)
    for kind in ["visits leaf", "chunks branch"] {
      let page = try #require(pages.kinds.first { $0.value == kind }?.key)
      pages.bytes = pages.with((page * 4096)..<(page * 4096 + 4096))
    }
    let store = try bench.started(with: pages.bytes)
    let old = try #require(try SalvageBench.aside(store))
    #expect(try SalvageBench.salvage(store, from: old).items > 10_000)
    #expect(try SalvageBench.rings(store.store) == bench.rings)
    #expect(try SalvageBench.salvage(store, from: old).items == 0)
    #expect(try StoreReader(path: store.store).verify().findings == [])
  }

  @Test("a leaf with one damaged key is refused by a rescue; its chunks come back, also the one without a key")
  func leafKey() throws {
    let bench = try SalvageBench()
    let pages = SalvagePages(bench.bytes)
    for page in pages.kinds.filter({ $0.value == "chunks leaf" }).keys.sorted() {
      let nodes = pages.nodes(page)
      let store = try bench.started(
        with: pages.with((nodes[nodes.count / 2] + 8)..<(nodes[nodes.count / 2] + 10), 0xEE))
      let old = try #require(try SalvageBench.aside(store))
      #expect(try SalvageBench.salvage(store, from: old).items > 0)
      #expect(try SalvageBench.rings(store.store) == bench.rings, "page \(page)")
      let findings = try StoreReader(path: store.store).verify().findings
      #expect(findings == [], "page \(page): \(findings)")
    }
  }

  @Test("samples of a commit whose root was lost come back behind those that a hub stored before")
  func lostRoot() throws {
    let bench = try SalvageBench(wearables: 2)
    let (cut, copy) = (Scratch(), Scratch())
    try FileManager.default.copyItem(atPath: bench.scratch.store, toPath: copy.store)
    try inStore({ $0.sizeBytes = SalvageBench.size }, at: copy) { _, store, _ in
      _ = try await store.commit(try SalvageBench.batch(1, 20))
      _ = try await store.commit(try SalvageBench.batch(1, 21))
      // A power cut.
      try FileManager.default.copyItem(atPath: copy.store, toPath: cut.store)
    }
    let pages = SalvagePages([UInt8](try Data(contentsOf: URL(fileURLWithPath: cut.data))))
    let whole = try SalvageBench.rings(copy.store)
    try Data(pages.with((pages.newer * 4096)..<(pages.newer * 4096 + 4096))).write(
      to: URL(fileURLWithPath: cut.data))
    try SalvageBench.start(cut)
    #expect(try SalvageBench.rings(cut.store) != whole)
    let old = try #require(try SalvageBench.aside(cut))
    #expect(try SalvageBench.salvage(cut, from: old).items == 300)
    #expect(try SalvageBench.rings(cut.store) == whole)
    #expect(try StoreReader(path: cut.store).verify().findings == [])
  }

  @Test("a kill between two steps leaves a whole store, and the next run brings the rest")
  func kill() throws {
    let bench = try SalvageBench()
    let pages = SalvagePages(bench.bytes)
    let page = try #require(pages.kinds.filter { $0.value == "chunks leaf" }.keys.min())
    let store = try bench.started(with: pages.with((page * 4096)..<(page * 4096 + 4096)), packs: false)
    let old = try #require(try SalvageBench.aside(store))
    let folder = Scratch()
    // As each transaction is durable, the folder between two is what a kill leaves.
    let names = Names()
    _ = try SalvageBench.salvage(store, from: old) { step in
      let name = names.next(step)
      try? FileManager.default.copyItem(atPath: store.store, toPath: folder.path + "/" + name)
    }
    let whole = try SalvageBench.rings(store.store)
    #expect(names.all.count > 3)
    for name in names.all {
      let cut = Scratch()
      try FileManager.default.moveItem(atPath: folder.path + "/" + name, toPath: cut.store)
      let findings = try StoreReader(path: cut.store).verify().findings
      #expect(findings.allSatisfy { $0.what == "damaged" }, "\(name): \(findings)")
      let aside = try #require(try SalvageBench.aside(cut))
      _ = try SalvageBench.salvage(cut, from: aside)
      #expect(try SalvageBench.rings(cut.store) == whole, "\(name)")
    }
  }

  private final class Names: @unchecked Sendable {
    private(set) var all: [String] = []
    func next(_ step: String) -> String {
      all.append("\(all.count)-\(step)")
      return all[all.count - 1]
    }
  }

  // MARK: Orders

  @Test("samples that were purged or erased stay away, from a copy made before as from the damaged file")
  func orders() throws {
    let bench = try SalvageBench(wearables: 4)
    let copy = bench.scratch
    let store = Scratch()
    try FileManager.default.copyItem(atPath: copy.store, toPath: store.store)
    try inStore({ $0.sizeBytes = SalvageBench.size }, at: store) { loop, store, _ in
      for number in UInt64(1)...2 {
        _ = try await store.enrol(name: "w\(number)", addressValue: number, addressKind: 2, driver: "d", kind: "k")
      }
      try await loop.sleep(for: .seconds(100))
      let until = VirtualLoop.morning + .seconds(45)
      let plan = try await store.purgePlan(SampleQuery(wearables: [one], until: until))
      #expect(try await store.purge(plan) > 0)
      let ada = try await store.addWearer(name: "Ada").id
      try await store.assign(two, to: ada, from: VirtualLoop.morning)
      try await store.assign(two, to: nil, from: VirtualLoop.morning + .seconds(40))
      _ = try await store.erase(try await store.erasurePlan(of: ada))
    }
    let left = try SalvageBench.rings(store.store)
    let pages = SalvagePages([UInt8](try Data(contentsOf: URL(fileURLWithPath: store.data))))
    var refused: UInt64 = 0
    for (page, kind) in pages.kinds where kind.hasPrefix("chunks") {
      let damaged = Scratch()
      try FileManager.default.copyItem(atPath: store.store, toPath: damaged.store)
      try Data(pages.with((page * 4096)..<(page * 4096 + 4096))).write(to: URL(fileURLWithPath: damaged.data))
      try SalvageBench.start(damaged)
      let first = try SalvageBench.salvage(damaged, from: copy.data)
      refused += first.refused[.purged] ?? 0
      let old = try #require(try SalvageBench.aside(damaged))
      _ = try SalvageBench.salvage(damaged, from: old)
      for (ring, items) in try SalvageBench.rings(damaged.store) {
        #expect(Set(items).isSubset(of: Set(left[ring] ?? [])), "\(kind) \(ring.text)")
      }
    }
    // Of a copy made before the purge it is not known which samples were meant.
    #expect(refused > 0)
  }

  @Test("after a backup without samples, those of the old file come back if they are asked for")
  func evicted() throws {
    let bench = try SalvageBench(wearables: 2)
    let (copy, fresh) = (Scratch(), Scratch())
    try FileManager.default.copyItem(atPath: bench.scratch.store, toPath: copy.store)
    try inStore({ $0.sizeBytes = SalvageBench.size }, at: copy) { _, store, _ in
      let session = try await store.beginBackup(samples: false)
      let restoring = try StoreRestore(.test(fresh.store, size: SalvageBench.size))
      while true {
        let page = try session.page()
        try restoring.add(try #require(BackupRow.parse(page.bytes)))
        if page.isLast { break }
      }
      try restoring.finish(format: FormatMark.version, madeAt: VirtualLoop.morning, now: VirtualLoop.morning)
    }
    let whole = try SalvageBench.rings(copy.store)
    _ = try SalvageBench.salvage(fresh, from: copy.store)
    _ = try SalvageBench.salvage(fresh, from: copy.store, evicted: true)
    let back = try SalvageBench.rings(fresh.store)
    for (ring, items) in whole {
      // The journal of the old file has no place there.
      #expect(back[ring].map { items.starts(with: $0) && $0.count * 10 > items.count * 8 } == true, "\(ring.text)")
    }
  }

  // MARK: Files that are refused

  @Test("H4021: a file of another store, the store's own file and a folder without a store are refused")
  func refused() throws {
    let (bench, other) = (try SalvageBench(wearables: 1), try SalvageBench(wearables: 1, seed: 7))
    let before = try Data(contentsOf: URL(fileURLWithPath: bench.scratch.data))
    for path in [other.scratch.store, other.scratch.data, bench.scratch.data, "/dev/null", Scratch().store] {
      let error = #expect(throws: HearthError.self, "\(path)") {
        try SalvageBench.salvage(bench.scratch, from: path)
      }
      #expect(error?.reason == .salvageRefused, "\(path)")
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: bench.scratch.data)) == before)
  }

  @Test("a file of noise, a cut one and one with forged places leave the store as it is")
  func noise() throws {
    let bench = try SalvageBench(wearables: 1)
    let before = try Data(contentsOf: URL(fileURLWithPath: bench.scratch.data))
    let file = Scratch().path + "-noise"
    defer { unlink(file) }
    var seeded = Seeded(3)
    var noise = (0..<(8 << 20)).map { _ in UInt8.random(in: 0...255, using: &seeded) }
    for page in stride(from: 0, to: noise.count, by: 8192) { (noise[page + 10], noise[page + 11]) = (2, 0) }
    var forged = bench.bytes
    for page in 2..<(forged.count / 4096) where forged[page * 4096 + 10] == 4 {
      forged[page * 4096 + 16 + RingChunkHeader.Offset.ordinal + 3] = 1
    }
    for bytes in [noise, [], Array(bench.bytes.prefix(5000)), forged] {
      try Data(bytes).write(to: URL(fileURLWithPath: file))
      let report = try SalvageBench.salvage(bench.scratch, from: file)
      #expect(report.items == 0)
      if bytes == forged { #expect(report.refused[.strange] ?? 0 > 5) }
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: bench.scratch.data)) == before)
  }
}
