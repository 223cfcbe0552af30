import EventLoop
import Health
import Testing
import Wearable

@testable import Bluetooth
@testable import BotzFamily
@testable import DriverTestSupport

@Suite("Streams that are ordered of an insole", .serialized)
struct InsoleStreamTests {
  @LoopActor private func commands(_ insole: PocketInsole) -> [String] {
    insole.link.written.compactMap { write in
      write.characteristic == Botz.Control.start
        ? "start \(write.value[0])" : write.characteristic == Botz.Control.stop ? "stop \(write.value[0])" : nil
    }
  }

  @Test(
    "are begun with the one start that has them, shown as running, and ended by stop 5",
    arguments: [([.footPressure], "start 3"), ([.orientation], "start 4"), ([.footPressure, .orientation], "start 5")]
      as [(Set<Series>, String)])
  func begun(_ streams: Set<Series>, _ start: String) throws {
    try onLoop { _ in
      let insole = PocketInsole()
      insole.link.orders.streams = streams
      let session = BotzSession(insole.link)
      _ = try await session.check()
      #expect(!session.needsClosing)
      try await session.wentLive()
      #expect(self.commands(insole) == [start] && session.needsClosing)
      let rows = try await session.report("streams")
      #expect(
        Set(rows.map(\.name)) == Set(streams.map(\.name))
          && rows.allSatisfy { $0.fields == [ReportRow.Field("state", "running")] })
      // Files are fetched without them, and then they go on.
      _ = try await session.domains[0].list(known: [])
      #expect(self.commands(insole) == [start, "stop 5"] && insole.activity == .idle)
      try await session.wentLive()
      insole.link.orders.streams = []
      try await session.ordersChanged()
      #expect(
        self.commands(insole) == [start, "stop 5", start, "stop 5"] && !session.needsClosing
          && insole.link.memory[BotzActiveStreamsFlag.self] == nil)
    }
  }

  @Test("change from one to the other by way of idle, and end before the hub hangs up")
  func changed() throws {
    try onLoop { _ in
      let insole = PocketInsole()
      insole.link.orders.streams = [.footPressure]
      let session = BotzSession(insole.link)
      try await session.wentLive()
      insole.link.orders.streams = [.footPressure, .orientation]
      try await session.ordersChanged()
      #expect(self.commands(insole) == ["start 3", "stop 5", "start 5"])
      try await session.close()
      #expect(self.commands(insole).last == "stop 5" && insole.activity == .idle)
    }
  }

  @Test(
    "wait while a session runs or is paused, and begin when it is over",
    arguments: [Botz.StatusWord.Activity.running, .paused])
  func waits(_ activity: Botz.StatusWord.Activity) throws {
    try onLoop { _ in
      let insole = PocketInsole()
      (insole.activity, insole.link.orders.streams) = (activity, [.footPressure])
      let session = BotzSession(insole.link)
      try await session.wentLive()
      for _ in 0..<5 { try await session.attend() }
      #expect(self.commands(insole).isEmpty && !session.needsClosing)
      let row = try #require(try await session.report("streams").first)
      #expect(row.fields.first?.value == "waiting" && row.fields.last?.value == "it is \(activity.name)")
      insole.activity = .idle
      let status = try #require(insole.database.characteristic(Botz.Information.status, in: Botz.Information.service))
      insole.link.notify(status, Botz.StatusWord(.idle).encode())
      try await session.attend()
      #expect(self.commands(insole) == ["start 3"])
    }
  }

  @Test("are not begun by a start that a wearer's session was quicker than")
  func race() throws {
    try onLoop { _ in
      let insole = PocketInsole()
      insole.link.orders.streams = [.footPressure]
      let session = BotzSession(insole.link)
      // The status that is read first is idle, the one before the write is not.
      var reads = 0
      insole.whenSettled = {
        reads += 1
        if reads == 5 { insole.activity = .running }
      }
      try await session.wentLive()
      #expect(insole.activity == .running && self.commands(insole).isEmpty)
    }
  }

  @Test("that were left on by a dead hub are ended when no order wants them; those of other programs are not")
  func leftOn() throws {
    try onLoop { _ in
      for isOurs in [true, false] {
        let insole = PocketInsole()
        insole.activity = .bothStreams
        if isOurs { try insole.link.remember(BotzActiveStreamsFlag()) }
        let session = BotzSession(insole.link)
        #expect(session.needsClosing == isOurs)
        try await session.wentLive()
        #expect(self.commands(insole) == (isOurs ? ["stop 5"] : []) && insole.link.memory.entries.isEmpty)
      }
    }
  }

  @Test(
    """
    that are shown and do not come are reported with their code, tried less and less often, and end up as trouble of a \
    visit
    """
  )
  func silent() throws {
    try onLoop { _ in
      let insole = PocketInsole()
      (insole.streamsCome, insole.link.orders.streams) = (false, [.orientation])
      let session = BotzSession(insole.link)
      try await session.wentLive()
      try await session.finish()
      for _ in 0..<30 {
        try await insole.link.settle(for: .seconds(5))
        try await session.attend()
      }
      let starts = self.commands(insole).count { $0 == "start 4" }
      #expect(starts >= 3 && starts <= 5, "\(self.commands(insole))")
      let row = try #require(try await session.report("streams").first)
      #expect(row.fields.map(\.value).prefix(2) == ["refused", "H2133"])
      do throws(VisitTrouble) {
        try await session.finish()
        Issue.record("no trouble")
      } catch {
        guard case .needsAttention(.streamNotBegun, _) = error else { throw error }
      }
      insole.streamsCome = true
      try await session.ordersChanged()
      try await session.finish()
    }
  }

  @Test("that fall silent are started again")
  func fallSilent() throws {
    try onLoop { _ in
      let insole = PocketInsole()
      insole.link.orders.streams = [.footPressure]
      let session = BotzSession(insole.link)
      try await session.wentLive()
      for _ in 0..<4 {
        try await insole.link.settle(for: .seconds(5))
        try await session.attend()
      }
      #expect(self.commands(insole) == ["start 3"])
      insole.streamsCome = false
      for _ in 0..<4 {
        try await insole.link.settle(for: .seconds(5))
        try await session.attend()
      }
      insole.streamsCome = true
      for _ in 0..<4 {
        try await insole.link.settle(for: .seconds(5))
        try await session.attend()
      }
      #expect(self.commands(insole).prefix(3) == ["start 3", "stop 5", "start 3"])
    }
  }

  @Test("give way to a session that an operator begins, and cannot be ended by an action")
  func actions() throws {
    try onLoop { _ in
      let insole = PocketInsole()
      insole.link.orders.streams = [.footPressure]
      let session = BotzSession(insole.link)
      try await session.wentLive()
      do throws(VisitTrouble) {
        _ = try await session.perform(BotzAction.stopStream.action)
        Issue.record("ended, and begun again soon")
      } catch {
        guard case .unsupported(let why) = error else { throw error }
        #expect(why.contains("set streams none"))
      }
      #expect(try await session.perform(BotzAction.startActivity.action) == "an activity is being recorded")
      #expect(self.commands(insole) == ["start 3", "stop 5", "start 1"])
    }
  }

  // MARK: the end of a session

  @Test(
    """
    a session whose file has the number of the one before is not said to be lost: it was announced, or its file says \
    when it ended
    """,
    arguments: [true, false])
  func sameNumber(_ isAnnounced: Bool) throws {
    try onLoop { _ in
      let insole = PocketInsole()
      // After an erase the announcement is stale and numbers begin again; after 255 the first file is appended to.
      insole.newest = 1
      let session = BotzSession(insole.link)
      _ = try await session.check()
      _ = try await session.perform(BotzAction.startActivity.action)
      insole.whenSettled = {
        guard isAnnounced, insole.activity == .idle,
          let newest = insole.database.characteristic(Botz.Information.newestFile, in: Botz.Information.service)
        else { return }
        insole.endsNow = false
        insole.link.notify(newest, [insole.newest])
      }
      #expect(try await session.perform(BotzAction.stopActivity.action) == "stopped: activity_001.dat")
    }
  }

  @Test("a session without data is said to be lost")
  func lost() throws {
    try onLoop { _ in
      let insole = PocketInsole()
      (insole.endsNow, insole.newest) = (false, 1)
      let session = BotzSession(insole.link)
      _ = try await session.check()
      _ = try await session.perform(BotzAction.startActivity.action)
      let answer = try await session.perform(BotzAction.stopActivity.action)
      #expect(answer.contains("may be lost"))
    }
  }
}
