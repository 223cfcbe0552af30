import EventLoop
import Foundation
import Health
import Reasons
import Testing

@testable import RingStore

/// Bits that a card flips in LMDB's own pages.
@Suite(.serialized) struct PageCheckTests {
  /// A store at rest with some of everything, and what it holds.
  struct Filled {
    let scratch = Scratch()
    let samples: [StoredSample]
    let bytes: [UInt8]

    /// - Parameter count: heart rates of noise, which fill chunks.
    init(count: UInt64 = 6000) throws {
      let scratch = scratch
      nonisolated(unsafe) var found: [StoredSample] = []
      try VirtualLoop.run { loop in
        let store = try Store.open(.test(scratch.store, size: 8 << 20), loop: loop, disk: InlineDiskLane())
        for index in 0..<count {
          store.append(one, .rrInterval, noise(index), at: loop.now)
          if index % 100 == 0 { try await loop.sleep(for: .seconds(1)) }
          if index % 1000 == 999 { try await store.pack() }
        }
        try await store.flush()
        found = try await store.all()
        await store.close()
      }
      samples = found
      bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: scratch.data)))
    }

    func write(_ bytes: [UInt8]) throws {
      let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: scratch.data))
      try handle.truncate(atOffset: UInt64(bytes.count))
      try handle.seek(toOffset: 0)
      try handle.write(contentsOf: Data(bytes))
      try handle.close()
    }

    /// The same in a folder of its own, with the file as it was.
    func copied() throws -> Filled {
      let other = Filled(samples: samples, bytes: bytes)
      try FileManager.default.copyItem(atPath: scratch.store, toPath: other.scratch.store)
      for file in try other.setAside() { try FileManager.default.removeItem(at: file) }
      try other.write(bytes)
      return other
    }

    private init(samples: [StoredSample], bytes: [UInt8]) { (self.samples, self.bytes) = (samples, bytes) }

    /// Damaged files that were set aside.
    func setAside() throws -> [URL] {
      try FileManager.default.contentsOfDirectory(atPath: scratch.store).filter { $0.hasPrefix("data.mdb.damaged-") }
        .map { URL(fileURLWithPath: scratch.store + "/" + $0) }
    }

    func number(_ offset: Int) -> UInt64 { PageCheckTests.number(bytes, offset) }

    /// Offset of the newer root.
    var root: Int { number(144) < number(4096 + 144) ? 4096 : 0 }

    /// What became of it: refused with a code, or opened, written to, and what it holds then.
    ///
    /// - Parameter packs: it moves samples into rings too.
    func life(packs: Bool = true) throws -> (reason: Reason?, samples: [StoredSample], events: [UInt16], verified: Bool)
    {
      let scratch = scratch
      nonisolated(unsafe) var result: (Reason?, [StoredSample], [UInt16], Bool) = (nil, [], [], false)
      try VirtualLoop.run { loop in
        let store: Store
        do throws(HearthError) {
          store = try Store.open(.test(scratch.store, size: 8 << 20), loop: loop, disk: InlineDiskLane())
        } catch {
          result.0 = error.reason
          return
        }
        for index in 0..<600 { store.append(two, .heartRate, Int64(index), at: loop.now) }
        try await store.flush()
        if packs { try await store.pack() }
        let isClean = try await store.verify().isClean
        let samples = try await store.all(SampleQuery(wearables: [one]))
        try await store.flush()
        // What an export says becomes an event with the next commit.
        store.append(two, .heartRate, 60, at: loop.now)
        try await store.flush()
        let events = try store.recentEvents(10).map(\.reason)
        await store.close()
        result = (nil, samples, events, isClean)
      }
      return result
    }
  }

  private static func number(_ bytes: [UInt8], _ offset: Int) -> UInt64 {
    bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: UInt64.self) }
  }

  /// Pages of the newer root's tree of free pages.
  private static func freeTree(_ filled: Filled) -> [Int] {
    var pages: [Int] = []
    var waiting = [Int(filled.number(filled.root + 80))]
    while let page = waiting.popLast() {
      pages.append(page)
      let start = page * 4096
      if filled.bytes[start + 10] & 1 == 0 { continue }
      let keys = (Int(filled.bytes[start + 12]) | Int(filled.bytes[start + 13]) << 8) - 16
      for index in 0..<(keys / 2) {
        let place = start + 16 + 2 * index
        let node = start + Int(filled.bytes[place]) + Int(filled.bytes[place + 1]) << 8
        waiting.append(Int(filled.number(node) & 0xFFFF_FFFF_FFFF))
      }
    }
    return pages
  }

  @Test(
    "a flipped bit of a count of pages deletes no sample: it is counted again, and shown with H4013 and in the status")
  func countOfFreePages() throws {
    let filled = try Filled()
    var bytes = filled.bytes
    // Branch pages of the tree of free pages, and 2^23.
    bytes[filled.root + 50] ^= 0x80
    try filled.write(bytes)
    let reader = try StoreReader(path: filled.scratch.store)
    #expect(try !reader.verify().isClean, "verify says so before the hub starts")
    let life = try filled.life()
    #expect(life.reason == nil)
    #expect(life.samples == filled.samples)
    #expect(life.events.contains(Reason.storeMiscounted.rawValue))
    #expect(life.verified)
    #expect(try StoreReader(path: filled.scratch.store).verify().isClean)
  }

  @Test("a page that states another number is served from a new file, without loss")
  func numberOfLeaf() throws {
    let first = try Filled()
    let leaves = (2..<(first.bytes.count / 4096)).filter { page in
      first.number(page * 4096) == UInt64(page) && first.bytes[page * 4096 + 10] == 2
    }
    var rescued = 0
    for page in leaves {
      let filled = try first.copied()
      var bytes = filled.bytes
      bytes[page * 4096 + 2] ^= 0x10
      try filled.write(bytes)
      let life = try filled.life()
      #expect(life.reason == nil && life.samples == filled.samples && life.verified, "page \(page)")
      // A leaf that is in no tree any more may say what it will.
      if life.events.contains(Reason.storeRescued.rawValue) {
        #expect(try filled.setAside().map { try [UInt8](Data(contentsOf: $0)) } == [bytes], "page \(page)")
        rescued += 1
      }
    }
    #expect(rescued >= 5, "of \(leaves.count)")
  }

  @Test(
    """
    whichever bit of a byte of the roots and of the list of free pages flips: every sample stays, is written on and \
    verified
    """
  )
  func everyBit() throws {
    let first = try Filled(count: 1500)
    var filled = first
    // Bytes behind the content of a root and of a page of a tree are never read.
    var places = Array(0..<152) + Array(4096..<(4096 + 152))
    for page in Self.freeTree(filled) {
      let upper = Int(filled.bytes[page * 4096 + 14]) | Int(filled.bytes[page * 4096 + 15]) << 8
      let lower = Int(filled.bytes[page * 4096 + 12]) | Int(filled.bytes[page * 4096 + 13]) << 8
      places += (0..<lower).map { page * 4096 + $0 } + (upper..<4096).map { page * 4096 + $0 }
    }
    // A single bit of each byte, another at each run; all of them take minutes.
    let isWhole = ProcessInfo.processInfo.environment["HEARTH_AT_LENGTH"] != nil
    var outcomes: [String: Int] = [:]
    for place in places {
      for bit in isWhole ? Array(0..<8) : [Int.random(in: 0..<8)] {
        var bytes = filled.bytes
        bytes[place] ^= 1 << UInt8(bit)
        try filled.write(bytes)
        let life = try filled.life(packs: place % 8 == 0)
        let isRescued = life.events.contains(Reason.storeRescued.rawValue)
        outcomes[isRescued ? "rescued" : life.events.isEmpty ? "kept" : "mended", default: 0] += 1
        #expect(life.reason == nil, "byte \(place) bit \(bit)")
        if isRescued { filled = try first.copied() }
        #expect(life.samples == filled.samples, "byte \(place) bit \(bit)")
        // If its pages are lost, it is unknown whether the last commit wrote a chunk: that place is marked.
        let isMarked = isRescued && life.events.contains(Reason.storeChunkCorrupt.rawValue)
        #expect(life.verified || isMarked, "byte \(place) bit \(bit)")
      }
    }
    print("\(outcomes.values.reduce(0, +)) bits: \(outcomes.sorted { $0.key < $1.key })")
    #expect(outcomes["mended"] ?? 0 > 10)
    #expect(outcomes["rescued"] ?? 0 > 10)
  }

  @Test("counts that exceed the file while the store is open give up no sample, and are counted again by themselves")
  func whileOpen() throws {
    let filled = try Filled()
    let scratch = filled.scratch
    try VirtualLoop.run { loop in
      let store = try Store.open(.tables(scratch.store, size: 8 << 20), loop: loop, disk: InlineDiskLane())
      // What the kernel has in memory of the file is what LMDB reads.
      let handle = try FileHandle(forUpdating: URL(fileURLWithPath: scratch.data))
      for page in [0, 4096] {
        try handle.seek(toOffset: UInt64(page + 50))
        let byte = try handle.read(upToCount: 1)?.first ?? 0
        try handle.seek(toOffset: UInt64(page + 50))
        try handle.write(contentsOf: Data([byte ^ 0x80]))
      }
      try handle.close()
      // The count of before decides for one more commit.
      store.append(two, .heartRate, 60, at: loop.now)
      try await store.flush()
      store.append(two, .heartRate, 61, at: loop.now)
      #expect(await reason { try await store.flush() } == .storeDamaged)
      #expect(store.status.evictedSinceStart == 0)
      try await store.flush()
      #expect(store.status.trouble == nil && store.status.miscounts != nil)
      #expect(try await store.all(SampleQuery(wearables: [one])) == filled.samples)
      await store.close()
    }
  }

  @Test("the head of a chunk that states another page, or more pages, is written again before the chunk is deleted")
  func headOfChunk() throws {
    let filled = try Filled()
    let scratch = filled.scratch
    let longs = (2..<(filled.bytes.count / 4096)).filter { page in
      filled.number(page * 4096) == UInt64(page) && filled.bytes[page * 4096 + 10] == 4
    }
    for (offset, bits) in [(0, UInt8(1)), (2, 0x10), (10, 2), (12, 4), (13, 1)] {
      var bytes = filled.bytes
      // Two pages that state each other's number may have changed places undetected.
      for page in longs where offset > 2 || page % 2 == 0 { bytes[page * 4096 + offset] ^= bits }
      try filled.write(bytes)
      try VirtualLoop.run { loop in
        var options = StoreOptions.test(scratch.store, size: 8 << 20)
        options.standardRetention = Retention(quota: 12_000)
        let store = try Store.open(options, loop: loop, disk: InlineDiskLane())
        store.append(one, .rrInterval, 1, at: loop.now)
        try await store.flush()
        try await store.pack()
        #expect(store.status.evictedSinceStart > 1000)
        #expect(store.status.miscounts != nil && store.status.trouble == nil)
        #expect(try await store.verify().isClean)
        await store.close()
      }
      #expect(PageCheck.findings(scratch.store, size: 0).isEmpty, "offset \(offset)")
    }
  }
}
