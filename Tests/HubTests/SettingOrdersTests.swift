import EventLoop
import Reasons
import RingStore
import Testing
import Wearable

@testable import Health
@testable import Hub

@Suite("What people order of settings that a wearable keeps itself")
struct SettingOrdersTests {
  @LoopActor private func refusal<Value>(_ body: () async throws(HearthError) -> Value) async -> HearthError? {
    do throws(HearthError) { _ = try await body() } catch { return error }
    return nil
  }

  private static var driver: RecorderDriver {
    var driver = RecorderDriver()
    driver.switches = [WearableSwitch("lamp", "Its lamp.")]
    driver.settings = [
      WearableSetting("lamp", .words(["on", "off"]), "Its lamp."), WearableSetting("worn", .words(["chest", "left-wrist"]), "Where it is worn."),
      WearableSetting("patience", .number(0...90, unit: "s"), "How long it waits."),
    ]
    driver.attention = .seconds(600)
    return driver
  }

  @Test("they are durable, reach a session with its link, change one by one and are taken back one by one")
  func kept() throws {
    try inHouse(Self.driver) { house, _ in
      _ = try await house.hearth.orderSettings("recorder-0", ["worn": "chest", "patience": "30"])
      let shown = try await house.hearth.orderSettings("recorder-0", ["patience": "60"])
      #expect(shown.settings.map(\.value) == [nil, "chest", "60"] && shown.settings.map(\.setting.name) == ["lamp", "worn", "patience"])
      house.start()
      try house.killAndRestart()
      try await house.wait { house.hearth.registry.all[0].link?.work != nil }
      #expect(house.hearth.registry.all[0].link?.work?.orders.settings == ["worn": "chest", "patience": "60"])
      _ = try await house.hearth.orderSettings("recorder-0", ["worn": nil])
      let left = try await house.hearth.orderSettings("recorder-0", ["worn": nil, "patience": nil])
      #expect(left.settings.allSatisfy { $0.value == nil } && SettingNotes.keys.allSatisfy { house.store.wearables[0].notes[$0] == nil })
    }
  }

  @Test("what its model does not have, and what contradicts a feature that is off, is refused with what would do")
  func impossible() throws {
    try inHouse(Self.driver) { house, _ in
      for (changes, hint) in [
        (["bell": "on"], "no setting is called 'bell'; it has lamp, worn, patience"), (["bell": nil], "no setting is called 'bell'"),
        (["worn": "moon"], "worn is not 'moon'; it may be chest, left-wrist"), (["patience": "91"], "it may be 0 to 90 s"), (["worn": "chest", "patience": "x"], "patience"),
      ] as [([String: String?], String)] {
        let error = await refusal { () throws(HearthError) in try await house.hearth.orderSettings("recorder-0", changes) }
        #expect(error?.reason == .requestUnsupported && error?.detail.contains(hint) == true, "\(changes): \(String(describing: error))")
      }
      #expect(house.store.wearables[0].notes.isEmpty)
      _ = try await house.hearth.orderSettings("recorder-0", ["lamp": "on"])
      let off = await refusal { () throws(HearthError) in try await house.hearth.orderSwitchedOff("recorder-0", ["lamp"]) }
      #expect(off?.detail == "recorder-0: lamp is ordered on; take that back first, with: set lamp none")
      _ = try await house.hearth.orderSettings("recorder-0", ["lamp": nil])
      _ = try await house.hearth.orderSwitchedOff("recorder-0", ["lamp"])
      let on = await refusal { () throws(HearthError) in try await house.hearth.orderSettings("recorder-0", ["lamp": "on"]) }
      #expect(on?.detail.contains("features that are ordered off") == true)
      _ = try await house.hearth.orderSettings("recorder-0", ["lamp": "off"])
    }
  }

  @Test("a series that its model does not send is refused when it is ordered, with those that it has; an unknown model may be ordered anything of its kind")
  func streams() throws {
    var driver = Self.driver
    driver.live = [.acc, .ecg, .ppi]
    driver.streams = [.acc, .ppi]
    try inHouse(driver) { house, _ in
      let error = await refusal { () throws(HearthError) in try await house.hearth.orderStreams("recorder-0", [.ecg, .acc]) }
      #expect(error?.reason == .requestUnsupported && error?.detail == "recorder-0: its model sends no ecg by order; it has acc, ppi")
      let before = try house.hearth.orders(of: "recorder-0")
      let after = try await house.hearth.orderStreams("recorder-0", [.acc])
      #expect(before.streams.isEmpty && after.streams == [.acc])
    }
    driver.streams = nil
    try inHouse(driver) { house, _ in
      let orders = try await house.hearth.orderStreams("recorder-0", [.ecg])
      #expect(orders.streams == [.ecg])
    }
  }

  @Test("what is kept of them reads back, in as many notes as it fills and no more than there are")
  func notes() throws {
    let all = [
      "5-khz": "off", "ant-plus": "off", "broadcast": "off", "low-power-radio": "off", "second-link": "off", "training-detection": "off", "training-minimum": "86400",
      "training-sensitivity": "100", "worn": "nowhere-in-particular",
    ]
    let notes = try SettingNotes.write(all)
    #expect(notes.count == 2 && notes.values.allSatisfy { $0.utf8.count <= WearableRecord.noteValueLimit } && SettingNotes.read(notes) == all)
    #expect(throws: HearthError.self) { try SettingNotes.write(Dictionary((0..<20).map { ("setting-number-\($0)", "on") }) { first, _ in first }) }
    #expect(SettingNotes.read(["orders.settings": "a=b,c,=d,e=,f=g=h"]) == ["a": "b", "f": "g=h"])
    #expect(try SettingNotes.write([:]).isEmpty)
  }
}

@Suite("A clock that changes with the hub's zone")
struct ZoneChangesTests {
  private static let berlin = TimeZoneRules(name: "Europe/Berlin", changes: [], offsets: [], firstOffset: 3600, rule: YearlyRule(Array("CET-1CEST,M3.5.0,M10.5.0/3".utf8)))
  /// 2026-10-25T01:00:00Z and 2027-03-28T01:00:00Z, µs.
  private static let autumn: Int64 = 1_792_890_000_000_000, spring: Int64 = 1_806_195_600_000_000
  private static let hour: Int64 = 3_600_000_000

  /// A clock that shows Berlin's time, fast by 50 ppm since ten hours before the change.
  private func reading(_ wall: Int64, of change: Int64) -> ClockEvidence {
    let since = wall - (change - 10 * Self.hour)
    let device = wall + Int64(Self.berlin.offset(at: wall)) * 1_000_000 + since / 20_000
    return ClockEvidence(device: device, monotonic: since * 1000, wall: wall, isTrusted: true)
  }

  @Test("what was measured between the last visit before and the first after has its time, to the clock's own error", arguments: [Self.spring, Self.autumn])
  func right(_ change: Int64) throws {
    var clock = ClockKeeper()
    clock.opened(1, reading(change - 9 * Self.hour, of: change), afterSetting: nil, wasSet: false)
    clock.opened(2, reading(change - 7 * Self.hour, of: change), afterSetting: nil, wasSet: false)
    clock.opened(3, reading(change + 5 * Self.hour, of: change), afterSetting: nil, wasSet: false)
    let with = try #require(clock.correction(at: 3, Self.berlin)), without = try #require(clock.correction(at: 3))
    var worst: Int64 = 0, worstWithout: Int64 = 0
    for minute in Int64(-8 * 60)..<(5 * 60) {
      // What clocks show twice cannot be told apart: the newer hour has it.
      if change == Self.autumn, (-60..<0).contains(minute) { continue }
      let wall = change + minute * 60_000_000 + 30_000_000
      let device = reading(wall, of: change).device
      worst = max(worst, abs((with.hubTime(of: device) ?? 0) - wall))
      worstWithout = max(worstWithout, abs((without.hubTime(of: device) ?? 0) - wall))
    }
    #expect(worst < 50_000, "\(worst) µs")
    #expect(worstWithout > Self.hour / 2, "the readings alone do not say when it changed")
  }

  @Test("a clock that did not change, that was set by another hour, or that nobody trusted is left as its readings are")
  func others() {
    func readings(_ change: (inout ClockEvidence) -> Void) -> [ClockCurve.Reading] {
      var later = reading(Self.spring + Self.hour, of: Self.spring)
      change(&later)
      return [ClockCurve.Reading(reading(Self.spring - Self.hour, of: Self.spring), isOfThisBoot: true), ClockCurve.Reading(later, isOfThisBoot: true)]
    }
    func evidence(_ from: ClockEvidence, device: Int64 = 0, trusted: Bool = true) -> ClockEvidence {
      ClockEvidence(device: from.device + device, monotonic: from.monotonic, wall: from.wall, isTrusted: trusted)
    }
    #expect(readings { _ in }.withChanges(of: Self.berlin).count == 4)
    #expect(readings { $0 = evidence($0, device: -Self.hour) }.withChanges(of: Self.berlin).count == 2)
    #expect(readings { $0 = evidence($0, device: Self.hour) }.withChanges(of: Self.berlin).count == 2)
    #expect(readings { $0 = evidence($0, trusted: false) }.withChanges(of: Self.berlin).count == 2)
    #expect(readings { $0 = ClockEvidence(device: .max, monotonic: $0.monotonic, wall: $0.wall, isTrusted: true) }.withChanges(of: Self.berlin).count == 2)
    #expect(readings { _ in }.withChanges(of: .utc).count == 2 && [ClockCurve.Reading]().withChanges(of: Self.berlin).isEmpty)
  }
}
