import CivilTime
import EventLoop
import Health
import PolarMessages
import Reasons
import RingStore
import Simulation
import Testing
import Wearable

@testable import Hub
@testable import PolarTwin

@Suite("What a Polar wearable holds, in the store")
struct PolarDomainTests {
  private static let key = [UInt8](101...116)

  /// Gives the one wearable its orders, now and for all links to come.
  @LoopActor
  private static func order(_ hub: SimulatedHub, _ change: (inout WearableOrders) -> Void) async {
    for wearable in hub.hearth.registry.all {
      change(&wearable.choices.orders)
      await wearable.link?.session?.apply(wearable.choices.orders)
    }
  }

  private static func count(_ samples: [StoredSample], _ series: Series) -> Int {
    samples.filter { $0.series == series && $0.flags.origin == .fetched }.reduce(0) {
      $0 + (series.layout.hasBytes ? Int($1.values[1]) : 1)
    }
  }

  /// Samples that were written to files.
  private static func delivered(_ run: PolarRun) -> Int { run.delivered.reduce(0) { $0 + $1.count } }

  @Test("a recording in the clear goes on encrypted once there is a key, and what was encrypted is read with it")
  func encrypted() throws {
    try VirtualLoop.run { loop in
      let (_, hub, sensor) = try await PolarHouseTests.house(loop, .veritySense, seed: 81)
      await Self.order(hub) { $0.secret = Self.key }
      try await loop.sleep(for: .seconds(60))
      sensor.beginRecording(.acc)
      try await loop.sleep(for: .seconds(9000))
      let recordings = sensor.files.removed.filter { $0.path.hasSuffix(".REC") }
      #expect(recordings.contains { $0.bytes.first == 0 } && recordings.contains { $0.bytes.first == 2 })
      #expect(sensor.runningRecordings == [.acc] && sensor.files.lost.isEmpty)
      await hub.stop()
      let stored = Self.count(try await hub.storedSamples(), .acc)
      let delivered = sensor.recordedRuns.dropLast().reduce(0) { $0 + Self.delivered($1) }
      #expect(stored == delivered && stored > 100_000, "\(stored) of \(delivered)")
      try await PolarHouseTests.judge(hub)
    }
  }

  @Test(
    """
    without the key a recording is kept and never removed, and is shown as long as it is there; with it, given later, \
    it is read and goes
    """
  )
  func locked() throws {
    try VirtualLoop.run { loop in
      let (_, hub, sensor) = try await PolarHouseTests.house(loop, .veritySense, seed: 82)
      var choice = try #require(PolarChoice([]))
      (choice.rate, choice.bits, choice.range, choice.channels, choice.strategy, choice.key) = (
        52, 16, 8, 3, 2, Self.key
      )
      sensor.record(.acc, choice)
      try await loop.sleep(for: .seconds(600))
      _ = sensor.stopRecording(.acc)
      try await loop.sleep(for: .seconds(7200))
      @LoopActor func locked() -> [String] { sensor.files.files.map(\.path).filter { $0.hasSuffix(".REC") } }
      #expect(locked().count == 1 && sensor.files.removed.allSatisfy { !$0.path.hasSuffix(".REC") })
      let gets = sensor.requestLog.filter { $0.hasSuffix("ACC0.REC") }.count
      #expect(gets == 1, "fetched once, not at each visit")
      let told = "a file of polar-1 is encrypted, and the hub has no key"
      @LoopActor func trouble() throws -> HearthError? { try hub.hearth.wearable(named: "polar-1").trouble }
      #expect(try trouble() == HearthError(.itemLocked, told))
      let visits = try hub.hearth.visits(3, of: "polar-1")
      #expect(
        visits.count == 3 && visits.allSatisfy { $0.outcome == .done && $0.trouble == HearthError(.itemLocked, told) },
        "not the first one alone")
      #expect(hub.hearth.snapshot().attention.contains { $0.trouble.reason == .itemLocked })
      await Self.order(hub) { $0.secret = [UInt8](repeating: 1, count: 16) }
      try await loop.sleep(for: .seconds(7200))
      #expect(locked().count == 1)
      #expect(try trouble()?.reason == .itemLocked)
      await Self.order(hub) { $0.secret = Self.key }
      try await loop.sleep(for: .seconds(7200))
      #expect(locked().isEmpty && sensor.files.lost.isEmpty)
      #expect(try trouble() == nil && hub.hearth.visits(1, of: "polar-1").first?.trouble == nil)
      await hub.stop()
      #expect(
        Self.count(try await hub.storedSamples(), .acc) == sensor.recordedRuns.reduce(0) { $0 + Self.delivered($1) })
      #expect(hub.watch.violations.isEmpty)
    }
  }

  @Test("samples of a recording in many parts lie at the times of measurement")
  func parts() throws {
    try VirtualLoop.run { loop in
      let (_, hub, sensor) = try await PolarHouseTests.house(loop, .veritySense, seed: 83) { $0.partSize = 20_000 }
      sensor.beginRecording(.acc)
      try await loop.sleep(for: .seconds(5000))
      #expect(sensor.files.removed.contains { $0.path.hasSuffix("ACC11.REC") })
      await hub.stop()
      let blocks = try await hub.storedSamples().filter { $0.series == .acc }.sorted { $0.time < $1.time }
      // 52 Hz: the first sample of a block is one period behind the last of the block before, also over the ends of
      // files. A gap appears only if a recording was ended and begun again.
      let seams = zip(blocks, blocks.dropFirst()).map { block, next in
        (next.time - block.time).inSeconds - Double(block.values[1]) / 52
      }
      let gaps = seams.filter { abs($0) >= 0.001 }
      #expect(gaps.count <= sensor.recordedRuns.count - 1 && gaps.allSatisfy { $0 > 0 }, "\(gaps)")
      #expect(blocks.count > 1000)
    }
  }

  @Test("days have the sums, means and lengths of what the wearer did")
  func days() throws {
    try VirtualLoop.run { loop in
      let (_, hub, band) = try await PolarHouseTests.house(loop, .band360, seed: 84) { $0.daysBefore = 3 }
      try await loop.sleep(for: .seconds(1200))
      await hub.stop()
      let samples = try await hub.storedSamples().filter { $0.flags.origin == .fetched }
      @LoopActor func day(_ series: Series) -> DaySummary? {
        var days = DayAccumulator(series, zone: .utc)
        for sample in samples where sample.series == series {
          let isInterval = series.layout == .interval
          days.add(
            time: sample.time.microseconds, flags: sample.flags.rawValue,
            value: isInterval ? sample.values[1] : sample.value, length: isInterval ? sample.values[0] : 0)
        }
        // The first day but one: whole, and its night is there too.
        return days.days.first { $0.date.dayNumber == 10_957 + Int64(band.firstDay + 1) }
      }
      let truth = band.firstDay + 1
      let steps = (0..<1440).reduce(0) { $0 + Int64(band.life.steps(day: truth, minute: $1)) }
      // The hub puts the wearable's times right by some µs, and each minute is of the day that it is for all the same.
      #expect(day(.steps)?.sum == Double(steps) && day(.steps)?.count == 1440)
      #expect(
        day(.distance)?.sum == (Double(steps) * 7.5).rounded() && day(.calories)?.sum == Double(steps / 20 * 10)
          && day(.basalCalories)?.sum == 16_000)
      #expect(day(.metabolicEquivalent)?.count == 2880 && day(.metabolicEquivalent)?.maximum == 350)
      let rates = (0..<288).map { Double(band.life.heartRate(day: truth, slot: $0)) }
      #expect(day(.heartRate)?.count == 288 && day(.heartRate)?.mean == rates.reduce(0, +) / 288)
      #expect(day(.ppi)?.count == 120 && day(.skinTemperature)?.count == 288)
      // A night that begins before midnight is on both days; the next one is there too, as there is one after it.
      let (start, end) = band.life.sleep(day: truth)
      let next = band.life.sleep(day: truth + 1).start
      let slept = day(.sleepStage).map { $0.states.reduce(0, +) + Int64(max(0, -start) - max(0, -next)) * 1_000_000 }
      #expect(slept.map { abs($0 - Int64(end - start) * 1_000_000) < 1000 } == true)
      #expect(day(.nightlyRecharge)?.count == 1 && day(.heartRateVariability)?.resting == 480)
    }
  }

  @Test("a day in one line: steps, energy, heart, night and training as they were, and today's as far as it has come")
  func lines() throws {
    try VirtualLoop.run { loop in
      let (_, hub, band) = try await PolarHouseTests.house(loop, .band360, seed: 87) { $0.daysBefore = 3 }
      let truth = band.firstDay + 1
      let date = LocalDate(dayNumber: 10_957 + Int64(truth))
      // A person ran for 45 minutes, in two parts.
      var session = PbTrainingSession()
      var base = PbExerciseBase()
      for (part, minutes) in [(-1, UInt32(45)), (0, 20), (1, 25)] {
        let clock = CivilMoment(date, 17 + UInt32(max(part, 0)))
        if part < 0 {
          (session.start, session.exerciseCount, session.duration.minutes, session.distance, session.calories) = (
            clock.local, 2, minutes, 8200, 612
          )
          (session.heartRate.average, session.heartRate.maximum) = (142, 171)
        } else {
          (base.start, base.duration.minutes, base.sport.value) = (clock.local, minutes, UInt64(part + 1))
        }
        let folder =
          "/U/0/" + date.text.filter { $0 != "-" } + "/E/170000/" + (part < 0 ? "TSESS.BPB" : "0\(part)/BASE.BPB")
        band.files.put(folder, part < 0 ? try session.wire() : try base.wire())
      }
      try await loop.sleep(for: .seconds(1200))
      let wearable = try #require(hub.store.wearables.first?.id)
      let line = try #require(try await hub.store.dayLines(wearable, zone: .utc).first { $0.date == date })
      let steps = (0..<1440).reduce(0) { $0 + Int64(band.life.steps(day: truth, minute: $1)) }
      #expect(
        line.steps == steps && line.distance == Int64((Double(steps) * 7.5).rounded()) && line.basalCalories == 16_000
          && line.wearer == nil)
      let rates = (0..<288).map { Int64(band.life.heartRate(day: truth, slot: $0)) }
      #expect(
        line.lowestHeartRate == rates.min() && line.highestHeartRate == rates.max()
          && line.meanHeartRate == Double(rates.reduce(0, +)) / 288)
      let (start, end) = band.life.sleep(day: truth)
      let night = try #require(line.nights.first)
      #expect(
        night.values[0] == Int64(end - start) && night.values[1...5].reduce(0, +) == Int64(end - start)
          && night.values[6...] == [28_800, 0])
      #expect(abs(night.time - date.dayNumber * 86_400_000_000 - Int64(end) * 1_000_000) < 1_000_000)
      #expect(line.recharge?.values == [4, 0, 0, 1050, 48, 0, 0, 0, 0] && line.ansStatus == 15)
      #expect(
        line.trainings.map(\.values) == [
          [0, 0, 2700, 8200, 612, 142, 171], [1, 1, 1200, 0, 0, 0, 0], [2, 2, 1500, 0, 0, 0, 0],
        ])
      // Today, asked of the band itself.
      let rows = try await hub.hearth.report("today", of: "polar-1")
      func field(_ row: String, _ name: String) -> String? {
        rows.first { $0.name == row }?.fields.first { $0.name == name }?.value
      }
      let minutes = Int((band.clock.now(at: loop.now) - Int64(band.today) * VirtualPolar.dayLength) / 60_000_000_000)
      let soFar = (0..<minutes).reduce(0) { $0 + Int(band.life.steps(day: band.today, minute: $1)) }
      #expect(
        field("activity", "steps") == "\(soFar)" && soFar > 0
          && field("so-far", "local_time")?.hasPrefix(band.todayText) == true, "\(rows)")
      #expect(field("heart-rate", "last_bpm") == "\(band.life.heartRate(day: band.today, slot: (minutes - 1) / 5))")
      #expect(band.leftSynchronising == 0)
      await hub.stop()
      let today = try await hub.storedSamples().filter {
        $0.series == .steps && $0.time.microseconds > (10_957 + Int64(band.today)) * 86_400_000_000 + 60_000_000
      }
      // In the store but for the minutes that may still be written again, and each once.
      #expect(
        (minutes - 40..<minutes).contains(today.count) && hub.watch.violations.isEmpty && band.files.lost.isEmpty,
        "\(today.count) of \(minutes)")
    }
  }

  @Test(
    """
    a training is stored once it has ended, and goes with its day; one that does not say that it ended waits for \
    tomorrow
    """
  )
  func trainings() throws {
    try VirtualLoop.run { loop in
      let (_, hub, watch) = try await PolarHouseTests.house(loop, .watch, seed: 88) { $0.daysBefore = 1 }
      try await loop.sleep(for: .seconds(600))
      let date = LocalDate(dayNumber: 10_957 + Int64(watch.today))
      var endless = PbTrainingSession()
      (endless.start, endless.exerciseCount, endless.duration.minutes) = (CivilMoment(date, 8).local, 0, 20)
      watch.files.put("/U/0/" + watch.folder(daysBack: 0) + "/E/080000/TSESS.BPB", try endless.wire())
      watch.startTraining()
      try await loop.sleep(for: .seconds(1800))
      watch.endTraining()
      let training = try #require(watch.trainings.first)
      #expect(watch.trainings.count == 1 && training.seconds >= 1798)
      try await loop.sleep(for: .seconds(3600))
      let wearable = try #require(hub.store.wearables.first?.id)
      @LoopActor func lines() async throws -> [[Int64]] {
        try await hub.store.dayLines(wearable, zone: .utc).first { $0.date == date }?.trainings.map(\.values) ?? []
      }
      let numbers = [Int64(training.seconds), Int64(training.distance), Int64(training.calories)]
      let told: [[Int64]] = [
        [0, 1] + numbers + [Int64(training.mean), Int64(training.highest)], [1, 1] + numbers + [0, 0],
      ]
      let today = try await lines()
      #expect(today == told, "\(today)")
      #expect(
        watch.files.files.contains { $0.path.contains("/E/") } && watch.files.lost.isEmpty,
        "nothing of today is removed")
      try await loop.sleep(for: .seconds(86_400))
      let tomorrow = try await lines()
      #expect(tomorrow == [[0, 0, 1200, 0, 0, 0, 0]] + told && !watch.files.files.contains { $0.path.contains("/E/") })
      await hub.stop()
      let rates = try await hub.storedSamples().filter { $0.series == .heartRate && $0.flags.origin == .fetched }
      // A value a second, from its beginning on.
      let began = WallTime(microseconds: 946_684_800_000_000 + training.start / 1000)
      #expect(
        rates.count { abs(($0.time - began).inSeconds - Double(training.seconds) / 2) <= Double(training.seconds) / 2 }
          >= training.seconds - 1)
      try await PolarHouseTests.judge(hub)
    }
  }

  @Test("sleep that is being recorded is ended if an order says so, and only then", arguments: [true, false])
  func sleep(_ isOrdered: Bool) throws {
    try VirtualLoop.run { loop in
      let (_, hub, band) = try await PolarHouseTests.house(loop, .band360, seed: 85)
      band.isSleeping = true
      if isOrdered { await Self.order(hub) { $0.switchedOff = ["sleep-recording"] } }
      try await loop.sleep(for: .seconds(600))
      #expect(band.isSleeping != isOrdered && band.synchronisations > 0 && band.leftSynchronising == 0)
      await hub.stop()
    }
  }

  @Test(
    """
    an exercise of a strap that the hub named is stored at its time and removed; another's is stored as well as can \
    be, stays until a person wants it gone, and its link is that of a strap
    """
  )
  func strap() throws {
    try VirtualLoop.run { loop in
      let world = VirtualWorld(loop: loop, seed: seedFromEnvironment ?? 86)
      let strap = world.add { VirtualPolar($0, address: $1, random: $2, traits: PolarTraits(.h10)) }
      @LoopActor func exercise(_ name: String) {
        // 08 type heart rate 12 every second 1A name.
        strap.query(14, [0x08, 1, 0x12, 2, 0x18, 1, 0x1A, UInt8(name.utf8.count)] + Array(name.utf8))
      }
      exercise("SOMEBODYS")
      try await loop.sleep(for: .seconds(60))
      strap.query(15, [])
      let begins = loop.wall
      let digits = begins.rfc3339.filter(\.isNumber)
      let name = "RUN_\(digits.prefix(8))_\(digits.dropFirst(8).prefix(6))_\(digits.suffix(3))"
      exercise(name)
      let hub = SimulatedHub(world, options: SimulatedHubOptions())
      try await hub.start(enrolling: [("strap-1", strap, "polar-strap", "HR strap")])
      try await loop.sleep(for: .seconds(600))
      #expect(strap.strapExercise != nil && strap.files.removed.isEmpty, "what runs is left alone")
      strap.query(15, [])
      try await loop.sleep(for: .seconds(7200))
      #expect(
        strap.files.removed.map(\.path) == ["/\(name)/SAMPLES.BPB"] && strap.files["/SOMEBODYS/SAMPLES.BPB"] != nil
          && strap.files.lost.isEmpty)
      #expect(hub.hearth.snapshot().live == 1 && strap.links == 1)
      _ = try await hub.hearth.perform("exercise-remove", ["SOMEBODYS"], on: "strap-1")
      _ = try hub.hearth.visitNow("strap-1")
      try await loop.sleep(for: .seconds(600))
      #expect(strap.files["/SOMEBODYS/SAMPLES.BPB"] == nil && strap.files.lost.isEmpty)
      await hub.stop()
      let kept = try await hub.storedSamples().filter { $0.flags.origin == .fetched }
      let rates = kept.filter { $0.series == .heartRate }
      #expect(
        (660...661).contains(rates.count) && rates.contains { abs(($0.time - begins).inSeconds) < 0.1 },
        "\(rates.count)")
      // The other one had ended when it was seen first, within a minute of the hub's start.
      let earlier = rates.filter { $0.time < begins - .milliseconds(100) }.count
      #expect((1...60).contains(earlier), "\(earlier)")
      #expect(kept.filter { $0.series == .raw }.count == 2)
    }
  }
}

/// A time of a file.
private struct CivilMoment {
  var local = PbLocalDateTime()

  init(_ date: LocalDate, _ hour: UInt32) {
    (local.date.year, local.date.month, local.date.day) = (UInt32(date.year), UInt32(date.month), UInt32(date.day))
    (local.time.hour, local.time.minute, local.time.seconds) = (hour, 0, 0)
    local.obsoleteTrusted = true
  }
}

extension VirtualPolar {
  fileprivate var todayText: String { LocalDate(dayNumber: 10_957 + Int64(today)).text }
}
