// A Moyoung band that is worn, and what it really measured when, for tests of its clock.

import EventLoop
import Testing
import Wearable

@testable import CivilTime
@testable import DriverTestSupport
@testable import Health
@testable import MoyoungFamily

/// A band on a person that is awake. It has a rate every five minutes of its own clock, and a record of the true times
/// of its measurements.
@LoopActor
final class Wrist {
  let band = PocketBand()
  let link: ScriptedLink
  let hub = PocketHub()
  private(set) var truth: [(wall: Int64, rate: UInt8)] = []
  private var steps = 0
  private var stepsToday = 0
  private var day: Int64 = 0

  init() {
    link = band.link
    day = band.today
  }

  var wall: Int64 { link.hubTime.wall.microseconds / 1_000_000 }

  /// Another rate each time; the same comes again after 47 measurements.
  func wear(_ minutes: Int) {
    for _ in 0..<minutes {
      link.wait(.seconds(60))
      steps += 17
      // What a day that has gone counted is a day's that comes a second time no more.
      if band.today != day { (day, stepsToday) = (band.today, 0) }
      stepsToday += 17
      band.totals[day] = (stepsToday, stepsToday * 4 / 5, stepsToday / 25)
      let shown = band.shown
      guard shown % 300 < 60 else { continue }
      measure()
    }
  }

  /// A rate for the five minutes that its clock shows.
  func measure() {
    let shown = band.shown
    let rate = UInt8(50 + truth.count * 11 % 47)
    let place = Int(shown % 86_400 / 300)
    band.rates[shown / 86_400, default: [UInt8](repeating: 0, count: 288)][place] = rate
    truth.append((wall - shown % 300, rate))
  }

  func visit() async throws { try await hub.visit(link) }

  /// Visits, between which it is worn for so many minutes.
  func visits(between stretches: [Int]) async throws {
    for minutes in stretches {
      try await visit()
      wear(minutes)
    }
    try await visit()
  }

  func move(to hours: Int64) {
    link.zone = TimeZoneRules(name: "There", changes: [], offsets: [], firstOffset: hours * 3600, rule: nil)
  }

  /// Of what was measured from a moment on, what is in the store: each rate once, at its time.
  struct Account {
    var missing = 0, double = 0, misdated = 0, sure = 0
  }

  func account(from begin: Int64) -> Account {
    var account = Account()
    var left = hub.values(.heartRate)
    let owed = truth.filter { $0.wall >= begin && $0.wall + 300 <= wall }
    for one in owed {
      let those = left.indices.filter { left[$0].values[0] == Int64(one.rate) && abs(left[$0].hub - one.wall) <= 90 }
      if those.isEmpty { account.missing += 1 }
      if those.count > 1 { account.double += 1 }
      account.sure += those.count { !left[$0].isUnsure }
      for place in those.reversed() { left.remove(at: place) }
    }
    // What is in the store and was measured at another time, and said to be sure.
    account.misdated = left.count { value in
      if value.isUnsure || value.hub < begin { return false }
      return !truth.contains { abs($0.wall - value.hub) <= 90 && Int64($0.rate) == value.values[0] }
    }
    return account
  }
}
