// The busy store: everything a hub does to it, in quick succession and at the same time.

import EventLoop
import Health
import Reasons
import RingStore

@LoopActor
final class Work {
  let store: Store
  let loop: EpollLoop
  let isCalm: Bool
  private var random: UInt64
  /// Live samples ever appended, and those known to be durable.
  private var live: UInt64
  private var durableLive: UInt64
  private let fetching: Fetching
  /// Half of what the store keeps in memory (`Store.memoryLimit`, in chunks) before it drops samples. A hub's wearables
  /// never get that far. A disk that takes milliseconds for a page and this program do; then no sample has the ordinal
  /// that its value says.
  private let pendingLimit: Int

  init(_ options: StoreOptions, _ loop: EpollLoop, _ seed: UInt64, isCalm: Bool) throws {
    self.loop = loop
    self.isCalm = isCalm
    random = seed
    pendingLimit = Store.memoryLimit / 4080 / 2 * min(options.commitBytes, 4080)
    store = try Store.open(options, loop: loop, disk: DiskThread())
    // The rings have what was moved; the journal has live samples only.
    live = store.rings.filter { $0.id.way == .live }.reduce(store.status.journalSamples) { $0 + $1.end }
    durableLive = live
    fetching = try Fetching(store) { receipt in
      say("durable receipts \(receipt.number)")
      say("durable fetched-\(receipt.wearable.number) \(Contents.position(receipt))")
      say(Contents.line(receipt))
    }
  }

  func run() async throws {
    say("open \(live)")
    store.onCommit = { self.committed($0) }
    store.onTrouble = { say("trouble \($0?.reason.code ?? "none")") }
    try await enrol()
    loop.spawn { await self.fetch() }
    loop.spawn { await self.keepHouse() }
    while true {
      while store.status.pendingBytes > pendingLimit { try await loop.sleep(for: .milliseconds(1)) }
      for _ in 0..<(isCalm ? 10 : 1 + draw(200)) {
        store.append(Contents.wearable(ofLive: live), Contents.live, Contents.liveValue(live), at: loop.now)
        live += 1
      }
      try await loop.sleep(for: isCalm ? .milliseconds(10) : .microseconds(Int64(draw(2000))))
    }
  }

  /// Fetches large batches until the store is full, and closes it.
  func fill() async throws {
    try await enrol()
    // The bound is for a store that never gets full: 4 GiB and more.
    for _ in 0..<100_000 where store.status.evictedSinceStart == 0 {
      try await fetching.next(
        of: WearableID(number: UInt32(1 + draw(Contents.wearables))), count: 5, again: false, now: loop.wall)
    }
    await store.close()
  }

  func draw(_ bound: UInt64) -> UInt64 {
    random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return random >> 33 % bound
  }

  private func committed(_ report: CommitReport) {
    durableLive += UInt64(report.samples)
    if report.sharesWait { say("shared") }
    say("durable live \(durableLive)")
  }

  private func enrol() async throws {
    for number in UInt64(store.wearables.count)..<Contents.wearables {
      _ = try await store.enrol(
        name: "w\(number + 1)", addressValue: number + 1, addressKind: 1, driver: "d", kind: "k")
      say("durable wearables \(number + 1)")
    }
    if store.wearers.isEmpty { _ = try await store.addWearer(name: "Ada") }
    if store.wearers.count < 2 { _ = try await store.addWearer(name: "Grace") }
  }

  /// Does one thing; what the store refuses is said.
  func attempt(_ name: String, _ body: () async throws -> Void) async {
    do { try await body() } catch {
      say("refused \(name) \((error as? HearthError)?.reason.code ?? "\(error)")")
      try? await loop.sleep(for: .milliseconds(200))
    }
  }

  // MARK: fetching

  private func fetch() async {
    await attempt("again") { try await fetching.repeatTheLast() }
    // Every fourth batch goes to waiting wearables, so that thirty wearables wait for at most 120.
    for turn in 0... {
      let drawn = WearableID(number: UInt32(1 + draw(Contents.wearables)))
      let wearable = turn % 4 == 0 ? fetching.longestWaiting : drawn
      let (count, again) = (1 + draw(400), draw(4) == 0)
      let bytes = Int(1 + draw(20_000))
      if draw(2) == 0 {
        await attempt("stage") { try await fetching.stage(of: wearable, count: bytes, now: loop.wall) }
      }
      await attempt("batch") { try await fetching.next(of: wearable, count: count, again: again, now: loop.wall) }
      try? await loop.sleep(for: isCalm ? .milliseconds(100) : .microseconds(Int64(draw(8000))))
    }
  }

  // MARK: everything else

  private func keepHouse() async {
    let exporting = Exporting(store)
    while true {
      switch draw(6) {
      case 0: await attempt("pack") { try await store.pack() }
      case 1: await attempt("assignments") { try await assign() }
      case 2: await attempt("newest") { try await lookAtNewest() }
      case 3: await attempt("exported") { try await exporting.some(pages: Int(1 + draw(5))) }
      default: await attempt("name") { try await rename() }
      }
      try? await loop.sleep(for: isCalm ? .milliseconds(50) : .microseconds(Int64(draw(30_000))))
    }
  }

  /// A record that counts how often it was changed.
  private func rename() async throws {
    guard var record = store.wearables.first else { return }
    let count = (record.facts["number"].flatMap { UInt64($0) } ?? 0) + 1
    record.facts["number"] = String(count)
    try await store.update(record)
    say("durable name \(count)")
  }

  private func assign() async throws {
    let wearable = WearableID(number: 1)
    let count = store.assignments(of: wearable).count
    try await store.assign(
      wearable, to: store.wearers[count % 2].id, from: WallTime(microseconds: Int64(count) * 1_000_000))
    say("durable assignments \(count + 1)")
  }

  private func lookAtNewest() async throws {
    let wearable = WearableID(number: UInt32(1 + draw(Contents.wearables)))
    for item in try await store.newest(100, of: wearable, Contents.live) {
      if let complaint = Contents.complaint(item) { say("broken \(complaint)") }
    }
  }
}
