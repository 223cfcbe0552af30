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
      WearableSetting("lamp", .words(["on", "off"]), "Its lamp."),
      WearableSetting("worn", .words(["chest", "left-wrist"]), "Where it is worn."),
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
      #expect(
        shown.settings.map(\.value) == [nil, "chest", "60"]
          && shown.settings.map(\.setting.name) == ["lamp", "worn", "patience"])
      house.start()
      try house.killAndRestart()
      try await house.wait { house.hearth.registry.all[0].link?.work != nil }
      #expect(house.hearth.registry.all[0].link?.work?.orders.settings == ["worn": "chest", "patience": "60"])
      _ = try await house.hearth.orderSettings("recorder-0", ["worn": nil])
      let left = try await house.hearth.orderSettings("recorder-0", ["worn": nil, "patience": nil])
      #expect(left.settings.allSatisfy { $0.value == nil } && house.store.wearables[0].hubState[KeptOrders.self] == nil)
    }
  }

  @Test("what its model does not have, and what contradicts a feature that is off, is refused with what would do")
  func impossible() throws {
    try inHouse(Self.driver) { house, _ in
      for (changes, hint) in [
        (["bell": "on"], "no setting is called 'bell'; it has lamp, worn, patience"),
        (["bell": nil], "no setting is called 'bell'"),
        (["worn": "moon"], "worn is not 'moon'; it may be chest, left-wrist"),
        (["patience": "91"], "it may be 0 to 90 s"), (["worn": "chest", "patience": "x"], "patience"),
      ] as [([String: String?], String)] {
        let error = await refusal { () throws(HearthError) in
          try await house.hearth.orderSettings("recorder-0", changes)
        }
        #expect(
          error?.reason == .requestUnsupported && error?.detail.contains(hint) == true,
          "\(changes): \(String(describing: error))")
      }
      #expect(house.store.wearables[0].hubState[KeptOrders.self] == nil)
      _ = try await house.hearth.orderSettings("recorder-0", ["lamp": "on"])
      let off = await refusal { () throws(HearthError) in
        try await house.hearth.orderSwitchedOff("recorder-0", ["lamp"])
      }
      #expect(off?.detail == "recorder-0: lamp is ordered on; take that back first, with: set lamp none")
      _ = try await house.hearth.orderSettings("recorder-0", ["lamp": nil])
      _ = try await house.hearth.orderSwitchedOff("recorder-0", ["lamp"])
      let on = await refusal { () throws(HearthError) in
        try await house.hearth.orderSettings("recorder-0", ["lamp": "on"])
      }
      #expect(on?.detail.contains("features that are ordered off") == true)
      _ = try await house.hearth.orderSettings("recorder-0", ["lamp": "off"])
    }
  }

  @Test(
    """
    a series that its model does not send is refused when it is ordered, with those that it has; an unknown model \
    may be ordered anything of its kind
    """
  )
  func streams() throws {
    var driver = Self.driver
    driver.live = [.acc, .ecg, .ppi]
    driver.streams = [.acc, .ppi]
    try inHouse(driver) { house, _ in
      let error = await refusal { () throws(HearthError) in
        try await house.hearth.orderStreams("recorder-0", [.ecg])
      }
      #expect(
        error?.reason == .requestUnsupported
          && error?.detail == "recorder-0: its model sends no ecg by order; it has acc, ppi")
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

  @Test("as many orders as there may be are kept and read back, and one more is refused when it is given, with a code")
  func full() throws {
    var record = WearableRecord(
      id: WearableID(number: 1), addressValue: 1, addressKind: 2, name: "a", driver: "d", kind: "k",
      enrolledAt: WallTime(microseconds: 0))
    func word(_ number: Int) -> String { String(repeating: "w", count: 30) + "\(number + 10)" }
    var orders = WearableOrders()
    let most = Series.all.prefix(KeptOrders.streamLimit)
    orders.streams = Set(most)
    for series in most { orders.rates[series] = WearableOrders.fastestRate }
    orders.switchedOff = Set((0..<KeptOrders.featureLimit).map(word))
    for number in 0..<KeptOrders.settingLimit { orders.settings[word(number)] = word(number) }
    try orders.write(to: &record)
    #expect(WearableOrders(record) == orders)
    let kept = record
    var more = orders
    more.settings["one-more"] = "on"
    #expect(throws: HearthError(.storeTableFull, "33 settings are ordered; at most 32 are kept of one wearable")) {
      try more.write(to: &record)
    }
    var long = orders
    long.switchedOff = [word(0) + "x"]
    #expect(throws: HearthError.self) { try long.write(to: &record) }
    #expect(record == kept, "nothing has changed")
    try WearableOrders().write(to: &record)
    #expect(record.hubState.entries.isEmpty)
  }
}
