import Bluetooth
import CivilTime
import EventLoop
import Health
import Testing
import Wearable

@testable import DriverTestSupport
@testable import StandardGATTFamily

@Suite("The clock of a wearable of standard services", .serialized)
struct StandardClockTests {
  private static let second: Int64 = 1_000_000

  @Test("one that is right to some seconds is read and left alone")
  func right() throws {
    try onLoop { _ in
      let oximeter = PocketOximeter()
      oximeter.ahead = 9 * Self.second
      let link = oximeter.link
      let clock = try #require(StandardClock(link))
      let shown = try #require(try await clock.check())
      let off = shown.evidence.device - shown.evidence.wall
      #expect(!shown.wasSet && shown.evidence.offset == 0 && oximeter.timesSet == 0)
      #expect(abs(off - 9 * Self.second) < Self.second / 10)
    }
  }

  @Test("one that is off is set to the local time of the hub's zone, zone first, and read back")
  func off() throws {
    try onLoop { _ in
      let oximeter = PocketOximeter()
      oximeter.ahead = -300 * Self.second
      let link = oximeter.link
      link.zone = try #require(TimeZoneRules.named("Europe/Berlin"))
      let clock = try #require(StandardClock(link))
      let shown = try #require(try await clock.check())
      let afterwards = try #require(shown.afterwards)
      #expect(shown.wasSet && link.written.map(\.characteristic) == [0x2A0F, 0x2A2B])
      // Berlin in November: an hour, without daylight saving. Adjusted by a reference.
      #expect(link.written[0].value == [4, 0] && link.written[1].value.last == 2)
      #expect(abs(afterwards.device - afterwards.wall - 3600 * Self.second) < Self.second)
      #expect(afterwards.offset == 60 && shown.evidence.offset == 0)
      #expect(try await clock.check()?.wasSet == false)
    }
  }

  @Test("a hub that does not know the time leaves it as it is")
  func untrusted() throws {
    try onLoop { _ in
      let oximeter = PocketOximeter()
      oximeter.ahead = -300 * Self.second
      let link = oximeter.link
      link.isTrusted = false
      let shown = try await StandardClock(link)?.check()
      #expect(shown?.wasSet == false && oximeter.timesSet == 0 && link.notes.count == 1)
    }
  }

  @Test("one that does not take the time is not said to have been set")
  func stubborn() throws {
    try onLoop { _ in
      let oximeter = PocketOximeter()
      (oximeter.ahead, oximeter.takesTime) = (-300 * Self.second, false)
      let link = oximeter.link
      let shown = try await StandardClock(link)?.check()
      #expect(shown?.wasSet == false && oximeter.timesSet == 1)
      #expect(link.notes == ["its clock does not take the time"])
    }
  }

  @Test("one whose day is unknown is set, and explains no time before that")
  func unknown() throws {
    try onLoop { _ in
      let oximeter = PocketOximeter()
      oximeter.dayIsUnknown = true
      let link = oximeter.link
      let shown = try #require(try await StandardClock(link)?.check())
      #expect(shown.wasSet && shown.evidence.device == 3_723 * Self.second)
      let kept = try #require(shown.afterwards)
      #expect(abs(kept.device - kept.wall) < Self.second)
    }
  }

  @Test("daylight saving is told apart from the zone, in both halves of the world")
  func zones() throws {
    let berlin = try #require(TimeZoneRules.named("Europe/Berlin"))
    func parts(_ text: String) -> [Int]? {
      LocalDate(text: text).map { date in
        let (standard, daylight) = berlin.parts(at: date.dayNumber * 86_400_000_000)
        return [standard, daylight]
      }
    }
    for day in ["2026-01-15", "2026-11-24", "2026-12-31"] { #expect(parts(day) == [60, 0]) }
    for day in ["2026-04-01", "2026-07-15", "2026-10-01"] { #expect(parts(day) == [60, 60]) }
    #expect(TimeZoneRules.utc.parts(at: 0) == (0, 0))
  }

  @Test("Device Time is set as it shows itself: unit, timeline and offset stay; what it appends is its own to say")
  func deviceTime() throws {
    try onLoop { _ in
      let peer = PocketDeviceTime()
      let link = ScriptedLink(peer)
      link.zone = try #require(TimeZoneRules.named("Europe/Berlin"))
      peer.value = Array(hexadecimal: "3087A73631000007 04 0103") ?? []
      let shown = try #require(try await StandardClock(link)?.check())
      // Local time with its offset: evidence is in UTC.
      #expect(shown.evidence.device == (1_772_350_215 - 3600) * Self.second && shown.wasSet)
      #expect(shown.afterwards.map { abs($0.device - $0.wall) < 2 * Self.second } == true)
      #expect(peer.value[0] == 0x30 && Array(peer.value[7...]) == [1, 4])
    }
  }

  @Test("Date Time of a cuff, a thermometer or a scale is set to local time, with a durable word before, and read back")
  func dateTime() throws {
    try onLoop { _ in
      for service: BluetoothUUID in [0x1810, 0x1809, 0x181D, 0x181B] {
        let peer = PocketDateTime(service)
        let link = ScriptedLink(peer)
        link.zone = try #require(TimeZoneRules.named("Europe/Berlin"))
        peer.value = Array(hexadecimal: "EA07 03 01 07 1E 0F") ?? []
        let clock = try #require(StandardClock(link))
        let shown = try #require(try await clock.check())
        #expect(shown.evidence.device == 1_772_350_215 * Self.second && shown.wasSet && shown.evidence.offset == nil)
        #expect(link.written.map(\.characteristic) == [0x2A08] && link.written[0].value.count == 7)
        let afterwards = try #require(shown.afterwards)
        #expect(abs(afterwards.device - afterwards.wall - 3600 * Self.second) <= Self.second)
        #expect(try await clock.check()?.wasSet == false, "it is right now")
      }
    }
  }

  @Test("Date Time that can only be read is evidence; zeros are set, and explain no time; nonsense is none")
  func dateTimeReadOnly() throws {
    try onLoop { _ in
      let fixed = PocketDateTime(0x1810, .read)
      fixed.value = Array(hexadecimal: "EA07 03 01 07 1E 0F") ?? []
      var link = ScriptedLink(fixed)
      let shown = try #require(try await StandardClock(link)?.check())
      #expect(shown.evidence.device == 1_772_350_215 * Self.second && !shown.wasSet && link.written.isEmpty)
      let lost = PocketDateTime(0x1810)
      lost.value = [0, 0, 0, 0, 1, 2, 3]
      let set = try #require(try await StandardClock(ScriptedLink(lost))?.check())
      #expect(set.wasSet && set.evidence.device == 3_723 * Self.second)
      for bytes: [UInt8] in [[], [0xEA, 7, 3], [0xEA, 7, 13, 40, 25, 61, 61]] {
        let odd = PocketDateTime(0x1810)
        odd.value = bytes
        link = ScriptedLink(odd)
        #expect(try await StandardClock(link)?.check() == nil && link.notes == ["a clock that shows no time"])
      }
    }
  }

  @Test("a reading that took seconds is made again: of three the quickest counts")
  func slow() throws {
    try onLoop { _ in
      let peer = PocketDeviceTime()
      let link = ScriptedLink(peer)
      peer.answer = { [unowned link] number in
        let ticks = link.hubTime.wall.microseconds / Self.second
        // It was out of range after it had read its counter.
        if number == 1 { link.wait(.seconds(6)) }
        return [0x21] + (0..<6).map { UInt8(truncatingIfNeeded: ticks >> (8 * $0)) } + [0, 0]
      }
      let shown = try #require(try await StandardClock(link)?.check())
      #expect(abs(shown.evidence.device - shown.evidence.wall) <= Self.second && peer.reads == 2)
    }
  }

  @Test(
    "a tick counter is evidence, and never set, also where it says that nobody has set its clock",
    arguments: ["2140E2010000000000", "2140E2010000000000 01 02"])
  func ticks(_ value: String) throws {
    try onLoop { _ in
      let peer = PocketDeviceTime()
      let link = ScriptedLink(peer)
      peer.value = Array(hexadecimal: value) ?? []
      let shown = try #require(try await StandardClock(link)?.check())
      #expect(shown.evidence.device == 123_456 * Self.second && !shown.wasSet && link.written.isEmpty)
    }
  }
}

/// A wearable with nothing but Device Time, which stands still.
@LoopActor
private final class PocketDateTime: LinkPeer {
  var value: [UInt8] = []
  let database: GATTDatabase

  init(_ service: BluetoothUUID, _ access: GATTProperties = [.read, .write]) {
    database = GATTDatabase.made(of: [
      GATTServiceDefinition(service, [GATTCharacteristicDefinition(0x2A08, access)])
    ])
  }

  func read(_ characteristic: GATTCharacteristic) throws(VisitTrouble) -> [UInt8] { value }
  func write(_ characteristic: GATTCharacteristic, _ value: [UInt8]) throws(VisitTrouble) { self.value = value }
  func command(_ characteristic: GATTCharacteristic, _ value: [UInt8]) throws(VisitTrouble) {}
}

private final class PocketDeviceTime: LinkPeer {
  var value: [UInt8] = []
  /// What it shows, by the number of the reading.
  var answer: (@LoopActor (Int) -> [UInt8])?
  private(set) var reads = 0
  let database = GATTDatabase.made(of: [
    GATTServiceDefinition(0x183F, [GATTCharacteristicDefinition(0x2BF2, [.read, .write, .indicate])])
  ])
  func read(_ characteristic: GATTCharacteristic) throws(VisitTrouble) -> [UInt8] {
    reads += 1
    return answer?(reads) ?? value
  }
  func write(_ characteristic: GATTCharacteristic, _ value: [UInt8]) throws(VisitTrouble) { self.value = value }
  func command(_ characteristic: GATTCharacteristic, _ value: [UInt8]) throws(VisitTrouble) {}
}
