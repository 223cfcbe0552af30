// What a store that was killed, or lost its power, has.

import EventLoop
import Health
import Reasons
import RingStore

/// Reads a store as `hearth` does without a daemon. Compares it with the rules by which `Work` fills it, and says how
/// far it goes.
@LoopActor
struct Check {
  let path: String
  let isPlain: Bool

  func run(_ loop: EpollLoop, thenWrite: Bool) async throws {
    if let reader = try reader() {
      try structure(reader)
      let ends = try items(reader)
      if isPlain {
        for (ring, end) in ends { say("has ring-\(ring.wearable.number)-\(ring.seriesNumber)-\(ring.way.name) \(end)") }
      } else {
        live(ends)
        for wearable in reader.wearables { try custody(reader, wearable.id, ends) }
        records(reader)
      }
      say("has evicted \(reader.status.evictedSamples)")
      try lists(reader)
    } else {
      say("absent")
    }
    if thenWrite { try await write(loop) }
  }

  private func reader() throws(HearthError) -> StoreReader? {
    do throws(HearthError) { return try StoreReader(path: path) } catch {
      if error.reason == .storeAbsent { return nil }
      throw error
    }
  }

  private func structure(_ reader: StoreReader) throws {
    let report = try reader.verify()
    for finding in report.findings.prefix(5) { say("broken \(finding.place): \(finding.what)") }
    if report.findingCount > 5 { say("broken \(report.findingCount) findings in all") }
    if reader.status.corruptRecords > 0 { say("broken \(reader.status.corruptRecords) damaged records") }
  }

  /// All items, as an export gives them. Returns one above the last ordinal of each ring.
  private func items(_ reader: StoreReader) throws -> [RingID: UInt64] {
    var ends: [RingID: UInt64] = [:]
    var given: [RingID: UInt64] = [:]
    let export = try reader.export(SampleQuery())
    while let page = try export.next(limit: 10_000) {
      if page.corruptChunks > 0 { say("broken \(page.corruptChunks) damaged chunks") }
      for item in page.samples {
        let ring = RingID(wearable: item.wearable, seriesNumber: item.series.id, way: item.way)
        let parts = Contents.parts(item)
        if let end = ends[ring], item.ordinal + 1 != end + parts {
          say("broken \(Contents.place(item)) comes where \(end) should")
        }
        if !isPlain, let complaint = Contents.complaint(item) { say("broken \(complaint)") }
        ends[ring] = item.ordinal + 1
        given[ring, default: 0] += parts
      }
    }
    var count = given.values.reduce(0, +)
    for ring in reader.rings where ring.id.series?.layout.hasBytes ?? false && ring.evicted > 0 {
      // The rest of a record stays if its beginning was evicted while its chunk was about to be rewritten. It is
      // counted, and is no sample.
      let rest = ring.items - min(ring.items, given[ring.id] ?? 0)
      if rest < Contents.partsLimit { count += rest }
    }
    if count != reader.status.samples {
      say("broken \(count) items are there, the store counts \(reader.status.samples)")
    }
    for ring in reader.rings {
      if ring.end > ends[ring.id] ?? ring.end {
        say("broken ring \(ring.id): its row goes to \(ring.end), its items to \(ends[ring.id] ?? 0)")
      }
      // A ring without items still knows its end.
      ends[ring.id] = max(ends[ring.id] ?? 0, ring.end)
    }
    return ends
  }

  /// Live samples are dealt in turn and become durable in order: all rings end at the same sample.
  private func live(_ ends: [RingID: UInt64]) {
    let total = ends.filter { $0.key.way == .live }.reduce(0) { $0 + $1.value }
    for number in 1...UInt32(Contents.wearables) {
      let wearable = WearableID(number: number)
      let end = ends[RingID(wearable: wearable, seriesNumber: Contents.live.id, way: .live)] ?? 0
      let expected = Contents.liveItems(of: wearable, in: total)
      if end != expected { say("broken wearable \(number) has \(end) of \(total) live samples, not \(expected)") }
    }
    say("has live \(total)")
  }

  /// Data, custody, receipt and visit came in one commit: each tells the same of the others.
  private func custody(_ reader: StoreReader, _ wearable: WearableID, _ ends: [RingID: UInt64]) throws {
    let position = try Fetching.position(reader.recentReceipts(of: wearable, limit: 1))
    let end = ends[RingID(wearable: wearable, seriesNumber: Contents.fetched.id, way: .fetched)] ?? 0
    if position != end {
      say("broken wearable \(wearable.number): its receipts end at \(position), the ring at \(end)")
    }
    if position > 0 { say("has fetched-\(wearable.number) \(position)") }
    try staging(reader, wearable, position)
    // From the newest back: each begins at the end of the one before.
    var expected = position
    for receipt in try reader.recentReceipts(of: wearable, limit: 10_000) {
      let range = receipt.ranges.first { $0.ring.seriesNumber == Contents.fetched.id }
      guard let range, range.first + range.count == expected,
        receipt.source == .place("\(Contents.name(wearable))/\(range.first)")
      else {
        say("broken receipt \(receipt.number) ends not at \(expected): \(receipt.source) \(receipt.ranges)")
        break
      }
      expected = range.first
      say(Contents.line(receipt))
    }
  }

  /// What is kept of an item goes in the commit that makes it durable, and not before.
  private func staging(_ reader: StoreReader, _ wearable: WearableID, _ position: UInt64) throws {
    let receipts = try Dictionary(
      uniqueKeysWithValues: reader.recentReceipts(of: wearable, limit: 10_000).map { ($0.number, $0) })
    var staged = Contents.staged(position, 0)
    for record in try reader.custody(of: wearable) {
      guard let first = UInt64(record.id.split(separator: "/").last ?? "") else {
        say("broken custody of \(record.id), which was never fetched")
        continue
      }
      let bytes = try reader.staged(wearable, record.id)
      if record.durableAt != nil {
        if first >= position { say("broken \(record.id) is durable; its receipts end at \(position)") }
        if !bytes.isEmpty { say("broken \(record.id) is durable and \(bytes.count) bytes are kept of it") }
        if record.receipts.isEmpty { say("broken \(record.id) is durable without a receipt") }
        for number in record.receipts where receipts[number].map({ $0.source != .place(record.id) }) ?? false {
          say("broken \(record.id) has receipt \(number), which is of \(receipts[number]?.source.description ?? "")")
        }
      } else {
        // Another batch may have been accepted while this one was refused: never here, as items follow each other.
        if first != position { say("broken \(record.id) is not durable; its receipts end at \(position)") }
        if bytes.count != record.fetched {
          say("broken \(record.id): \(bytes.count) bytes are kept, its record says \(record.fetched)")
        }
        if !Contents.stagedBytes(wearable, first: first).starts(with: bytes) {
          say("broken \(record.id): what is kept is not what was fetched")
        }
        staged =
          record.fetchedAt == nil || record.remark == Contents.wasGivenUp
          ? Contents.givenUp(first) : Contents.staged(first, bytes.count)
      }
    }
    say("has staged-\(wearable.number) \(staged)")
  }

  private func records(_ reader: StoreReader) {
    for (index, record) in reader.wearables.enumerated()
    where record.name != "w\(index + 1)" || record.id.number != index + 1 {
      say("broken wearable \(index + 1) is \(record.name) with number \(record.id.number)")
    }
    say("has wearables \(reader.wearables.count)")
    say("has assignments \(reader.assignments(of: WearableID(number: 1)).count)")
    if let record = reader.wearables.first { say("has name \(record.facts["number"] ?? "0")") }
  }

  private func lists(_ reader: StoreReader) throws {
    var receipts: [Receipt] = []
    for wearable in reader.wearables { receipts += try reader.recentReceipts(of: wearable.id, limit: 10_000) }
    say("has receipts \(receipts.map(\.number).max() ?? 0)")
    let visits = try Set(reader.recentVisits(10_000).map(\.number))
    let oldest = visits.min() ?? .max
    for receipt in receipts where receipt.visit >= oldest && !visits.contains(receipt.visit) {
      say("broken receipt \(receipt.number): visit \(receipt.visit) is not there")
    }
    if !receipts.isEmpty, visits.isEmpty { say("broken there are receipts and no visits") }
    for taker in try reader.readers() where taker.name == Contents.reader { say("has exported \(taker.items)") }
  }

  /// The store must take a live sample and a batch, and give them back.
  private func write(_ loop: EpollLoop) async throws {
    let store = try Store.open(StoreOptions(path: path), loop: loop, disk: DiskThread())
    if store.wearables.isEmpty {
      _ = try await store.enrol(name: "w1", addressValue: 1, addressKind: 1, driver: "d", kind: "k")
    }
    let number = store.rings.filter { $0.id.way == .live }.reduce(store.status.journalSamples) { $0 + $1.end }
    let wearable = Contents.wearable(ofLive: number)
    store.append(wearable, Contents.live, Contents.liveValue(number), at: loop.now)
    try await store.flush()
    let newest = try await store.newest(1000, of: wearable, Contents.live)
    if !newest.contains(where: { $0.values == [Contents.liveValue(number)] || $0.value == Contents.liveValue(number) })
    {
      say("broken live sample \(number) was written and is not there")
    }
    let fetching = try Fetching(store) { _ in }
    try await fetching.next(of: WearableID(number: 1), count: 10, again: true, now: loop.wall)
    await store.close()
    say("wrote \(number + 1)")
  }
}
