// A life of a hub's store in a process of its own. Then a look at it by a reader at rest: its content and its reports.

import EventLoop
import Health
import Reasons
import RingStore

/// Opens a store as the daemon does, serves, and prints what an export gives and what the records are.
///
///     opened MS             the store is open, after so long
///     refused STEP CODE     a step failed with this code; `open`: the store did not open at all
///     said CODE             the status or an event reports this
///     gap N                 an export said that N chunks are missing
///     item HASH             an item of the export
///     record TEXT           a record of a small table
///     verified N            findings of verify
///     done
@LoopActor
struct Life {
  let path: String
  /// Writes as a hub does; false: what the store of the start has, for comparison.
  let writes: Bool
  private static let own = "torture-own"

  func run(_ loop: EpollLoop) async {
    let began = loop.now
    let options = StoreOptions(path: path, sizeBytes: 16 << 20, commitEvery: .seconds(60), commitBytes: 4096)
    let store: Store
    do { store = try Store.open(options, loop: loop, disk: DiskThread()) } catch { return refused("open", error) }
    say("opened \((loop.now - began).components.seconds * 1000)")
    var own: WearableID?
    if writes {
      // A reader that comes before anything was moved.
      await attempt("export") { try await export(store, skipping: nil, prints: false) }
      await attempt("enrol") {
        own = try await store.enrol(
          name: Self.own, addressValue: 77, addressKind: 1, driver: "heart-rate", kind: "strap"
        ).id
      }
      if let own { await write(store, own, loop) }
    }
    await attempt("export") { try await export(store, skipping: own, prints: true) }
    await attempt("records") { try await records(store, skipping: own) }
    await attempt("verify") { say("verified \(try await store.verify().findingCount)") }
    await attempt("events") {
      let codes = try store.recentEvents(60).compactMap { Reason(rawValue: $0.reason) }
      for reason in Set(codes) where Self.tellsDamage(reason) { say("said \(reason.code)") }
    }
    let status = store.status
    if let trouble = status.trouble { say("said \(trouble.reason.code)") }
    if status.corruptRecords > 0 || status.corruptChunks > 0 { say("said \(Reason.storeChunkCorrupt.code)") }
    if status.miscounts != nil { say("said \(Reason.storeMiscounted.code)") }
    await store.close()
    if writes {
      do { await (try Store.open(options, loop: loop, disk: DiskThread())).close() } catch { refused("reopen", error) }
    }
    say("done")
  }

  private static func tellsDamage(_ reason: Reason) -> Bool {
    (4000..<4100).contains(reason.rawValue)
      && ![.storeEvicting, .storePurged, .restored].contains(reason)
  }

  private func refused(_ step: String, _ error: any Error) {
    let error = error as? HearthError
    say("refused \(step) \(error?.reason.code ?? "-") \(error?.detail ?? "")")
  }

  private func attempt(_ step: String, _ body: () async throws -> Void) async {
    do { try await body() } catch { refused(step, error) }
  }

  private func write(_ store: Store, _ own: WearableID, _ loop: EpollLoop) async {
    for beat in 0..<300 {
      store.append(own, .rrInterval, Contents.noise(UInt64(beat)), at: loop.now)
    }
    await attempt("flush") { try await store.flush() }
    await attempt("pack") { try await store.pack(whole: true) }
    await attempt("batch") {
      let visit = VisitRecord(number: try store.nextVisitNumber(), wearable: own, began: loop.wall)
      var batch = try FetchedBatch(wearable: own, place: "own", visit: visit)
      for second in 0..<50 { try batch.append(.steps, [60_000_000, 7], at: loop.wall + .seconds(Int64(-second))) }
      _ = try await store.commit(batch)
    }
    await attempt("kept") {
      var live = 0
      try await store.scan(own, .rrInterval, since: nil) { live += $0.times.count }
      if live != 300 { say("broken \(live) of 300 samples are there that were written just now") }
    }
  }

  private func export(_ store: Store, skipping own: WearableID?, prints: Bool) async throws {
    let session = try await store.export(SampleQuery())
    var gaps = 0
    while let page = try await session.next(limit: 5000) {
      gaps += page.corruptChunks
      if !prints { continue }
      let lines = page.samples.filter { $0.wearable != own }.map { "item \(Self.hash($0))\n" }.joined()
      sayAll(lines)
    }
    if prints { say("gap \(gaps)") }
  }

  private static func hash(_ item: StoredSample) -> UInt64 {
    let values = item.values.isEmpty ? [item.value] : item.values
    var sum = Contents.hash(
      UInt64(item.wearable.number) << 32 | UInt64(item.series.id) << 8 | (item.way == .live ? 1 : 0))
    sum = Contents.hash(sum ^ UInt64(bitPattern: item.time.microseconds))
    for value in values { sum = Contents.hash(sum ^ UInt64(bitPattern: value)) }
    for byte in item.bytes { sum = Contents.hash(sum ^ UInt64(byte)) }
    return sum
  }

  private func records(_ store: Store, skipping own: WearableID?) async throws {
    for record in store.wearables + store.retiredWearables where record.id != own {
      let address = "\(record.addressText) \(record.addressKind)"
      say("record wearable \(record.id.number) \(record.name) \(address) \(record.driver)")
      say("record of \(record.id.number) \(record.battery ?? -1) \(record.facts["model"] ?? "-")")
      say("record gatt \(record.id.number) \(record.gattCache?.count ?? 0)")
      say("record state \(record.id.number) \(record.hubState.entries.count) \(record.driverState.entries.count)")
      for entry in store.assignments(of: record.id) {
        say("record assignment \(record.id.number) \(entry.from.microseconds) \(entry.wearer?.number ?? 0)")
      }
      for item in try store.custody(of: record.id) {
        let bytes = try await store.staged(record.id, item.id)
        for place in stride(from: 0, to: bytes.count, by: 4000) {
          let part = bytes[place..<min(place + 4000, bytes.count)]
          let sum = part.reduce(UInt64(part.count)) { Contents.hash($0 ^ UInt64($1)) }
          say("record staged \(record.id.number) \(item.id) \(place) \(sum)")
        }
        say("record custody \(record.id.number) \(item.id) \(item.durableAt?.microseconds ?? 0)")
      }
      for receipt in try store.recentReceipts(of: record.id, limit: 1000) {
        say("record receipt \(receipt.number) \(receipt.source) \(receipt.items)")
      }
      for mark in try store.watermarks(of: record.id) {
        say("record watermark \(record.id.number) \(mark.series) \(mark.end?.microseconds ?? 0)")
      }
    }
    for wearer in store.wearers { say("record wearer \(wearer.id.number) \(wearer.name)") }
    for bond in store.bonds {
      say("record bond \(bond.addressText) \(bond.wearable.number) \(bond.keys.count) \(bond.isSealed)")
    }
    for reader in try store.readers() {
      let positions = reader.rings.sorted { $0.key < $1.key }.reduce(UInt64(reader.items)) {
        Contents.hash($0 ^ $1.value)
      }
      say("record reader \(reader.name) \(positions)")
    }
    for visit in try store.recentVisits(1000) where visit.wearable != own {
      say("record visit \(visit.number) \(visit.wearable.number) \(visit.bytesFetched)")
    }
    for event in try store.recentEvents(1000) where event.text.hasPrefix("torture ") {
      say("record event \(event.text)")
    }
    for access in try store.accesses(1000) { say("record access \(access.number) \(access.note.user)") }
    say("record orders \(try store.hubOrders()?.count ?? 0)")
    if let identity = try store.identity() { say("record identity \(identity)") }
  }
}

/// As `hearth store verify` without a daemon.
struct Look {
  let path: String

  ///     verified N       findings
  ///     refused STEP CODE
  func run() {
    do throws(HearthError) {
      let reader = try StoreReader(path: path)
      if let trouble = reader.status.trouble { say("said \(trouble.reason.code)") }
      let export = try reader.export(SampleQuery())
      while let page = try export.next(limit: 5000) {
        if page.corruptChunks > 0 { say("gap \(page.corruptChunks)") }
      }
      say("verified \(try reader.verify().findingCount)")
    } catch {
      say("refused reader \(error.reason.code) \(error.detail)")
    }
    say("done")
  }
}

func sayAll(_ text: String) {
  var bytes = Array(text.utf8)[...]
  while !bytes.isEmpty {
    let count = bytes.withUnsafeBytes { writeOut($0) }
    if count <= 0 { return }
    bytes = bytes.dropFirst(count)
  }
}
