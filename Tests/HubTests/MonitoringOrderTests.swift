import EventLoop
import Reasons
import RingStore
import StateCodec
import Testing
import Wearable

@testable import Health
@testable import Hub

@Suite("What people order of measuring by itself")
struct MonitoringOrderTests {
  private static let heart = MonitoringChoice(
    .heartRate, [.isOn, .window, .interval, .restLimits, .exerciseLimits, .maximumHeartRate],
    intervals: MonitoringIntervals(300...3600, step: 300), feature: "lamp")
  private static let warmth = MonitoringChoice(.bodyTemperature, [.isOn, .interval], beginsByInterval: true)

  private static func driver(
    _ monitor: RecorderMonitor = RecorderMonitor(), announces: WearableCapabilities? = nil
  ) -> RecorderDriver {
    var driver = RecorderDriver()
    driver.monitor = monitor
    driver.monitoring = [heart, warmth]
    driver.switches = [WearableSwitch("lamp", "Its lamp.")]
    driver.announces = announces
    return driver
  }

  @LoopActor private func refusal<Value>(_ body: () async throws(HearthError) -> Value) async -> HearthError? {
    do throws(HearthError) { _ = try await body() } catch { return error }
    return nil
  }

  @LoopActor
  private func heart(_ house: LaneHouse) throws -> MonitoredSeries? {
    try house.hearth.monitoring(of: "recorder-0").series.first { $0.series == .heartRate }
  }

  private static func full() -> MonitoringOrder {
    var order = MonitoringOrder()
    (order.isOn, order.window, order.interval) = (true, MonitoringWindow(begin: 480, end: 1440), 600)
    order.limits = [.restAbove: 120, .exerciseBelow: 60]
    order.maximumHeartRate = 190
    return order
  }

  // MARK: Kept

  @Test("is durable, reaches a session with its link, changes part by part and is taken back, also after a restart")
  func kept() throws {
    let monitor = RecorderMonitor()
    try inHouse(Self.driver(monitor)) { house, _ in
      let hearth = house.hearth
      _ = try await hearth.orderMonitoring("recorder-0", .heartRate) { $0 = Self.full() }
      let waiting = try #require(try heart(house))
      #expect(waiting.progress == .waiting && waiting.got == nil && waiting.says == nil)
      #expect(waiting.asked == Self.full() && waiting.intervals == MonitoringIntervals(300...3600, step: 300))
      house.start()
      try house.killAndRestart()
      try await house.wait { try heart(house)?.progress == .taken }
      #expect(monitor.writes == [Self.full()])
      let taken = try #require(try heart(house))
      #expect(taken.asked == Self.full() && taken.got == Self.full() && taken.says == Self.full())
      // Over the link that is open: at once, and only what is named.
      let changed = try await house.hearth.orderMonitoring("recorder-0", .heartRate) { $0.interval = 300 }
      #expect(changed.series.first?.progress == .waiting, "what it got is not what is asked any more")
      try await house.wait { try heart(house)?.progress == .taken }
      var other = Self.full()
      other.interval = 300
      #expect(monitor.writes.last == other && monitor.writes.count == 2)
      _ = try await house.hearth.orderMonitoring("recorder-0", .heartRate) { $0.forget([.window, .restLimits]) }
      #expect(try heart(house)?.asked?.parts == [.isOn, .interval, .exerciseLimits, .maximumHeartRate])
      _ = try await house.hearth.orderMonitoring("recorder-0", .heartRate) { $0 = MonitoringOrder() }
      #expect(try heart(house)?.progress == MonitoringProgress.none)
      #expect(house.store.wearables[0].hubState[KeptMonitoring.self] == nil)
    }
  }

  @Test(
    "what it said last is shown while it is away and after a restart, and since when; unchanged it costs no write"
  )
  func seen() throws {
    let monitor = RecorderMonitor()
    try inHouse(Self.driver(monitor)) { house, _ in
      monitor.says[.heartRate] = Self.full()
      house.start()
      try await house.wait { try heart(house)?.says == Self.full() }
      let since = try #require(try house.hearth.monitoring(of: "recorder-0").since)
      try await house.wait { house.store.wearables[0].hubState[SeenMonitoring.self] != nil }
      _ = try house.hearth.visitNow("recorder-0")
      try await house.pass(.seconds(120))
      #expect(try house.hearth.monitoring(of: "recorder-0").since == since)
      try await house.stopAndRestart(isQuiet: true)
      let again = try house.hearth.monitoring(of: "recorder-0")
      #expect(again.since == since && again.series.first?.says == Self.full() && again.series.first?.got == nil)
    }
  }

  @Test("is forgotten with its wearable")
  func forgotten() throws {
    try withParts(Self.driver()) { parts in
      let keeper = OrderKeeper(context: parts.context, registry: parts.registry, presence: parts.presence)
      _ = try await parts.enrol(1, "a")
      let ordered = try await keeper.orderMonitoring("a", .heartRate) { $0 = Self.full() }
      #expect(ordered.series.first?.asked == Self.full())
      try await parts.enrolment.forget("a")
      _ = try await parts.enrol(1, "a")
      let again = try keeper.monitoring(of: "a")
      #expect(again.series.map(\.asked) == [nil, nil] && again.since == nil)
    }
  }

  @Test("as many series as there may be are kept and read back, and one more is refused when it is given")
  func full() throws {
    var record = WearableRecord(
      id: WearableID(number: 1), addressValue: 1, addressKind: 2, name: "a", driver: "d", kind: "k",
      enrolledAt: WallTime(microseconds: 0))
    var orders = WearableOrders()
    for series in Series.all.prefix(KeptMonitoring.limit) { orders.monitoring[series] = Self.full() }
    try orders.write(to: &record)
    #expect(WearableOrders(record) == orders)
    let kept = record
    orders.monitoring[Series.all[KeptMonitoring.limit]] = Self.full()
    orders.streams = [.acc]
    #expect(throws: HearthError.self) { try orders.write(to: &record) }
    #expect(record == kept, "nothing has changed")
    try WearableOrders().write(to: &record)
    #expect(record.hubState.entries.isEmpty)
  }

  @Test("parts and series of tomorrow are passed over, and a damaged state is dropped")
  func codec() throws {
    var states = RememberedStates()
    let seen = SeenMonitoring(
      since: WallTime(microseconds: 5),
      [
        MonitoringState(.heartRate, asked: Self.full(), says: Self.full(), takes: 5...600),
        MonitoringState(.spo2, asked: nil, says: Self.full()),
      ])
    try states.keep(seen)
    #expect(states[SeenMonitoring.self] == seen)
    func kept(_ fields: [UInt8]) -> [Series: MonitoringOrder]? {
      states.load("monitoring", RememberedStates.Entry(version: 1, fields: fields))
      return states[KeptMonitoring.self]?.orders
    }
    var on = MonitoringOrder()
    on.isOn = true
    let heart: [UInt8] = [1, 2, 1, 0, 2, 1, 1]
    #expect(kept([1, 7] + heart) == [.heartRate: on])
    #expect(kept([1, 7, 1, 2, 0xFF, 0xFE, 2, 1, 1, 1, 7] + heart) == [.heartRate: on])
    // A limit, and a part, that this program does not know; a window that ends before it begins.
    let limit: [UInt8] = [6, 13, 1, 1, 99, 2, 8, 120, 0, 0, 0, 0, 0, 0, 0]
    let window: [UInt8] = [3, 2, 9, 0, 4, 2, 5, 0]
    let later: [UInt8] = heart + limit + window
    #expect(kept([1, 30] + later) == [.heartRate: on])
    #expect(kept([1, 32] + later + [99, 0]) == [.heartRate: on])
    #expect(kept([1, 32] + later + [7, 2]) == nil, "a short field")
    for damaged: [UInt8] in [[1, 3, 2, 1, 1], [1, 7, 1, 2, 1, 0, 2, 1, 2], [1, 5, 1, 1, 1, 2, 1]] {
      #expect(kept(damaged) == nil, "\(damaged)")
    }
  }

  // MARK: Refused when it is given

  @Test(
    "an order unfit for its kind, and one that contradicts itself, is refused with valid choices, without any change")
  func impossible() throws {
    typealias Change = @Sendable (inout MonitoringOrder) -> Void
    let rows: [(Series, Reason, String, Change)] = [
      (
        .spo2, .requestUnsupported,
        "how it measures spo2 by itself cannot be ordered; of heart_rate, body_temperature it can",
        { $0.isOn = true }
      ),
      (.spo2, .requestUnsupported, "cannot be ordered", { $0.isOn = nil }),
      (
        .heartRate, .requestUnsupported, "it takes 300 to 3600 s in steps of 300 s between two measurements, not 60 s",
        { $0.interval = 60 }
      ),
      (
        .heartRate, .requestUnsupported, "it takes 300 to 3600 s in steps of 300 s between two measurements, not 420 s",
        { $0.interval = 420 }
      ),
      (
        .heartRate, .controlBadParameter, "rest-above 60 bpm is not above rest-below 60 bpm",
        { $0.limits = [.restAbove: 60, .restBelow: 60] }
      ),
      (
        .bodyTemperature, .requestUnsupported,
        "of measuring body_temperature by itself window cannot be ordered; on, interval can",
        { $0.window = MonitoringWindow(begin: 0, end: 1) }
      ),
      (
        .bodyTemperature, .requestUnsupported,
        "it has no limits of its own for body_temperature, and its kind sends no live values that the hub could watch",
        { $0.limits = [.restAbove: 38_500] }
      ),
      (
        .bodyTemperature, .requestUnsupported,
        "its highest heart rate is that of its wearer: hearth wearer body WEARER --max-hr 190",
        { $0.maximumHeartRate = 190 }
      ),
      (
        .bodyTemperature, .requestUnsupported,
        "on takes how often it is to measure body_temperature, such as every=60s", { $0.isOn = true }
      ),
    ]
    try inHouse(Self.driver()) { house, _ in
      for (series, reason, detail, change) in rows {
        let error = await refusal { () throws(HearthError) in
          try await house.hearth.orderMonitoring("recorder-0", series, change)
        }
        #expect(
          error?.reason == reason && error?.detail.contains(detail) == true
            && error?.detail.hasPrefix("recorder-0: ") == true,
          "\(String(describing: error))")
      }
      #expect(house.store.wearables[0].hubState.entries["monitoring"] == nil)
      let nobody = await refusal { () throws(HearthError) in
        try await house.hearth.orderMonitoring("nobody", .heartRate) { $0.isOn = true }
      }
      #expect(nobody?.reason == .noSuchWearable)
    }
    try inHouse { house, _ in
      let error = await refusal { () throws(HearthError) in
        try await house.hearth.orderMonitoring("recorder-0", .heartRate) { $0.isOn = true }
      }
      #expect(error?.detail == "recorder-0: how it measures heart_rate by itself cannot be ordered")
      let shown = try house.hearth.monitoring(of: "recorder-0")
      #expect(shown.series.isEmpty)
    }
  }

  @Test("what it says that it does not have is refused once that is known; ordered before, it is shown as refused")
  func announced() throws {
    let announced = WearableCapabilities([.history, .monitoring, .monitoringInterval], [.heartRate])
    try inHouse(Self.driver(announces: announced)) { house, _ in
      let hearth = house.hearth
      _ = try await hearth.orderMonitoring("recorder-0", .heartRate) { $0 = Self.full() }
      _ = try await hearth.orderMonitoring("recorder-0", .bodyTemperature) { $0.interval = 60 }
      house.start()
      try await house.wait { try hearth.wearable(named: "recorder-0").capabilities != nil }
      let shown = try hearth.monitoring(of: "recorder-0").series
      #expect(shown.map(\.series) == [.heartRate, .bodyTemperature] && shown.map(\.progress) == [.refused, .refused])
      #expect(shown.map(\.parts) == [[.isOn, .interval, .maximumHeartRate], []])
      let window = await refusal { () throws(HearthError) in
        try await hearth.orderMonitoring("recorder-0", .heartRate) {
          $0 = MonitoringOrder()
          $0.window = MonitoringWindow(begin: 0, end: 60)
        }
      }
      #expect(
        window?.detail
          == "recorder-0: of measuring heart_rate by itself window cannot be ordered; on, interval, "
          + "maximum_heart_rate can"
      )
      let warmth = await refusal { () throws(HearthError) in
        try await hearth.orderMonitoring("recorder-0", .bodyTemperature) { $0.interval = 30 }
      }
      #expect(
        warmth?.detail == "recorder-0: it says that how it measures body_temperature by itself cannot be ordered")
      // Taken back, also what it never had.
      _ = try await hearth.orderMonitoring("recorder-0", .bodyTemperature) { $0 = MonitoringOrder() }
      let left = try hearth.monitoring(of: "recorder-0").series
      #expect(left.first { $0.series == .bodyTemperature }?.progress == MonitoringProgress.none)
    }
  }

  @Test("an interval beyond the range of this very wearable is refused when it is given, after a restart too")
  func told() throws {
    let monitor = RecorderMonitor()
    try inHouse(Self.driver(monitor)) { house, _ in
      monitor.range = 5...600
      monitor.says[.bodyTemperature] = MonitoringOrder()
      _ = try await house.hearth.orderMonitoring("recorder-0", .bodyTemperature) { $0.interval = 900 }
      _ = try await house.hearth.orderMonitoring("recorder-0", .bodyTemperature) { $0 = MonitoringOrder() }
      house.start()
      try await house.wait { house.store.wearables[0].hubState[SeenMonitoring.self] != nil }
      try await house.stopAndRestart(isQuiet: true)
      let shown = try house.hearth.monitoring(of: "recorder-0").series.first { $0.series == .bodyTemperature }
      #expect(shown?.intervals == MonitoringIntervals(5...600))
      let refused = await refusal { () throws(HearthError) in
        try await house.hearth.orderMonitoring("recorder-0", .bodyTemperature) { $0.interval = 900 }
      }
      #expect(refused?.detail == "recorder-0: it takes 5 to 600 s between two measurements, not 900 s")
      _ = try await house.hearth.orderMonitoring("recorder-0", .bodyTemperature) { $0.interval = 600 }
    }
  }

  @Test("intervals are multiples of a step, or a few values; a range that holds no such value has no effect")
  func intervals() {
    let stepped = MonitoringIntervals(300...3600, step: 300)
    #expect([0, 299, 301, 420, 3900].allSatisfy { !stepped.contains($0) })
    #expect(stepped.contains(300) && stepped.contains(3600))
    let few = MonitoringIntervals(oneOf: [300, 600, 1800])
    #expect(few.contains(600) && !few.contains(900) && few.words == "300, 600 or 1800 s")
    #expect(few.narrowed(to: 1...10) == few && stepped.narrowed(to: 1...10) == stepped)
    #expect(stepped.narrowed(to: 600...9000).words == "600 to 3600 s in steps of 300 s")
    #expect(MonitoringIntervals(1...9).narrowed(to: nil).words == "1 to 9 s")
  }

  @Test("on and off are refused if the feature of the same switch is ordered otherwise, whichever came first")
  func contradictions() throws {
    try inHouse(Self.driver()) { house, _ in
      let hearth = house.hearth
      _ = try await hearth.orderMonitoring("recorder-0", .heartRate) { $0.isOn = true }
      let off = await refusal { () throws(HearthError) in try await hearth.orderSwitchedOff("recorder-0", ["lamp"]) }
      #expect(
        off?.reason == .requestUnsupported
          && off?.detail
            == "recorder-0: lamp is ordered on; take that back first, with: hearth monitor recorder-0 heart_rate none"
      )
      _ = try await hearth.orderMonitoring("recorder-0", .heartRate) { $0.isOn = false }
      _ = try await hearth.orderSwitchedOff("recorder-0", ["lamp"])
      let on = await refusal { () throws(HearthError) in
        try await hearth.orderMonitoring("recorder-0", .heartRate) { $0.isOn = true }
      }
      #expect(
        on?.detail
          == "recorder-0: lamp is one of the features that are ordered off; take it out of features-off first")
      _ = try await hearth.orderSwitchedOff("recorder-0", [])
      _ = try await hearth.orderMonitoring("recorder-0", .heartRate) { $0.isOn = true }
    }
  }

  // MARK: Shown

  @Test("H2145: one that measures otherwise than it was ordered is shown as it does, until the order is taken back")
  func refused() throws {
    let monitor = RecorderMonitor()
    try inHouse(Self.driver(monitor)) { house, _ in
      let hearth = house.hearth
      monitor.takes = { order in
        var other = order
        other.interval = 900
        return other
      }
      house.start()
      try await house.wait { try heart(house)?.says != nil && hearth.registry.all[0].visits.running == nil }
      _ = try await hearth.orderMonitoring("recorder-0", .heartRate) { $0.interval = 600 }
      // At once, and with its reason when the next visit ends.
      try await house.wait(.seconds(5)) { try heart(house)?.progress == .refused }
      #expect(try hearth.monitoring(of: "recorder-0").trouble?.detail.contains("heart_rate by itself") == true)
      _ = try hearth.visitNow("recorder-0")
      try await house.wait { try hearth.wearable(named: "recorder-0").trouble?.reason == .monitoringNotTaken }
      let shown = try hearth.monitoring(of: "recorder-0")
      let one = try #require(shown.series.first)
      #expect(one.asked?.interval == 600 && one.got?.interval == 900 && one.says?.interval == 900)
      #expect(one.progress == .refused && shown.trouble?.detail == "recorder-0 does as it likes")
      _ = try await hearth.orderMonitoring("recorder-0", .heartRate) { $0 = MonitoringOrder() }
      _ = try hearth.visitNow("recorder-0")
      try await house.wait { try hearth.wearable(named: "recorder-0").trouble == nil }
      #expect(
        try heart(house)?.progress == MonitoringProgress.none && hearth.monitoring(of: "recorder-0").trouble == nil)
    }
  }

  @Test("is read from it on request; one that does not report it says so")
  func asked() throws {
    let monitor = RecorderMonitor()
    try inHouse(Self.driver(monitor)) { house, _ in
      house.start()
      try await house.wait { try heart(house)?.says == MonitoringOrder() }
      monitor.says[.heartRate] = Self.full()
      #expect(try heart(house)?.says == MonitoringOrder())
      let now = try await house.hearth.readMonitoring(of: "recorder-0")
      #expect(now.series.first?.says == Self.full())
    }
    try inHouse { house, _ in
      house.start()
      let error = await refusal { () throws(HearthError) in try await house.hearth.readMonitoring(of: "recorder-0") }
      #expect(
        error?.reason == .requestUnsupported && error?.detail == "recorder-0: it does not report own measuring")
    }
  }

  // MARK: The order itself

  @Test("a window is a part of one day, written as people do")
  func windows() {
    #expect(MonitoringWindow(begin: 480, end: 480) == nil && MonitoringWindow(begin: 0, end: 1441) == nil)
    #expect(MonitoringWindow(begin: -1, end: 5) == nil && MonitoringWindow(begin: 0, end: 1440) != nil)
    for (text, minute) in [("00:00", 0), ("08:05", 485), ("24:00", 1440)] {
      #expect(MonitoringWindow.minute(text) == minute && MonitoringWindow.text(minute) == text)
    }
    for wrong in ["", "8:00", "08:60", "24:01", "-1:00", "08-00", "08:0o", "108:00", "é0:00"] {
      #expect(MonitoringWindow.minute(wrong) == nil, "\(wrong)")
    }
  }

  @Test("is met if each part that is ordered is said; of one that is off the rest is ignored")
  func met() {
    var said = Self.full()
    #expect(Self.full().isMet(by: said) && MonitoringOrder().isMet(by: said))
    said.limits[.restBelow] = 40
    #expect(Self.full().isMet(by: said), "what nobody ordered")
    for part in MonitoringParts.all.map(\.part) {
      var less = said
      less.forget(part)
      #expect(!Self.full().isMet(by: less), "\(part)")
      var wanted = Self.full()
      wanted.forget(part)
      #expect(wanted.isMet(by: less) && wanted.parts == Self.full().parts.subtracting(part))
    }
    var off = Self.full()
    off.isOn = false
    var saysOff = MonitoringOrder()
    saysOff.isOn = false
    #expect(off.isMet(by: saysOff) && !off.isMet(by: said) && !off.isMet(by: MonitoringOrder()))
    #expect(MonitoringParts.all.map(\.word).compactMap { MonitoringParts(word: $0) } == MonitoringParts.all.map(\.part))
    #expect(MonitoringParts(word: "off") == nil)
  }
}
