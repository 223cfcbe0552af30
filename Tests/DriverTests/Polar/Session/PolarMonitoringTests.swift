import EventLoop
import PolarMessages
import Reasons
import StateCodec
import Testing
import Wearable

@testable import Bluetooth
@testable import DriverTestSupport
@testable import Health
@testable import PolarFamily

@Suite("Measuring the heart rate day and night, ordered as monitoring", .serialized)
struct PolarMonitoringTests {
  private let path = Polar.DeviceSettings.path(.v2)
  private typealias State = PbAutomaticMeasurementSettings.PbAutomaticMeasurementState

  /// - Parameter state: as the file says; nil: the file has no state, and it measures.
  @LoopActor
  private func made(_ state: State?, from: UInt32? = nil, until: UInt32 = 0) throws -> PocketTransfer {
    let pocket = PocketTransfer.band()
    var message = PbUserDeviceSettings()
    message.generalSettings.deviceLocation = .deviceLocationWristLeft
    message.telemetrySettings.telemetryEnabled = true
    message.lastModified = PbSystemDateTime(seconds: 1_770_000_000)
    if let state { message.automaticMeasurementSettings.automaticOhrMeasurement.state = state }
    if let from {
      message.automaticMeasurementSettings.automaticOhrMeasurement.timedSettings.startTime.hour = from
      message.automaticMeasurementSettings.automaticOhrMeasurement.timedSettings.startTime.minute = 0
      message.automaticMeasurementSettings.automaticOhrMeasurement.timedSettings.startTime.seconds = 0
      message.automaticMeasurementSettings.automaticOhrMeasurement.timedSettings.endTime.hour = until
      message.automaticMeasurementSettings.automaticOhrMeasurement.timedSettings.endTime.minute = 30
      message.automaticMeasurementSettings.automaticOhrMeasurement.timedSettings.endTime.seconds = 0
    }
    pocket.files[path] = try message.wire()
    return pocket
  }

  @LoopActor
  private func order(_ isOn: Bool?, of pocket: PocketTransfer) {
    var order = MonitoringOrder()
    order.isOn = isOn
    pocket.link.orders.monitoring = isOn == nil ? [:] : [.heartRate: order]
  }

  @LoopActor
  private func state(_ pocket: PocketTransfer) throws -> State {
    try PbUserDeviceSettings(wire: pocket.files[path] ?? []).automaticMeasurementSettings.automaticOhrMeasurement.state
  }

  @LoopActor
  private func writes(_ pocket: PocketTransfer) -> Int { pocket.operations.count { $0 == "PUT \(path)" } }

  @LoopActor
  private func isClean(_ pocket: PocketTransfer) -> Bool {
    pocket.link.memory[PolarSwitchedOn.self] == nil && pocket.link.memory[PolarSwitchedOff.self] == nil
  }

  @Test("is switched on and off once, read back, and is byte for byte as it was when no order wants it")
  func both() throws {
    try onLoop { _ async throws in
      for (before, isOn) in [(State.off, true), (.alwaysOn, false)] as [(State, Bool)] {
        let pocket = try made(before)
        let file = pocket.files[path]
        order(isOn, of: pocket)
        for _ in 0..<2 {
          try await pocket.visit()
          #expect(try state(pocket) == (isOn ? .alwaysOn : .off) && writes(pocket) == 1)
          #expect(!isClean(pocket))
        }
        order(nil, of: pocket)
        try await pocket.visit()
        #expect(pocket.files[path] == file && isClean(pocket) && writes(pocket) == 2)
        let reads = pocket.operations.count { $0 == "GET \(path)" }
        try await pocket.visit()
        #expect(pocket.operations.count { $0 == "GET \(path)" } == reads, "nothing is ordered, so nothing is asked")
      }
    }
  }

  @Test("what is as it is ordered is left alone, timed or not, and stays so when no order wants it")
  func asItIs() throws {
    try onLoop { _ async throws in
      for (before, isOn) in [(nil, true), (.alwaysOn, true), (.timed, true), (.off, false)] as [(State?, Bool)] {
        let pocket = try made(before)
        let file = pocket.files[path]
        order(isOn, of: pocket)
        try await pocket.visit()
        order(nil, of: pocket)
        try await pocket.visit()
        #expect(pocket.files[path] == file && writes(pocket) == 0 && isClean(pocket))
      }
    }
  }

  @Test("one order after another leaves what was before the first, by whichever name it was ordered")
  func inTurn() throws {
    try onLoop { _ async throws in
      for before in [State.off, .alwaysOn, .timed] {
        let pocket = try made(before, from: before == .timed ? 8 : nil, until: 20)
        let file = pocket.files[path]
        for isOn in [true, false, true, false] {
          order(isOn, of: pocket)
          try await pocket.visit()
          #expect(try (state(pocket) != .off) == isOn)
        }
        order(nil, of: pocket)
        pocket.link.orders.switchedOff = ["day-and-night"]
        try await pocket.visit()
        #expect(try state(pocket) == .off)
        pocket.link.orders.switchedOff = []
        try await pocket.visit()
        #expect(pocket.files[path] == file && isClean(pocket), "\(before)")
      }
    }
  }

  @Test("what it got and says is known after a visit that had work to do, and on request; timed, also when")
  func shown() throws {
    try onLoop { _ async throws in
      let pocket = try made(.timed, from: 8, until: 20)
      let session = PolarSession(pocket.link)
      #expect(session.monitoring.isEmpty)
      var timed = MonitoringOrder()
      (timed.isOn, timed.window) = (true, MonitoringWindow(begin: 480, end: 1230))
      #expect(try await session.readMonitoring() == [MonitoringState(.heartRate, asked: nil, says: timed)])
      order(false, of: pocket)
      let next = PolarSession(pocket.link)
      _ = try await next.check()
      var off = MonitoringOrder()
      off.isOn = false
      #expect(next.monitoring == [MonitoringState(.heartRate, asked: off, says: off)])
      try await next.finish()
      let row = try await next.report("settings").first { $0.name == "day-and-night" }
      #expect(row?.fields.map(\.value) == ["no", "off"])
    }
  }

  @Test("what it does not keep, or does not let be read or written, is said at the end of its visit")
  func refused() throws {
    try onLoop { _ async throws in
      let clause = "H2145 does not measure by itself as it was ordered: "
      let pocket = try made(.off)
      order(true, of: pocket)
      pocket.ignores = ["PUT \(path)"]
      #expect(await pocket.attention() == clause + "day and night stays off")
      pocket.ignores = []
      pocket.refusals = ["PUT \(path)": 106]
      #expect(await pocket.attention()?.hasPrefix(clause) == true)
      pocket.refusals = [:]
      pocket.files[path] = nil
      #expect(await pocket.attention() == clause + "it has no settings")
      // Beside another order each is said by its own code, the settings first.
      pocket.link.orders.settings = ["worn": "chest"]
      #expect(await pocket.attention() == "H2129 has other settings than were ordered: it has no settings")
    }
  }

  @Test("a link that is lost while it is written loses no value of before")
  func lost() throws {
    try onLoop { _ async throws in
      let pocket = try made(.off)
      let file = pocket.files[path]
      order(true, of: pocket)
      pocket.refusals = ["PUT \(path)": 202]
      _ = await pocket.attention()
      #expect(pocket.link.memory[PolarSwitchedOn.self] != nil)
      pocket.refusals = [:]
      try await pocket.visit()
      order(nil, of: pocket)
      try await pocket.visit()
      #expect(pocket.files[path] == file && isClean(pocket))
    }
  }

  @Test("is remembered as it was said, and an invalid one is no state")
  func kept() throws {
    var states = RememberedStates()
    states.load(PolarSwitchedOn.name, RememberedStates.Entry(version: 1, fields: [1, 2, 8, 0]))
    #expect(states[PolarSwitchedOn.self]?.said == [8, 0])
    states.load(PolarSwitchedOn.name, RememberedStates.Entry(version: 1, fields: [2, 1, 8]))
    #expect(states[PolarSwitchedOn.self] == nil)
  }

  @Test("a model that computes activity, or an unknown one, can be ordered so; a sensor and a strap cannot")
  func choices() {
    func known(_ name: String) -> KnownWearable {
      var known = KnownWearable()
      known.advertisedName = name
      return known
    }
    let choice = MonitoringChoice(.heartRate, .isOn, feature: "day-and-night")
    #expect(PolarDriver().monitoring(of: known("Polar 360 1234567C")) == [choice])
    #expect(PolarDriver().monitoring(of: KnownWearable()) == [choice])
    #expect(PolarDriver().monitoring(of: known("Polar Sense 1234567C")).isEmpty)
    #expect(PolarStrapDriver().monitored == nil)
    #expect(Polar.kept(by: "")[.heartRate].contains(.monitoring))
  }
}
