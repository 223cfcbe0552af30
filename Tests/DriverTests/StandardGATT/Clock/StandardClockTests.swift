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

  @Test("one with an unknown day is set, and explains no time before that")
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

  @Test("daylight saving is distinguished from the zone, in both halves of the world")
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

  @Test("Date Time that can only be read is evidence; zeros are set, and explain no time; nonsense is ignored")
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

  @Test("a Date Time that stands still is no clock: it is no evidence, and is written if it can be")
  func standsStill() throws {
    try onLoop { _ in
      for access: GATTProperties in [.read, [.read, .write]] {
        let peer = PocketDateTime(0x1810, access)
        peer.standsStill = true
        let link = ScriptedLink(peer)
        // The sensor measured ten seconds ago: as right as a clock would be.
        let measured = link.hubTime.wall.microseconds - 10 * Self.second
        peer.value = DateTime(microseconds: measured).bytes
        let clock = try #require(StandardClock(link))
        for visit in 1...2 {
          #expect(try await clock.check() == nil)
          // A clock that can be set may have waited for that: the next link looks once more.
          #expect(clock.verdict == (access.contains(.write) ? .mayBeNone : .isNone))
          #expect(link.remembered(DateTimeVerdict.self)?.course != .runs)
          #expect(try await clock.read() == nil)
          #expect(link.written.count == (access.contains(.write) ? visit : 0))
        }
        #expect(Set(link.notes) == ["a Date Time that stands still: it is no clock"])
      }
    }
  }

  @Test("one that stands still is looked at once more after it was set, and then no more with the same firmware")
  func remembered() throws {
    try onLoop { _ in
      for access: GATTProperties in [.read, [.read, .write]] {
        let peer = PocketDateTime(0x1810, access)
        peer.standsStill = true
        let link = ScriptedLink(peer)
        peer.value = DateTime(microseconds: link.hubTime.wall.microseconds).bytes
        @LoopActor func visit() async throws -> Bool {
          let before = link.now
          let clock = try #require(StandardClock(link))
          let isRead = try await clock.check() != nil
          #expect(isRead == (clock.verdict == .isClock))
          return link.now - before > 1_000_000_000
        }
        let looks = access.contains(.write) ? 2 : 1
        for number in 1...4 {
          let hasLooked = try await visit()
          #expect(hasLooked == (number <= looks))
        }
        #expect(link.remembered(DateTimeVerdict.self) == DateTimeVerdict(.isNone, nil))
        // Another firmware may have a clock.
        link.known.firmware = "2"
        peer.standsStill = false
        for number in 1...2 {
          let hasLooked = try await visit()
          #expect(hasLooked == (number == 1))
        }
        #expect(link.remembered(DateTimeVerdict.self) == DateTimeVerdict(.runs, "2"))
      }
    }
  }

  @Test("one that stands still over two links and refuses to be set is no clock from then on")
  func cannotBeSet() throws {
    try onLoop { _ in
      let peer = PocketDateTime(0x1810)
      (peer.standsStill, peer.takesNoTime) = (true, true)
      let link = ScriptedLink(peer)
      peer.value = DateTime(microseconds: link.hubTime.wall.microseconds).bytes
      for visit in 1...3 {
        let clock = try #require(StandardClock(link))
        // Refused over one link alone, it may have been busy.
        for _ in 1...2 {
          #expect(try await clock.check() == nil)
          #expect(clock.verdict == (visit == 1 ? .mayBeNone : .isNone), "visit \(visit)")
        }
        #expect(clock.given == nil)
      }
    }
  }

  @Test("one that begins to go on when it is set is a clock at the next visit")
  func beginsWhenSet() throws {
    try onLoop { _ in
      let peer = PocketDateTime(0x1810)
      peer.standsStill = true
      let link = ScriptedLink(peer)
      peer.value = DateTime(microseconds: link.hubTime.wall.microseconds).bytes
      var shown = try await StandardClock(link)?.check()
      #expect(shown == nil)
      peer.standsStill = false
      shown = try await StandardClock(link)?.check()
      #expect(shown != nil)
    }
  }

  @Test("one that was seen to go on is believed at the visits after that without a wait")
  func seenRunning() throws {
    try onLoop { _ in
      let peer = PocketDateTime(0x1810)
      let link = ScriptedLink(peer)
      peer.value = DateTime(microseconds: link.hubTime.wall.microseconds).bytes
      _ = try #require(try await StandardClock(link)?.check())
      #expect(link.remembered(DateTimeVerdict.self)?.course == .runs)
      let before = link.now
      _ = try #require(try await StandardClock(link)?.check())
      #expect(link.now - before < 200_000_000 && link.written.isEmpty, "it is right")
    }
  }

  @Test("a model that hangs up unless it is given the time is given it over each link, however right it is")
  func wantsTime() throws {
    try onLoop { _ in
      let models: [(name: String, service: BluetoothUUID)] = [
        ("A&D_UA-651BLE_75E8D1", 0x1810), ("A&D_UA-651BLE_D57B3F", 0x1810), ("A&D_UT201BLE_75E8D1", 0x1809),
      ]
      for (name, service) in models {
        let peer = PocketDateTime(service)
        let link = ScriptedLink(peer)
        link.known.advertisedName = name
        peer.value = DateTime(microseconds: link.hubTime.wall.microseconds + Self.second).bytes
        for visit in 1...2 {
          let shown = try #require(try await StandardClock(link)?.check())
          #expect(!shown.wasSet && abs(shown.evidence.device - shown.evidence.wall) <= Self.second)
          #expect(link.written.map(\.characteristic) == Array(repeating: 0x2A08, count: visit))
        }
        // Three seconds are less than another clock is set for, and yet it moves: that is said.
        peer.value = DateTime(microseconds: link.hubTime.wall.microseconds + 4 * Self.second).bytes
        let moved = try #require(try await StandardClock(link)?.check())
        #expect(moved.wasSet && moved.evidence.device - moved.evidence.wall > 2 * Self.second)
        #expect(moved.afterwards.map { abs($0.device - $0.wall) <= Self.second } == true)
      }
      let other = PocketDateTime(0x1810)
      let link = ScriptedLink(other)
      link.known.advertisedName = "UA-6510"
      other.value = DateTime(microseconds: link.hubTime.wall.microseconds + Self.second).bytes
      #expect(try await StandardClock(link)?.check()?.wasSet == false && link.written.isEmpty, "another model")
    }
  }

  @Test("a Current Time that cannot be read, or refuses, leaves the Date Time beside it, also one that is only written")
  func beside() throws {
    try onLoop { _ in
      let shut = VisitTrouble.refused(.insufficientAuthentication, what: "read")
      let cases: [(GATTProperties, VisitTrouble?)] = [(.notify, nil), ([.read, .write], shut)]
      for (access, refusal) in cases {
        let peer = PocketDateTime(0x1810, currentTime: access)
        peer.refusal = refusal
        peer.value = Array(hexadecimal: "EA07 03 01 07 1E 0F") ?? []
        let link = ScriptedLink(peer)
        let shown = try #require(try await StandardClock(link)?.check())
        #expect(shown.wasSet && shown.evidence.device == 1_772_350_215 * Self.second)
        #expect(link.written.map(\.characteristic) == [0x2A08])
      }
      let written = PocketDateTime(0x1810, .write, currentTime: .notify)
      let link = ScriptedLink(written)
      let clock = try #require(StandardClock(link))
      #expect(try await clock.check() == nil && link.written.map(\.characteristic) == [0x2A08])
      #expect(StandardClock(ScriptedLink(PocketDateTime(0x1810, .notify, currentTime: .notify))) == nil)
    }
  }

  @Test("a reading that took seconds is made again: of three the quickest counts")
  func slow() throws {
    try onLoop { _ in
      let peer = PocketDeviceTime()
      let link = ScriptedLink(peer)
      peer.answer = { [unowned link] number in
        let ticks = link.hubTime.wall.microseconds / Self.second
        // The sensor was out of range after it had read its counter.
        if number == 1 { link.wait(.seconds(6)) }
        return [0x21] + (0..<6).map { UInt8(truncatingIfNeeded: ticks >> (8 * $0)) } + [0, 0]
      }
      let shown = try #require(try await StandardClock(link)?.check())
      #expect(abs(shown.evidence.device - shown.evidence.wall) <= Self.second && peer.reads == 2)
    }
  }

  @Test(
    "a tick counter is evidence, and never set, also if it says that its clock was never set",
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

/// A wearable with a Date Time beside what it measures, and perhaps a Current Time that cannot be read.
@LoopActor
private final class PocketDateTime: LinkPeer {
  /// What it shows now, as far as it is a time.
  var value: [UInt8] = [] { didSet { passed = 0 } }
  /// Reports when it measured last, or was set last.
  var standsStill = false
  /// Refuses to be set.
  var takesNoTime = false
  /// Of Current Time, which it has in a service of its own.
  var refusal: VisitTrouble?
  private var passed: Int64 = 0
  let database: GATTDatabase

  init(_ service: BluetoothUUID, _ access: GATTProperties = [.read, .write], currentTime: GATTProperties? = nil) {
    var services = [GATTServiceDefinition(service, [GATTCharacteristicDefinition(0x2A08, access)])]
    if let currentTime {
      services.append(GATTServiceDefinition(0x1805, [GATTCharacteristicDefinition(0x2A2B, currentTime)]))
    }
    database = GATTDatabase.made(of: services)
  }

  func read(_ characteristic: GATTCharacteristic) throws(VisitTrouble) -> [UInt8] {
    if characteristic.uuid == 0x2A2B, let refusal { throw refusal }
    let (seconds, value) = (standsStill ? 0 : passed / 1_000_000_000, value)
    return value.withUnsafeBytes { bytes in
      var reader = ByteReader(bytes)
      guard let shown = try? DateTime(&reader), shown.isPossible else { return value }
      guard let time = shown.microseconds else { return value.dropLast() + [value[6] + UInt8(seconds)] }
      return DateTime(microseconds: time + seconds * 1_000_000).bytes
    }
  }
  func write(_ characteristic: GATTCharacteristic, _ value: [UInt8]) throws(VisitTrouble) {
    if takesNoTime { throw .refused(.unlikelyError, what: "the time") }
    self.value = value
  }
  func command(_ characteristic: GATTCharacteristic, _ value: [UInt8]) throws(VisitTrouble) {}
  func settled(_ duration: Duration) { passed += duration.wholeNanoseconds }
}

/// A wearable with Device Time alone, which stands still.
@LoopActor
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
