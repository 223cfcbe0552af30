// Fills a store with something of everything, the same every time: what `Fixtures/format-8` was made with, and with
// less of it those before.

import EventLoop
import Health
import StateCodec

@testable import RingStore

@LoopActor
enum FixtureMaker {
  /// Six chunks of sessions, which are those of one batch.
  nonisolated static func options(_ path: String, _ boot: BootID = boot) -> StoreOptions {
    var options = StoreOptions(path: path, sizeBytes: StoreOptions.minimumSize, bootID: boot, budgetPerDay: 1 << 30)
    options.retention[Series.exercise.id] = Retention(quota: 6 * RingState.chunkSpace)
    return options
  }

  /// Two lives of a hub, in two boots, with a clock that is believed only in the second.
  ///
  /// - Parameter atPowerCut: called when all is durable, and before the store is closed.
  static func fill(_ path: String, _ loop: VirtualLoop, atPowerCut: () throws -> Void = {}) async throws {
    loop.wallIsTrusted = false
    var store = try Store.open(options(path), loop: loop, disk: InlineDiskLane())
    try await enrol(store)
    try await live(store, loop, seconds: 60)
    try await store.flush()
    try await store.pack()
    _ = try await store.commit(steps())
    for number in 1...3 { _ = try await store.commit(try sessions(number)) }
    _ = try await store.commit(try recordings())
    _ = try await store.commit(try oxygen(50))
    _ = try await store.purge(try await store.purgePlan(SampleQuery(series: [.spo2])))
    _ = try await store.commit(try oxygen(20))
    try await custody(store, loop)
    try await store.remove(WearableID(number: 3))
    await store.close()

    try await loop.sleep(for: .seconds(3600))
    loop.stepWall(by: .microseconds(1_234_567))
    loop.wallIsTrusted = true
    store = try Store.open(options(path, BootID(high: 0x1112_1314, low: 0x1516)), loop: loop, disk: InlineDiskLane())
    try await live(store, loop, seconds: 30)
    try await store.flush()
    try await store.pack()
    let session = try await store.export(SampleQuery(wearables: [two]), reader: "ward", by: "uid 1000")
    while try await session.next() != nil {}
    try await session.confirm()
    store.noteEvent(.storeEvicting, wearable: two, text: "for the fixture: \"ä\"")
    loop.stepWall(by: .seconds(-2))
    // What is still in the journal.
    try await live(store, loop, seconds: 5)
    try await store.flush()
    store.append(two, .battery, 41, at: loop.now)
    try await store.flush()
    try atPowerCut()
    await store.close()
  }

  /// Notes of hub and drivers about wearables, stored as text until format 3, in `Fixtures/format-3-notes`. Each of
  /// them knows some notes, and some are unknown to all.
  nonisolated static let noted: [(name: String, driver: String, notes: [String: String])] = [
    (
      "band-01", "polar",
      [
        "orders.streams": "acc,ppg", "orders.rates": "acc=52,ppg=55", "orders.off": "day-and-night,telemetry",
        "orders.settings": "ant-plus=off,worn=left-wrist", "orders.settings-2": "zz-later=1", "listen": "off",
        "erase": "ask",
        "erase.called": "1793491200 1793577600 4f1c22aa 2 811c9dc5 !a0b1c2d3", "advertising": "1022 ms",
        "advertised_name": "Polar 360 0A1B2C3D",
        "link.kept": "yes", "link.override": "idle central", "profile.idle": "refused fw 2.0.9",
        "driver.recordings": "acc:26/8/sdk ppg:55/ ppi",
        "driver.triggers": "exercise-start ppi acc", "driver.renewals": "2:52/16/8//3 5!:52/16/2000//3",
        "driver.begun": "2:1793491200 5:1793491260",
        "driver.sleep-seen": "1793491200", "driver.off": "day-and-night:08031206 telemetry",
        "driver.file-before": "worn=right-wrist",
        "driver.radio-before": "ant-plus=on second-link=", "driver.clock-waits": "1793577600",
      ]
    ),
    (
      "strap-02", "polar-strap",
      ["driver.exercise-remove": "RUN MONDAY_20261116", "erase": "no", "profile.idle": "ignored fw unknown"]
    ),
    (
      "insole-03", "botz",
      [
        "driver.streams": "on", "driver.clock": "1112-15 1793491200000000", "link.override": "foreground",
        "listen": "on",
      ]
    ),
    (
      "old-04", "gone",
      [
        "driver.own": "what nobody can read any more", "erase.called": "- 1793577600 - 0 811c9dc5",
        "later": "somebody's",
      ]
    ),
  ]

  /// Of an item that is not whole yet.
  nonisolated static let half = (0..<9001).map { UInt8(truncatingIfNeeded: $0 &* 7) }

  /// An item that is durable and erased, and one that is half fetched; what else later formats keep.
  private static func custody(_ store: Store, _ loop: VirtualLoop) async throws {
    var item = CustodyRecord(wearable: one, id: "act/1", mark: "a1", size: 1234, fetched: 1234, visit: 1)
    (item.fetchedAt, item.verifiedAt, item.durableAt, item.erasedAt) = (loop.wall, loop.wall, loop.wall, loop.wall)
    (item.isFinal, item.isListed, item.begins, item.remark) = (true, false, loop.wall.microseconds, "1 h of steps")
    _ = try await store.commit(steps(), custody: item, dropsStaged: true)
    try await store.stage(
      CustodyRecord(wearable: one, id: "act/2", size: 20_000, visit: 1), appending: Array(half[..<5000]), at: 0)
    try await store.stage(
      CustodyRecord(wearable: one, id: "act/2", size: 20_000, visit: 1), appending: Array(half[5000...]), at: 5000)
    var record = store.wearables[0]
    record.hubState.load(
      "idle-refused",
      state {
        $0.put(1, "refused")
        $0.put(2, "001.07.01")
      })
    record.driverState.load(
      "polar-recordings",
      state { fields in
        fields.put(1) {
          $0.put(1, UInt8(2))
          $0.put(2, UInt32(52))
          $0.put(4, UInt8(0))
        }
      })
    record.driverState.load("of-a-later-driver", state(version: 3) { $0.put(200, [1, 2, 3]) })
    try await store.update(record)
    var visit = VisitRecord(number: try store.nextVisitNumber(), wearable: two, began: loop.wall, ended: loop.wall)
    (visit.trigger, visit.stage, visit.laneOutcome, visit.itemsDone, visit.itemsListed, visit.remark) = (
      2, 8, 3, 1, 2, "busy"
    )
    try await store.putVisit(visit)
  }

  private static func state(version: UInt16 = 1, _ body: (inout FieldWriter) -> Void) -> RememberedStates.Entry {
    var fields = FieldWriter()
    body(&fields)
    return RememberedStates.Entry(version: version, fields: fields.fields)
  }

  private static func enrol(_ store: Store) async throws {
    var facts = WearableFacts()
    facts["model"] = "Fixture 2"
    facts["firmware"] = "1.0"
    for number in 1...3 {
      _ = try await store.enrol(
        name: "strap-0\(number)", addressValue: 0xE6C2_E1BB_0000 + UInt64(number), addressKind: 2, driver: "heart-rate",
        kind: "HR strap",
        facts: number == 1 ? facts : WearableFacts())
    }
    if var record = store.record(one) {
      record.battery = 54
      record.gattCache = [1, 2, 3]
      try await store.update(record)
    }
    let ada = try await store.addWearer(name: "Ada \"L\" Öz")
    let bo = try await store.addWearer(name: "Bo")
    let start = store.disk.loop.wall
    try await store.assign(one, to: ada.id, from: start + .seconds(10))
    try await store.assign(one, to: nil, from: start + .seconds(20))
    try await store.assign(one, to: bo.id, from: start + .seconds(30))
    try await store.assign(two, to: ada.id, from: start)
    try await store.disk.loop.sleep(for: .milliseconds(1))
    try await store.retireWearer(bo.id)
    try await store.putBond(
      Bond(
        addressValue: 0xE6C2_E1BB_0001, addressKind: 2, wearable: one, createdAt: start,
        keys: [BondKey(kind: 1, bytes: [UInt8](repeating: 0xA5, count: 16)), BondKey(kind: 2, bytes: [1, 2, 3])]))
  }

  /// What wearables stream: heart rates with a jitter, intervals, and twice in a minute something of every other live
  /// layout.
  private static func live(_ store: Store, _ loop: VirtualLoop, seconds: Int) async throws {
    var random = Seeded(UInt64(seconds))
    for second in 0..<seconds {
      for wearable in [one, two] {
        let at = loop.now
        store.append(wearable, .heartRate, 60 + Int64(random.next() % 30), at: at)
        store.append(wearable, .rrInterval, 700 + Int64(random.next() % 400), at: at)
      }
      if second % 30 == 0 {
        store.append(one, .battery, 54, at: loop.now)
        store.append(
          one, .skinTemperature, -1250 + Int64(second), flags: SampleFlags(origin: .live, kind: .maximum), at: loop.now)
        try append(store, .ppi, [800, 5, -3])
        try append(store, .location, [525_200_000, 134_050_000, 34, 0])
        try append(store, .acc, [20_000_000, 2, 0], [1, 0, 0xFE, 0xFF, 3, 0, 4, 0, 5, 0, 0xFF, 0x7F])
        try append(store, .ecg, [7_692_308, 3, 1], [0, 0, 0x80, 0xFF, 0xFF, 0x7F, 1, 0, 0])
        try append(store, .ppg, [18_181_818, 9, 300], Array("the wearable's own".utf8))
        try append(store, .raw, [7], [0xFF, 0, 0x22])
        // A coarse time behind a fine one, in the same chunk.
        store.append(
          two, .heartRate, 99, flags: SampleFlags(origin: .live, isManual: true), at: loop.now + .microseconds(777))
        store.append(two, .heartRate, 71, flags: SampleFlags(origin: .advertised), at: loop.now)
        store.append(
          two, .pulseRate, 605, flags: SampleFlags(origin: .live, isLowQuality: true), at: loop.now)
      }
      try await loop.sleep(for: .microseconds(999_000 + Int64(random.next() % 4000)))
    }
  }

  private static func append(_ store: Store, _ series: Series, _ values: [Int64], _ bytes: [UInt8] = []) throws {
    try values.withUnsafeBufferPointer { values in
      try bytes.withUnsafeBytes { bytes in
        try store.append(two, series, values: values, bytes: bytes, at: store.disk.loop.now + .microseconds(123))
      }
    }
  }

  private nonisolated static let start = VirtualLoop.morning

  private nonisolated static func batch(_ wearable: WearableID, _ source: String, visit: UInt64) throws -> FetchedBatch
  {
    let evidence = { (second: Int64) in
      ClockEvidence(
        device: start.microseconds + second * 1_000_000, monotonic: second * 1_000_000_000,
        wall: start.microseconds + second * 1_000_100, isTrusted: false)
    }
    return try FetchedBatch(
      wearable: wearable, place: source,
      visit: VisitRecord(
        number: visit, wearable: wearable, began: start, ended: start + .seconds(9), outcome: visit % 2 == 0 ? 0 : 2108,
        bytesFetched: visit * 1000,
        opened: evidence(1), closed: evidence(8)))
  }

  /// Intervals of different lengths.
  nonisolated static func steps() throws -> FetchedBatch {
    var batch = try batch(one, "steps.bin", visit: 1)
    for minute in 0..<Int64(40) {
      try batch.append(.steps, [60_000_000 + minute % 2, minute * 3], at: start + .seconds(minute * 60 - 86_400))
      try batch.append(.distance, [60_000_000, minute * 21], at: start + .seconds(minute * 60 - 86_400))
    }
    try batch.append(.sleepStage, [5_400_000_000, 3], at: start + .seconds(-80_000))
    return batch
  }

  /// Two records, each of them three items in three chunks.
  private static func sessions(_ number: Int) throws -> FetchedBatch {
    var batch = try batch(one, "sessions/\(number)", visit: UInt64(1 + number))
    var random = Seeded(UInt64(number))
    for record in 0..<2 {
      let bytes = (0..<9000).map { _ in UInt8(truncatingIfNeeded: random.next()) }
      try batch.append(
        .exercise, [Int64(record)], bytes: bytes, at: start + .seconds(Int64(number * 100 + record) - 50_000))
    }
    return batch
  }

  /// Kinds, origins, extremes, and times that go back.
  private static func recordings() throws -> FetchedBatch {
    var batch = try batch(WearableID(number: 3), String(repeating: "r", count: 255), visit: 5)
    for (index, kind) in SampleKind.allCases.enumerated() {
      try batch.append(
        .heartRate, Int64(40 + index), at: start + .seconds(-Int64(index)),
        flags: SampleFlags(origin: .replayed, kind: kind, isManual: true))
    }
    for value in [Int64.max, .min, 0, -1] { try batch.append(.pressure, value, at: start + .microseconds(value >> 20)) }
    try batch.append(
      .nightlyRecharge, [9], bytes: [UInt8](repeating: 7, count: ItemColumns.bytesLimit + 1), at: start,
      flags: SampleFlags(origin: .fetched, isLowQuality: true))
    try batch.append(.gyro, [38_461_538, 0, 2], at: start)
    try batch.append(.nightlyRecharge, [1], at: start)
    return batch
  }

  private static func oxygen(_ count: Int) throws -> FetchedBatch {
    var batch = try batch(two, "oxygen \(count)", visit: 6)
    for index in 0..<count { try batch.append(.spo2, 95 + Int64(index % 4), at: start + .seconds(Int64(index) - 7200)) }
    return batch
  }
}
