import EventLoop
import Health
import PolarMessages
import Testing
import Wearable

@testable import Bluetooth
@testable import DriverTestSupport
@testable import PolarFamily

@Suite("Polar's file transfer", .serialized)
struct TransferClientTests {
  @LoopActor
  private func trouble(_ body: () async throws(VisitTrouble) -> Void) async -> VisitTrouble? {
    do throws(VisitTrouble) { try await body() } catch { return error }
    return nil
  }

  private static let content: [UInt8] = (0..<20_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 / 256) }

  @Test("hands a file on as it comes, and goes on at the place at which the sink stopped")
  func stream() throws {
    try onLoop { _ async throws in
      let pocket = PocketTransfer()
      pocket.files["/A"] = Self.content
      let client = PSFTPClient(pocket.link)
      for kept in [0, 1, 4096, 10_000, 20_000] {
        let sink = CollectingSink([9, 9] + Self.content.prefix(kept))
        #expect(try await client.get("/A", into: sink, base: 2, limit: 1 << 20) == .whole(bytes: 20_000))
        #expect(sink.bytes.dropFirst(2).elementsEqual(Self.content), "from \(kept)")
      }
      #expect(try await client.get("/B", into: CollectingSink(), limit: 100) == .absent)
    }
  }

  @Test("keeps what came when the link drops, and stops the wearable when the turn is over")
  func interrupted() throws {
    try onLoop { _ async throws in
      let pocket = PocketTransfer()
      pocket.files["/A"] = Self.content
      pocket.dropsAfter = 50
      let sink = CollectingSink()
      let client = PSFTPClient(pocket.link)
      #expect(
        await trouble { () throws(VisitTrouble) in _ = try await client.get("/A", into: sink, limit: 1 << 20) }
          == .link(.closed(.linkLost)))
      #expect(
        sink.bytes.count == 50 * 117 && sink.bytes.elementsEqual(Self.content.prefix(50 * 117)) && pocket.cancels == 0)

      let other = PocketTransfer()
      other.files["/A"] = Self.content
      sink.slice = 10_000
      let again = PSFTPClient(other.link)
      #expect(try await again.get("/A", into: sink, limit: 1 << 20) == .enough)
      #expect(other.cancels == 1 && sink.bytes.count >= 10_000)
      sink.slice = nil
      #expect(try await again.get("/A", into: sink, limit: 1 << 20) == .whole(bytes: 20_000))
      #expect(sink.bytes == Self.content)
    }
  }

  @Test(
    "stops a transfer when its receiver has enough, and that is no trouble: the next one is heard",
    arguments: [1, 600, 19_999, 20_000])
  func enough(wanted: Int) throws {
    try onLoop { _ async throws in
      let pocket = PocketTransfer()
      pocket.files["/A"] = Self.content
      let client = PSFTPClient(pocket.link)
      let head = Head(wanted)
      let message = try #require(PSFTP.Message.request(.get, "/A"))
      #expect(try await client.perform(message, into: head) == .done)
      #expect(pocket.cancels == 1 && head.bytes.count >= wanted && head.bytes.count < wanted + 117)
      #expect(Self.content.starts(with: head.bytes))
      #expect(try await client.get("/A") == Self.content && pocket.cancels == 1)
    }
  }

  /// Has enough after so many bytes.
  private final class Head: PSFTPReceiver {
    private(set) var bytes: [UInt8] = []
    private let wanted: Int

    init(_ wanted: Int) { self.wanted = wanted }

    func begin() { bytes = [] }
    func take(_ payload: ArraySlice<UInt8>) -> Taking {
      bytes += payload
      return bytes.count >= wanted ? .enough : .more
    }
    func end() -> Taking { .more }
  }

  @Test("asks again for what was lost, twice, and gives up then")
  func losses() throws {
    try onLoop { _ async throws in
      for (lost, succeeds) in [(Set([3]), true), ([3, 200], true), ([3, 200, 400], false)] {
        let pocket = PocketTransfer()
        pocket.files["/A"] = Self.content
        pocket.lost = lost
        let sink = CollectingSink()
        let client = PSFTPClient(pocket.link)
        let failure = await trouble { () throws(VisitTrouble) in
          _ = try await client.get("/A", into: sink, limit: 1 << 20)
        }
        #expect(
          (failure == nil) == succeeds && (sink.bytes == Self.content) == succeeds,
          "\(lost): \(String(describing: failure))")
        #expect(Self.content.starts(with: sink.bytes) && pocket.cancels == lost.count)
      }
    }
  }

  @Test("notices sixteen packets that were pushed out of a full inbox, which leave no gap in the sequence")
  func overflow() throws {
    try onLoop { _ async throws in
      let pocket = PocketTransfer()
      // 528 packets at once, of which 512 can wait.
      pocket.files["/A"] = [UInt8](repeating: 1, count: 528 * 117)
      let client = PSFTPClient(pocket.link)
      let failure = await trouble { () throws(VisitTrouble) in _ = try await client.get("/A") }
      #expect(failure == .framing("reading /A: a packet was lost"))
    }
  }

  @Test("does not wait for ever, and notifies the wearable")
  func silence() throws {
    try onLoop { _ async throws in
      let pocket = PocketTransfer()
      pocket.files["/A"] = Self.content
      pocket.fallsSilentAfter = 5
      let began = pocket.link.now
      let client = PSFTPClient(pocket.link)
      #expect(
        await trouble { () throws(VisitTrouble) in _ = try await client.get("/A") } == .silent(what: "reading /A"))
      #expect(
        pocket.cancels == 1 && pocket.link.now - began < 92_000_000_000 && pocket.link.now - began >= 90_000_000_000)
      pocket.fallsSilentAfter = nil
      #expect(try await client.get("/A") == Self.content)
    }
  }

  @Test("stops what is longer than it makes sense")
  func tooLong() throws {
    try onLoop { _ async throws in
      let pocket = PocketTransfer()
      pocket.files["/A"] = Self.content
      let client = PSFTPClient(pocket.link)
      #expect(
        await trouble { () throws(VisitTrouble) in _ = try await client.get("/A", limit: 1000) }
          == .framing("an answer of more than 1000 bytes"))
      #expect(pocket.cancels == 1)
      #expect(
        await trouble { () throws(VisitTrouble) in _ = try await client.get("/A", into: CollectingSink(), limit: 19_999)
        } != nil)
    }
  }

  @Test("stops writing when the wearable does not want the rest, with its code or without one")
  func refusedWrite() throws {
    try onLoop { _ async throws in
      for (code, expected) in [
        (UInt16(205), VisitTrouble.busy(what: "writing /A: its memory is full", retryAfter: .seconds(60))),
        (0, .framing("writing /A: an error of its own")),
      ] {
        let pocket = PocketTransfer()
        pocket.abortsWriteAfter = (3, code)
        let client = PSFTPClient(pocket.link)
        #expect(await trouble { () throws(VisitTrouble) in try await client.put("/A", Self.content) } == expected)
        #expect(pocket.link.written.count == 3 && pocket.files.isEmpty)
      }
    }
  }

  @Test("one operation waits for the other, in the order of asking")
  func turns() throws {
    try onLoop { loop async throws in
      let (turn, log) = (PSFTPTurn(), Log())
      let tasks = (0..<3).map { number in
        loop.spawn {
          await turn.take()
          log.lines.append(number)
          try? await loop.sleep(for: .seconds(1))
          log.lines.append(number)
          turn.pass()
        }
      }
      for task in tasks { await task.value }
      #expect(log.lines == [0, 0, 1, 1, 2, 2])
    }
  }

  @LoopActor
  private final class Log {
    var lines: [Int] = []
  }

  @Test("has every error code of the protocol, each with what follows")
  func codes() {
    for code in UInt16.min...UInt16.max { #expect(PSFTPError(code: code).code == code) }
    #expect(PSFTPError(code: 202).trouble("x") == .busy(what: "x: it is busy", retryAfter: .seconds(60)))
    #expect(PSFTPError(code: 208).trouble("x") == .busy(what: "x: it wants to be idle first", retryAfter: .seconds(60)))
    #expect(PSFTPError(code: 209).trouble("x") == .busy(what: "x: its battery is too low", retryAfter: .seconds(900)))
    #expect(PSFTPError(code: 201).trouble("x") == .unsupported("x: it does not have that"))
    #expect(PSFTPError(code: 1).trouble("x") == .busy(what: "x: it is rebooting", retryAfter: .seconds(10)))
    #expect(PSFTPError(code: 777).trouble("x") == .unsupported("x: error 777"))
  }

  @Test("hears what the wearable says by itself, in one packet or several, and drops what breaks off")
  func events() throws {
    try onLoop { _ async throws in
      let pocket = PocketTransfer()
      let client = PSFTPClient(pocket.link)
      try await client.hearDevice()
      for packet: [UInt8] in [
        [0x13, 9], [0x06, 5], [0x13, 8, 1], [0x06, 7], [0x00, 0, 0], [0x02, 2], [0x02], [0x04, 1], [],
      ] { pocket.say(packet) }
      #expect(client.pendingNotification() == PSFTP.RawNotification(id: 5, parameters: [8, 1]))
      #expect(try await client.nextNotification(within: .seconds(1)) == PSFTP.RawNotification(id: 2, parameters: []))
      #expect(client.pendingNotification() == nil)
      #expect(
        await trouble { () throws(VisitTrouble) in _ = try await client.nextNotification(within: .seconds(1)) } != nil)
    }
  }

  // MARK: walking

  @Test("walks what the filter lets in, and says where it left something out")
  func walk() throws {
    try onLoop { _ async throws in
      let pocket = PocketTransfer()
      pocket.files = [
        "/U/0/20260101/ACT/A.BPB": [1], "/U/0/20260101/E/101010/00/B.BPB": [1, 2], "/U/0/S/P.BPB": [3],
        "/U/0/USERID.BPB": [],
      ]
      let client = PSFTPClient(pocket.link)
      let all = try await client.walk("/U/0/")
      let paths = Set(all.files.map { $0.path })
      #expect(paths == Set(pocket.files.keys) && all.unseenIn.isEmpty && all.knowsAll(of: "/U/0/"))
      let days = try await client.walk("/U/0/") { name, directory in
        PolarPath.isDayFolder(name) || name == "ACT/" || directory.hasSuffix("/ACT/")
      }
      #expect(days.files == [PSFTP.RemoteFile(path: "/U/0/20260101/ACT/A.BPB", size: 1)])
      #expect(
        days.unseenIn == ["/U/0/", "/U/0/20260101/"] && !days.knowsAll(of: "/U/0/20260101/")
          && days.knowsAll(of: "/U/0/20260101/ACT/"))
      #expect(try await client.walk("/NOWHERE/").files.isEmpty)
    }
  }

  @Test("does not follow names that lead elsewhere, nor directories without end")
  func hostile() throws {
    try onLoop { _ async throws in
      let pocket = PocketTransfer()
      pocket.listings = ["/": [("../", 0), ("a/b", 1), ("./", 0), ("", 1), ("x y", 1), ("/", 0), ("A", 5), ("A", 6)]]
      let client = PSFTPClient(pocket.link)
      let tree = try await client.walk("/")
      #expect(tree.files == [PSFTP.RemoteFile(path: "/A", size: 5)] && tree.unseenIn == ["/"])
      // Every directory has itself inside.
      pocket.listings = Dictionary(
        uniqueKeysWithValues: (0...20).map { ("/" + String(repeating: "d/", count: $0), [("d/", 0), ("f", 1)]) })
      let deep = try await client.walk("/", bounds: PSFTP.WalkBounds(depth: 3, directories: 100, entries: 100))
      #expect(deep.files.count == 4 && deep.unseenIn == ["/d/d/d/d/"])
      #expect(
        try await client.walk("/", bounds: PSFTP.WalkBounds(depth: 30, directories: 2, entries: 100)).unseenIn == [
          "/d/d/"
        ])
      #expect(
        try await client.walk("/", bounds: PSFTP.WalkBounds(depth: 30, directories: 9, entries: 3)).unseenIn.contains(
          "/d/"))
    }
  }

  // MARK: the clock

  private static func clock(_ wall: Int64, offset: Int) throws -> [UInt8] {
    try PSFTP.localTime(WallTime(microseconds: wall), offset: offset).wire()
  }

  @Test(
    "sets a clock that is off by more than a quarter of a minute, or in another zone, and no other",
    arguments: [(0, 60, false), (14, 60, false), (-14, 60, false), (17, 60, true), (-17, 60, true), (0, 120, true)])
  func clock(seconds: Int, zone: Int, isSet: Bool) throws {
    try onLoop { _ async throws in
      let pocket = PocketTransfer()
      pocket.results[4] = try Self.clock(
        pocket.link.hubTime.wall.microseconds + Int64(seconds - (zone - 60) * 60) * 1_000_000, offset: zone)
      let client = PSFTPClient(pocket.link)
      let clock = try await client.keepClock(
        try await client.clockReading(), offset: 60, knowsSystemTime: true, mayBeSet: true)
      #expect(clock != nil && pocket.queries == (isSet ? [4, 1, 3, 4] : [4]))
      #expect(
        try await client.keepClock(try await client.clockReading(), offset: 60, knowsSystemTime: true, mayBeSet: false)?
          .wasSet == false)
    }
  }

  @Test("judges a reading by the hub's time of now, whenever it was taken")
  func earlierReading() throws {
    try onLoop { _ async throws in
      let pocket = PocketTransfer()
      let start = pocket.link.hubTime
      pocket.link.wall += 250_000 - start.wall.microseconds % 1_000_000
      pocket.results[4] = try Self.clock(pocket.link.hubTime.wall.microseconds, offset: 0)
      let client = PSFTPClient(pocket.link)
      let reading = try await client.clockReading()
      try await pocket.link.settle(for: .seconds(30))
      #expect(try await client.keepClock(reading, offset: 0, knowsSystemTime: true, mayBeSet: true)?.wasSet == false)
      #expect(pocket.queries == [4])
      pocket.link.wall += 30_000_000
      pocket.keepsTime = true
      let clock = try #require(try await client.keepClock(reading, offset: 0, knowsSystemTime: true, mayBeSet: true))
      #expect(clock.wasSet && pocket.queries == [4, 1, 3, 4])
      // What it showed half a minute ago, and half a minute more: right before it was set.
      let read = try #require(reading).evidence
      #expect(clock.evidence.monotonic - read.monotonic >= 30_000_000_000)
      #expect(clock.evidence.device - read.device == (clock.evidence.monotonic - read.monotonic) / 1000)
    }
  }

  @Test("gives a strap, which cannot be asked, the local time alone, and no time while the hub's own is not trusted")
  func strapClock() throws {
    try onLoop { _ async throws in
      let pocket = PocketTransfer()
      pocket.codes = [4: 201]
      let client = PSFTPClient(pocket.link)
      #expect(
        try await client.keepClock(try await client.clockReading(), offset: 60, knowsSystemTime: false, mayBeSet: true)
          == nil)
      #expect(pocket.queries == [4, 3])
      pocket.link.isTrusted = false
      #expect(
        try await client.keepClock(try await client.clockReading(), offset: 60, knowsSystemTime: false, mayBeSet: true)
          == nil)
      #expect(pocket.queries == [4, 3, 4])
    }
  }

  @Test("asks for room, and takes what no disk can have for as much as can be said")
  func room() throws {
    try onLoop { _ async throws in
      let pocket = PocketTransfer()
      var space = PbPFtpDiskSpaceResult()
      (space.fragmentSize, space.totalFragments, space.freeFragments) = (4096, .max, 2)
      pocket.results[5] = try space.wire()
      let read = try await PSFTPClient(pocket.link).diskSpace()
      #expect(read?.total == .max && read?.free == 8192)
      pocket.codes[5] = 201
      #expect(try await PSFTPClient(pocket.link).diskSpace() == nil)
    }
  }

  @Test("a link that was given up for silence ends the wait at once", .timeLimit(.minutes(1)))
  func givenUp() throws {
    try onLoop { _ async throws in
      let link = StatusLink()
      link.end = .silent(what: "its check")
      let trouble = await self.trouble { () async throws(VisitTrouble) in _ = try await PSFTPClient(link).diskSpace() }
      #expect(trouble == .silent(what: "its check") && link.now == 0)
    }
  }
}
