import EventLoop
import Health
import PolarTwin
import RingStore
import Simulation
import Testing

@testable import Hub

@Suite("Live streams of Polar's wearables and the whole hub")
struct PolarStreamHouseTests {
  @LoopActor
  private static func house(
    _ loop: VirtualLoop, _ model: PolarTraits.Model, seed: UInt64, driver: String, streams: Set<Series>,
    adjust: (inout PolarTraits) -> Void = { _ in }
  ) async throws -> (SimulatedHub, VirtualPolar) {
    let house = try await polarHouse(loop, seed: seed, [.of(model, adjust)], driver: driver, kind: "HR strap")
    try order(streams, house.hub)
    return (house.hub, house.wearables[0])
  }

  @LoopActor
  private static func order(_ streams: Set<Series>, _ hub: SimulatedHub) throws {
    try hub.hearth.registry.require("polar-1").choices.orders.streams = streams
  }

  /// When a sample was measured, µs: whatever the wearable's own clock showed, which may be set while it is linked.
  private static func measured(_ index: Int, of run: PolarRun) -> Int64 {
    // The virtual loop's monotonic clock shows one second in the morning.
    VirtualLoop.morning.microseconds - 1_000_000 + (run.began.nanoseconds + run.time(of: index) - run.begin) / 1000
  }

  /// Compares what the twin sent over the ordered link with the store: the same samples in the same order. Each is
  /// within 0.1 s of its time, and they are evenly spaced.
  @LoopActor
  private static func judge(_ samples: [StoredSample], _ kind: PolarKind, _ series: Series, _ wearable: VirtualPolar)
    throws -> Int
  {
    var place = samples.lazy.filter { $0.series == series }.makeIterator()
    var total = 0
    for run in wearable.liveRuns where run.signal.kind == kind {
      // Samples that a strap sent over a later link could not be read.
      guard let sent = run.delivered.first else { continue }
      var next = sent.lowerBound
      var before: Int64?
      while next < sent.upperBound {
        guard let sample = place.next() else {
          Issue.record("\(kind): the store ends before sample \(next) of \(sent)")
          return total
        }
        let block = try #require(
          Waveform(
            start: sample.time.microseconds, period: sample.values[0], count: sample.values[1],
            encoding: sample.values[2], bytes: sample.bytes))
        let components = series.layout.components.count
        let numbers = try #require(block.numbers(components: components))
        let expected = (next..<(next + block.count)).flatMap { run.signal.sample($0) }
        guard numbers == expected else {
          Issue.record("\(kind): samples from \(next) of \(sent) on are not those that were sent")
          return total
        }
        let truth = Self.measured(next, of: run)
        if abs(block.start - truth) > 100_000 {
          Issue.record("\(kind): sample \(next) is \(block.start - truth) µs off")
        }
        // A block begins a period after the last sample of the one before, as near as the hub's idea of the wearable's
        // clock moves. By a two-hundredth of the time from one frame to the next, some of which comes late, or by a
        // quarter of a sample.
        let bound = 2000 + (block.time(of: block.count) - block.start) / 200 + block.period / 4000
        if let before, abs(block.start - before) > bound {
          Issue.record("\(kind): a seam of \(block.start - before) µs before sample \(next)")
        }
        before = block.time(of: block.count)
        next += block.count
        total += block.count
      }
    }
    if place.next() != nil { Issue.record("\(kind): the store has more than was sent") }
    return total
  }

  @Test(
    "an hour of ECG, acceleration and heart of a strap that comes and goes: every sample once, at its time",
    arguments: [81, 82] as [UInt64])
  func strap(_ seed: UInt64) throws {
    try VirtualLoop.run { loop in
      let (hub, strap) = try await Self.house(loop, .h10, seed: seed, driver: "polar-strap", streams: [.ecg, .acc]) {
        $0.clockError = .seconds(-5000)
      }
      for absence in [2, 60, 3, 20, 1, 120, 5] {
        try await loop.sleep(for: .seconds(400))
        strap.leave()
        try await loop.sleep(for: .seconds(absence))
        strap.arrive()
      }
      try await loop.sleep(for: .seconds(600))
      #expect(hub.hearth.snapshot().live == 1)
      let rows = try await hub.hearth.report("streams", of: "polar-1")
      #expect(
        rows.map(\.name) == ["ecg", "acc"]
          && rows.allSatisfy { row in row.fields.contains { $0.name == "gaps" && $0.value == "0" } })
      await hub.stop()
      #expect(strap.streams.isEmpty, "a strap that is left streaming is empty in a day")
      let samples = try await hub.storedSamples()
      #expect(try Self.judge(samples, .ecg, .ecg, strap) > 130 * 3000)
      #expect(try Self.judge(samples, .acc, .acc, strap) > 50 * 3000)
      #expect(
        samples.count { $0.series == .heartRate } > 3000 && hub.watch.violations.isEmpty, "\(hub.watch.violations)")
    }
  }

  @Test("streams of a band go on while its days are fetched and removed")
  func band() throws {
    try VirtualLoop.run { loop in
      let (hub, band) = try await Self.house(
        loop, .band360, seed: 83, driver: "polar", streams: [.acc, .skinTemperature]
      ) { $0.daysBefore = 3 }
      try await loop.sleep(for: .seconds(3600))
      #expect(band.synchronisations > 2 && !band.files.removed.isEmpty && band.files.lost.isEmpty)
      #expect(band.liveRuns.count == 2, "begun once")
      await hub.stop()
      let samples = try await hub.storedSamples()
      #expect(try Self.judge(samples.filter { $0.origin == .live }, .acc, .acc, band) > 50 * 3000)
    }
  }

  @Test(
    """
    a strap without orders is a strap like any other: asked for what was left on and for exercises, of which it has \
    zero, and given the time
    """
  )
  func plain() throws {
    try VirtualLoop.run { loop in
      let (hub, strap) = try await Self.house(loop, .h10, seed: 84, driver: "polar-strap", streams: [])
      try await loop.sleep(for: .seconds(3600))
      #expect(strap.commandLog.allSatisfy { $0.operation == 5 } && strap.links == 1)
      #expect(
        strap.requestLog.allSatisfy {
          $0.hasPrefix("notification") || ["query 16", "query 5", "query 13", "query 3", "get /"].contains($0)
        }, "\(strap.requestLog)")
      // New orders are applied at once, and so is their end.
      let wearable = try hub.hearth.registry.require("polar-1")
      for streams in [[.ecg], []] as [Set<Series>] {
        wearable.choices.orders.streams = streams
        await wearable.link?.session?.apply(wearable.choices.orders)
        try await loop.sleep(for: .seconds(10))
        #expect(strap.streams.count == streams.count)
      }
      await hub.stop()
      let samples = try await hub.storedSamples()
      #expect(samples.count { $0.series == .heartRate } > 3500 && samples.contains { $0.series == .ecg })
    }
  }

  @Test(
    "eight straps with an exercise memory share five slots as any straps do, also under a hub that was started again")
  func fullAdapter() throws {
    try VirtualLoop.run { loop in
      let world = VirtualWorld(loop: loop, seed: seedFromEnvironment ?? 87)
      let straps = (0..<8).map { _ in
        world.add { VirtualPolar($0, address: $1, random: $2, traits: .of(.h10) { $0.broadcastsHeartRate = false }) }
      }
      var options = SimulatedHubOptions()
      options.radio.slots = 5
      // Three wait while five stream for a slice each; a turn of all eight takes two slices and the visits between.
      options.starvationBound = options.hub.slice * 3
      let hub = SimulatedHub(world, options: options)
      try await hub.start(
        enrolling: straps.enumerated().map { ("polar-\($0.offset + 1)", $0.element, "polar-strap", "HR strap") })
      try await loop.sleep(for: .seconds(1800))
      #expect(hub.radio.ledger.mostLinks == 5 && hub.watch.violations.isEmpty, "\(hub.watch.violations)")
      let served = straps.map(\.beats.count)
      #expect(served.allSatisfy { $0 > 1800 * 5 / 8 * 7 / 10 }, "served: \(served)")
      await hub.stop()
      try await hub.start()
      try await loop.sleep(for: .seconds(20))
      #expect(hub.hearth.wearables().count { $0.linkedSince != nil } == 5, "nobody waits for a visit that is due")
      await hub.stop()
    }
  }

  @Test("what is lost in the wearable's own queue is counted, and the rest stays at its time")
  func gaps() throws {
    try VirtualLoop.run { loop in
      let (hub, strap) = try await Self.house(loop, .h10, seed: 86, driver: "polar-strap", streams: [.ecg])
      try await loop.sleep(for: .seconds(120))
      strap.skipFrames(3)
      try await loop.sleep(for: .seconds(60))
      let row = try #require(try await hub.hearth.report("streams", of: "polar-1").first)
      #expect(
        row.fields.contains { $0.name == "gaps" && $0.value == "1" }
          && row.fields.contains { $0.name == "missing_samples" && $0.value == "219" })
      await hub.stop()
      let blocks = try await hub.storedSamples().filter { $0.series == .ecg }
      let run = try #require(strap.liveRuns.first)
      let starts = run.delivered.flatMap { range in stride(from: range.lowerBound, to: range.upperBound, by: 73) }
      #expect(blocks.count == starts.count)
      for (block, start) in zip(blocks, starts) {
        #expect(abs(block.time.microseconds - Self.measured(start, of: run)) < 100_000)
      }
    }
  }
}
