import EventLoop
import Health
import StateCodec
import Testing

@testable import Hub

/// Values at times in virtual seconds, and when something was told.
private struct Feed {
  var timer: AlertTimer
  /// Second and sign.
  var told: [(Double, AlertSign)] = []

  init(_ kind: AlertKind, _ limit: Int64, isRaised: Bool = false) {
    timer = AlertTimer(kind, limit: limit, isRaised: isRaised)
  }

  static func instant(_ second: Double) -> Instant {
    Instant(nanoseconds: Int64((second * 10).rounded()) * 100_000_000)
  }

  mutating func give(_ value: Int64, at second: Double, isExercise: Bool = false) {
    if let sign = timer.note(value, isExercise: isExercise, at: Self.instant(second)) { told.append((second, sign)) }
  }

  /// A value a second, both ends included.
  mutating func give(_ value: Int64, _ from: Int, through: Int, isExercise: Bool = false) {
    for second in from...through { give(value, at: Double(second), isExercise: isExercise) }
  }

  var times: [Double] { told.map(\.0) }
}

@Suite("Counting towards a limit")
struct AlertWatchTests {
  @Test("at rest a value beyond its limit raises after 15:00, and not after 14:59", arguments: AlertKind.allCases)
  func rest(_ kind: AlertKind) throws {
    if kind.situation == .exercise { return }
    let limit = (kind.range.lowerBound + kind.range.upperBound) / 2
    let beyond = kind.isAbove ? limit + 1 : limit - 1
    var feed = Feed(kind, limit)
    feed.give(beyond, 0, through: 899)
    #expect(feed.told.isEmpty)
    feed.give(beyond, at: 900)
    #expect(feed.told.map(\.1) == [.raised(kind, value: beyond, limit: limit)] && feed.times == [900])
    // Once, however long it stays there.
    feed.give(beyond, 901, through: 4000)
    #expect(feed.told.count == 1)
    // The limit itself is inside.
    var inside = Feed(kind, limit)
    inside.give(limit, 0, through: 2000)
    #expect(inside.told.isEmpty)
  }

  @Test("in exercise ten seconds are enough, and 9.9 are not")
  func exercise() {
    var feed = Feed(.exerciseAbove, 185)
    for second in [0, 2, 4, 6, 8, 9.9] { feed.give(190, at: second, isExercise: true) }
    #expect(feed.told.isEmpty)
    feed.give(190, at: 10, isExercise: true)
    #expect(feed.times == [10])
    var below = Feed(.exerciseBelow, 60)
    below.give(50, 0, through: 9, isExercise: true)
    #expect(below.told.isEmpty)
    below.give(50, at: 10, isExercise: true)
    #expect(below.times == [10])
  }

  @Test("what was raised is watched again after 60 s inside, not after 59; a value beyond in between restarts them")
  func rearming() {
    var feed = Feed(.exerciseAbove, 185)
    feed.give(190, 0, through: 10, isExercise: true)
    feed.give(150, 11, through: 70, isExercise: true)
    #expect(feed.times == [10], "59 s inside")
    feed.give(190, 71, through: 200, isExercise: true)
    #expect(feed.times == [10], "not watched yet")
    feed.give(150, 201, through: 261, isExercise: true)
    #expect(feed.times == [10, 261] && feed.told.last?.1 == .over(.exerciseAbove))
    feed.give(190, 262, through: 271, isExercise: true)
    #expect(feed.told.count == 2)
    feed.give(190, at: 272, isExercise: true)
    #expect(feed.times == [10, 261, 272])
  }

  @Test("one value inside restarts the fifteen minutes")
  func continuous() {
    var feed = Feed(.restAbove, 120)
    feed.give(130, 0, through: 890)
    feed.give(120, at: 891)
    feed.give(130, 892, through: 1791)
    #expect(feed.told.isEmpty)
    feed.give(130, at: 1792)
    #expect(feed.times == [1792])
  }

  @Test("exercise ends what was counted at rest, and rest what was counted in exercise")
  func situations() {
    var feed = Feed(.restAbove, 120)
    feed.give(150, 0, through: 800)
    feed.give(150, 801, through: 810, isExercise: true)
    feed.give(150, 811, through: 1710)
    #expect(feed.told.isEmpty)
    feed.give(150, at: 1711)
    #expect(feed.times == [1711])
    var hard = Feed(.exerciseAbove, 185)
    hard.give(190, 0, through: 9, isExercise: true)
    hard.give(190, at: 10)
    hard.give(190, 11, through: 20, isExercise: true)
    #expect(hard.told.isEmpty)
    hard.give(190, at: 21, isExercise: true)
    #expect(hard.times == [21])
  }

  @Test("a gap counts no time and raises no alert; at rest one of up to a minute leaves what was counted")
  func gaps() {
    var feed = Feed(.restAbove, 120)
    feed.give(130, 0, through: 890)
    // 60 s without a value: 890 s are counted, and ten more are wanted.
    feed.give(130, 950, through: 959)
    #expect(feed.told.isEmpty)
    feed.give(130, at: 960)
    #expect(feed.times == [960])
    // 61 s: all again.
    var long = Feed(.restAbove, 120)
    long.give(130, 0, through: 890)
    long.give(130, 951, through: 1850)
    #expect(long.told.isEmpty)
    long.give(130, at: 1851)
    #expect(long.times == [1851])
    // A single value an hour later is no evidence for that hour.
    var lone = Feed(.restAbove, 120)
    lone.give(130, at: 0)
    lone.give(130, at: 3600)
    #expect(lone.told.isEmpty)
  }

  @Test("in exercise a gap of more than five seconds restarts the ten seconds")
  func exerciseGaps() {
    var feed = Feed(.exerciseAbove, 185)
    feed.give(190, 0, through: 9, isExercise: true)
    feed.give(190, at: 14.1, isExercise: true)
    #expect(feed.told.isEmpty)
    feed.give(190, 15, through: 24, isExercise: true)
    #expect(feed.told.isEmpty)
    feed.give(190, at: 25, isExercise: true)
    #expect(feed.times == [25])
  }

  @Test("a gap counts no time for re-arming either")
  func rearmingGap() {
    var feed = Feed(.exerciseAbove, 185)
    feed.give(190, 0, through: 10, isExercise: true)
    feed.give(150, 11, through: 50)
    feed.give(150, 100, through: 159)
    #expect(feed.times == [10])
    feed.give(150, at: 160)
    #expect(feed.times == [10, 160])
  }

  @Test("sensors that send a rate every five seconds count as those that send one a second")
  func slow() {
    var feed = Feed(.restAbove, 120)
    for place in 0...180 { feed.give(130, at: Double(place) * 5) }
    #expect(feed.times == [900])
  }

  @Test("a thermometer may measure every ten minutes, and not more seldom")
  func thermometer() {
    var feed = Feed(.temperatureAbove, 38_500)
    for place in 0...2 { feed.give(39_000, at: Double(place) * 600) }
    #expect(feed.times == [1200])
    var seldom = Feed(.temperatureAbove, 38_500)
    for place in 0...20 { seldom.give(39_000, at: Double(place) * 601) }
    #expect(seldom.told.isEmpty)
  }

  @Test("a value from before the last one is of no use")
  func backwards() {
    var feed = Feed(.exerciseAbove, 185)
    feed.give(190, 0, through: 5, isExercise: true)
    feed.give(100, at: 3, isExercise: true)
    feed.give(190, 6, through: 10, isExercise: true)
    #expect(feed.times == [10])
  }

  @Test("what an earlier run raised is not raised again before it was inside for a minute")
  func restart() {
    var feed = Feed(.restAbove, 120, isRaised: true)
    feed.give(130, 0, through: 3600)
    #expect(feed.told.isEmpty)
    feed.give(110, 3601, through: 3661)
    #expect(feed.told.map(\.1) == [.over(.restAbove)])
    feed.give(130, 3662, through: 4562)
    #expect(feed.times == [3661, 4562])
  }

  @Test("a limit that stays goes on counting when another is set; one that changes starts again")
  func changes() {
    var watch = AlertWatch()
    #expect(!watch.isWatching)
    watch.set([.restAbove: 120], raised: [])
    for second in 0...800 {
      let tells = watch.note(.heartRate, 130, isExercise: false, at: Feed.instant(Double(second)))
      #expect(!tells)
    }
    watch.set([.restAbove: 120, .restBelow: 40], raised: [])
    let isOther = watch.note(.spo2, 200, isExercise: false, at: Feed.instant(801))
    #expect(!isOther)
    for second in 801...900 {
      let tells = watch.note(.heartRate, 130, isExercise: false, at: Feed.instant(Double(second)))
      #expect(tells == (second == 900))
    }
    let signs = watch.takeSigns()
    let rest = watch.takeSigns()
    #expect(signs == [.raised(.restAbove, value: 130, limit: 120)] && rest.isEmpty)
    watch.set([.restAbove: 125], raised: [])
    let isAnew = watch.note(.heartRate, 130, isExercise: false, at: Feed.instant(901))
    #expect(!isAnew)
    watch.set([:], raised: [])
    #expect(!watch.isWatching)
  }

  @Test("a wearer moves for a minute after a step, and is in a session until it ends, two hours at most")
  func motion() throws {
    try VirtualLoop.run { _ in
      let motion = BodyMotion()
      #expect(!motion.isExercise(Feed.instant(0)))
      motion.moved(at: Feed.instant(10))
      #expect(motion.isExercise(Feed.instant(70)) && !motion.isExercise(Feed.instant(70.1)))
      motion.session(isOn: true, at: Feed.instant(100))
      #expect(motion.isExercise(Feed.instant(7300)) && !motion.isExercise(Feed.instant(7300.1)))
      motion.session(isOn: false, at: Feed.instant(200))
      #expect(!motion.isExercise(Feed.instant(201)))
    }
  }
}

@Suite("Limits as people set them")
struct AlertOrderTests {
  @Test(
    "a limit is a number that makes sense in its unit",
    arguments: [
      ("rest-above", "120", 120), ("rest-below", "40", 40), ("rest-above", "19", nil), ("rest-above", "251", nil),
      ("rest-above", "120.5", nil), ("spo2-below", "90", 90), ("spo2-below", "101", nil),
      ("temperature-above", "38.5", 38_500), ("temperature-above", "38", 38_000), ("temperature-above", "38.", nil),
      ("temperature-above", "38.1234", nil), ("temperature-above", "-38", nil), ("temperature-above", ".5", nil),
      ("temperature-above", "46", nil), ("rest-above", "", nil), ("rest-above", "1e2", nil),
      ("rest-above", "99999999999999999999", nil),
    ] as [(String, String, Int64?)])
  func numbers(_ name: String, _ text: String, _ limit: Int64?) throws {
    #expect(try #require(AlertKind(name: name)).limit(text) == limit)
  }

  @Test("limits and what was raised are kept as they were; what is of tomorrow is passed over")
  func kept() throws {
    var orders = AlertOrders()
    for (place, kind) in AlertKind.allCases.enumerated() { orders.limits[kind] = kind.range.lowerBound + Int64(place) }
    orders.exercise = .off
    var states = RememberedStates()
    try states.keep(KeptAlertOrders(orders))
    #expect(states[KeptAlertOrders.self]?.orders == orders)
    try states.keep(KeptAlertOrders(AlertOrders()))
    #expect(states.entries.isEmpty, "nothing is kept of no limit")

    var raised = RaisedAlerts()
    let time = VirtualLoop.morning
    let news = [
      raised.raise(RaisedAlert(.restAbove, .hub, limit: 120, value: 131, at: time)),
      raised.raise(RaisedAlert(.restAbove, .hub, limit: 120, value: 140, at: time + .seconds(2000))),
      raised.raise(RaisedAlert(.oxygenBelow, .wearable, limit: 90, value: 85, at: time)),
    ]
    #expect(news == [true, false, true])
    raised.end(.restAbove, at: time + .seconds(3000))
    try states.keep(raised)
    #expect(states[RaisedAlerts.self] == raised)
    #expect(raised.all.map(\.count) == [2, 1] && raised.all[0].since == time && raised.underWay == [.oxygenBelow])

    var fields = FieldWriter()
    fields.put(1) { nested in
      nested.put(1, UInt8(200))
      nested.put(2, Int64(5))
    }
    fields.put(2, UInt8(9))
    let entry = RememberedStates.Entry(version: 1, fields: fields.fields)
    states.load(KeptAlertOrders.name, entry)
    #expect(states[KeptAlertOrders.self]?.orders == AlertOrders())
  }

  @Test("what is acknowledged is shown no more, and forgotten when it is over, whichever comes first")
  func acknowledged() {
    let time = VirtualLoop.morning
    for endsFirst in [true, false] {
      var raised = RaisedAlerts()
      _ = raised.raise(RaisedAlert(.restAbove, .hub, limit: 120, value: 131, at: time))
      if endsFirst { raised.end(.restAbove, at: time) } else { raised.acknowledge() }
      #expect(raised.shown.isEmpty == !endsFirst && raised.all.count == 1)
      if endsFirst { raised.acknowledge() } else { raised.end(.restAbove, at: time) }
      #expect(raised.isEmpty)
    }
    // An alert that comes after it was acknowledged is a new one.
    var raised = RaisedAlerts()
    _ = raised.raise(RaisedAlert(.restAbove, .hub, limit: 120, value: 131, at: time))
    raised.acknowledge()
    let isNew = raised.raise(RaisedAlert(.restAbove, .hub, limit: 120, value: 131, at: time))
    #expect(isNew && raised.all.count == 1 && raised.shown.map(\.count) == [1])
  }
}
