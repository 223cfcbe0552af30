import CivilTime
import EventLoop
import Health
import PolarMessages
import Reasons
import Testing
import Wearable

@testable import Bluetooth
@testable import DriverTestSupport
@testable import PolarFamily

@Suite("Physical data that a wearable has already", .serialized)
struct PhysicalDataTests {
  private let path = PolarFile.physicalDataPath
  private let userPath = PolarFile.userIdentifierPath

  /// When the phone that set the wearable up changed each of them.
  private static let then: Int64 = 1_700_000_000

  /// All ten facts, each with a time of its own, and with sources if it can have some. Two fields are unknown to the
  /// definitions here: one in a part, and one of the whole.
  private func phone(_ change: (inout PbUserPhysData) -> Void = { _ in }) throws -> [UInt8] {
    var message = PbUserPhysData()
    func time(_ part: Int64) -> PbSystemDateTime { PbSystemDateTime(seconds: Self.then + part) }
    message.birthday.value = PbDate(try #require(LocalDate(year: 1980, month: 5, day: 17)))
    message.birthday.lastModified = time(1)
    message.gender.value = .female
    message.gender.lastModified = time(2)
    (message.weight.value, message.weight.lastModified, message.weight.settingSource) = (62, time(3), .sourceMeasured)
    (message.height.value, message.height.lastModified) = (171, time(4))
    (message.maximumHeartrate.value, message.maximumHeartrate.lastModified, message.maximumHeartrate.settingSource) = (
      188, time(5), .sourceMeasured
    )
    (message.restingHeartrate.value, message.restingHeartrate.lastModified) = (47, time(6))
    (message.vo2Max.value, message.vo2Max.lastModified, message.vo2Max.settingSource) = (
      52, time(10), .sourceFitnesstest
    )
    (message.trainingBackground.value, message.trainingBackground.lastModified) = (.semiPro, time(11))
    (message.typicalDay.value, message.typicalDay.lastModified) = (.mostlyMoving, time(12))
    (message.sleepGoal.sleepGoalMinutes, message.sleepGoal.lastModified) = (500, time(17))
    message.lastModified = time(100)
    change(&message)
    var fields = try WireFields(message.wire())
    // Newer firmware: two more numbers of the whole, and something that it keeps beside the weight.
    fields.set(7, number: 99)
    fields.set(18, bytes: [0x08, 0x2A])
    var weight = try #require(try fields.message(3))
    weight.set(9, number: 1234)
    fields.set(3, message: weight)
    return fields.bytes
  }

  @LoopActor
  private func setUp(_ bytes: [UInt8]) throws -> PocketTransfer {
    let pocket = PocketTransfer.band()
    pocket.files[path] = bytes
    pocket.files[userPath] = try WireFieldsOf.identifier(4_711)
    return pocket
  }

  private enum WireFieldsOf {
    /// Of a user of the vendor's service, with an unknown field.
    static func identifier(_ number: UInt64) throws -> [UInt8] {
      var fields = WireFields()
      fields.set(1, number: number)
      fields.set(3, number: 7)
      return fields.bytes
    }
  }

  @LoopActor
  private func writes(_ pocket: PocketTransfer) -> [String] { pocket.operations.filter { $0.hasPrefix("PUT") } }

  private func wearer(_ change: (inout BodyFacts) -> Void) -> WearerBody {
    var facts = BodyFacts()
    change(&facts)
    return WearerBody(number: 1, facts)
  }

  /// Fields of the whole that are not byte for byte as they were.
  private func changed(_ before: [UInt8], _ after: [UInt8]?) throws -> [UInt32] {
    let (before, after) = (try WireFields(before), try WireFields(after ?? []))
    #expect(before.numbers == after.numbers, "the same fields in the same order")
    return Set(before.numbers).sorted().filter { before.raw($0) != after.raw($0) }
  }

  @Test(
    "of a body the wearable gets what people entered; the rest stays byte for byte, with its times and unknown fields"
  )
  func oneFact() throws {
    try onLoop { _ async throws in
      let before = try phone()
      let pocket = try setUp(before)
      pocket.link.orders.wearer = wearer { $0.weight = 64 }
      try await pocket.visit()
      #expect(try changed(before, pocket.files[path]) == [3, 100])
      let now = try PbUserPhysData(wire: pocket.files[path] ?? [])
      #expect(now.weight.value == 64 && now.weight.settingSource == .sourceUser && now.vo2Max.value == 52)
      #expect(
        now.weight.lastModified == now.lastModified
          && now.weight.lastModified != PbSystemDateTime(seconds: Self.then + 3))
      #expect(try WireFields(pocket.files[path] ?? []).message(3)?.number(9) == 1234)
      #expect(writes(pocket) == ["PUT \(path)"], "whose identifier it is nobody asked")
      try await pocket.visit()
      #expect(writes(pocket).count == 1, "it is right")
    }
  }

  @Test("a fact that was taken back is the wearable's own again")
  func takenBack() throws {
    try onLoop { _ async throws in
      let pocket = try setUp(phone())
      pocket.link.orders.wearer = wearer { ($0.weight, $0.height) = (64, 171) }
      try await pocket.visit()
      #expect(writes(pocket).count == 1)
      pocket.link.orders.wearer?.facts.forget(.weight)
      // A person enters another weight on the wearable itself.
      pocket.files[path] = try phone { $0.weight.value = 70 }
      try await pocket.visit()
      #expect(try PbUserPhysData(wire: pocket.files[path] ?? []).weight.value == 70 && writes(pocket).count == 1)
    }
  }

  @Test("another wearer with six known facts: oxygen uptake, training, typical day and sleep goal are as they were")
  func assigned() throws {
    try onLoop { _ async throws in
      let before = try phone()
      let pocket = try setUp(before)
      pocket.link.orders.wearer = wearer {
        ($0.born, $0.sex, $0.height, $0.weight) = (LocalDate(year: 1999, month: 12, day: 1), .male, 184, 80)
        ($0.maximumHeartRate, $0.restingHeartRate) = (199, 55)
      }
      try await pocket.visit()
      #expect(try changed(before, pocket.files[path]) == [1, 2, 3, 4, 5, 6, 100])
      #expect(try pocket.files[userPath] == WireFieldsOf.identifier(4_711))
    }
  }

  @Test("rules of thumb replace no heart rate that the wearable has")
  func thumb() throws {
    try onLoop { _ async throws in
      let before = try phone()
      let pocket = try setUp(before)
      pocket.link.orders.wearer = wearer {
        ($0.born, $0.sex, $0.height, $0.weight) = (LocalDate(year: 1980, month: 5, day: 17), .female, 171, 62)
      }
      try await pocket.visit()
      #expect(writes(pocket).isEmpty && pocket.files[path] == before)
    }
  }

  /// All ten facts of an old person, and four of a young one.
  private var old: WearerBody {
    wearer {
      ($0.born, $0.sex, $0.height, $0.weight) = (LocalDate(year: 1941, month: 3, day: 5), .male, 180, 75)
      ($0.maximumHeartRate, $0.restingHeartRate, $0.vo2Max, $0.sleepGoal) = (135, 72, 19, 420)
      ($0.trainingBackground, $0.typicalDay) = (.heavy, .standing)
    }
  }
  private var young: WearerBody {
    var body = wearer {
      ($0.born, $0.sex, $0.height, $0.weight) = (LocalDate(year: 2001, month: 2, day: 1), .female, 171, 62)
    }
    body.number = 2
    return body
  }

  @Test("with another wearer no value of the one before stays: it has again what it had, or the vendor's default")
  func nothingStays() throws {
    try onLoop { _ async throws in
      for isOfPhone in [true, false] {
        let before = try PhysicalFile(phone()).values
        let pocket = isOfPhone ? try setUp(phone()) : PocketTransfer.band()
        pocket.link.orders.wearer = old
        try await pocket.visit()
        #expect(try PhysicalFile(pocket.files[path] ?? []).values[.maximumHeartRate] == .number(135))
        pocket.link.orders.wearer = young
        try await pocket.visit()
        let now = try PhysicalFile(pocket.files[path] ?? []).values
        for part in [PhysicalPart.birthDate, .sex, .height, .weight] {
          #expect(now[part] == young.facts.physicalParts[part])
        }
        for part in PhysicalPart.allCases where young.facts.physicalParts[part] == nil {
          #expect(now[part] != old.facts.physicalParts[part])
          if isOfPhone { #expect(now[part] == before[part]) }
        }
        let row = try await PolarSession(pocket.link).report("settings").first { $0.name == "wearer" }
        func field(_ name: String) -> String? { row?.fields.first { $0.name == name }?.value }
        if isOfPhone {
          #expect(field("assumed") == nil && field("its_own")?.contains("VO2max") == true)
        } else {
          // 2026 less 2001.
          #expect(now[.maximumHeartRate] == .number(195) && now[.restingHeartRate] == .number(60))
          #expect(now[.trainingBackground] == .number(10) && now[.typicalDay] == .number(1))
          #expect(now[.vo2Max] == nil && now[.sleepGoal] == nil)
          #expect(
            field("assumed") == "highest heart rate, resting heart rate, training background, typical day")
        }
        let writes = writes(pocket).count
        try await pocket.visit()
        #expect(self.writes(pocket).count == writes, "once")
        // What the second one does not know of itself it may enter on the wearable: that stays.
        pocket.link.orders.wearer?.facts.weight = 63
        try await pocket.visit()
        #expect(try PhysicalFile(pocket.files[path] ?? []).values[.restingHeartRate] == now[.restingHeartRate])
      }
    }
  }

  @Test("is taken off if its wearer said so and no longer wears it, and stays otherwise")
  func takenOff() throws {
    try onLoop { _ async throws in
      let pocket = PocketTransfer.band()
      pocket.link.orders.wearer = old
      try await pocket.visit()
      pocket.link.orders.wearer = nil
      let told = pocket.files[path]
      try await pocket.visit()
      #expect(pocket.files[path] == told)
      pocket.link.orders.takeOff = 1
      try await pocket.visit()
      let now = try PhysicalFile(pocket.files[path] ?? []).values
      for (part, value) in old.facts.physicalParts where part != .sex { #expect(now[part] != value) }
      #expect(now[.birthDate] == .date(1996, 1, 1) && now[.weight] == .measure(65))
      let writes = writes(pocket).count
      try await pocket.visit()
      #expect(self.writes(pocket).count == writes, "once")
    }
  }

  @Test("all ten facts can be entered, and are written and read back")
  func all() throws {
    try onLoop { _ async throws in
      let before = try phone()
      let pocket = try setUp(before)
      let facts = wearer {
        ($0.born, $0.sex, $0.height, $0.weight) = (LocalDate(year: 1971, month: 3, day: 5), .male, 180, 75)
        ($0.maximumHeartRate, $0.restingHeartRate, $0.vo2Max, $0.sleepGoal) = (180, 60, 41, 420)
        ($0.trainingBackground, $0.typicalDay) = (.regular, .standing)
      }
      pocket.link.orders.wearer = facts
      try await pocket.visit()
      #expect(try changed(before, pocket.files[path]) == [1, 2, 3, 4, 5, 6, 10, 11, 12, 17, 100])
      let now = try PbUserPhysData(wire: pocket.files[path] ?? [])
      #expect(
        now.vo2Max.value == 41 && now.vo2Max.settingSource == .sourceUser && now.trainingBackground.value == .regular)
      #expect(
        now.typicalDay.value == .mostlyStanding && now.sleepGoal.sleepGoalMinutes == 420
          && now.birthday.value.year == 1971)
      let row = try await PolarSession(pocket.link).report("settings").first { $0.name == "wearer" }
      func field(_ name: String) -> String? { row?.fields.first { $0.name == name }?.value }
      #expect(
        field("vo2_max") == "41" && field("training") == "regular" && field("typical_day") == "standing"
          && field("sleep_goal_minutes") == "420" && field("its_own") == nil)
      // First use of another one, with all of them.
      let fresh = PocketTransfer.band()
      fresh.link.orders.wearer = facts
      try await fresh.visit()
      #expect(try PhysicalFile(fresh.files[path] ?? []).values == PhysicalFile(pocket.files[path] ?? []).values)
    }
  }

  @Test(
    "what cannot be read is not written over, and is said",
    arguments: [("physical data", "0A0501"), ("physical data", "0A0208FF"), ("user identifier", "0801F8")])
  func unreadable(_ which: String, _ text: String) throws {
    try onLoop { _ async throws in
      let pocket = try setUp(phone())
      let path = which == "physical data" ? self.path : userPath
      pocket.files[path] = [UInt8](hexadecimal: text)
      pocket.link.orders.wearer = wearer {
        ($0.born, $0.sex, $0.height, $0.weight) = (LocalDate(year: 1980, month: 5, day: 17), .female, 171, 70)
      }
      let ending =
        which == "physical data" ? "cannot be read and stay as they are" : "cannot be read and stays as it is"
      #expect(
        await pocket.attention() == "H2129 does not take what it should know of its wearer: its \(which) \(ending)")
      #expect(writes(pocket).isEmpty)
      let rows = try await PolarSession(pocket.link).report("settings")
      #expect(rows.first { $0.name == "wearer" }?.fields.first?.value == "its \(which) \(ending)")
    }
  }

  @Test("unknown values of newer firmware stay, and can be replaced by those that people entered")
  func newer() throws {
    try onLoop { _ async throws in
      var fields = try WireFields(phone())
      var background = try #require(try fields.message(11))
      background.set(1, number: 70)
      fields.set(11, message: background)
      let pocket = try setUp(fields.bytes)
      pocket.link.orders.wearer = wearer { $0.height = 172 }
      try await pocket.visit()
      #expect(try changed(fields.bytes, pocket.files[path]) == [4, 100])
      pocket.link.orders.wearer = wearer { ($0.height, $0.trainingBackground) = (172, .pro) }
      try await pocket.visit()
      #expect(try PbUserPhysData(wire: pocket.files[path] ?? []).trainingBackground.value == .pro)
    }
  }

  @Test("first use of what has physical data and no identifier adds the identifier alone, and keeps what is beside it")
  func identifierAlone() throws {
    try onLoop { _ async throws in
      let before = try phone()
      let pocket = try setUp(before)
      var rest = WireFields()
      rest.set(3, number: 7)
      pocket.files[userPath] = rest.bytes
      pocket.link.orders.wearer = wearer { $0.height = 171 }
      try await pocket.visit()
      #expect(pocket.files[path] == before && writes(pocket) == ["PUT \(userPath)"])
      let user = try WireFields(pocket.files[userPath] ?? [])
      #expect(try user.number(1) == .max && user.number(3) == 7)
    }
  }

  @Test("a wearable that makes a change without an order is found out")
  func changesMore() throws {
    try onLoop { _ async throws in
      let pocket = try setUp(phone())
      let forgetful = try phone { ($0.weight.value, $0.sleepGoal.sleepGoalMinutes) = (64, 480) }
      pocket.becomes = [path: forgetful]
      pocket.link.orders.wearer = wearer { $0.weight = 64 }
      #expect(
        await pocket.attention()
          == "H2129 does not take what it should know of its wearer: its sleep goal changed as well, from 500 to 480")
    }
  }

  @Test("a feature that was timed is timed again when no order wants it off; one that was off stays off")
  func timed() throws {
    try onLoop { _ async throws in
      let pocket = PocketTransfer.band()
      let settings = Polar.DeviceSettings.path(.v2)
      // general_settings.device_location = 2; automatic measurement: timed (3), from 8 to 20 o'clock, and a field of
      // newer firmware; telemetry off; last_modified; field 200.
      let before = try #require(
        [UInt8](
          hexadecimal: "0A027802AA01170A150803120E0A06080810001800120408141000F80101D201020800"
            + "AA06130A0708E80F100518111206080C100018001801" + "C20C036E6577"))
      pocket.files[settings] = before
      pocket.link.orders.switchedOff = ["day-and-night", "telemetry"]
      try await pocket.visit()
      #expect(
        try PbUserDeviceSettings(wire: pocket.files[settings] ?? []).automaticMeasurementSettings
          .automaticOhrMeasurement.state == .off)
      pocket.link.orders.switchedOff = []
      try await pocket.visit()
      #expect(pocket.files[settings] == before, "byte for byte")
    }
  }
}
