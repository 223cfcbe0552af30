import EventLoop
import PolarMessages
import Reasons
import Testing
import Wearable

@testable import Bluetooth
@testable import CivilTime
@testable import DriverTestSupport
@testable import Health
@testable import PolarFamily

@Suite("What people order of a Polar wearable", .serialized)
struct PolarOrdersTests {
  private func settings(_ change: (inout PbUserDeviceSettings) -> Void = { _ in }) throws -> [UInt8] {
    var message = PbUserDeviceSettings()
    message.generalSettings.deviceLocation = .deviceLocationWristLeft
    message.telemetrySettings.telemetryEnabled = true
    message.usbConnectionSettings.mode = .on
    message.lastModified.date.year = 2026
    message.lastModified.date.month = 1
    message.lastModified.date.day = 1
    message.lastModified.time.hour = 0
    message.lastModified.time.minute = 0
    message.lastModified.time.seconds = 0
    message.lastModified.trusted = true
    change(&message)
    return try message.wire()
  }

  private let path = Polar.DeviceSettings.path(.v2)

  /// A visit.
  @LoopActor
  private func visit(_ pocket: PocketTransfer) async throws(VisitTrouble) {
    let session = PolarSession(pocket.link)
    _ = try await session.check()
    try await session.finish()
  }

  @LoopActor
  private func attention(_ body: () async throws(VisitTrouble) -> Void) async -> String? {
    do throws(VisitTrouble) { try await body() } catch {
      if case .needsAttention(let reason, let what) = error { return "\(reason.code) \(what)" }
      return "\(error)"
    }
    return nil
  }

  @Test("a band without a heard name since the start is known by the model that it reports, and gets its wearer")
  func withoutName() throws {
    try onLoop { _ async throws in
      let pocket = PocketTransfer.band()
      pocket.link.known.advertisedName = nil
      pocket.link.known.model = "360"
      var facts = BodyFacts()
      (facts.born, facts.sex, facts.height, facts.weight) = (LocalDate(year: 1980, month: 5, day: 17), .female, 171, 62)
      pocket.link.orders.wearer = WearerBody(number: 1, facts)
      try await visit(pocket)
      #expect(pocket.files[PolarFile.physicalDataPath] != nil)
    }
  }

  // MARK: features

  @Test("an unwanted feature is switched off and read back, left alone then, and on again when an order wants it")
  func switches() throws {
    try onLoop { _ async throws in
      let pocket = PocketTransfer.band()
      pocket.files[path] = try settings()
      pocket.link.orders.switchedOff = ["telemetry"]
      try await visit(pocket)
      @LoopActor func kept() throws -> PbUserDeviceSettings { try PbUserDeviceSettings(wire: pocket.files[path] ?? []) }
      #expect(
        try !kept().telemetrySettings.telemetryEnabled && kept().usbConnectionSettings.mode == .on
          && kept().generalSettings.deviceLocation == .deviceLocationWristLeft)
      let writes = pocket.operations.count { $0 == "PUT \(path)" }
      try await visit(pocket)
      #expect(writes == 1 && pocket.operations.count { $0 == "PUT \(path)" } == 1)
      pocket.link.orders.switchedOff = []
      try await visit(pocket)
      #expect(try kept().telemetrySettings.telemetryEnabled)
      let reads = pocket.operations.count { $0 == "GET \(path)" }
      try await visit(pocket)
      #expect(pocket.operations.count { $0 == "GET \(path)" } == reads, "nothing is ordered, so nothing is asked")
    }
  }

  @Test("a setting that the wearable does not keep is said at the end of the visit")
  func refusedSwitch() throws {
    try onLoop { _ async throws in
      let pocket = PocketTransfer.band()
      pocket.files[path] = try settings()
      pocket.ignores = ["PUT \(path)"]
      pocket.link.orders.switchedOff = ["usb"]
      #expect(
        await attention { () throws(VisitTrouble) in try await visit(pocket) }
          == "H2129 has other settings than were ordered: usb stays on")
      pocket.ignores = []
      pocket.refusals = ["PUT \(path)": 106]
      #expect(await attention { () throws(VisitTrouble) in try await visit(pocket) }?.contains("not permitted") == true)
    }
  }

  // MARK: who wears it

  private func ada() -> WearerBody {
    var body = BodyFacts()
    body.born = LocalDate(year: 1980, month: 5, day: 17)
    body.sex = .female
    body.height = 171
    body.weight = 62
    body.restingHeartRate = 51
    return WearerBody(number: 1, body)
  }

  @Test("the age of a wearer is that of the hub's own day, whatever the day in Greenwich", arguments: [-11, 14])
  func birthday(_ hours: Int) throws {
    try onLoop { _ async throws in
      let pocket = PocketTransfer.band()
      let zone = TimeZoneRules(name: "there", changes: [], offsets: [], firstOffset: Int64(hours) * 3600, rule: nil)
      pocket.link.zone = zone
      let now = pocket.link.hubTime.wall.microseconds
      let today = zone.date(of: now)
      let utc = ClockFace(microseconds: now).date
      #expect(today != utc, "the test's morning tells the two apart")
      let later = max(today.dayNumber, utc.dayNumber)
      let birthday = LocalDate(dayNumber: later)
      var wearer = ada()
      wearer.facts.born = LocalDate(year: birthday.year - 46, month: birthday.month, day: birthday.day)
      pocket.link.orders.wearer = wearer
      try await visit(pocket)
      let data = try PbUserPhysData(wire: pocket.files[PolarFile.physicalDataPath] ?? [])
      #expect(data.maximumHeartrate.value == (today.dayNumber == later ? 220 - 46 : 220 - 45))
    }
  }

  @Test("first use is done for its first wearer, and physical data follow the wearer after that")
  func wearers() throws {
    try onLoop { _ async throws in
      let pocket = PocketTransfer.band()
      try await visit(pocket)
      #expect(pocket.files.isEmpty, "nobody wears it")
      pocket.link.orders.wearer = ada()
      try await visit(pocket)
      @LoopActor func data() throws -> PbUserPhysData {
        try PbUserPhysData(wire: pocket.files[PolarFile.physicalDataPath] ?? [])
      }
      #expect(
        try data().height.value == 171 && data().weight.value == 62 && data().gender.value == .female
          && data().restingHeartrate.value == 51)
      #expect(try data().maximumHeartrate.value == 220 - 46, "as the age has it")
      #expect(try PbUserIdentifier(wire: pocket.files[PolarFile.userIdentifierPath] ?? []).isFirstUseDone)
      let puts = pocket.operations.filter { $0.hasPrefix("PUT") }
      #expect(puts == ["PUT \(PolarFile.physicalDataPath)", "PUT \(PolarFile.userIdentifierPath)"])
      try await visit(pocket)
      #expect(pocket.operations.filter { $0.hasPrefix("PUT") } == puts, "it is right")
      var bo = ada()
      bo.number = 2
      (bo.facts.height, bo.facts.maximumHeartRate) = (184, 199)
      pocket.link.orders.wearer = bo
      try await visit(pocket)
      #expect(try data().height.value == 184 && data().maximumHeartrate.value == 199)
      #expect(
        pocket.operations.filter { $0.hasPrefix("PUT") } == puts + ["PUT \(PolarFile.physicalDataPath)"],
        "first use is done once")
    }
  }

  @Test(
    "of an incomplete body no field is written; if it is not kept, that is said; a model without activity is not asked"
  )
  func notWritten() throws {
    try onLoop { _ async throws in
      let pocket = PocketTransfer.band()
      var body = ada()
      body.facts.weight = nil
      pocket.link.orders.wearer = body
      try await visit(pocket)
      #expect(pocket.files.isEmpty)
      let session = PolarSession(pocket.link)
      let wearer = try await session.report("settings").first { $0.name == "wearer" }
      #expect(wearer?.fields.first == ReportRow.Field("state", "not known: weight"))
      pocket.link.orders.wearer = ada()
      pocket.ignores = ["PUT \(PolarFile.physicalDataPath)"]
      let text = await attention { () throws(VisitTrouble) in try await visit(pocket) }
      #expect(text == "H2129 does not take what it should know of its wearer: it does not keep what was written")
      let sensor = PocketTransfer.band("Polar Sense 1234567C")
      sensor.link.orders.wearer = ada()
      try await visit(sensor)
      #expect(!sensor.operations.contains { $0.contains("PHYSDATA") })
    }
  }

  @Test("new orders are brought about over a link that stays, in a sync of their own")
  func changed() throws {
    try onLoop { _ async throws in
      let pocket = PocketTransfer.band()
      let session = PolarSession(pocket.link)
      pocket.link.orders.wearer = ada()
      try await session.ordersChanged()
      #expect(pocket.files[PolarFile.physicalDataPath] != nil)
      #expect(pocket.said.map { $0[1] } == [8, 0, 1, 9])
    }
  }

  @Test(
    """
    when a recording was begun is remembered as long as it runs, and lately for half an hour of the wearable's \
    clock, which is not believed after it was lost
    """
  )
  func begunLately() throws {
    try onLoop { _ async throws in
      let (conversation, _) = try conversation("", remembered: ["begun": "9:x 300:5 2 :: 3:9223372036854775"])
      let recorder = PolarRecorder(conversation.link, try #require(PMD.Client(conversation.link)))
      let then: Int64 = 1_800_000_000_000_000
      #expect(!recorder.hasBegunLately(.acc, now: then) && !recorder.hasBegunLately(.ppi, now: then))
      try recorder.noteBegun([.acc, .ppg], at: then)
      try recorder.noteBegun([], at: then + 1)
      #expect(
        conversation.link.memory[PolarBegun.self]?.times == [
          1: 1_800_000_000, 2: 1_800_000_000, 3: 9_223_372_036_854_775,
        ])
      try recorder.keepBegun([.acc, .ppg, .gyro])
      #expect(
        conversation.link.memory[PolarBegun.self]?.times == [1: 1_800_000_000, 2: 1_800_000_000]
          && recorder.whenBegun(.acc) == then && recorder.whenBegun(.gyro) == nil)
      #expect(
        recorder.hasBegunLately(.acc, now: then + PolarRecorder.shortest - 1_000_000)
          && !recorder.hasBegunLately(.acc, now: then + PolarRecorder.shortest))
      #expect(!recorder.hasBegunLately(.acc, now: then - 1_000_000) && !recorder.hasBegunLately(.gyro, now: then))
      try recorder.noteBegun([.gyro], at: then + PolarRecorder.shortest)
      try recorder.keepBegun([.gyro])
      #expect(
        conversation.link.memory[PolarBegun.self]?.times == [5: 1_800_000_000 + PolarRecorder.shortest / 1_000_000])
      try recorder.keepBegun([])
      #expect(conversation.link.memory[PolarBegun.self] == nil)
    }
  }

  // MARK: what it tells

  @Test("settings are read from the wearable: clock, room, wearer, features")
  func report() throws {
    try onLoop { _ async throws in
      let pocket = PocketTransfer.band()
      pocket.files[path] = try settings()
      pocket.link.orders.wearer = ada()
      pocket.link.orders.switchedOff = ["usb"]
      try await visit(pocket)
      let session = PolarSession(pocket.link)
      #expect(session.reports == ["settings", "today"])
      let rows = try await session.report("settings")
      func field(_ row: String, _ name: String) -> String? {
        rows.first { $0.name == row }?.fields.first { $0.name == name }?.value
      }
      #expect(
        field("clock", "off_by_s") != nil && field("first-use", "done") == "yes"
          && field("place", "worn") == "left wrist" && field("wearer", "state") == "kept")
      #expect(
        field("wearer", "born") == "1980-05-17" && field("wearer", "height_cm") == "171"
          && field("wearer", "sex") == "female")
      #expect(
        field("usb", "on") == "no" && field("usb", "ordered") == "off" && field("telemetry", "on") == "yes"
          && field("training-detection", "on") == nil)
      await #expect(throws: VisitTrouble.unsupported("weather")) { _ = try await session.report("weather") }
    }
  }

  @Test("the recording of sleep is ended if the wearable has a way to, and else refused")
  func sleep() throws {
    try onLoop { _ async throws in
      let pocket = PocketTransfer.band()
      let session = PolarSession(pocket.link)
      let stop = try #require(session.actions.first { $0.name == "sleep-stop" })
      await #expect(throws: VisitTrouble.self) { _ = try await session.perform(stop, []) }
      pocket.files["/REST/SLEEP.API"] = Array("{}".utf8)
      await #expect(throws: VisitTrouble.silent(what: "an unsolicited message")) {
        _ = try await session.perform(stop, [])
      }
      pocket.isSleepRecorded = true
      #expect(try await session.perform(stop, []).hasPrefix("the recording of sleep has ended"))
      #expect(pocket.files["/REST/SLEEP.API?cmd=post&endpoint=stop_sleep_recording"] == Array("{}".utf8))
      #expect(try await session.perform(stop, []) == "no sleep was being recorded")
      await #expect(throws: VisitTrouble.self) { _ = try await session.perform(stop, ["now"]) }
    }
  }

  // MARK: recordings, word for word

  @LoopActor
  private func conversation(_ text: String, remembered: [String: String] = [:]) throws -> (Conversation, PolarArmed) {
    let conversation = try Conversation(.measurements, text)
    conversation.link.takeOver(remembered, PolarDriver())
    let recorder = PolarRecorder(conversation.link, try #require(PMD.Client(conversation.link)))
    return (conversation, PolarArmed(conversation.link, recorder))
  }

  @Test(
    "what was ordered and does not run is begun again as it was ordered, encrypted if there is a secret, and proven")
  func begunAgain() throws {
    try onLoop { _ async throws in
      let key = [UInt8](repeating: 0xAB, count: 16)
      let (conversation, armed) = try conversation(
        """
        write FB005C81 0182
        notify FB005C81 F00182000000023400680001011000020208001000040103
        write FB005C81 0282000134000101100002010800040103060102ABABABABABABABABABABABABABABABAB
        notify FB005C81 F00282000005010000803F
        read FB005C81 0F0E20
        write FB005C81 05
        notify FB005C81 F00500000001820E
        """, remembered: ["recordings": "acc:60/8 ppg"])
      conversation.link.orders.secret = key
      #expect(try await armed.review([.ppg], at: 1_800_000_000_000_000) == [.acc])
      #expect(conversation.link.memory[PolarBegun.self]?.times == [2: 1_800_000_000])
      #expect(await attention { () throws(VisitTrouble) in try await armed.prove() } == "H2128 does not record ppg")
      #expect(armed.unrecorded == [.ppg, .ppg2, .ppg16, .ppg20, .ppg24] && conversation.left == 0)
    }
  }

  @Test("why something could not be begun is said; what a person ended is not missed")
  func refused() throws {
    try onLoop { _ async throws in
      let (conversation, armed) = try conversation(
        """
        write FB005C81 0283
        notify FB005C81 F002830E
        read FB005C81 0F0E20
        write FB005C81 05
        notify FB005C81 F00500000003
        """, remembered: ["recordings": "ppi"])
      #expect(try await armed.review([.acc], at: nil).isEmpty)
      try armed.release(.acc)
      #expect(
        await attention { () throws(VisitTrouble) in try await armed.prove() }
          == "H2128 does not record ppi (start of ppi: its memory is full)")
      #expect(conversation.left == 0)
    }
  }

  @Test("triggers that the wearable gave up are set again, and proven")
  func rearmed() throws {
    try onLoop { _ async throws in
      let (conversation, armed) = try conversation(
        """
        write FB005C81 07
        notify FB005C81 F0070000000000020003
        write FB005C81 0801
        notify FB005C81 F008000000
        write FB005C81 07
        notify FB005C81 F0070000000100020003
        write FB005C81 090002
        notify FB005C81 F009020000
        write FB005C81 09010300
        notify FB005C81 F009030000
        write FB005C81 07
        notify FB005C81 F007000000010002010300
        read FB005C81 0F0E20
        write FB005C81 05
        notify FB005C81 F00500000003
        write FB005C81 07
        notify FB005C81 F007000000010002010300
        """, remembered: ["triggers": "system-start ppi"])
      #expect(try await armed.review([], at: nil).isEmpty)
      #expect(await attention { () throws(VisitTrouble) in try await armed.prove() } == nil)
      #expect(conversation.left == 0)
    }
  }

  @Test(
    """
    a rate that exists in SDK mode alone is recorded in it, entered before and left again if the recording does not \
    begin
    """
  )
  func inSDKMode() throws {
    try onLoop { _ async throws in
      let entered = """
        read FB005C81 0F8662
        write FB005C81 06
        notify FB005C81 F0060000 0000
        write FB005C81 05
        notify FB005C81 F00500000001020309
        write FB005C81 0209
        notify FB005C81 F002090000
        write FB005C81 0482
        notify FB005C81 F0048200000003 0D001A003400 0101 1000 0201 0800 0401 03
        write FB005C81 028200011A0001011000020108000401 03
        """.split(separator: "\n").map { line in
          let words = line.split(separator: " ")
          return words.prefix(2).joined(separator: " ") + " " + words.dropFirst(2).joined()
        }.joined(separator: "\n")
      let (conversation, armed) = try conversation(
        entered + "\nnotify FB005C81 F00282000005010000803F", remembered: ["recordings": "acc:26//sdk"])
      #expect(armed.wanted == [PolarArmed.Wanted(type: .acc, rate: 26, needsSDKMode: true)])
      _ = try await armed.begin(armed.wanted[0], at: nil)
      #expect(conversation.left == 0)
      let left = """

        notify FB005C81 F002820E
        read FB005C81 0F8662
        write FB005C81 06
        notify FB005C81 F006000000 01
        write FB005C81 05
        notify FB005C81 F00500000001020309
        write FB005C81 0309
        notify FB005C81 F003090000
        """.replacing("00 01", with: "0001")
      let (full, again) = try self.conversation(entered + left, remembered: ["recordings": "acc:26//sdk"])
      await #expect(throws: VisitTrouble.self) { _ = try await again.begin(again.wanted[0], at: nil) }
      #expect(full.left == 0)
      let (recorded, waiting) = try self.conversation(
        """
        read FB005C81 0F8662
        write FB005C81 06
        notify FB005C81 F00600000000
        write FB005C81 05
        notify FB005C81 F00500000001820309
        """, remembered: ["recordings": "acc:26//sdk"])
      #expect(try await waiting.review([.acc], at: nil).isEmpty)
      await #expect(
        throws: VisitTrouble.busy(
          what: "it has to enter SDK mode for that, and cannot while acc is recorded or streamed", retryAfter: nil)
      ) {
        _ = try await waiting.begin(PolarArmed.Wanted(type: .gyro, rate: 26, needsSDKMode: true), at: nil)
      }
      #expect(recorded.left == 0)
    }
  }

  @Test("a trigger that another program armed keeps its rate and range; only what the order names is changed")
  func armedByOthers() throws {
    try onLoop { _ async throws in
      // Acceleration at 26 Hz, 4 g is armed; the wearable offers 26 and 52 Hz, 4 and 8 g.
      let status = "F0070000000101020F00011A0001011000020104000401030005"
      let (conversation, armed) = try conversation(
        """
        write FB005C81 07
        notify FB005C81 \(status)
        write FB005C81 0801
        notify FB005C81 F008000000
        write FB005C81 07
        notify FB005C81 \(status)
        write FB005C81 090005
        notify FB005C81 F009050000
        write FB005C81 07
        notify FB005C81 \(status)
        """)
      let found = try await armed.setTriggers(.systemStart, [.acc])
      #expect(found.enabled == [.acc] && conversation.left == 0)
      // The rate is ordered, the range is not.
      let offer = "F00182000000021A00340001011000020204000800040103"
      let changed = "F0070000000101020F0001340001011000020104000401030005"
      let (other, ordered) = try self.conversation(
        """
        write FB005C81 07
        notify FB005C81 \(status)
        write FB005C81 0182
        notify FB005C81 \(offer)
        write FB005C81 0801
        notify FB005C81 F008000000
        write FB005C81 07
        notify FB005C81 \(status)
        write FB005C81 0901020F000134000101100002010400040103
        notify FB005C81 F009020000
        write FB005C81 090005
        notify FB005C81 F009050000
        write FB005C81 07
        notify FB005C81 \(changed)
        """, remembered: ["recordings": "acc:52/"])
      let now = try await ordered.setTriggers(.systemStart, [.acc])
      #expect(
        now.triggers[.acc]??.single(.sampleRate) == 52 && now.triggers[.acc]??.single(.range) == 4 && other.left == 0)
    }
  }

  @Test("what is remembered reads back, and what is no order of anybody does not")
  func memory() throws {
    try onLoop { _ async throws in
      let (conversation, armed) = try conversation(
        "", remembered: ["recordings": "acc:52/8 nothing:1/2 ppg:/ gyro:x/2000 sdk acc"])
      #expect(
        armed.wanted.map(\.type) == [.ppg, .acc, .acc, .gyro] && armed.wanted[3].range == 2000
          && armed.wanted[3].rate == nil)
      for type in [.acc, .ppg, .gyro] as [PMD.MeasurementType] { try armed.release(type) }
      let all = [
        PolarArmed.Wanted(type: .acc, rate: 26), PolarArmed.Wanted(type: .ppi, needsSDKMode: true),
        PolarArmed.Wanted(type: .gyro, range: 500),
      ]
      for wanted in all.reversed() { try armed.want(wanted) }
      #expect(armed.wanted == all)
      for wanted in all { try armed.release(wanted.type) }
      try armed.keepTriggers(.exerciseStart, [.ppi, .acc])
      #expect(
        armed.triggers?.mode == .exerciseStart && armed.triggers?.types == [.ppi, .acc]
          && conversation.link.memory.entries.count == 1)
      try armed.remember(.disabled, [])
      #expect(conversation.link.memory.entries.isEmpty)
    }
  }
}
