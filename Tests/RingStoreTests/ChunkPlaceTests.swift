import EventLoop
import Foundation
import Health
import StateCodec
import Testing

@testable import RingStore

/// Chunks and pages that a card returns in another place, or out of another store, each with the right number of its
/// page of LMDB.
@Suite(.serialized) struct ChunkPlaceTests {
  /// Values tell wearable and series: hundreds of the wearable, tens of the series.
  private static func base(_ wearable: WearableID, _ series: Series, of store: Int) -> Int64 {
    Int64(store) * 10_000 + Int64(wearable.number) * 1000 + Int64(series.id) * 10
  }

  private static let series: [Series] = [.heartRate, .cadence]

  private static func isRight(_ sample: StoredSample, of store: Int) -> Bool {
    (0...7).contains(sample.value - base(sample.wearable, sample.series, of: store))
  }

  private func fill(_ number: Int = 1, moves: Bool = true, count: Int = 400) throws -> Scratch {
    let scratch = Scratch()
    try inStore({ if !moves { $0.usesJournalFile = false } }, at: scratch) { loop, store, _ in
      for index in 0..<count {
        for wearable in [one, two] {
          for series in Self.series {
            store.append(wearable, series, Self.base(wearable, series, of: number) + noise(index) & 7, at: loop.now)
          }
        }
        try await loop.sleep(for: .milliseconds(700))
      }
      try await store.flush()
      if moves { try await store.pack(whole: true) }
    }
    scratch.removeCopy()
    return scratch
  }

  private func entries(_ scratch: Scratch, _ table: KeyPath<Tables, UInt32>) throws -> [(key: [UInt8], value: [UInt8])]
  {
    var entries: [(key: [UInt8], value: [UInt8])] = []
    try scratch.tamper { transaction throws(DatabaseFailure) in
      try transaction.withCursor(transaction.tables[keyPath: table]) { cursor throws(DatabaseFailure) in
        var entry = try cursor.first()
        while let found = entry {
          entries.append((Array(found.key), Array(found.value)))
          entry = try cursor.next()
        }
      }
    }
    return entries
  }

  private func put(_ scratch: Scratch, _ table: KeyPath<Tables, UInt32>, _ key: [UInt8], _ value: [UInt8]) throws {
    try scratch.tamper { transaction throws(DatabaseFailure) in
      try transaction.put(transaction.tables[keyPath: table], key, value)
    }
  }

  /// No wrong line from either reader, and what is missing is said.
  private func check(_ scratch: Scratch, of number: Int = 1, whole: Int, missing: Bool = true) throws {
    for query in [SampleQuery(), SampleQuery(until: WallTime(microseconds: .max - 1))] {
      let reader = try StoreReader(path: scratch.store)
      let pages = try reader.export(query)
      var (samples, damaged): ([StoredSample], Int) = ([], 0)
      while let page = try pages.next(limit: 1000) {
        samples += page.samples
        damaged += page.corruptChunks
      }
      #expect(samples.allSatisfy { Self.isRight($0, of: number) }, "a line of another wearable, series or store")
      #expect((samples.count < whole) == missing && (damaged > 0) == missing)
      #expect(try reader.verify().isClean != missing)
    }
    try inStore(at: scratch) { _, store, _ in
      let samples = try await store.all()
      #expect(samples.allSatisfy { Self.isRight($0, of: number) })
      #expect((samples.count < whole) == missing)
    }
  }

  @Test("chunks that changed places between series or wearables are in no line, and that they are missing is said")
  func swapped() throws {
    let chunks = try entries(try fill(), \.chunks)
    #expect(chunks.count >= 4)
    for (index, chunk) in chunks.enumerated() {
      for other in chunks.dropFirst(index + 1) where other.key.suffix(8) == chunk.key.suffix(8) {
        let scratch = try fill()
        let mine = try entries(scratch, \.chunks)
        let values = Dictionary(uniqueKeysWithValues: mine.map { ($0.key, $0.value) })
        try put(scratch, \.chunks, chunk.key, try #require(values[other.key]))
        try put(scratch, \.chunks, other.key, try #require(values[chunk.key]))
        try check(scratch, whole: 1600)
      }
    }
  }

  @Test("pages of data.mdb with swapped contents, but not numbers, are in no line")
  func swappedPages() throws {
    // Smaller values lie in the leaf, beside their keys.
    let scratch = try fill(count: 6000)
    let chunks = try entries(scratch, \.chunks)
    let pair = try #require(
      chunks.indices.lazy.compactMap { index in
        chunks[(index + 1)...].firstIndex { $0.value.count == chunks[index].value.count && $0.value.count > 2100 }.map {
          (index, $0)
        }
      }.first, "no two chunks have the same size")
    var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: scratch.data)))
    func page(_ value: [UInt8]) -> Int? {
      let pages = Array(stride(from: 8192, to: bytes.count, by: 4096))
      return pages.last { bytes[($0 + 16)..<($0 + 16 + value.count)].elementsEqual(value) }
    }
    let pages = [try #require(page(chunks[pair.0].value)), try #require(page(chunks[pair.1].value))]
    for offset in 16..<4096 { bytes.swapAt(pages[0] + offset, pages[1] + offset) }
    try Data(bytes).write(to: URL(fileURLWithPath: scratch.data))
    try check(scratch, whole: 24_000)
  }

  @Test("a chunk of another store in its own place is in no line: of a ring, and of the journal")
  func otherStore() throws {
    let other = try fill(2)
    for chunk in try entries(other, \.chunks) {
      let scratch = try fill()
      try put(scratch, \.chunks, chunk.key, chunk.value)
      try check(scratch, whole: 1600)
    }
    for chunk in try entries(try fill(2, moves: false), \.journal).dropLast() {
      let scratch = try fill(moves: false)
      let same = try entries(scratch, \.journal).contains { $0.key == chunk.key }
      if !same { continue }
      try put(scratch, \.journal, chunk.key, chunk.value)
      try check(scratch, whole: 1600)
    }
  }

  @Test("a page of an item's bytes that lies with another item is not among its bytes")
  func staged() throws {
    let scratch = Scratch()
    let bytes = [[UInt8](repeating: 1, count: 5000), [UInt8](repeating: 2, count: 5000)]
    try inStore(at: scratch) { _, store, _ in
      for (number, id) in ["a/1", "a/2"].enumerated() {
        try await store.stage(CustodyRecord(wearable: one, id: id, visit: 1), appending: bytes[number], at: 0)
      }
    }
    let pages = try entries(scratch, \.staged)
    #expect(pages.count == 4)
    for page in 0..<2 {
      try put(scratch, \.staged, pages[page].key, pages[page + 2].value)
      try put(scratch, \.staged, pages[page + 2].key, pages[page].value)
    }
    let reader = try StoreReader(path: scratch.store)
    for (number, id) in ["a/1", "a/2"].enumerated() {
      #expect(try reader.staged(one, id).allSatisfy { $0 == bytes[number][0] })
      #expect(try reader.staged(one, id).isEmpty)
    }
  }

  @Test("without its number, or with a damaged one, a store calculates it from its chunks, and writes it again")
  func lostNumber() throws {
    for damage in [[UInt8](), [1, 2, 3, 4, 5, 6, 7, 8]] {
      let scratch = try fill()
      let number = try #require(try entries(scratch, \.meta).first { $0.key == StoreNumber.key }).value
      try scratch.tamper { transaction throws(DatabaseFailure) in
        try transaction.delete(transaction.tables.meta, StoreNumber.key)
        if !damage.isEmpty { try transaction.put(transaction.tables.meta, StoreNumber.key, damage) }
      }
      try check(scratch, whole: 1600, missing: false)
      #expect(try entries(scratch, \.meta).first { $0.key == StoreNumber.key }?.value == number)
    }
  }

  @Test("a chunk of an earlier format has to have the values of its series, and the ordinal of its key")
  func earlier() throws {
    func plain(_ value: [UInt8]) -> [UInt8] {
      var value = value
      value[1] &= ~RingChunkHeader.placedFlag
      let checksum = value.withUnsafeBytes { ChunkHeader.checksum($0) }
      value.withUnsafeMutableBytes { $0.storeBytes(of: checksum.littleEndian, toByteOffset: 4, as: UInt32.self) }
      return value
    }
    let scratch = try fill()
    for chunk in try entries(scratch, \.chunks) { try put(scratch, \.chunks, chunk.key, plain(chunk.value)) }
    try check(scratch, whole: 1600, missing: false)

    let items = Scratch()
    try inStore(at: items) { loop, store, _ in
      for _ in 0..<30 { store.append(one, .heartRate, 70, at: loop.now) }
      let visit = VisitRecord(number: 1, wearable: one, began: loop.wall)
      var batch = try FetchedBatch(wearable: one, place: "a place", visit: visit)
      for index in 0..<30 { try batch.append(.ppi, [900, 5, 1], at: loop.wall + .seconds(Int64(index))) }
      try await store.flush()
      try await store.pack(whole: true)
      _ = try await store.commit(batch)
    }
    let chunks = try entries(items, \.chunks)
    #expect(chunks.count == 2)
    try put(items, \.chunks, chunks[0].key, plain(chunks[1].value))
    try put(items, \.chunks, chunks[1].key, plain(chunks[0].value))
    #expect(try StoreReader(path: items.store).all().isEmpty)
  }

  @Test("a checksum that is calculated backwards leads to what was before the bytes")
  func backwards() {
    var random = Seeded(7)
    for _ in 0..<200 {
      let number = UInt32.random(in: 1 ... .max, using: &random)
      let bytes = (0..<Int.random(in: 0...40, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
      var crc = CRC32C()
      withUnsafeBytes(of: number.littleEndian) { crc.update($0) }
      bytes.withUnsafeBytes { crc.update($0) }
      var back = CRC32C(ending: crc.value)
      back.takeBack(bytes)
      #expect(back.firstFour == number)
    }
  }
}
