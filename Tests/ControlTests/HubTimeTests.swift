import CivilTime
import EventLoop
import Health
import Reasons
import RingStore
import StoreDocuments
import Testing

@Suite("Times as people read and write them")
struct HubTimeTests {
  /// Sunday, 25 October 2026, 12:00 in Berlin: clocks went back at 03:00.
  private let autumn = "2026-10-25T11:00:00Z"
  /// Sunday, 29 March 2026, 12:00 in Berlin: clocks went forward at 02:00.
  private let spring = "2026-03-29T10:00:00Z"

  private func berlin(_ now: String) throws -> HubTime {
    HubTime(zone: try #require(TimeZoneRules.named("Europe/Berlin")), now: try #require(WallTime(rfc3339: now)))
  }

  @Test(
    "every form is taken in the hub's zone",
    arguments: [
      ("now", "2026-10-25T11:00:00.000Z"), ("today", "2026-10-24T22:00:00.000Z"),
      ("yesterday", "2026-10-23T22:00:00.000Z"), ("14:30", "2026-10-25T13:30:00.000Z"),
      ("01:30:05", "2026-10-24T23:30:05.000Z"), ("2026-11-22", "2026-11-21T23:00:00.000Z"),
      ("2026-11-22 10:00", "2026-11-22T09:00:00.000Z"), ("2026-07-22T10:00:01", "2026-07-22T08:00:01.000Z"),
      ("2h", "2026-10-25T09:00:00.000Z"), ("-2h", "2026-10-25T09:00:00.000Z"), ("1w", "2026-10-18T11:00:00.000Z"),
      ("2026-11-22T10:00:00+05:30", "2026-11-22T04:30:00.000Z"), ("2026-11-22T10:00Z", "2026-11-22T10:00:00.000Z"),
    ])
  func forms(text: String, utc: String) throws {
    #expect(try berlin(autumn).time(text, of: "--since").rfc3339 == utc)
  }

  @Test("a date is its whole local day, 25 hours in autumn and 23 in spring; a time or an age has no end of its own")
  func days() throws {
    func length(_ text: String, _ now: String) throws -> Double {
      let hub = try berlin(now)
      return (try hub.time(text, .end, of: "--until") - hub.time(text, .start, of: "--since")).inSeconds / 3600
    }
    #expect(try length("2026-10-25", autumn) == 25)
    #expect(try length("today", autumn) == 25)
    #expect(try length("yesterday", autumn) == 24)
    #expect(try length("2026-03-29", autumn) == 23)
    #expect(try length("today", spring) == 23)
    for text in ["14:30", "2h", "2026-11-22 10:00", "2026-11-22T10:00:00Z"] { #expect(try length(text, autumn) == 0) }
  }

  @Test("a time that clocks show twice is the first of both, and one that they leave out is when they do")
  func changes() throws {
    func utc(_ text: String) throws -> String { try berlin(autumn).time(text, of: "--from").rfc3339 }
    #expect(try utc("2026-10-25 02:30") == "2026-10-25T00:30:00.000Z")
    #expect(try utc("02:30") == "2026-10-25T00:30:00.000Z")
    #expect(try utc("2026-10-25T02:30:00+01:00") == "2026-10-25T01:30:00.000Z")
    #expect(try utc("2026-10-25 03:00") == "2026-10-25T02:00:00.000Z")
    #expect(try utc("2026-03-29 02:30") == "2026-03-29T01:00:00.000Z")
    #expect(try utc("2026-03-29 01:59:59.5") == "2026-03-29T00:59:59.500Z")
    #expect(try utc("2026-03-29 03:00") == "2026-03-29T01:00:00.000Z")
  }

  @Test("what is printed is taken again and means the same moment, hour by hour over both changes")
  func roundTrip() throws {
    for start in ["2026-03-28T20:00:00Z", "2026-10-24T20:00:00Z"] {
      let hub = try berlin(start)
      for quarter in 0..<40 {
        let time = hub.now + .seconds(quarter * 900)
        #expect(try hub.time(hub.text(time), of: "--since") == time, "\(hub.text(time))")
      }
    }
    let hub = try berlin(autumn)
    #expect(hub.text("2026-10-25T00:30:00.000Z") == "2026-10-25 02:30:00+02:00")
    #expect(hub.text("2026-10-25T01:30:00.000Z") == "2026-10-25 02:30:00+01:00")
    #expect(hub.text("2026-10-25T02:00:00.000Z") == "2026-10-25 03:00:00")
    #expect(hub.span("2026-10-24T21:00:00Z", "2026-10-24T22:30:00Z") == "2026-10-24 23:00:00 to 2026-10-25 00:30:00")
    #expect(hub.span("2026-11-24T09:00:00Z", "2026-11-24T10:30:00Z") == "2026-11-24 10:00:00 to 11:30:00")
    #expect(hub.day("2026-11-21T23:30:00Z") == "2026-11-22")
    #expect(hub.text("soon") == "?" && hub.text(nil) == "?")
    #expect(hub.text(WallTime(microseconds: .max)).hasPrefix("+294247-01-10 "))
    #expect(hub.text(WallTime(microseconds: .min)).hasPrefix("-290308-12-"))
  }

  @Test(
    "anything else is refused with a code, what was said and what is taken",
    arguments: [
      "", "soon", "s", "--5s", "5", "5y", "1.5h", "99999999999s", "9999999999w", "2026", "2026-13-01", "2026-02-29",
      "2026-11-21T", "2026-11-21T24:00:00Z", "24:00", "9:30", "14:30:61", "2026-11-21T10:00:00+2:00", "-", "-h",
      "２０２６-11-21", "\u{0}", "\u{1B}[2J", String(repeating: "9", count: 1000),
    ])
  func refused(text: String) throws {
    let hub = try berlin(autumn)
    do {
      let time = try hub.time(text, of: "--since")
      Issue.record("\(text) is \(time.rfc3339)")
    } catch {
      #expect(error.reason == .timeNotUnderstood && error.reason.code == "H6010")
      #expect(error.detail.hasPrefix("--since takes today, yesterday, 14:30, 2026-11-22, "))
      #expect(!error.detail.contains("\u{1B}") && error.detail.utf8.count < 300)
    }
  }
}
