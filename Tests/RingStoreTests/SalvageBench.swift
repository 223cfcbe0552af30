import EventLoop
import Foundation
import Health
import Reasons
import Testing

@testable import RingStore

/// A sample without its ordinal, which a lost chunk of the journal loses.
struct SalvageItem: Hashable {
  let time: Int64
  let value: Int64
}

/// A store with live and fetched rings and a journal, its file, and what is salvaged from a damaged one.
struct SalvageBench {
  static let size = 32 << 20
  let scratch = Scratch()
  let bytes: [UInt8]
  let rings: [RingID: [SalvageItem]]

  /// - Parameter wearables: with two rings each.
  init(wearables: Int = 8, seed: Int = 0) throws {
    let scratch = scratch
    try VirtualLoop.run { loop in
      let store = try Store.open(.test(scratch.store, size: Self.size), loop: loop, disk: InlineDiskLane())
      for round in 0..<9 {
        for index in 0..<500 {
          for number in 1...wearables {
            let wearable = WearableID(number: UInt32(number))
            store.append(wearable, .rrInterval, noise(seed + round * 100_000 + index * 100 + number), at: loop.now)
          }
          if index % 50 == 49 { try await loop.sleep(for: .seconds(1)) }
        }
        // The last round stays in the journal.
        if round < 8 { try await store.pack() }
        for number in 1...wearables {
          _ = try await store.commit(try Self.batch(number, round, seed))
        }
      }
      try await store.flush()
      await store.close()
    }
    bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: scratch.data)))
    rings = try Self.rings(scratch.store)
  }

  static func batch(_ number: Int, _ round: Int, _ seed: Int = 0) throws -> FetchedBatch {
    let (time, wearable) = (VirtualLoop.morning, WearableID(number: UInt32(number)))
    var batch = try FetchedBatch(
      wearable: wearable, place: "file \(round)",
      visit: VisitRecord(number: UInt64(round + 1), wearable: wearable, began: time))
    for index in (300 * round)..<(300 * round + 300) {
      try batch.append(.rrInterval, noise(seed + 900_000 + 1000 * index + number), at: time + .seconds(index))
    }
    return batch
  }

  /// The items of each ring in the order of an export.
  static func rings(_ path: String, wearables: ClosedRange<UInt32> = 1...50) throws -> [RingID: [SalvageItem]] {
    let reader = try StoreReader(path: path)
    var rings: [RingID: [SalvageItem]] = [:]
    for sample in try reader.all() where wearables.contains(sample.wearable.number) {
      let ring = RingID(wearable: sample.wearable, seriesNumber: sample.series.id, way: sample.way)
      rings[ring, default: []].append(SalvageItem(time: sample.time.microseconds, value: sample.value))
    }
    return rings
  }

  /// A store's folder with another data file, in which a hub started and stored samples of wearable 99.
  func started(with bytes: [UInt8], packs: Bool = true) throws -> Scratch {
    let other = Scratch()
    try FileManager.default.copyItem(atPath: scratch.store, toPath: other.store)
    try Data(bytes).write(to: URL(fileURLWithPath: other.data))
    try Self.start(other, packs: packs)
    return other
  }

  static func start(_ scratch: Scratch, packs: Bool = true) throws {
    try VirtualLoop.run { loop in
      let store = try Store.open(.test(scratch.store, size: Self.size), loop: loop, disk: InlineDiskLane())
      for index in 0..<300 { store.append(WearableID(number: 99), .heartRate, Int64(index), at: loop.now) }
      try await store.flush()
      if packs { try await store.pack(whole: true) }
      await store.close()
    }
  }

  /// The damaged file that a rescue set aside; nil: there was no rescue.
  static func aside(_ scratch: Scratch) throws -> String? {
    try FileManager.default.contentsOfDirectory(atPath: scratch.store).first { $0.hasPrefix("data.mdb.damaged-") }
      .map { scratch.store + "/" + $0 }
  }

  static func salvage(
    _ scratch: Scratch, from old: String, dryRun: Bool = false, evicted: Bool = false,
    probe: (@Sendable (String) -> Void)? = nil
  ) throws -> SalvageReport {
    for _ in 0..<2000 {
      do throws(HearthError) {
        let salvage = try StoreSalvage(.test(scratch.store, size: size), from: old, takesEvicted: evicted)
        salvage.probe = probe
        return try salvage.run(dryRun: dryRun, now: VirtualLoop.morning)
      } catch {
        // A child that another test starts has the lock until it executes.
        guard error.reason == .storeInUse else { throw error }
        usleep(1000)
      }
    }
    throw HearthError(.storeInUse, scratch.store)
  }
}

/// The pages of each table's tree, by a walk from LMDB's layout.
struct SalvagePages {
  var bytes: [UInt8]
  /// Pages by kind: `chunks branch`, `main leaf`, `free leaf`.
  private(set) var kinds: [Int: String] = [:]

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    walk("free", newer * 4096 + 80)
    walk("main", newer * 4096 + 128)
  }

  /// Page of the newer root.
  var newer: Int { number(144, 8) < number(4096 + 144, 8) ? 1 : 0 }

  func number(_ place: Int, _ count: Int) -> Int {
    (0..<count).reversed().reduce(0) { $0 << 8 | Int(bytes[place + $1]) }
  }

  private mutating func walk(_ table: String, _ place: Int) {
    var waiting = bytes[place..<(place + 8)].allSatisfy { $0 == 0xFF } ? [] : [number(place, 8)]
    while let page = waiting.popLast() {
      let isBranch = bytes[page * 4096 + 10] & 1 == 1
      kinds[page] = table + (isBranch ? " branch" : " leaf")
      for node in nodes(page) {
        if isBranch {
          waiting.append(number(node, 6))
        } else if number(node + 4, 2) == 2 {
          let value = node + 8 + number(node + 6, 2)
          walk(String(decoding: bytes[(node + 8)..<value], as: UTF8.self), value + 40)
        }
      }
    }
  }

  /// Offsets of a page's nodes in the file.
  func nodes(_ page: Int) -> [Int] {
    (0..<((number(page * 4096 + 12, 2) - 16) / 2)).map { page * 4096 + number(page * 4096 + 16 + 2 * $0, 2) }
  }

  /// Bytes of the node's key and of a value that lies in the page itself.
  func inline(_ node: Int) -> (key: [UInt8], value: [UInt8])? {
    let value = node + 8 + number(node + 6, 2)
    if number(node + 4, 2) != 0 { return nil }
    return (Array(bytes[(node + 8)..<value]), Array(bytes[value..<(value + number(node, 4))]))
  }

  func with(_ range: Range<Int>, _ byte: UInt8 = 0) -> [UInt8] {
    var damaged = bytes
    for place in range { damaged[place] = byte }
    return damaged
  }

  /// Items of chunks that lie in a leaf itself: they are lost with it.
  func items(in page: Int, of number: StoreNumber) -> Set<SalvageItem> {
    var items: Set<SalvageItem> = []
    for (key, value) in nodes(page).compactMap({ inline($0) }) {
      value.withUnsafeBytes { bytes in
        let place = key.withUnsafeBytes { key in
          RingID(key: key).flatMap { ring in
            RingID.ordinal(key).map { ChunkPlace(number, ring, $0) }
          }
        }
        if let place, let chunk = PlainChunks.ring(bytes, at: place) {
          for item in chunk.items { items.insert(SalvageItem(time: item.time, value: item.values.first ?? 0)) }
        } else if key.count == 8, let header = ChunkHeader.verify(bytes, of: number) {
          var records = ChunkRecords(bytes, header)
          while let record = records.next() {
            items.insert(SalvageItem(time: header.baseWall.microseconds + record.time, value: record.value))
          }
        }
      }
    }
    return items
  }
}
