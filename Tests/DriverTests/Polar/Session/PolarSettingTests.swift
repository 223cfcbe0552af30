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

@Suite("Settings of a Polar wearable that people order", .serialized)
struct PolarSettingTests {
  private let path = Polar.DeviceSettings.path(.v2)

  @LoopActor
  private func made(
    _ name: String = "Polar 360 1234567C", settings change: (inout PbUserDeviceSettings) -> Void = { _ in }
  ) throws -> PocketTransfer {
    let pocket = PocketTransfer.band(name)
    var message = PbUserDeviceSettings()
    message.generalSettings.deviceLocation = .deviceLocationWristLeft
    message.telemetrySettings.telemetryEnabled = true
    message.lastModified = PbSystemDateTime(seconds: 1_770_000_000)
    change(&message)
    pocket.files[path] = try message.wire()
    return pocket
  }

  @LoopActor
  private func kept(_ pocket: PocketTransfer) throws -> PbUserDeviceSettings {
    try PbUserDeviceSettings(wire: pocket.files[path] ?? [])
  }

  @LoopActor
  private func writes(_ pocket: PocketTransfer) -> Int { pocket.operations.count { $0 == "PUT \(path)" } }

  // MARK: what there is

  @Test("a model has the settings and streams that its own are known to be; an unknown one may get any order")
  func choices() {
    func known(_ name: String) -> KnownWearable {
      var known = KnownWearable()
      known.advertisedName = name
      return known
    }
    let radio = ["broadcast", "5-khz", "low-power-radio", "second-link", "ant-plus"]
    let training = ["training-detection", "training-sensitivity", "training-minimum"]
    #expect(PolarDriver().settings(of: known("Polar 360 1234567C")).map(\.name) == ["worn"] + training + radio)
    #expect(PolarDriver().settings(of: known("Polar Sense 1234567C")).map(\.name) == ["worn"] + radio)
    #expect(PolarDriver().settings(of: KnownWearable()).map(\.name) == ["worn"] + training + radio)
    #expect(PolarStrapDriver().settings(of: known("Polar H10 1234567C")).map(\.name) == radio)

    // A sensor that computes no days has no switches for them.
    func switches(of name: String) -> [String] { PolarDriver().switches(of: known(name)).map(\.name) }
    #expect(switches(of: "Polar Sense 1234567C") == ["telemetry", "usb"])
    let ofDays = ["day-and-night", "training-detection", "telemetry", "usb", "sleep-recording"]
    #expect(switches(of: "Polar 360 1234567C") == ofDays)
    #expect(PolarDriver().switches(of: KnownWearable()).map(\.name) == ofDays)
    // By its model number, if it was not heard since the hub began.
    func offers(_ model: String) -> (switches: [String], streams: [Series], monitoring: [Series]) {
      var known = KnownWearable()
      known.model = model
      let driver = PolarDriver()
      return (
        driver.switches(of: known).map(\.name), driver.streams(of: known) ?? [],
        driver.monitoring(of: known).map(\.series)
      )
    }
    let verity = offers("INW4J")
    #expect(verity.switches == ["telemetry", "usb"] && verity.monitoring.isEmpty)
    #expect(Set(verity.streams) == [.acc, .gyro, .mag, .ppg, .ppi])
    // Models that measure days are not all alike, and some of the table measure no days.
    #expect(offers("Ignite 3").switches == ["training-detection", "telemetry", "usb"])
    #expect(offers("Ignite 3").monitoring.isEmpty && offers("Vantage V3").monitoring == [.heartRate])
    #expect(offers("Pacer").switches == ["telemetry", "usb"] && offers("Pacer").streams == [.acc, .ppi])
    #expect(offers("Grit X2").switches.contains("day-and-night"))
    #expect(PolarStrapDriver().streams(of: known("Polar H10 1234567C")) == [.ecg, .acc])
    #expect(
      PolarDriver().streams(of: known("Polar Sense 1234567C")).map { Set($0) } == [.acc, .gyro, .mag, .ppg, .ppi])
    // The heart rate comes by itself.
    let unknown = PolarDriver().streams(of: known("Polar Something 1234567C"))
    #expect(
      unknown == PolarDriver().streams(of: KnownWearable()) && unknown?.contains(.ecg) == true
        && unknown?.contains(.heartRate) == false)
    let worn = PolarChoice.worn.setting
    #expect(worn.takes("left-wrist") && worn.takes("bicycle") && !worn.takes("left wrist") && !worn.takes("none"))
    let minimum = PolarChoice.trainingMinimum.setting
    #expect(
      minimum.takes("0") && minimum.takes("86400") && !minimum.takes("86401") && !minimum.takes("+60")
        && !minimum.takes("060") && !minimum.takes(""))
    #expect(minimum.choiceText == "0 to 86400 s" && PolarChoice.trainingSensitivity.setting.choiceText == "0 to 100")
  }

  // MARK: where it is worn

  @Test("its place on the body is written once, read back and shown, and is as it was before when no order names it")
  func worn() throws {
    try onLoop { _ async throws in
      let pocket = try made()
      pocket.link.orders.settings = ["worn": "chest"]
      try await pocket.visit()
      #expect(
        try kept(pocket).generalSettings.deviceLocation == .deviceLocationChest
          && kept(pocket).telemetrySettings.telemetryEnabled)
      try await pocket.visit()
      #expect(writes(pocket) == 1)
      let rows = try await PolarSession(pocket.link).report("settings")
      #expect(
        rows.first { $0.name == "place" }?.fields == [
          ReportRow.Field("worn", "chest"), ReportRow.Field("number", "5"), ReportRow.Field("ordered", "chest"),
        ])
      // Another order in between does not make the first one what was before.
      pocket.link.orders.settings = ["worn": "right-upper-arm"]
      try await pocket.visit()
      #expect(try kept(pocket).generalSettings.deviceLocation == .deviceLocationUpperArmRight)
      pocket.link.orders.settings = [:]
      try await pocket.visit()
      #expect(
        try kept(pocket).generalSettings.deviceLocation == .deviceLocationWristLeft
          && pocket.link.memory[PolarFileBefore.self] == nil)
      let reads = pocket.operations.count
      pocket.link.orders.settings = [:]
      try await pocket.visit()
      #expect(
        pocket.operations.count { $0.hasSuffix(path) } == pocket.operations.prefix(reads).count { $0.hasSuffix(path) },
        "nothing is ordered, so nothing is asked")
    }
  }

  @Test("what it does not keep is said at the end of the visit, by name")
  func ignored() throws {
    try onLoop { _ async throws in
      let pocket = try made()
      pocket.ignores = ["PUT \(path)"]
      pocket.link.orders.settings = ["worn": "chest"]
      #expect(await pocket.attention() == "H2129 has other settings than were ordered: worn stays left-wrist")
      pocket.link.orders.settings = ["training-sensitivity": "60"]
      #expect(
        await pocket.attention()
          == "H2129 has other settings than were ordered: it does not say what its training-sensitivity is")
      pocket.files[path] = nil
      #expect(await pocket.attention() == "H2129 has other settings than were ordered: it has no settings")
    }
  }

  @Test("a link that is lost while settings are written loses no value of before")
  func lost() throws {
    try onLoop { _ async throws in
      let pocket = try made()
      pocket.link.orders.settings = ["worn": "chest"]
      pocket.refusals = ["PUT \(path)": 202]
      _ = await pocket.attention()
      #expect(pocket.link.memory[PolarFileBefore.self]?.before.values == ["worn": "left-wrist"])
      pocket.refusals = [:]
      try await pocket.visit()
      #expect(pocket.link.memory[PolarFileBefore.self]?.before.values == ["worn": "left-wrist"] && writes(pocket) == 2)
    }
  }

  // MARK: trainings

  @Test("how trainings are detected is changed number by number, and what the file does not say is not made up")
  func trainings() throws {
    try onLoop { _ async throws in
      let pocket = try made()
      pocket.link.orders.settings = ["training-detection": "on"]
      try await pocket.visit()
      @LoopActor func detection() throws -> PbAutomaticTrainingDetectionSettings {
        try kept(pocket).automaticMeasurementSettings.automaticTrainingDetectionSettings
      }
      #expect(
        try detection().state == .on && !detection().hasSensitivity && !detection().hasMinimumTrainingDurationSeconds)
      pocket.link.orders.settings = [:]
      try await pocket.visit()
      #expect(try detection().state == .on, "what it was before it never said")
      pocket.link.orders.settings = [
        "training-detection": "on", "training-sensitivity": "70", "training-minimum": "600",
      ]
      try await pocket.visit()
      #expect(
        try detection().sensitivity == 70 && detection().minimumTrainingDurationSeconds == 600
          && detection().state == .on)
      let row = try await PolarSession(pocket.link).report("settings").first { $0.name == "training-detection" }
      #expect(row?.fields.map(\.value) == ["yes", "on", "70", "70", "600", "600"])
      // Off as an unwanted feature: the numbers stay.
      pocket.link.orders.settings = ["training-sensitivity": "70"]
      pocket.link.orders.switchedOff = ["training-detection"]
      try await pocket.visit()
      #expect(try detection().state == .off && detection().sensitivity == 70)
      pocket.link.orders = WearableOrders()
      try await pocket.visit()
      #expect(try detection().state == .on && detection().sensitivity == 0)
    }
  }

  // MARK: daylight saving

  private static let berlin = TimeZoneRules(
    name: "Europe/Berlin", changes: [], offsets: [], firstOffset: 3600,
    rule: YearlyRule(Array("CET-1CEST,M3.5.0,M10.5.0/3".utf8)))
  /// 2027-03-28T01:00:00Z
  private static let spring: Int64 = 1_806_195_600

  @LoopActor
  private func show(_ pocket: PocketTransfer, offset: Int) throws {
    pocket.results[4] = try PSFTP.localTime(pocket.link.hubTime.wall, offset: offset).wire()
  }

  @Test("a band gets the next change of clocks, once; a sensor, and one whose clock cannot be set, do not")
  func daylight() throws {
    try onLoop { _ async throws in
      let pocket = try made()
      pocket.link.zone = Self.berlin
      try show(pocket, offset: 60)
      try await pocket.visit()
      #expect(
        try kept(pocket).daylightSaving.nextDaylightSavingTime == PbSystemDateTime(seconds: Self.spring)
          && kept(pocket).daylightSaving.offset == 3600)
      #expect(try kept(pocket).generalSettings.deviceLocation == .deviceLocationWristLeft)
      try await pocket.visit()
      #expect(writes(pocket) == 1 && pocket.parameters[3] == nil)
      let row = try await PolarSession(pocket.link).report("settings").first { $0.name == "clock-change" }
      #expect(row?.fields.map(\.value) == ["2027-03-28T01:00:00.000Z", "60"])

      let elsewhere = try made()
      elsewhere.link.zone = Self.berlin
      try show(elsewhere, offset: 0)
      elsewhere.codes[3] = 106
      #expect(await elsewhere.attention() == nil)
      let sensor = try made("Polar Sense 1234567C")
      sensor.link.zone = Self.berlin
      try show(sensor, offset: 60)
      try await sensor.visit()
      let untrusted = try made()
      untrusted.link.zone = Self.berlin
      untrusted.link.isTrusted = false
      try show(untrusted, offset: 60)
      try await untrusted.visit()
      let without = try made()
      try await without.visit()
      #expect(writes(elsewhere) + writes(sensor) + writes(untrusted) + writes(without) == 0)
      #expect(without.operations.allSatisfy { !$0.hasSuffix(path) }, "a zone without changes asks nothing")
      let closed = try made()
      closed.link.zone = Self.berlin
      closed.refusals = ["PUT \(path)": 106]
      try show(closed, offset: 60)
      #expect(await closed.attention() == nil, "nobody ordered anything")
      let bare = try made()
      bare.link.zone = Self.berlin
      bare.files[path] = nil
      try show(bare, offset: 60)
      #expect(await bare.attention() == nil && bare.files[path] == nil, "who has no settings is given none")
    }
  }

  @Test("while a recording runs by order its clock is let alone, also by itself; an earlier notice is taken back")
  func recorded() throws {
    try onLoop { _ async throws in
      let pocket = try made()
      pocket.link.zone = Self.berlin
      try show(pocket, offset: 60)
      let change = try #require(PolarSession(pocket.link).nextChange(shownAt: 60, mayFollow: true))
      for mayFollow in [true, false, true] {
        let settings = PolarSettings(PSFTPClient(pocket.link), pocket.link)
        settings.change = PolarClockChange(daylightSaving: change.daylightSaving, mayFollow: mayFollow)
        try await settings.keep()
        #expect(try kept(pocket).hasDaylightSaving == mayFollow)
      }
    }
  }

  @Test("after the change a band that did not make it is set, one that did is left alone, and both get the next")
  func afterwards() throws {
    try onLoop { _ async throws in
      for followed in [false, true] {
        let pocket = try made()
        pocket.link.zone = Self.berlin
        try show(pocket, offset: 60)
        try await pocket.visit()
        pocket.link.wall = (Self.spring + 7200) * 1_000_000
        try show(pocket, offset: followed ? 120 : 60)
        try await pocket.visit()
        let time = try PbPFtpSetLocalTimeParams(wire: pocket.results[4] ?? [])
        #expect(time.tzOffset == 120 && time.time.hour == 5, "03:00 UTC is 05:00 in summer")
        #expect((pocket.parameters[3] == nil) == followed)
        #expect(
          try kept(pocket).daylightSaving.offset == -3600
            && kept(pocket).daylightSaving.nextDaylightSavingTime.date.month == 10)
      }
    }
  }

  // MARK: the radio

  private static let layout: GATTDatabase = .made(of: [
    GATTServiceDefinition(
      Polar.FeatureConfiguration.service,
      [
        GATTCharacteristicDefinition(Polar.FeatureConfiguration.features, [.read]),
        GATTCharacteristicDefinition(Polar.FeatureConfiguration.controlPoint, [.write, .notify]),
      ])
  ])

  @LoopActor
  private func radio(_ text: String, _ orders: [String: String], before: String? = nil) throws -> (
    Conversation, PolarRadio
  ) {
    let conversation = try Conversation(Self.layout, text)
    conversation.link.orders.settings = orders
    if let before { conversation.link.takeOver(["radio-before": before], PolarDriver()) }
    return (conversation, PolarRadio(conversation.link))
  }

  @Test("a switch of the radio is turned and read back, and what it was is remembered before it is turned")
  func turned() throws {
    try onLoop { _ async throws in
      let (conversation, radio) = try radio(
        """
        read 6217FF4C 8301
        write 6217FF4D 0B
        notify 6217FF4D F00B0100
        write 6217FF4D 0B
        notify 6217FF4D F00B0100
        write 6217FF4D 0A01
        notify 6217FF4D F00A01
        write 6217FF4D 0B
        notify 6217FF4D F00B0101
        """, ["ant-plus": "on", "worn": "chest"])
      try await radio.keep()
      #expect(
        radio.refused.isEmpty && conversation.left == 0
          && conversation.link.memory[PolarRadioBefore.self]?.before.values == ["ant-plus": "off"])
    }
  }

  @Test("one that is as it should be is only asked for; without an order there is no request")
  func untouched() throws {
    try onLoop { _ async throws in
      let (conversation, radio) = try radio(
        """
        read 6217FF4C 8000
        write 6217FF4D 09
        notify 6217FF4D F0090101
        """, ["second-link": "on"], before: "second-link=off")
      try await radio.keep()
      #expect(
        radio.refused.isEmpty && conversation.left == 0
          && conversation.link.memory[PolarRadioBefore.self]?.before.values == ["second-link": "off"])
      let (silence, idle) = try self.radio("", ["worn": "chest"])
      try await idle.keep()
      #expect(idle.refused.isEmpty && silence.left == 0)
    }
  }

  @Test(
    "an order that is taken back puts back what was before, once, whether that is taken or not",
    arguments: [("01", ""), ("05", "5-khz stays on")])
  func restored(_ status: String, _ note: String) throws {
    try onLoop { _ async throws in
      let (conversation, radio) = try radio(
        """
        read 6217FF4C 0200
        write 6217FF4D 04
        notify 6217FF4D F0040101
        write 6217FF4D 0300
        notify 6217FF4D F003\(status)
        \(status == "01" ? "write 6217FF4D 04\nnotify 6217FF4D F0040100" : "")
        """, [:], before: "5-khz=off")
      try await radio.keep()
      #expect(radio.refused.isEmpty && conversation.left == 0 && conversation.link.memory.entries.isEmpty)
      #expect(note.isEmpty || conversation.link.notes.contains(note))
    }
  }

  @Test(
    """
    a switch that the wearable does not have, does not turn, or does not report is refused by name, and its visit goes \
    on
    """
  )
  func refusedSwitches() throws {
    try onLoop { _ async throws in
      let (conversation, radio) = try radio(
        """
        read 6217FF4C 0100
        write 6217FF4D 02
        notify 6217FF4D F0020101
        write 6217FF4D 02
        notify 6217FF4D F0020101
        write 6217FF4D 0100
        notify 6217FF4D F00105
        """, ["ant-plus": "on", "broadcast": "off"])
      try await radio.keep()
      #expect(radio.refused == ["broadcast stays on", "ant-plus: it has no such switch"] && conversation.left == 0)
      let (_, mute) = try self.radio("read 6217FF4C 0100\nwrite 6217FF4D 02", ["broadcast": "off"])
      try await mute.keep()
      #expect(mute.refused.count == 1 && mute.refused[0].hasPrefix("its radio does not answer"))
      let pocket = try made()
      pocket.link.orders.settings = ["broadcast": "off"]
      #expect(await pocket.attention() == "H2129 has other settings than were ordered: its radio has no switches")
    }
  }

  @Test("what the radio does is shown if it says so, with what is ordered")
  func shown() throws {
    try onLoop { _ async throws in
      let (conversation, radio) = try radio(
        """
        read 6217FF4C 0103
        write 6217FF4D 02
        notify 6217FF4D F0020101
        write 6217FF4D 0B
        notify 6217FF4D F00B0100
        write 6217FF4D 0C
        notify 6217FF4D F00C0101
        """, [:])
      let said = try await radio.report()
      #expect(
        said.map(\.name) == ["broadcast", "ant-plus", "security"] && said.map(\.isOn) == [true, false, true]
          && conversation.left == 0)
    }
  }
}
