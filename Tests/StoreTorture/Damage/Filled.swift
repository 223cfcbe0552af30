// Small stores with something in every table that a hub writes: of a gym, of a ward, of bands.

import EventLoop
import Health
import Reasons
import RingStore
import StateCodec

/// What a store has much of.
enum Population: String, CaseIterable {
  /// Straps that stream; rings of many chunks, of which some were purged.
  case gym
  /// Many sensors with few values, many visits.
  case ward
  /// Bands with items that are fetched, staged and held in custody.
  case bands
}

@LoopActor
struct Filled {
  let population: Population
  private let store: Store
  private let loop: EpollLoop

  static func make(_ population: Population, _ path: String, _ loop: EpollLoop) async throws {
    let options = StoreOptions(path: path, sizeBytes: 16 << 20, commitEvery: .seconds(60), commitBytes: 4096)
    for life in 0..<3 {
      let store = try Store.open(options, loop: loop, disk: DiskThread())
      let filled = Filled(population: population, store: store, loop: loop)
      switch life {
      case 0: try await filled.first()
      case 1: try await filled.second()
      default:
        try await filled.newest()
        // As a power cut leaves it: the newest samples are in the journal file alone.
        return
      }
      await store.close()
    }
  }

  private var wearables: Int {
    switch population {
    case .gym: 12
    case .ward: 40
    case .bands: 6
    }
  }

  private func first() async throws {
    for number in 1...wearables {
      var facts = WearableFacts()
      facts["model"] = "Torture \(number)"
      let added = try await store.enrol(
        name: "\(population)-\(number)", addressValue: 0xE6C2_0000_0000 + UInt64(number), addressKind: 2,
        driver: "heart-rate", kind: "strap", facts: facts)
      var record = added
      record.battery = 50 + number
      record.gattCache = (0..<(number % 3 == 0 ? 3000 : 300)).map { UInt8(truncatingIfNeeded: $0 &* number) }
      record.hubState.load("idle-refused", state(number))
      record.driverState.load("torture", state(number))
      try await store.update(record)
    }
    let morning = loop.wall + .seconds(-86_400)
    for number in 1...8 {
      let wearer = try await store.addWearer(name: "Wearer \(number)")
      for turn in 0..<4 where number <= wearables {
        let at = morning + .seconds(Int64(turn) * 3600)
        try await store.assign(WearableID(number: UInt32(number)), to: turn % 2 == 0 ? wearer.id : nil, from: at)
      }
    }
    for number in 1...wearables {
      let key = BondKey(kind: 1, bytes: (0..<16).map { UInt8(truncatingIfNeeded: $0 + number) })
      try await store.putBond(
        Bond(
          addressValue: 0xE6C2_0000_0000 + UInt64(number), addressKind: 2, wearable: WearableID(number: UInt32(number)),
          createdAt: morning, keys: [key]))
    }
    for _ in 0..<(population == .gym ? 3 : 1) { try await live() }
    try await fetched()
    if population == .gym {
      let query = SampleQuery(wearables: [WearableID(number: 2)], series: [.rrInterval], until: loop.wall + .seconds(1))
      _ = try await store.purge(try await store.purgePlan(query))
    }
    try await read()
    _ = try await store.makeIdentity()
    try await store.keepHubOrders([UInt8](repeating: 7, count: 200))
    if let one = store.wearers.last { _ = try await store.erase(try await store.erasurePlan(of: one.id)) }
    for number in 0..<120 { store.noteEvent(.storeEvicting, text: "torture \(number)") }
  }

  private func second() async throws {
    try await live()
    try await fetched()
    let one = WearableID(number: 1)
    if let first = store.assignments(of: one).first {
      try await store.edit(one, from: first.from, .correct(from: first.from + .seconds(60), .same))
    }
    try await newest()
  }

  /// What is still in the journal, in some commits.
  private func newest() async throws {
    for turn in 0..<4 {
      for number in 1...wearables {
        for beat in 0..<40 {
          store.append(WearableID(number: UInt32(number)), .heartRate, Int64(60 + (turn + beat) % 90), at: loop.now)
        }
      }
      try await store.flush()
    }
  }

  private func state(_ number: Int) -> RememberedStates.Entry {
    var fields = FieldWriter()
    fields.put(1, [UInt8](repeating: UInt8(number), count: 60))
    return RememberedStates.Entry(version: 1, fields: fields.fields)
  }

  private func live() async throws {
    let beats = population == .gym ? 3000 : 150
    for beat in 0..<beats {
      for number in 1...UInt64(wearables) {
        let wearable = WearableID(number: UInt32(number))
        store.append(wearable, .rrInterval, Contents.noise(UInt64(beat) << 8 | number), at: loop.now)
        if beat % 4 == 0 { store.append(wearable, .heartRate, Int64(60 + beat % 50), at: loop.now) }
      }
      if beat % 500 == 499 {
        try await store.flush()
        try await store.pack(whole: true)
      }
    }
    try await store.flush()
    try await store.pack(whole: true)
  }

  private func fetched() async throws {
    let items = population == .bands ? 40 : 4
    for number in 1...UInt32(min(wearables, population == .ward ? 20 : 6)) {
      let wearable = WearableID(number: number)
      for item in 0..<items {
        let visit = VisitRecord(
          number: try store.nextVisitNumber(), wearable: wearable, began: loop.wall, ended: loop.wall,
          bytesFetched: 1000)
        let place = "item/\(visit.number)"
        var batch = try FetchedBatch(wearable: wearable, place: place, visit: visit)
        for second in 0..<20 {
          let at = loop.wall + .seconds(Int64(second - 40 * item) - 50_000)
          try batch.append(.steps, [60_000_000, Int64(second)], at: at)
        }
        let bytes = [UInt8](repeating: UInt8(item), count: 5000)
        if item % 4 == 0 { try batch.append(.exercise, [Int64(item)], bytes: bytes, at: loop.wall) }
        let record = CustodyRecord(
          wearable: wearable, id: place, fetchedAt: loop.wall, verifiedAt: loop.wall, durableAt: loop.wall,
          isFinal: true, visit: visit.number)
        _ = try await store.commit(batch, custody: record, dropsStaged: true)
      }
      let half = CustodyRecord(wearable: wearable, id: "half", size: 20_000, visit: 1)
      try await store.stage(half, appending: [UInt8](repeating: UInt8(number), count: 9000), at: 0)
      try await store.noteRead(wearable, [Series.steps.id: loop.wall], visit: 1)
      var note = AccessNote(user: number, userName: "torture", method: "export", wearable: wearable)
      note.samples = 10
      store.noteAccess(note)
    }
  }

  private func read() async throws {
    for name in ["engine", "ward"] {
      let session = try await store.export(SampleQuery(), reader: name, by: "uid 0")
      while try await session.next(limit: 5000) != nil {}
      try await session.confirm()
    }
  }
}
