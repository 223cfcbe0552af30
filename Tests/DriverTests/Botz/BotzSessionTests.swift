import Bluetooth
import EventLoop
import Health
import Testing
import Wearable

@testable import BotzFamily
@testable import DriverTestSupport

@Suite("A visit to an insole", .serialized)
struct BotzSessionTests {
  private func trouble(_ body: () async throws(VisitTrouble) -> Void) async -> VisitTrouble? {
    do throws(VisitTrouble) { try await body() } catch { return error }
    return nil
  }

  // MARK: check and clock

  @Test("sets the time in big-endian seconds, reads it back, and reports invented fields as unknown")
  func check() throws {
    try onLoop { _ in
      let insole = PocketInsole()
      insole.clockError = -7
      let report = try await BotzSession(insole.link).check()
      let time = insole.link.written.first
      let seconds = UInt32(clamping: (1_795_255_200_000_000 + 1_000_000 + 6 * 30_000 + 500_000) / 1_000_000)
      #expect(
        time?.characteristic == Botz.Control.setTime
          && abs(Int64(Botz.SetTime(time?.value ?? [])?.seconds ?? 0) - Int64(seconds)) <= 1)
      #expect(
        report.clock?.wasSet == true
          && abs((report.clock?.afterwards?.device ?? 0) - (report.clock?.afterwards?.wall ?? 0)) <= 2_000_000)
      #expect(abs((report.clock?.evidence.device ?? 0) - (report.clock?.evidence.wall ?? 0) + 7_000_000) <= 1_500_000)
      #expect(report.activity == .idle && report.mayNotFetch == nil && report.uptime == .seconds(3600))
      #expect(report.battery == nil && report.memoryFree == nil && report.memoryTotal == 0x6E_0000)
      #expect(insole.link.written.count == 1, "one write, and it was the time")
    }
  }

  @Test("goes on with a status that is too short: no fetch, its clock is set, and longer ones are as any")
  func oddStatus() throws {
    try onLoop { _ in
      for short in [[], [0x04], [0, 0, 0]] as [[UInt8]] {
        let insole = PocketInsole()
        (insole.says[Botz.Information.status], insole.says[Botz.Information.statusPack]) = (short, short)
        let report = try await BotzSession(insole.link).check()
        #expect(report.mayNotFetch == "a status of \(short.count) bytes" && report.clock?.wasSet == true)
      }
      let insole = PocketInsole()
      let word = Botz.StatusWord(.idle).encode()
      insole.says[Botz.Information.status] = word + [1, 2, 3]
      insole.says[Botz.Information.statusPack] = word + [UInt8](repeating: 0xFF, count: 4)
      // Bits of tomorrow, and a state of updating that is told in one byte.
      #expect(try await BotzSession(insole.link).check().mayNotFetch == nil)
      insole.says[Botz.Information.status] = [0x02, 0, 0x80, 0x80]
      #expect(try await BotzSession(insole.link).check().mayNotFetch == nil)
      insole.says[Botz.Information.updateProgress] = [1]
      #expect(try await BotzSession(insole.link).check().mayNotFetch == "another program is updating its firmware")
      insole.says[Botz.Information.updateProgress] = []
      insole.says[Botz.Information.currentTime] = [1, 2, 3]
      insole.says[Botz.Information.newestFile] = []
      #expect(try await BotzSession(insole.link).check().mayNotFetch == nil)
    }
  }

  @Test("writes the time once more if it was not taken, and then says so")
  func timeNotTaken() throws {
    try onLoop { _ in
      let insole = PocketInsole()
      (insole.takesTime, insole.clockError) = (false, -100)
      let report = try await BotzSession(insole.link).check()
      #expect(report.clock?.wasSet == false && insole.link.written.count == 2)
      #expect(insole.link.notes == ["its clock does not take the time"])
    }
  }

  @Test("leaves a clock that was set alone while the hub's own is not trusted, and sets one that was never set")
  func untrusted() throws {
    try onLoop { _ in
      let insole = PocketInsole()
      insole.link.isTrusted = false
      insole.clockError = -3600
      let spoilt = try await BotzSession(insole.link).check().clock?.wasSet
      #expect(spoilt == false)
      #expect(insole.link.written.isEmpty)
      insole.uptime = 60
      insole.clockError = Int64(Botz.bootTime) + 60 - insole.link.hubTime.wall.microseconds / 1_000_000
      let wasSet = try await BotzSession(insole.link).check().clock?.wasSet
      #expect(wasSet == true)
    }
  }

  @Test(
    """
    of a hub without a time server carries on what the hub has set: over another link, by the monotonic clock, until \
    it falls back no more
    """
  )
  func carriedOn() throws {
    try onLoop { _ in
      let insole = PocketInsole()
      (insole.fallsBack, insole.link.isTrusted, insole.uptime) = (true, false, 60)
      insole.clockError = Int64(Botz.bootTime) + 60 - insole.link.hubTime.wall.microseconds / 1_000_000
      #expect(try await BotzSession(insole.link).check().clock?.wasSet == true)
      let given = insole.clock
      let then = insole.link.now
      let notes = insole.link.memory
      #expect(notes.entries.count == 1)
      // The link is gone for an hour, and the hub's clock is set by a year.
      insole.link.wait(.seconds(3600))
      insole.link.wall += 31_536_000_000_000
      insole.clockError -= 31_536_000
      let session = BotzSession(insole.link)
      let clock = try #require(try await session.check().clock)
      let expected = given + (insole.link.now - then) / 1_000_000_000
      #expect(
        clock.wasSet && abs(insole.clock - expected) <= 2 && abs(clock.evidence.device / 1_000_000 - expected) <= 2)
      // And it is kept there.
      insole.link.wait(.seconds(500))
      try await session.attend()
      insole.link.wait(.seconds(500))
      #expect(abs(insole.clock - given - (insole.link.now - then) / 1_000_000_000) <= 2)
      #expect(insole.link.memory == notes, "nothing new, nothing written")
      // The machine was restarted: the time is unknown again.
      insole.link.boot = "1-3"
      let before = insole.link.written.count
      #expect(try await BotzSession(insole.link).check().clock?.wasSet == false)
      #expect(insole.link.written.count == before && insole.link.notes.last?.contains("not set by this hub") == true)
    }
  }

  @Test("with a trusted clock again, gives the insole the right time and carries that on")
  func trustedAgain() throws {
    try onLoop { _ in
      let insole = PocketInsole()
      (insole.fallsBack, insole.link.isTrusted, insole.uptime) = (true, false, 60)
      insole.clockError = Int64(Botz.bootTime) + 60 - insole.link.hubTime.wall.microseconds / 1_000_000
      let session = BotzSession(insole.link)
      _ = try await session.check()
      (insole.link.isTrusted, insole.link.wall) = (true, insole.link.wall + 86_400_000_000)
      insole.clockError -= 86_400
      try await session.attend()
      #expect(abs(insole.clock - insole.link.hubTime.wall.microseconds / 1_000_000) <= 1)
      insole.link.isTrusted = false
      insole.link.wait(.seconds(5000))
      #expect(try await BotzSession(insole.link).check().clock?.wasSet == true)
      #expect(abs(insole.clock - insole.link.hubTime.wall.microseconds / 1_000_000) <= 1)
    }
  }

  @Test("reports what a clock that fell back shows, beside what it would show")
  func fallen() throws {
    try onLoop { _ in
      let insole = PocketInsole()
      (insole.link.isTrusted, insole.clockError) = (false, -1025)
      let clock = try #require(try await BotzSession(insole.link).check().clock)
      #expect(
        !clock.wasSet && clock.fallen == 1_024_000_000
          && abs(clock.evidence.device - clock.evidence.wall + 1_000_000) <= 1_000_000)
    }
  }

  @Test("takes a clock that fell back for what it would show without, and any other as it is")
  func unwrapped() {
    let hub: Int64 = 1_795_255_200
    #expect(InsoleClient.unwrapped(hub - 1, hub: hub, uptime: nil) == hub - 1)
    #expect(InsoleClient.unwrapped(hub + 5000, hub: hub, uptime: 9) == hub + 5000)
    #expect(InsoleClient.unwrapped(hub - 14 * 512 - 3, hub: hub, uptime: 90_000) == hub - 3)
    #expect(InsoleClient.unwrapped(hub - 3600 * 24 * 30, hub: hub, uptime: nil) == hub - 3600 * 24 * 30)
    let boot = Int64(Botz.bootTime)
    #expect(InsoleClient.unwrapped(boot + 1300 % 512, hub: hub, uptime: 1300) == boot + 1300)
  }

  @Test("sets the clock every two minutes, and never unless it was set")
  func attendance() throws {
    try onLoop { _ in
      let insole = PocketInsole()
      let session = BotzSession(insole.link)
      #expect(try #require(session.attendance) < .seconds(Int64(Botz.clockWrap)))
      try await session.attend()
      #expect(insole.link.written.isEmpty)
      _ = try await session.check()
      try await session.attend()
      #expect(insole.link.written.map(\.characteristic) == [Botz.Control.setTime, Botz.Control.setTime])
    }
  }

  @Test("of the left foot ends at once, without a write")
  func leftFoot() throws {
    try onLoop { _ in
      let insole = PocketInsole()
      insole.name = Botz.leftFootName
      let trouble = await self.trouble { () async throws(VisitTrouble) in _ = try await BotzSession(insole.link).check()
      }
      guard case .unsupported? = trouble else {
        Issue.record("\(String(describing: trouble))")
        return
      }
      #expect(insole.link.written.isEmpty)
    }
  }

  @Test("of a build without file transfer says so and makes no fetch")
  func noManagement() throws {
    try onLoop { _ in
      let insole = PocketInsole(hasManagement: false)
      let session = BotzSession(insole.link)
      #expect(session.domains.isEmpty)
      let reason = try await session.check().mayNotFetch
      #expect(reason == "this build has no file transfer")
      #expect(insole.link.notes.count == 1)
    }
  }

  @Test("stays passive while another program updates the firmware")
  func updating() throws {
    try onLoop { _ in
      let insole = PocketInsole()
      insole.isUpdating = true
      let report = try await BotzSession(insole.link).check()
      #expect(report.activity == .busy && report.mayNotFetch != nil && insole.link.written.isEmpty)
    }
  }

  @Test("asks for encryption once if an older build wants it, and goes on")
  func encryption() throws {
    try onLoop { _ in
      let insole = PocketInsole(hasProfileRead: true)
      insole.wantsEncryption = true
      let wasSet = try await BotzSession(insole.link).check().clock?.wasSet
      #expect(wasSet == true)
      #expect(insole.link.secured == 1)
    }
  }

  @Test(
    "while an activity is recorded sets the time and leaves all else alone",
    arguments: [Botz.StatusWord.Activity.running, .paused])
  func recording(_ activity: Botz.StatusWord.Activity) throws {
    try onLoop { _ in
      let insole = PocketInsole()
      (insole.activity, insole.files, insole.newest) = (activity, [1: PocketInsole.file(start: 1, records: 3)], 1)
      let session = BotzSession(insole.link)
      let report = try await session.check()
      #expect(report.activity == (activity == .running ? .recording : .paused) && report.mayNotFetch != nil)
      let trouble = await self.trouble { () async throws(VisitTrouble) in
        _ = try await session.domains[0].list(known: [])
      }
      guard case .busy? = trouble else {
        Issue.record("\(String(describing: trouble))")
        return
      }
      #expect(insole.asked.isEmpty && insole.link.written.map(\.characteristic) == [Botz.Control.setTime])
    }
  }

  // MARK: actions

  @Test("takes an insole through a session: start, pause, resume, stop, each read back")
  func actions() throws {
    try onLoop { _ in
      let insole = PocketInsole()
      let session = BotzSession(insole.link)
      _ = try await session.check()
      func perform(_ name: String) async throws -> String {
        try await session.perform(try #require(session.actions.first { $0.name == name }))
      }
      #expect(try await perform("start-activity") == "an activity is being recorded")
      #expect(try await perform("start-activity") == "no change needed: it is recording an activity already")
      #expect(try await perform("pause") == "the activity is paused")
      #expect(try await perform("resume") == "the activity goes on")
      #expect(try await perform("stop-activity") == "stopped: activity_001.dat")
      #expect(try await perform("stream-start") == "foot pressure and orientation are streamed")
      #expect(try await perform("stream-stop") == "the streams have ended")
      let commands = insole.link.written.filter { $0.characteristic != Botz.Control.setTime }
      #expect(commands.map { $0.value } == [[1], [2], [2], [1], [5], [5]])
      #expect(
        commands.map(\.characteristic).map { $0 == Botz.Control.start } == [true, false, true, false, true, false])
    }
  }

  @Test("an action that the state does not allow says what ends that state, and is done after it")
  func untimely() throws {
    try onLoop { _ in
      for state in Botz.StatusWord.Activity.allCases {
        for action in BotzAction.allCases where action.step(from: state) == nil && action.goal != state {
          let insole = PocketInsole()
          insole.activity = state
          let session = BotzSession(insole.link)
          _ = try await session.check()
          var trouble = await self.trouble { () async throws(VisitTrouble) in
            _ = try await session.perform(action.action)
          }
          guard case .needsAttention(.requestUntimely, let what)? = trouble else {
            Issue.record("\(action) from \(state): \(String(describing: trouble))")
            continue
          }
          // If the message names an action, that one yields; otherwise there is no action to end.
          guard let first = what.split(separator: " ").last.map({ String($0) }), what.contains("first: ") else {
            continue
          }
          let named = try #require(BotzAction.allCases.first { $0.action.name == first }, "\(what)")
          _ = try await session.perform(named.action)
          trouble = await self.trouble { () async throws(VisitTrouble) in
            _ = try await session.perform(action.action)
          }
          #expect(trouble == nil, "\(action) from \(state): \(String(describing: trouble))")
        }
      }
    }
  }

  @Test("never writes a step that the firmware does not survive")
  func forbidden() throws {
    try onLoop { _ in
      for state in Botz.StatusWord.Activity.allCases {
        for action in BotzAction.allCases where action.step(from: state) == nil && action.goal != state {
          let insole = PocketInsole()
          insole.activity = state
          let session = BotzSession(insole.link)
          let trouble = await self.trouble { () async throws(VisitTrouble) in
            _ = try await session.perform(action.action)
          }
          guard case .needsAttention(.requestUntimely, let what)? = trouble else {
            Issue.record("\(action) from \(state): \(String(describing: trouble))")
            continue
          }
          #expect(what == "is \(state.name); \(action.obstacle(in: state))")
          #expect(insole.link.written.isEmpty)
        }
      }
      // Exactly the subset that a gateway may use.
      let allowed = BotzAction.allCases.flatMap { action in
        Botz.StatusWord.Activity.allCases.compactMap { state in
          action.step(from: state).map { "\(state) \($0.write) \($0.goal)" }
        }
      }
      #expect(allowed.count == 9)
    }
  }

  @Test("says that an action was acknowledged and had no effect")
  func ineffectiveAction() throws {
    try onLoop { _ in
      let insole = StubbornInsole()
      let session = BotzSession(insole.link)
      let trouble = await self.trouble { () async throws(VisitTrouble) in
        _ = try await session.perform(BotzAction.startActivity.action)
      }
      guard case .silent(let what)? = trouble else {
        Issue.record("\(String(describing: trouble))")
        return
      }
      #expect(what == "start-activity: acknowledged, but it is idle")
    }
  }

  @Test("knows no other action")
  func unknownAction() throws {
    try onLoop { _ in
      let session = BotzSession(PocketInsole().link)
      let trouble = await self.trouble { () async throws(VisitTrouble) in
        _ = try await session.perform(WearableAction("reset-bonds", ""))
      }
      #expect(trouble == .unsupported("reset-bonds"))
    }
  }
}

/// Acknowledges every write and has no other effect.
@LoopActor
private final class StubbornInsole: LinkPeer {
  private let other = PocketInsole()
  private(set) lazy var link = ScriptedLink(self)
  var database: GATTDatabase { other.database }
  func read(_ characteristic: GATTCharacteristic) throws(VisitTrouble) -> [UInt8] { try other.read(characteristic) }
  func write(_ characteristic: GATTCharacteristic, _ value: [UInt8]) throws(VisitTrouble) {}
  func command(_ characteristic: GATTCharacteristic, _ value: [UInt8]) throws(VisitTrouble) {}
}
