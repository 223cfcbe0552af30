import Bands
import CivilTime
import EventLoop
import Health
import Reasons
import StateCodec
import Testing
import Wearable

@testable import DriverTestSupport
@testable import FitCloudFamily

@Suite("A visit to a FitCloud band", .serialized)
struct FitCloudSessionTests {
  @LoopActor
  private func session(_ band: PocketBand) throws -> FitCloudSession { try #require(FitCloudSession(band.link)) }

  @LoopActor
  private func trouble(_ body: () async throws(VisitTrouble) -> Void) async -> VisitTrouble? {
    do throws(VisitTrouble) { try await body() } catch { return error }
    return nil
  }

  @Test(
    "binds with the first link and logs in with the next one, as the same user", arguments: FitCloudGeneration.allCases)
  func binding(_ generation: FitCloudGeneration) throws {
    try onLoop { _ in
      let band = PocketBand(generation)
      let first = try session(band)
      _ = try await first.check()
      #expect(first.isBound && band.link.remembered(BandBinding.self) != nil)
      let bind = try #require(band.asked.first)
      #expect(bind.id == FitCloudQuestion.bind(generation).ask && bind.value.count == 32 && bind.value[29] == 1)
      let again = PocketBand(generation)
      again.link.memory = band.link.memory
      _ = try await session(again).check()
      let login = try #require(again.asked.first)
      #expect(login.id == FitCloudQuestion.login(generation).ask && login.value == bind.value)
    }
  }

  @Test("binds a band again that refuses the login, since it was reset; one that refuses that too has another owner")
  func reset() throws {
    try onLoop { _ in
      let band = PocketBand()
      _ = try await session(band).check()
      band.loginResult = 1
      let again = try session(band)
      _ = try await again.check()
      let bind = FitCloudQuestion.bind(.new).ask
      #expect(again.isBound && band.asked.count { $0.id == bind } == 2)
      band.result = 5
      let last = try session(band)
      let trouble = await trouble { () throws(VisitTrouble) in _ = try await last.check() }
      #expect(trouble == .bindingRefused(.resetNeeded) && !last.isBound && band.asked.count { $0.id == bind } == 3)
    }
  }

  @Test("finds out by the reply which keys a band speaks")
  func otherKeys() throws {
    try onLoop { _ in
      let band = PocketBand()
      band.mute = [FitCloudQuestion.bind(.new).ask]
      let session = try session(band)
      let trouble = await trouble { () throws(VisitTrouble) in _ = try await session.check() }
      #expect(trouble == .silent(what: "being bound"))
      #expect(band.asked.map(\.id) == [FitCloudQuestion.bind(.new).ask, FitCloudQuestion.bind(.old).ask])
    }
  }

  @Test(
    "says why it was refused",
    arguments: zip(
      [1, 2, 3, 5, 9] as [UInt8],
      [.unexplained, .cancelled, .notConfirmed, .resetNeeded, .unexplained] as [BindingRefusal]))
  func refused(_ code: UInt8, _ why: BindingRefusal) throws {
    try onLoop { _ in
      let band = PocketBand()
      band.result = code
      let session = try session(band)
      let trouble = await trouble { () throws(VisitTrouble) in _ = try await session.check() }
      #expect(trouble == .bindingRefused(why) && !session.isBound)
      let reasons: [BindingRefusal: Reason] = [
        .unexplained: .bindingRefused, .cancelled: .bindingNotConfirmed, .notConfirmed: .bindingNotConfirmed,
        .resetNeeded: .bindingNeedsReset,
      ]
      guard case .needsAttention(let reason, _)? = trouble else { throw DoesNotFit(description: "\(code)") }
      #expect(reason == reasons[why])
      #expect(band.link.remembered(BandBinding.self) == nil && session.domains.isEmpty)
    }
  }

  @Test("unbinds, and keeps no state after that")
  func unbinding() throws {
    try onLoop { _ in
      let band = PocketBand()
      let session = try session(band)
      _ = try await session.check()
      try await session.unbind()
      #expect(!session.isBound && band.link.remembered(BandBinding.self) == nil)
      #expect(band.asked.last?.id == FitCloudQuestion.unbind(.new).ask)
    }
  }

  @Test("leaves a band of the new platform to its driver")
  func otherPlatform() throws {
    try onLoop { _ in
      let band = PocketBand()
      band.stranger = [0xAB, 3, 1, 0, 0, 2, 0, 0, 0, 1, 8, 1]
      let crc = CRC16ARC.of([8, 1] as [UInt8])
      band.stranger?[6] = UInt8(crc >> 8)
      band.stranger?[7] = UInt8(crc & 0xFF)
      let session = try session(band)
      let trouble = await trouble { () throws(VisitTrouble) in _ = try await session.check() }
      #expect(trouble == .unsupported("it speaks the new platform's protocol"))
      #expect(session.belongsTo == Band.nextDriver)
    }
  }

  @Test("reports its identity, its charge, and which of its data is not served")
  func facts() throws {
    try onLoop { _ in
      let band = PocketBand()
      band.features |= 1 << 2
      let session = try session(band)
      let report = try await session.check()
      #expect(report.battery == 80)
      #expect(report.facts.contains(.model("FitCloud project 000000001234")))
      #expect(report.facts.contains(.charging("charging")))
      #expect(report.facts.contains(.notServed(FitCloudSession.notMeasured)))
      #expect(!session.domains.contains { $0.id.hasPrefix("blood") })
      band.features |= 1 << 21
      let pump = try await session.check()
      #expect(!pump.facts.contains(.notServed(FitCloudSession.notMeasured)))
      #expect(session.domains.contains { $0.id == "blood-pressure" })
      #expect(!session.measurable.contains(.systolicPressure))
    }
  }

  @Test("sets the clock to local time, and takes for shown before what it was given last")
  func clock() throws {
    try onLoop { _ in
      let band = PocketBand()
      let first = try await session(band).check()
      let wall = band.link.hubTime.wall.microseconds
      let set = try #require(band.clock)
      #expect(abs(set - wall) < 3_000_000)
      let shown = try #require(first.clock)
      #expect(
        shown.wasSet && shown.evidence == shown.afterwards
          && abs(shown.evidence.device - shown.evidence.wall) < 2_000_000)
      // The clock is an hour ahead of before.
      let again = PocketBand()
      again.link.memory = band.link.memory
      var memory = try #require(again.link.remembered(FitCloudMemory.self))
      memory.eras = ClockEras(offset: -3600, firstGiven: nil)
      try again.link.remember(memory)
      let second = try #require(try await session(again).check().clock)
      let after = try #require(second.afterwards)
      #expect(second.wasSet)
      let third = try #require(try await self.session(again).check().clock)
      #expect(!third.wasSet && third.afterwards == nil && again.asked.count { $0.id == .setTime } == 2)
      #expect(abs(second.evidence.device - after.device + 3_600_000_000) <= 1_000_000)
    }
  }

  @Test("gives the time once more if its frame had to be repeated")
  func lateClock() throws {
    try onLoop { _ in
      let band = PocketBand()
      let session = try session(band)
      band.unheardKey = .setTime
      _ = try await session.check()
      #expect(band.asked.count { $0.id == .setTime } == 2)
      #expect(abs((band.clock ?? 0) - band.link.hubTime.wall.microseconds) < 3_000_000)
    }
  }

  @Test("leaves the clock alone if the hub does not know the time")
  func untrusted() throws {
    try onLoop { _ in
      let band = PocketBand()
      band.link.isTrusted = false
      let report = try await session(band).check()
      #expect(band.clock == nil && report.clock == nil)
    }
  }

  @Test("gives the old generation the body of its wearer")
  func body() throws {
    try onLoop { _ in
      let band = PocketBand(.old)
      var facts = BodyFacts()
      (facts.born, facts.sex, facts.height, facts.weight) = (LocalDate(year: 1992, month: 3, day: 1), .male, 178, 70)
      band.link.orders.wearer = WearerBody(number: 1, facts)
      _ = try await session(band).check()
      #expect(band.profile == Array(hexadecimal: "A2B21180"))
      let told = try session(band)
      _ = try await told.check()
      #expect(try await told.report("band").count == 1)
      // Of another wearer the sex alone is known: no fact of the one before stays, and the rest is shown as assumed.
      facts = BodyFacts()
      facts.sex = .female
      band.link.orders.wearer = WearerBody(number: 2, facts)
      let assuming = try session(band)
      _ = try await assuming.check()
      #expect(band.profile == FitCloudProfile(isMale: false, age: 30, height: 340, weight: 130).bytes)
      #expect(
        try await assuming.report("band").last?.fields == [ReportRow.Field("assumed", "born, height_cm, weight_kg")])
      band.link.orders.wearer = nil
      band.link.orders.takeOff = 2
      _ = try await session(band).check()
      #expect(band.profile == FitCloudProfile(isMale: true, age: 30, height: 340, weight: 130).bytes)
    }
  }

  @Test("repeats a frame that was not heard, or arrived damaged, and takes the same number")
  func repeats() throws {
    try onLoop { _ in
      let band = PocketBand()
      band.unheard = 2
      band.damaged = 3
      band.stammers = true
      let session = try session(band)
      _ = try await session.check()
      #expect(session.isBound && band.refused.count == 3)
      let deaf = PocketBand()
      deaf.unheard = 3
      let lost = try self.session(deaf)
      let trouble = await trouble { () throws(VisitTrouble) in _ = try await lost.check() }
      #expect(trouble == .silent(what: "key 3/17"))
    }
  }

  @Test("acknowledges what a band says by itself, and reads its monitor again if that was changed on it")
  func attended() throws {
    try onLoop { _ in
      let band = PocketBand()
      let session = try session(band)
      _ = try await session.check()
      #expect(session.attendance == .seconds(5))
      band.monitors[1] = [0, 0, 0, 5, 160, 0, 10]
      let before = band.acknowledged.count
      band.say(FitCloudItem(.configurationChanged))
      try await session.attend()
      #expect(band.acknowledged.count > before)
      #expect(session.monitoring.first { $0.series == .heartRate }?.says.isOn == false)
    }
  }

  @Test("reports today's totals without storing them")
  func totals() throws {
    try onLoop { _ in
      let band = PocketBand()
      let session = try session(band)
      _ = try await session.check()
      let row = try #require(try await session.report("today").first)
      #expect(row.fields.contains(.init("steps", "8421")) && row.fields.contains(.init("mean_heart_rate_bpm", "71")))
      #expect(!FitCloudDriver().syncDomains.contains { $0.id.contains("today") })
      #expect(try await session.report("band").first?.fields.first == .init("generation", "new"))
    }
  }

  @Test("shows the totals that it reported by itself if it does not reply")
  func toldTotals() throws {
    try onLoop { _ in
      let band = PocketBand()
      let session = try session(band)
      _ = try await session.check()
      let totals = try #require(band.totals)
      band.totals = nil
      #expect(try await session.report("today").first?.fields == [.init("raw", "none")])
      band.say(FitCloudItem(.totals, totals))
      try await session.attend()
      #expect(try await session.report("today").first?.fields.first == .init("steps", "8421"))
    }
  }

  @Test("takes what it is from either reply, and before it was asked")
  func information() throws {
    try onLoop { _ in
      let band = PocketBand()
      band.mute = [FitCloudQuestion.information(.new).ask]
      band.repliesAsOld = true
      let session = try session(band)
      _ = try await session.check()
      #expect(session.announced != nil && band.asked.contains { $0.id == FitCloudQuestion.information(.old).ask })
    }
  }

  @Test("gives the time again if the zone's clocks were changed while the link stays")
  func zone() throws {
    try onLoop { _ in
      let band = PocketBand()
      let session = try session(band)
      _ = try await session.check()
      var memory = try #require(band.link.remembered(FitCloudMemory.self))
      memory.eras = ClockEras(offset: 3600, firstGiven: nil)
      try band.link.remember(memory)
      let before = band.asked.count { $0.id == .setTime }
      try await session.attend()
      try await session.attend()
      #expect(band.asked.count { $0.id == .setTime } == before + 1)
    }
  }

  /// Frames that the vendor published.
  private static let conversation = """
    command 0000FF02 AB000005C709000102001B0000
    notify 0000FF03 AB10000000000001
    notify 0000FF03 AB00000702AE001102001C00
    notify 0000FF03 025001
    command 0000FF02 AB10000000000011
    command 0000FF02 AB00000902DF0002050023000400000500
    notify 0000FF03 AB30000000000002
    command 0000FF02 AB00000902DF0002050023000400000500
    notify 0000FF03 AB10000000000002
    """

  @Test("says and hears, byte for byte, what the vendor's samples say")
  func conversation() throws {
    try onLoop { _ in
      let talk = try Conversation(PocketBand().database, Self.conversation)
      let client = try #require(FitCloudClient(talk.link, generation: .new))
      #expect(try await client.ask(.battery(.new)) == [80, 1])
      let order = FitCloudLiveOrder(.heartRate, interval: 5, minutes: 1)
      try await client.send(FitCloudItem(FitCloudQuestion.live(.new).ask, order.ended.bytes))
      #expect(talk.left == 0)
    }
  }

  @Test("hears of its battery by itself")
  func decoder() throws {
    let sink = RecordingSink()
    let decoder = FitCloudDriver().makeDecoder()
    try decoder.tell(FitCloudDriver(), Band.answer, "AB000007F245002202001C00023700", into: sink)
    #expect(sink.samples == [Sample(.battery, 55)] && sink.facts == [.charging("not charging")])
  }

  @Test("announces what it has, and leaves out what it does not confirm")
  func announced() throws {
    try onLoop { _ in
      let band = PocketBand()
      let session = try session(band)
      _ = try await session.check()
      let all = try #require(session.announced)
      #expect(
        all[.heartRate].isSuperset(of: [.history, .onDemand, .monitoring, .monitoringWindow, .monitoringInterval]))
      #expect(all[.respirationRate].isEmpty && all[.systolicPressure].isEmpty)
      let silent = PocketBand()
      silent.mute = [FitCloudQuestion.information(.new).ask]
      let other = try self.session(silent)
      _ = try await other.check()
      #expect(other.announced == nil && other.domains.map(\.id) == ["heart-rate", "spo2", "sleep", "steps"])
    }
  }
}
