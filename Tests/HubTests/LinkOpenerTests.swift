import Bluetooth
import EventLoop
import Reasons
import RingStore
import Testing
import Wearable

@testable import Hub

@Suite("Link opener")
struct LinkOpenerTests {
  /// A recorder that does not advertise and is connected when a test says so.
  @LoopActor
  private final class Bench {
    let parts: Parts
    let twin: RecorderTwin
    let wearable: EnrolledWearable
    let driver: any WearableDriver
    private let opener: LinkOpener

    init(_ parts: Parts) async throws {
      self.parts = parts
      twin = RecorderTwin(parts.loop)
      _ = parts.radio.add(1, twin)
      wearable = try await parts.enrol(1, "a")
      driver = try #require(wearable.driver)
      let outcomes = VisitOutcomes(
        context: parts.context, registry: parts.registry, lane: parts.lane, bonds: parts.bonds,
        orders: parts.orders)
      opener = LinkOpener(
        parts.context, parts.registry, parts.presence, parts.live, parts.pairing,
        WearerKeeper(parts.context, parts.registry), parts.links, outcomes)
      parts.context.phase = .serving
    }

    func connect() async -> LiveLink? { await opener.connect(wearable, driver) }
    func goLive(_ link: LiveLink) async { await opener.goLiveOnly(wearable, link, driver) }
    func linked() async throws -> LiveLink { try #require(await connect()) }
    func cut(_ error: LinkError) { parts.radio.bearers.last?.cut(error) }
  }

  @Test("a link is handed over when its database is known and a session has it")
  func opens() throws {
    try withParts { parts in
      let bench = try await Bench(parts)
      let link = try await bench.linked()
      #expect(bench.wearable.link === link && link.session != nil && bench.wearable.lane.holdsData)
      #expect(link.work?.database.characteristic(recorderControl, in: recorderService) != nil)
      #expect(bench.wearable.live.counters.attempts == 1 && bench.wearable.live.counters.links == 1)
      #expect(bench.wearable.trouble == nil)
    }
  }

  @Test("a wearable that keeps no data has no session: it is subscribed, and its link is kept")
  func listens() throws {
    var driver = RecorderDriver()
    driver.keepsNothing = true
    driver.beats = true
    try withParts(driver) { parts in
      let bench = try await Bench(parts)
      bench.twin.beats = .seconds(1)
      var answer: Reason?
      parts.orders.requests[bench.wearable].append(
        LinkRequest("blink", work: { _ in }, refusal: { answer = $0.reason }),
        late: HearthError(.requestNotDone, "late"))
      let link = try await bench.linked()
      #expect(link.session == nil && !bench.wearable.lane.holdsData && bench.wearable.lane.keepsLink)
      #expect(!link.isSettled)
      await bench.goLive(link)
      #expect(link.isSettled && link.hears && bench.wearable.record.gattCache != nil)
      #expect(answer != nil, "nobody can ask it anything")
      #expect(parts.raised.contains("visitDone"))
      try await parts.loop.sleep(for: .seconds(3))
      #expect(link.lastValue != nil)
    }
  }

  @Test(
    "what a decoder asks for is written, what it learns is kept, and a refusal is counted and logged once",
    arguments: [false, true])
  func asks(isRefused: Bool) throws {
    var driver = RecorderDriver()
    (driver.keepsNothing, driver.beats, driver.asks) = (true, true, true)
    try withParts(driver) { parts in
      let bench = try await Bench(parts)
      bench.twin.beats = .seconds(1)
      if isRefused { bench.twin.controlAnswer = ATTErrorCode(rawValue: 0x80) }
      var heard: [LiveValue] = []
      _ = try parts.live.subscribe("a") { heard.append($0) }
      let link = try await bench.linked()
      await bench.goLive(link)
      try await parts.loop.sleep(for: .seconds(5))
      #expect(bench.twin.writes.count == 1 && bench.twin.log.contains(.finished) == !isRefused)
      #expect(bench.wearable.fact("charging") == "charging")
      #expect(bench.wearable.live.counters.anomalies == (isRefused ? 1 : 0))
      #expect(parts.lines.all.filter { $0.contains("refuses what is written") }.count == (isRefused ? 1 : 0))
      #expect(heard.count > 2 && heard.allSatisfy { $0.sample.flags.isLowQuality })
      #expect(bench.wearable.link === link)
    }
  }

  @Test("a wearable that cannot be reached has that trouble, and no link")
  func unreachable() throws {
    try withParts { parts in
      let bench = try await Bench(parts)
      parts.radio.connectFails = .notHeard
      #expect(await bench.connect() == nil)
      #expect(bench.wearable.link == nil && bench.wearable.trouble?.reason == .notHeard)
      #expect(bench.wearable.live.counters.attempts == 1 && bench.wearable.live.counters.links == 0)
    }
  }

  @Test("a wearable that is forgotten while its link is made gets no link, and neither does one of a stopping hub")
  func tooLate() throws {
    for stops in [false, true] {
      try withParts { parts in
        let bench = try await Bench(parts)
        parts.loop.schedule(after: .milliseconds(20)) {
          if stops { parts.context.phase = .stopping } else { parts.registry.remove(bench.wearable) }
        }
        #expect(await bench.connect() == nil)
        #expect(bench.wearable.link == nil && bench.wearable.trouble == nil)
        #expect(parts.radio.bearers.map(\.isClosed) == [true])
      }
    }
  }

  @Test("a wearable that is slow to send its database is waited for so long, and no longer")
  func slow() throws {
    // A question and its answer take ten milliseconds.
    try withParts(RecorderDriver(), { $0.settleDeadline = .milliseconds(25) }) { parts in
      let bench = try await Bench(parts)
      let began = parts.loop.now
      #expect(await bench.connect() == nil)
      #expect(parts.loop.now - began < .milliseconds(100))
      #expect(bench.wearable.link == nil && bench.wearable.trouble?.reason == .procedureTimeout)
      #expect(parts.radio.bearers.map(\.isClosed) == [true])
    }
  }

  @Test("a link that ends by itself is counted, is trouble, and is the lane's business")
  func lost() throws {
    try withParts { parts in
      let bench = try await Bench(parts)
      _ = try await bench.linked()
      parts.forgetRaised()
      bench.cut(.linkLost)
      #expect(bench.wearable.link == nil && bench.wearable.live.counters.losses == 1)
      #expect(bench.wearable.trouble?.reason == LinkError.linkLost.reason)
      #expect(parts.raised.contains("lane"))
    }
  }

  @Test("a link that is reported useless ends, unless the wearable has another by then")
  func useless() throws {
    try withParts { parts in
      let bench = try await Bench(parts)
      let first = try await bench.linked()
      parts.links.drop(bench.wearable)
      let second = try await bench.linked()
      parts.context.changes.raise(.useless(bench.wearable, first, .missing))
      #expect(bench.wearable.link === second && bench.wearable.trouble == nil)
      parts.context.changes.raise(.useless(bench.wearable, second, .missing))
      #expect(bench.wearable.link == nil && bench.wearable.trouble?.reason == GATTError.missing.reason)
    }
  }
}
