import Bands
import Bluetooth
import CivilTime
import EventLoop
import Health
import StateCodec
import Testing
import TopStepMessages
import Wearable

@testable import DriverTestSupport
@testable import TopStepNextFamily

@Suite("The hub's identity for a band of the new platform", .serialized)
struct TopStepBindingTests {
  @LoopActor private static func visit(_ band: PocketBand) async throws -> (TopStepSession, CheckReport) {
    let session = TopStepSession(band.link)
    return (session, try await session.check())
  }

  @Test("it advertises the service of bands, and is claimed as a band")
  func recognised() throws {
    let driver = TopStepNextDriver()
    #expect(driver.id == "topstep-next")
    let band = ScanResults.scanResult(name: "B7", services: [Band.service])
    #expect(driver.recognise(band) == Recognition(kind: "band", priority: Band.priority))
    let fitCloud = ScanResults.scanResult(name: "B7", services: [Band.service], manufacturer: [(0x5448, [1])])
    #expect(driver.recognise(fitCloud) == nil)
    #expect(driver.recognise(ScanResults.scanResult(name: "B7", services: [Band.service, 0xFEEA])) == nil)
    #expect(driver.recognise(ScanResults.scanResult(name: "B7", services: [0x180D])) == nil)
  }

  @Test("it is bound with the first link and logged in to with every later one, as the same user")
  func bindsAndLogsIn() throws {
    try onLoop { _ in
      let band = PocketBand()
      let (session, report) = try await Self.visit(band)
      #expect(session.isBound && report.battery == 80)
      #expect(band.requests(.bind).count == 1 && band.requests(.login).isEmpty)
      #expect(band.asked.first?.topic == .battery, "the first request changes nothing")
      let message = try #require(band.authentication)
      #expect(message.userID == BandBinding.userName(of: band.link.address) && message.userID.utf8.count <= 32)
      #expect(message.hasTime && !message.hasUser, "nobody's body is told")
      let again = TopStepSession(band.link)
      _ = try await again.check()
      #expect(band.requests(.bind).count == 1 && band.requests(.login).count == 1 && again.isBound)
      _ = try await again.check()
      #expect(band.requests(.login).count == 1, "once over a link")
    }
  }

  @Test("what an older hub stored of it is read: a size of pieces beside it is ignored now")
  func readsOldBinding() throws {
    var fields = FieldWriter()
    fields.put(1, Int64(1_795_255_200))
    fields.put(2, UInt16(100))
    var states = RememberedStates()
    states.load(BandBinding.name, .init(version: 1, fields: fields.fields))
    let binding = try #require(states[BandBinding.self])
    #expect(binding.boundAt == 1_795_255_200)
    _ = try states.keep(binding)
    #expect(states.entries[BandBinding.name]?.fields.count == 10, "a tag, a length and a time of eight bytes")
  }

  @Test("each answer to a binding is reported by its consequence")
  func refusals() throws {
    let refused: [(TopStepAuthenticationReply.Result, BindingRefusal)] = [
      (.otherUser, .otherHost), (.cancelled, .cancelled), (.timedOut, .notConfirmed), (.batteryLow, .batteryLow),
      (.resetting, .resetting), (.resetNeeded, .resetNeeded), (.unknown, .unexplained),
      (.UNRECOGNIZED(99), .unexplained),
    ]
    try onLoop { _ in
      for (result, why) in refused {
        let band = PocketBand()
        band.result = result
        let session = TopStepSession(band.link)
        let end = await trouble { () throws(VisitTrouble) in _ = try await session.check() }
        #expect(end == .bindingRefused(why) && !session.isBound)
        #expect(band.link.remembered(BandBinding.self) == nil && band.time == nil)
      }
      let band = PocketBand()
      band.result = .okWithoutClassic
      let (session, _) = try await Self.visit(band)
      #expect(session.isBound && band.time != nil)
    }
  }

  @Test("one that another host has bound meanwhile is not bound again")
  func otherHost() throws {
    try onLoop { _ in
      let band = PocketBand()
      _ = try await Self.visit(band)
      band.owner = "somebody"
      let session = TopStepSession(band.link)
      let end = await trouble { () throws(VisitTrouble) in _ = try await session.check() }
      #expect(end == .bindingRefused(.otherHost) && band.requests(.bind).count == 1)
    }
  }

  @Test("one that was reset has no owner, and is bound again by the link that finds it out")
  func reset() throws {
    try onLoop { _ in
      let band = PocketBand()
      _ = try await Self.visit(band)
      band.owner = nil
      let (session, _) = try await Self.visit(band)
      #expect(session.isBound && band.requests(.login).count == 1 && band.requests(.bind).count == 2)
      #expect(band.owner == BandBinding.userName(of: band.link.address))
    }
  }

  @Test("a band that waits for its wearer is asked once")
  func confirmation() throws {
    try onLoop { _ in
      let band = PocketBand()
      band.silent = [.bind]
      let session = TopStepSession(band.link)
      let before = band.link.now
      let end = await trouble { () throws(VisitTrouble) in _ = try await session.check() }
      guard case .silent? = end else { return #expect(Bool(false), "\(String(describing: end))") }
      #expect(band.requests(.bind).count == 1)
      #expect((45_000_000_000...47_000_000_000).contains(band.link.now - before))
    }
  }

  @Test("it is unbound when it is removed, and no state of it stays")
  func unbinds() throws {
    try onLoop { _ in
      let band = PocketBand()
      let (session, _) = try await Self.visit(band)
      try await session.unbind()
      #expect(band.owner == nil && !session.isBound && band.link.memory.entries.isEmpty)
      // Over a link without a login so far.
      _ = try await Self.visit(band)
      let fresh = TopStepSession(band.link)
      try await fresh.unbind()
      #expect(band.owner == nil && band.link.memory.entries.isEmpty)
      let bindings = band.requests(.bind).count
      try await TopStepSession(band.link).unbind()
      #expect(band.requests(.bind).count == bindings, "what was never bound is not bound to be let go of")
    }
  }

  @Test("a band that answers as FitCloud's do belongs to their driver, and is not bound")
  func belongsToFitCloud() throws {
    try onLoop { _ in
      // A band that refuses what it hears, one that acknowledges, one that reports a value, and one that skips what is
      // not in its layout.
      let answers: [[UInt8]] = [
        Array(hexadecimal: "AB30000000000000")!, Array(hexadecimal: "AB10000000000001")!, FitCloudAnswer.question,
      ]
      for answer in answers {
        let band = PocketBand()
        band.instead = { _ in [answer] }
        let session = TopStepSession(band.link)
        let end = await trouble { () throws(VisitTrouble) in _ = try await session.check() }
        guard case .unsupported? = end else { return #expect(Bool(false), "\(String(describing: end))") }
        #expect(session.belongsTo == Band.fitCloudDriver && band.asked.allSatisfy { $0.topic == .battery })
      }
      let band = SilentBand()
      let session = TopStepSession(band.link)
      let end = await trouble { () throws(VisitTrouble) in _ = try await session.check() }
      guard case .unsupported? = end else { return #expect(Bool(false), "\(String(describing: end))") }
      #expect(session.belongsTo == "fitcloud")
    }
  }

  @Test("one that never answers has no owner, and is not bound")
  func silence() throws {
    try onLoop { _ in
      let band = PocketBand()
      band.silent = [.battery]
      let before = band.link.now
      let session = TopStepSession(band.link)
      let end = await trouble { () throws(VisitTrouble) in _ = try await session.check() }
      guard case .silent? = end else { return #expect(Bool(false), "\(String(describing: end))") }
      #expect(session.belongsTo == nil && band.requests(.bind).isEmpty && band.requests(.battery).count == 2)
      #expect(band.link.now - before < 12_000_000_000, "before a visit counts as stalled")
    }
  }

  @Test("a request is repeated twice, half a second after five of silence, and its late answer does no harm")
  func repeats() throws {
    try onLoop { _ in
      let band = PocketBand()
      band.losing = [.battery: 2]
      let before = band.link.now
      let channel = try #require(TopStepChannel(band.link))
      try await channel.begin()
      let answer = try await channel.ask(.battery)
      #expect(try TopStepBattery(wire: answer).level == 80 && band.requests(.battery).count == 3)
      let sequences = Set(band.requests(.battery).map(\.sequence))
      #expect(sequences.count == 1 && band.link.now - before > 11_000_000_000)
    }
  }

  @Test("one that was never bound is asked twice before it is taken for another family's, and one that was three times")
  func slow() throws {
    try onLoop { _ in
      let band = PocketBand()
      band.losing = [.battery: 1]
      let (session, report) = try await Self.visit(band)
      #expect(session.isBound && report.battery == 80 && band.requests(.battery).count == 2)
      band.losing = [.battery: 2]
      let (again, _) = try await Self.visit(band)
      #expect(again.isBound && band.requests(.battery).count == 5)
    }
  }

  @Test("answers are matched by their sequence, if the band repeats that")
  func sequences() throws {
    try onLoop { _ in
      let band = PocketBand()
      let channel = try #require(TopStepChannel(band.link))
      try await channel.begin()
      _ = try await channel.ask(.battery)
      #expect(channel.echoesSequence == true)
      // An answer that is left of an earlier request.
      let earlier = try #require(band.requests(.battery).last?.sequence)
      band.notify(TopStepFrame(topic: .battery, sequence: earlier, payload: [0x08, 0x05]).bytes)
      #expect(try TopStepBattery(wire: try await channel.ask(.battery)).level == 80)
      let other = PocketBand()
      other.echoes = false
      let (session, _) = try await Self.visit(other)
      #expect(session.isBound)
    }
  }

  @Test("a band that counts its own frames is known as one, also if its first number is that of the request")
  func chance() throws {
    try onLoop { _ in
      let band = PocketBand()
      band.echoes = false
      // The first request of a link has this number plus one, as has the answer to it.
      band.own = 0x7FFF
      let channel = try #require(TopStepChannel(band.link))
      try await channel.begin()
      _ = try await channel.ask(.battery)
      #expect(channel.echoesSequence == true)
      // What it tells by itself counts, too.
      band.tell(.dataChanged, [])
      let before = band.link.now
      _ = try await channel.ask(.battery)
      #expect(channel.echoesSequence == false && band.link.now - before < 1_000_000_000)
    }
  }

  @Test("an answer that comes twice is one answer, also of a band that counts its own frames")
  func doubled() throws {
    try onLoop { _ in
      let band = PocketBand()
      band.echoes = false
      let channel = try #require(TopStepChannel(band.link))
      try await channel.begin()
      _ = try await channel.ask(.deviceInfo)
      _ = try await channel.ask(.battery)
      // The newest answer again, as a repetition.
      band.notify(TopStepFrame(topic: .battery, flags: 2, sequence: band.own, payload: [0x08, 0x05]).bytes)
      #expect(try TopStepBattery(wire: try await channel.ask(.battery)).level == 80)
    }
  }

  @Test("a body that was sent when the hub ended has no owner: the next wearer's is sent, also if it is assumed")
  func brokenOff() throws {
    try onLoop { _ in
      func body(_ number: UInt32, _ height: Int, _ weight: Int?) -> WearerBody {
        var facts = BodyFacts()
        facts.born = LocalDate(year: 1980, month: 1, day: 1)
        (facts.sex, facts.height, facts.weight) = (.female, height, weight)
        return WearerBody(number: number, facts)
      }
      for next in [body(1, 160, nil), body(3, 170, nil), nil] as [WearerBody?] {
        let band = PocketBand()
        band.link.orders.wearer = body(1, 160, 60)
        _ = try await TopStepSession(band.link).check()
        let before = band.link.remembered(WearerTold.self)
        #expect(band.user?.height == 160)
        // The band hears the login with the body, and its answer is lost with the link.
        band.link.orders.wearer = body(2, 184, 80)
        band.instead = { frame in
          guard frame.topic == .login, let message = try? TopStepAuthentication(wire: frame.payload) else { return nil }
          if message.hasUser { band.take(message.user) }
          return []
        }
        _ = await trouble { () throws(VisitTrouble) in _ = try await TopStepSession(band.link).check() }
        #expect(band.user?.height == 184 && band.link.remembered(WearerTold.self) != before)
        band.instead = nil
        band.link.orders.wearer = next
        if next == nil { band.link.orders.takeOff = 2 }
        _ = try await TopStepSession(band.link).check()
        #expect(band.user?.height != 184, "nothing of the second one stays")
      }
    }
  }

  @Test("the wearer's body is sent if all of it is known, once, and again when it changes")
  func wearer() throws {
    try onLoop { _ in
      let band = PocketBand()
      var facts = BodyFacts()
      (facts.sex, facts.height, facts.weight) = (.male, 178, 70)
      band.link.orders.wearer = WearerBody(number: 1, facts)
      _ = try await Self.visit(band)
      #expect(band.user == nil, "nobody told when it was born")
      facts.born = LocalDate(year: 1992, month: 3, day: 1)
      band.link.orders.wearer = WearerBody(number: 1, facts)
      let (session, _) = try await Self.visit(band)
      #expect(band.user?.age == 34 && band.user?.height == 178 && band.user?.gender == .male)
      #expect(band.requests(.user).isEmpty, "it came with the login")
      try await session.ordersChanged()
      #expect(band.requests(.user).isEmpty)
      facts.weight = 72
      band.link.orders.wearer = WearerBody(number: 1, facts)
      try await session.ordersChanged()
      #expect(band.requests(.user).count == 1 && band.user?.weight == 72)
    }
  }

  @Test(
    "of another wearer no value of the one before stays: what is not known is assumed, and shown; taken off by order")
  func wearers() throws {
    try onLoop { _ in
      let band = PocketBand()
      var facts = BodyFacts()
      (facts.sex, facts.height, facts.weight) = (.female, 158, 50)
      facts.born = LocalDate(year: 1941, month: 3, day: 1)
      band.link.orders.wearer = WearerBody(number: 1, facts)
      _ = try await Self.visit(band)
      #expect(band.user?.age == 85)
      var young = BodyFacts()
      young.height = 190
      band.link.orders.wearer = WearerBody(number: 2, young)
      let (session, _) = try await Self.visit(band)
      #expect(band.user?.age == 30 && band.user?.height == 190 && band.user?.weight == 65 && band.user?.gender == .male)
      let rows = try await session.report("band")
      #expect(rows.last?.fields == [ReportRow.Field("assumed", "born, sex, weight_kg")])
      band.link.orders.wearer = nil
      band.link.orders.takeOff = 2
      _ = try await Self.visit(band)
      #expect(band.user?.height == 170)
    }
  }
}

/// Acknowledges what is in FitCloud's layout, and passes over everything else.
@LoopActor
private final class SilentBand: LinkPeer {
  let database = PocketBand().database
  private(set) lazy var link = ScriptedLink(self)
  func read(_ characteristic: GATTCharacteristic) throws(VisitTrouble) -> [UInt8] { [] }
  func write(_ characteristic: GATTCharacteristic, _ value: [UInt8]) throws(VisitTrouble) {}
  func command(_ characteristic: GATTCharacteristic, _ value: [UInt8]) throws(VisitTrouble) {
    guard value == FitCloudAnswer.question,
      let answer = database.characteristic(Band.answer, in: Band.service)
    else { return }
    link.notify(answer, Array(hexadecimal: "AB10000000000001")!)
  }
}
