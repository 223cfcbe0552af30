import EventLoop
import Testing
import Wearable

@testable import CivilTime
@testable import DriverTestSupport
@testable import Health
@testable import MoyoungFamily

@Suite("The clock of a Moyoung band that is moved", .serialized)
struct MoyoungClockTests {
  /// h that it is moved to from 0, and minutes after the first visit (10:00) at which the hub moves.
  struct Move: Sendable, CustomTestStringConvertible {
    let hours: Int64
    let after: Int
    var testDescription: String { "\(hours) h after \(after) min" }
  }

  static let moves: [Move] = [
    Move(hours: -5, after: 457), Move(hours: -1, after: 323), Move(hours: 1, after: 323), Move(hours: 9, after: 457),
    // Over midnight: back into the day before, and forward into the next one.
    Move(hours: -1, after: 14 * 60 + 22), Move(hours: 1, after: 13 * 60 + 37), Move(hours: -8, after: 14 * 60 + 200),
  ]

  @Test("by the hub's zone loses no rate, stores each once and always at its own time", arguments: moves)
  func zones(move: Move) throws {
    try onLoop { _ in
      let wrist = Wrist()
      try await wrist.visit()
      let begin = wrist.wall
      wrist.wear(move.after - 100)
      try await wrist.visit()
      // Not fetched when the zone changes.
      wrist.wear(100)
      wrist.move(to: move.hours)
      wrist.wear(25)
      // Days go with midnight, as a band's do that is put back behind it.
      try await wrist.visits(between: [3, 33, 20, 61, 128, 15, 240, 300, 60])
      let account = wrist.account(from: begin)
      #expect(account.missing == 0 && account.double == 0 && account.misdated == 0)
      #expect(account.sure > 200, "what was measured by a clock that the hub set has its time for sure")
      #expect(wrist.hub.defects == [])
    }
  }

  @Test(
    "by the seasons and back again loses no rate",
    arguments: [[-1, 0], [1, 0], [5, -3], [-1, -2], [-1, -2, 0], [-2, -1], [-1, -2, -3]] as [[Int64]])
  func seasons(zones: [Int64]) throws {
    try onLoop { _ in
      let wrist = Wrist()
      try await wrist.visit()
      let begin = wrist.wall
      wrist.wear(90)
      for hours in zones {
        wrist.move(to: hours)
        for minutes in [22, 41] {
          try await wrist.visit()
          wrist.wear(minutes)
        }
      }
      for _ in 0..<9 {
        try await wrist.visit()
        wrist.wear(63)
      }
      try await wrist.visit()
      let account = wrist.account(from: begin)
      #expect(account.missing == 0 && account.double == 0 && account.misdated == 0)
    }
  }

  @Test(
    "by some seconds, as its hub's own clock was stepped, keeps the rate of the minutes that went on then",
    arguments: [-60, -45, 45])
  func stepped(seconds: Int64) throws {
    try onLoop { _ in
      let wrist = Wrist()
      try await wrist.visit()
      let begin = wrist.wall
      wrist.wear(93)
      wrist.link.wall += seconds * 1_000_000
      wrist.band.ahead -= seconds
      for minutes in [3, 20, 20, 60] {
        try await wrist.visit()
        wrist.wear(minutes)
      }
      try await wrist.visit()
      let account = wrist.account(from: begin)
      #expect(account.missing == 0 && account.double == 0 && account.misdated == 0)
    }
  }

  @Test(
    "back keeps a rate of five minutes that began between the last look at them and the setting",
    arguments: [20, 100, 200, 300, 400, 500, 600, 700, 800, 900, 1000, 1200])
  func begunAsItMoves(milliseconds: Int) throws {
    try onLoop { _ in
      let wrist = Wrist()
      try await wrist.visit()
      let begin = wrist.wall
      // The next five minutes begin so long after the visit.
      wrist.wear(324)
      wrist.link.wait(.seconds(300 - wrist.band.shown % 300) - .milliseconds(milliseconds))
      let seen = wrist.truth.count
      wrist.band.onSetting = { [weak wrist] in
        if let wrist, wrist.band.shown % 300 < 3, wrist.truth.count == seen { wrist.measure() }
      }
      wrist.move(to: -1)
      try await wrist.visit()
      wrist.band.onSetting = nil
      // What it was put back into begins once more.
      if wrist.band.shown % 300 < 60 { wrist.measure() }
      wrist.wear(7)
      try await wrist.visits(between: [33, 61, 15, 60])
      let account = wrist.account(from: begin)
      #expect(account.missing == 0 && account.double == 0 && account.misdated == 0)
      #expect(account.sure > 60 && !wrist.link.notes.contains { $0.contains("was ahead") })
    }
  }

  @Test(
    """
    by a telephone ahead over midnight, and by the hub since, leaves no rate of a training sure of that time, also if \
    not all rates were answered at first
    """, arguments: [nil, 0, 1, 2, 3, 4, 5, 6, 7] as [UInt8?])
  func telephoneAheadOfTraining(lost: UInt8?) throws {
    try onLoop { _ in
      let wrist = Wrist()
      try await wrist.visit()
      wrist.wear(300)
      try await wrist.visit()
      wrist.band.ahead += 3600
      let begin = wrist.band.shown
      // From 15:00 to 23:53, when the band has the next day.
      wrist.wear(533)
      wrist.band.trainings = [PocketBand.training(begin, minutes: 30)]
      // A telephone heard its rates: the minutes of today have them.
      for minute in 0..<30 { wrist.band.minutes[Int(begin % 86_400 / 60) + minute] = UInt8(150 + minute) }
      // The hub's own clock was stepped by a minute: it is to move the band's.
      wrist.link.wall += 60_000_000
      wrist.band.ahead -= 60
      // The request is sent twice.
      (wrist.band.lost, wrist.band.lostTimes) = (lost, 2)
      for minutes in [3, 20, 60] {
        try await wrist.visit()
        wrist.wear(minutes)
      }
      #expect(wrist.hub.values(.training).count == 1 && wrist.hub.values(.training).allSatisfy(\.isUnsure))
      let rates = wrist.hub.values(.heartRate).filter { $0.values[0] >= 150 }
      // Left for a later visit, they may be of a day that has passed. The band no longer sends the minutes of such a
      // day.
      #expect((lost != nil || !rates.isEmpty) && rates.allSatisfy(\.isUnsure))
    }
  }

  @Test(
    """
    waits for two visits at most, or for a day, until rates come that the band does not answer: then its trainings are \
    taken as unsure, and it is set
    """, arguments: [0, 2, 7] as [UInt8], [60, 1500])
  func neverAnswered(lost: UInt8, minutes: Int) throws {
    try onLoop { _ in
      let wrist = Wrist()
      try await wrist.visit()
      wrist.wear(300)
      try await wrist.visit()
      let begin = wrist.band.shown
      wrist.wear(100)
      wrist.band.trainings = [PocketBand.training(begin, minutes: 30)]
      wrist.link.wall += 60_000_000
      wrist.band.ahead -= 60
      wrist.band.lost = lost
      for visit in 1...3 {
        try await wrist.visit()
        let isOver = visit == (minutes > 1440 ? 2 : 3)
        #expect(wrist.hub.values(.training).isEmpty != isOver, "visit \(visit)")
        if isOver { break }
        wrist.wear(minutes)
      }
      let trainings = wrist.hub.values(.training)
      #expect(trainings.count == 1 && trainings.allSatisfy(\.isUnsure))
      #expect(abs(wrist.band.shown - wrist.wall) <= 1, "its clock was moved")
      // What it measures from then on is sure, and no value comes twice.
      wrist.wear(120)
      try await wrist.visit()
      #expect(wrist.hub.values(.training).count == 1)
      #expect(wrist.link.remembered(RatesWait.self) == nil)
    }
  }

  @Test("waits no longer for rates that never come when the visit that went on without them is lost before its end")
  func lostAfterWaiting() throws {
    try onLoop { _ in
      let wrist = Wrist()
      try await wrist.visit()
      wrist.wear(400)
      try await wrist.visit()
      wrist.link.wall += 60_000_000
      wrist.band.ahead -= 60
      wrist.band.lost = 2
      for visit in 1...4 {
        // The third goes on without them, and its link ends as the clock is about to be moved.
        if visit == 3 {
          let session = try #require(MoyoungDriver().makeSession(wrist.link) as? MoyoungSession)
          _ = try await session.check()
          for domain in session.domains { _ = try await domain.list(known: wrist.hub.known) }
        } else {
          try await wrist.visit()
        }
        #expect((wrist.link.remembered(RatesWait.self) == nil) == (visit == 4), "visit \(visit)")
        #expect((abs(wrist.band.shown - wrist.wall) <= 1) == (visit == 4), "visit \(visit)")
        wrist.wear(20)
      }
    }
  }

  @Test("a wait for rates ends with its reason: the next time that the clock is to be moved has a wait of its own")
  func waitsAnew() throws {
    try onLoop { _ in
      let wrist = Wrist()
      try await wrist.visit()
      wrist.wear(400)
      try await wrist.visit()
      wrist.band.lost = 2
      for round in 1...2 {
        // The hub's own clock is stepped by a minute, and back before the third visit.
        wrist.link.wall += 60_000_000
        wrist.band.ahead -= 60
        for visit in 1...2 {
          try await wrist.visit()
          #expect(wrist.link.remembered(RatesWait.self)?.visits == UInt8(visit), "round \(round)")
          wrist.wear(20)
        }
        wrist.link.wall -= 60_000_000
        wrist.band.ahead += 60
        try await wrist.visit()
        #expect(wrist.link.remembered(RatesWait.self) == nil, "round \(round)")
        wrist.wear(20)
      }
    }
  }

  @Test("counts every step once, in the time in which it was made", arguments: moves)
  func steps(move: Move) throws {
    try onLoop { _ in
      let wrist = Wrist()
      wrist.wear(1)
      try await wrist.visit()
      let begin = wrist.wall
      wrist.wear(move.after)
      wrist.move(to: move.hours)
      try await wrist.visits(between: [3, 33, 20, 61, 128])
      let parts = wrist.hub.values(.steps).filter { $0.hub >= begin - 60 }.sorted { $0.hub < $1.hub }
      // 17 a minute, without any made before the first look.
      #expect(parts.reduce(0) { $0 + $1.values[1] } == (wrist.wall - begin + 30) / 60 * 17)
      for part in parts where part.values[0] < 7_200_000_000 {
        let pace = Double(part.values[1]) * 60_000_000 / Double(part.values[0])
        #expect(abs(pace - 17) < 6)
      }
    }
  }

  @Test(
    "by a change of the hub's zone in the middle of a visit loses no rate and stores each at its own time",
    arguments: [-1, 1])
  func zoneDuringVisit(hours: Int64) throws {
    try onLoop { _ in
      for second in 0..<30 {
        let wrist = Wrist()
        try await wrist.visit()
        let begin = wrist.wall
        wrist.wear(300)
        try await wrist.visit()
        wrist.wear(45)
        wrist.link.zone = TimeZoneRules(
          name: "There", changes: [wrist.wall + Int64(second)], offsets: [hours * 3600], firstOffset: 0, rule: nil)
        wrist.link.requestTime = 1_000_000_000
        try await wrist.visit()
        wrist.link.requestTime = 30_000_000
        wrist.wear(45)
        try await wrist.visits(between: [45, 100, 200])
        let account = wrist.account(from: begin)
        #expect(account.missing == 0 && account.double == 0 && account.misdated == 0, "\(second) s")
      }
    }
  }

  @Test("waits for what the band has by the time that it shows: a link that is lost before leaves the clock as it was")
  func waits() throws {
    try onLoop { _ in
      let wrist = Wrist()
      try await wrist.visit()
      let begin = wrist.wall
      wrist.wear(400)
      wrist.move(to: -5)
      let set = wrist.band.timesSet.count
      wrist.link.endsAt = wrist.link.requests + 8
      try? await wrist.visit()
      #expect(wrist.band.timesSet.count == set)
      wrist.link.endsAt = nil
      wrist.wear(45)
      try await wrist.visits(between: [45, 100, 200])
      let account = wrist.account(from: begin)
      #expect(wrist.band.timesSet.count > set)
      #expect(account.missing == 0 && account.double == 0 && account.misdated == 0)
    }
  }

  /// A visit that ends as the hub is killed: before the request of a number, or right after the band was told the time.
  enum Kill: Sendable, Hashable {
    case before(Int)
    case toldTime
  }

  /// Of a band that was worn: a visit that is killed, and others after a gap of some minutes.
  @LoopActor
  private func killed(
    _ kill: Kill?, _ gap: Int, then: (Wrist) async throws -> Void = { _ in },
    _ before: (Wrist) async throws -> Void
  ) async throws -> (wrist: Wrist, begin: Int64, requests: Int) {
    let wrist = Wrist()
    try await wrist.visit()
    let begin = wrist.wall
    try await before(wrist)
    let first = wrist.link.requests
    if case .before(let number) = kill { wrist.link.endsAt = first + number }
    wrist.band.endsWithTime = kill == .toldTime
    do { try await wrist.visit() } catch is VisitTrouble { #expect(kill != nil) }
    let requests = wrist.link.requests - first
    (wrist.band.endsWithTime, wrist.link.endsAt) = (false, nil)
    wrist.wear(gap)
    try await then(wrist)
    try await wrist.visits(between: [45, 100, 200])
    return (wrist, begin, requests)
  }

  @Test(
    "by the hub, which is killed at each step of that visit, loses no rate and stores each at its own time",
    arguments: moves, [3, 45])
  func killedAsItMoves(move: Move, gap: Int) throws {
    try onLoop { _ in
      let before = { (wrist: Wrist) in
        wrist.wear(move.after - 100)
        try await wrist.visit()
        wrist.wear(100)
        wrist.move(to: move.hours)
      }
      let undisturbed = try await killed(nil, gap, before)
      let sure = undisturbed.wrist.account(from: undisturbed.begin).sure
      for kill in (1..<undisturbed.requests).map(Kill.before) + [.toldTime] {
        let (wrist, begin, _) = try await killed(kill, gap, before)
        let account = wrist.account(from: begin)
        #expect(account.missing == 0 && account.double == 0 && account.misdated == 0, "\(kill)")
        #expect(gap < 45 || account.sure >= sure, "\(kill): the rates say whether it was moved")
      }
    }
  }

  @Test("by a hub that was killed so, and no rate says whether the band heard it: all are stored, and all are unsure")
  func undecided() throws {
    try onLoop { _ in
      for hours: Int64 in [-5, -1, 1, 9] {
        let before = { (wrist: Wrist) in
          wrist.wear(400)
          wrist.move(to: hours)
        }
        let requests = try await killed(nil, 45, before).requests
        for kill in [Kill.before(requests - 1), .toldTime] {
          let (wrist, begin, _) = try await killed(
            kill, 45,
            then: { wrist in
              wrist.band.mute = [53]
              try await wrist.visit()
              wrist.band.mute = []
            }, before)
          let account = wrist.account(from: begin)
          #expect(account.double == 0 && account.misdated == 0, "\(hours) h, \(kill)")
          #expect(wrist.hub.values(.heartRate).count == wrist.truth.count { $0.wall + 300 <= wrist.wall })
        }
      }
    }
  }

  @Test(
    "by a phone, before a visit of a hub that is killed at each step, leaves no rate sure if its time is wrong",
    arguments: [600, 1800, 7200] as [Int64], [3, 45, 150])
  func killedBehindTelephone(by seconds: Int64, gap: Int) throws {
    try onLoop { _ in
      let before = { (wrist: Wrist) in
        wrist.wear(300)
        try await wrist.visit()
        wrist.wear(45)
        wrist.band.ahead += seconds
        wrist.wear(60)
      }
      let requests = try await killed(nil, gap, before).requests
      for kill in (1..<requests).map(Kill.before) + [.toldTime] {
        let (wrist, begin, _) = try await killed(kill, gap, before)
        let account = wrist.account(from: begin)
        #expect(account.double == 0 && account.misdated == 0, "\(kill)")
      }
    }
  }

  @Test(
    "by a phone is seen by rates of the future: they are not sure, and what is measured when that time comes is stored"
  )
  func telephoneAhead() throws {
    try onLoop { _ in
      let wrist = Wrist()
      try await wrist.visit()
      let begin = wrist.wall
      wrist.wear(200)
      try await wrist.visit()
      wrist.band.ahead += 1800
      wrist.wear(60)
      let seen = wrist.wall
      try await wrist.visits(between: [4, 15, 15, 15, 40, 120])
      #expect(wrist.link.notes.contains { $0.contains("clock was ahead") })
      let before = wrist.account(from: begin)
      let after = wrist.account(from: seen + 300)
      #expect(before.misdated == 0 && before.double == 0)
      #expect(after.missing == 0 && after.double == 0 && after.sure >= 28)
    }
  }

  @Test("by a phone that puts it back is seen by other rates at times that were stored: all of them are unsure")
  func telephoneBehind() throws {
    try onLoop { _ in
      let wrist = Wrist()
      try await wrist.visit()
      let begin = wrist.wall
      wrist.wear(200)
      try await wrist.visit()
      wrist.band.ahead -= 1800
      wrist.wear(60)
      let seen = wrist.wall
      try await wrist.visits(between: [15, 40, 120])
      #expect(wrist.link.notes.contains { $0.contains("put back by others") })
      #expect(wrist.account(from: begin).misdated == 0)
      let after = wrist.account(from: seen + 300)
      #expect(after.missing == 0 && after.double == 0 && after.misdated == 0)
    }
  }

  @Test("is seen to be lost if all rates that were stored are gone: no rate until then is sure")
  func lost() throws {
    try onLoop { _ in
      let wrist = Wrist()
      try await wrist.visit()
      wrist.wear(200)
      try await wrist.visit()
      let stored = wrist.hub.values(.heartRate).count
      // The clock counts from 2000 on, and no answer gives a date. Then the zone changes: it is moved behind the visit.
      let year2000: Int64 = 946_684_800
      wrist.band.ahead = year2000 + 3600 - wrist.wall
      wrist.wear(300)
      wrist.move(to: -1)
      try await wrist.visit()
      #expect(wrist.link.notes.contains { $0.contains("its clock was lost") })
      // The days of its answers are unknown.
      #expect(wrist.hub.values(.heartRate).count == stored)
      // What it measures from then on is, once its clock has shown again what it was put back by.
      let seen = wrist.wall
      wrist.wear(75)
      try await wrist.visits(between: [60, 60])
      #expect(wrist.link.notes.count { $0.contains("its clock was lost") } == 1)
      let account = wrist.account(from: seen + 300)
      #expect(account.missing == 0 && account.double == 0 && account.misdated == 0 && account.sure > 18)
    }
  }

  @Test("is said to be lost once, however long the band is not worn after that")
  func lostOnce() throws {
    try onLoop { _ in
      let wrist = Wrist()
      try await wrist.visit()
      wrist.wear(200)
      try await wrist.visit()
      wrist.band.rates = [:]
      for _ in 0..<4 {
        try await wrist.visit()
        wrist.link.wait(.seconds(900))
      }
      #expect(wrist.link.notes.count { $0.contains("its clock was lost") } == 1)
      let seen = wrist.wall
      wrist.wear(60)
      try await wrist.visit()
      let account = wrist.account(from: seen)
      #expect(account.missing == 0 && account.double == 0 && account.sure >= 10)
    }
  }

  @Test("waits for a visit in which all rates are answered, and stores each once")
  func unanswered() throws {
    try onLoop { _ in
      let wrist = Wrist()
      try await wrist.visit()
      let begin = wrist.wall
      wrist.wear(400)
      try await wrist.visit()
      wrist.move(to: -5)
      let set = wrist.band.timesSet.count
      wrist.band.mute = [53]
      try await wrist.visit()
      #expect(wrist.band.timesSet.count == set)
      wrist.band.mute = []
      try await wrist.visits(between: [20, 45, 60])
      #expect(wrist.band.timesSet.count > set && !wrist.link.notes.contains { $0.contains("clock was lost") })
      let account = wrist.account(from: begin)
      #expect(account.missing == 0 && account.double == 0 && account.misdated == 0)
    }
  }

  @Test("takes what is stored of a place for its old content, if that was not read when the clock was put back")
  func unread() throws {
    let midnight: Int64 = 20_778 * 86_400
    let overlap = try #require(
      MoyoungOverlap(from: midnight + 3700, until: midnight + 7200, isKnown: true, after: nil) { _ in nil })
    var known = RatesProgress(stored: PlaceSet(72), again: nil, number: 0)
    for place in 10..<24 { (known.stored[place], known.rates[place]) = (true, 70) }
    var rates = known.rates
    for place in 13..<18 { rates[place] = 80 }
    let look = try #require(
      RatesLook(
        rates, day: 20_778, quarter: 0, readAt: midnight + 5700, since: 0, known: known.bytes, overlap: overlap,
        isOfTraining: { _ in false }))
    let items = CollectingItems()
    look.append(to: items)
    #expect(items.items.map { $0.values[0] } == [80, 80, 80, 80, 80])
  }

  @Test("dates the stages of one night by one clock")
  func sleep() throws {
    try onLoop { _ in
      let wrist = Wrist()
      try await wrist.visit()
      // The next morning at 07:30, before the hub puts the clock back an hour.
      let day = wrist.band.today + 1
      let midnight = day * 86_400
      let times: [(Int64, Int64)] = [(23, 10), (0, 5), (5, 40), (6, 20), (6, 55)]
      wrist.wear(21 * 60 + 30)
      wrist.band.nights[day] = times.map { [1, UInt8($0.0), UInt8($0.1)] }
      wrist.move(to: -1)
      try await wrist.visits(between: [50, 20, 60])
      let begins: [Int64] = wrist.hub.values(.sleepStage).map { $0.hub - midnight }
      #expect(begins == [-3000, 300, 20_400, 22_800])
      #expect(wrist.hub.values(.sleepStage).allSatisfy { !$0.isUnsure })
    }
  }

  @Test("leaves a training that went on meanwhile its begin, and its rates their minutes")
  func training() throws {
    try onLoop { _ in
      let wrist = Wrist()
      try await wrist.visit()
      wrist.wear(300)
      wrist.move(to: -1)
      let begin = wrist.band.shown - 20 * 60
      let wall = wrist.wall - 20 * 60
      try await wrist.visit()
      wrist.link.wait(.seconds(600))
      let end = wrist.band.shown
      var place = PocketBand.training(begin, minutes: 30)
      let wire = end - 28_800
      for byte in 0..<4 { place[4 + byte] = UInt8(wire >> (8 * Int64(byte)) & 0xFF) }
      wrist.band.trainings = [place]
      wrist.band.parts = PocketBand.ratesOfTraining(begin, [(0..<30).map { UInt8(150 + $0) }])
      try await wrist.visit()
      let begins = wrist.hub.values(.training).map(\.hub)
      #expect(begins.count == 1 && begins.allSatisfy { abs($0 - wall) <= 2 })
      let rates = wrist.hub.values(.heartRate).filter { $0.values[0] >= 150 }.sorted { $0.values[0] < $1.values[0] }
      // Five of its minutes have a rate of the day: that of the place in work is stored as the clock is moved.
      #expect(rates.count == 25)
      for rate in rates { #expect(abs(rate.hub - wall - (rate.values[0] - 150) * 60) <= 5) }
    }
  }

  @Test("stores a rate that happens to be as it was before if those beside it were measured since")
  func same() throws {
    let midnight: Int64 = 20_778 * 86_400
    var old = [UInt8](repeating: 0, count: 72)
    for place in 0..<40 { old[place] = 70 }
    let overlap = try #require(
      MoyoungOverlap(from: midnight + 3600, until: midnight + 12_000, isKnown: true, after: nil) {
        old[Int(($0 - midnight) / 300)]
      })
    var rates = old
    // 01:00 to 02:00 once more: but for 01:20 another rate; 02:05 and 02:10 were not measured again.
    for place in 12..<24 where place != 16 { rates[place] = 80 }
    var known = RatesProgress(stored: PlaceSet(72), again: nil, number: 0)
    for place in 0..<40 { (known.stored[place], known.rates[place]) = (true, 70) }
    func look(_ readAt: Int64, _ known: [UInt8]) throws -> RatesLook {
      try #require(
        RatesLook(
          rates, day: 20_778, quarter: 0, readAt: midnight + readAt, since: 0, known: known, overlap: overlap,
          isOfTraining: { _ in false }))
    }
    let first = try look(7800, known.bytes)
    let items = CollectingItems()
    first.append(to: items)
    let places: [Int64] = items.items.map { ($0.time / 1_000_000 - midnight) / 300 }
    #expect(places == Array(12..<24))
    #expect(!first.verdict.isTimeUnsure && first.verdict.progress?.count == 101)
    #expect(try look(9000, first.progress).count == 0)
  }

  @Test("stores a rate that is as it was first and last of those that come twice, and two such side by side; not three")
  func sameAtTheEdges() throws {
    let midnight: Int64 = 20_778 * 86_400
    // Put back at 02:02 to 01:02: the places from 01:00 to 02:00, of which 01:00 does not begin once more.
    let overlap = try #require(
      MoyoungOverlap(from: midnight + 3720, until: midnight + 7320, isKnown: true, after: nil) { _ in 70 })
    func stored(_ others: Set<Int>) throws -> [Int64] {
      var rates = [UInt8](repeating: 0, count: 72)
      for place in 0..<25 { rates[place] = others.contains(place) ? 80 : 70 }
      var known = RatesProgress(stored: PlaceSet(72), again: nil, number: 0)
      for place in 0..<24 { (known.stored[place], known.rates[place]) = (true, 70) }
      // The band was at work at 02:00, which is not stored, and measures on.
      rates[25] = 90
      let look = try #require(
        RatesLook(
          rates, day: 20_778, quarter: 0, readAt: midnight + 7860, since: 0, known: known.bytes, overlap: overlap,
          isOfTraining: { _ in false }))
      let items = CollectingItems()
      look.append(to: items)
      return items.items.map { ($0.time / 1_000_000 - midnight) / 300 }
    }
    // All but the first and the last one are others.
    #expect(try stored(Set(14..<24)) == Array(13...25))
    #expect(try stored(Set(13...24).subtracting([17, 18])) == Array(13...25))
    #expect(try stored(Set(13...24).subtracting([17, 18, 19])) == Array(13...16) + Array(20...25))
    // Not worn any more.
    #expect(try stored([]) == [24, 25])
  }

  @Test("by others: a refused rate that is no longer of the future, and may have been measured since, is not sure")
  func refusedAndSame() throws {
    let midnight: Int64 = 20_778 * 86_400
    var old = [UInt8](repeating: 0, count: 72)
    for place in 12..<24 { old[place] = 70 }
    let overlap = try #require(
      MoyoungOverlap(from: midnight + 3600, until: midnight + 7200, isKnown: false, after: nil) {
        old[Int(($0 - midnight) / 300)]
      })
    var rates = old
    for place in 12..<24 where place != 16 { rates[place] = 80 }
    let look = try #require(
      RatesLook(
        rates, day: 20_778, quarter: 0, readAt: midnight + 7800, since: 0, known: [], overlap: overlap,
        isOfTraining: { _ in false }))
    let items = CollectingItems()
    look.append(to: items)
    #expect(items.items.map { $0.values[0] } == [80, 80, 80, 80, 70, 80, 80, 80, 80, 80, 80, 80])
    #expect(items.sure == items.items.map { $0.values[0] == 80 })
  }
}
