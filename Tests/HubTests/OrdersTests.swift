import Bluetooth
import EventLoop
import Health
import Reasons
import RingStore
import Testing
import Wearable

@testable import Hub

@Suite("Orders, wearers and what is asked of wearables")
struct OrdersTests {
  @LoopActor private func reason<Value>(_ body: () async throws(HearthError) -> Value) async -> Reason? {
    do throws(HearthError) { _ = try await body() } catch { return error.reason }
    return nil
  }

  // MARK: asking

  @Test(
    "a wearable that has no link is visited for what is asked of it, one that is being visited is asked in that visit")
  func asked() throws {
    try inHouse(files: { $0[0].files = [.of(20_000)] }) { house, twin in
      house.start()
      try await house.wait { house.hearth.presence[house.hearth.registry.all[0].address] != nil }
      try await house.wait { house.hearth.registry.all[0].visits.running?.stage == .fetch }
      #expect(try await house.hearth.perform("blink", on: "recorder-0") == "it blinks")
      #expect(house.hearth.registry.all[0].visits.running != nil, "it was not waited for the visit's end")
      try await house.wait { house.hearth.registry.all[0].link == nil && house.hearth.lane.holder == nil }
      let visits = try house.visits().count
      #expect(try await house.hearth.perform("blink", on: "recorder-0") == "it blinks")
      try await house.wait { house.hearth.registry.all[0].link == nil && house.hearth.lane.holder == nil }
      #expect(try house.visits().count == visits + 1)
      let known = try await house.hearth.actions(of: "recorder-0")
      #expect(known.actions.map(\.name) == ["blink"] && known.reports.isEmpty)
      #expect(
        await reason { () throws(HearthError) in try await house.hearth.report("weather", of: "recorder-0") }
          == .requestUnsupported)
    }
  }

  @Test("a wearable that is not heard is not waited for, and one with a failed visit answers with why")
  func notThere() throws {
    try inHouse { house, twin in
      house.radio.isQuiet = true
      house.start()
      #expect(
        await reason { () throws(HearthError) in try await house.hearth.perform("blink", on: "recorder-0") }
          == .notLinked)
      #expect(
        await reason { () throws(HearthError) in try await house.hearth.perform("blink", on: "nobody") }
          == .noSuchWearable)
      #expect(house.hearth.registry.all[0].lane.requests == 0)
    }
  }

  @Test("a wait for a turn ends after three minutes with a report, and every wait does when the hub stops")
  func patience() throws {
    try inHouse { house, twin in
      house.start()
      try await house.wait { house.hearth.registry.all[0].link == nil && (try? house.visits().first?.ended) != nil }
      // The lane never gets to it.
      house.hearth.lane.reserve()
      let began = house.loop.now
      #expect(
        await reason { () throws(HearthError) in try await house.hearth.perform("blink", on: "recorder-0") }
          == .requestNotDone)
      #expect(house.loop.now - began == .seconds(180) && house.hearth.registry.all[0].lane.requests == 0)
      var answer: Reason?
      house.loop.spawn {
        answer = await reason { () throws(HearthError) in try await house.hearth.perform("blink", on: "recorder-0") }
      }
      try await house.wait { house.hearth.registry.all[0].lane.requests > 0 }
      await house.hearth.stop()
      try await house.wait { answer != nil }
      #expect(answer == .requestNotDone)
    }
  }

  // MARK: orders

  @Test(
    "orders are durable, reach a session with its link, and last until they are changed; a secret is printed nowhere")
  func orders() throws {
    try inHouse(RecorderDriver.withSwitch) { house, _ in
      let secret = [UInt8](repeating: 0x5A, count: 16)
      _ = try await house.hearth.orderSwitchedOff("recorder-0", ["lamp"])
      let shown = try await house.hearth.orderSecret("recorder-0", secret)
      let rates = try await house.hearth.orderRates("recorder-0", [.gyro: 7, .acc: 50])
      #expect(
        rates.rates.map(\.series) == [.acc, .gyro] && rates.rates.map(\.hertz) == [50, 7]
          && rates.rateChoices.map { $0.rates.map(\.hertz) } == [[25, 50], []])
      #expect(shown.hasSecret && shown.switches.map { $0.isOff } == [true] && shown.streams.isEmpty)
      // The whole secret: two bytes of it stand in one of some hundred sealed texts by chance.
      let printed = secret.map(String.init).joined(separator: ", ")
      #expect(!"\(house.store.wearables[0])".contains(printed) && !"\(shown)".contains(printed))
      house.start()
      try house.killAndRestart()
      try await house.wait { house.hearth.registry.all[0].link?.work != nil }
      let given = house.hearth.registry.all[0].link?.work?.orders
      #expect(given?.secret == secret && given?.switchedOff == ["lamp"] && given?.rates == [.acc: 50, .gyro: 7])
      let without = try await house.hearth.orderSecret("recorder-0", nil)
      #expect(!without.hasSecret)
      #expect(house.store.wearables[0].secret == nil)
    }
  }

  @Test("the name that a wearable gave in answer to a scan is known after a restart, without a new request")
  func names() throws {
    try inHouse(RecorderDriver.withSwitch) { house, _ in
      house.start()
      let name = Array("Watch 7".utf8)
      let answer = Advertisement(
        address: house.hearth.registry.all[0].address, rssi: -50, isConnectable: true, isScanResponse: true,
        data: [UInt8(name.count + 1), 9] + name, time: house.loop.now)
      house.radio.onAdvertisement?(answer)
      try await house.wait { house.hearth.registry.all[0].link?.work != nil }
      try await house.wait { house.store.wearables[0].hubState[AdvertisedName.self] != nil }
      try house.killAndRestart()
      try await house.wait { house.hearth.registry.all[0].link?.work != nil }
      #expect(house.hearth.presence[house.hearth.registry.all[0].address]?.scanResult.name == nil)
      #expect(house.hearth.registry.all[0].link?.work?.known.advertisedName == "Watch 7")
    }
  }

  @Test("a secret for one that cannot encrypt is refused at once and changes nothing; taking one away never is")
  func uselessSecret() throws {
    var driver = RecorderDriver.withSwitch
    driver.refusesSecrets = true
    try inHouse(driver) { house, _ in
      #expect(
        await reason { () throws(HearthError) in try await house.hearth.orderSecret("recorder-0", Hearth.freshSecret())
        } == .secretUseless)
      #expect(house.store.wearables[0].secret == nil && house.hearth.registry.all[0].choices.orders.secret == nil)
      let without = try await house.hearth.orderSecret("recorder-0", nil)
      #expect(!without.hasSecret)
    }
  }

  @Test("what a kind of wearable cannot do is not ordered")
  func impossible() throws {
    try inHouse(RecorderDriver.withSwitch) { house, _ in
      #expect(
        await reason { () throws(HearthError) in try await house.hearth.orderStreams("recorder-0", [.ecg]) }
          == .requestUnsupported)
      #expect(
        await reason { () throws(HearthError) in try await house.hearth.orderSwitchedOff("recorder-0", ["bell"]) }
          == .requestUnsupported)
      for rates in [[.ecg: 130], [.acc: 60], [.acc: 60, .ecg: 130], [.gyro: 0]] as [[Series: Int]] {
        #expect(
          await reason { () throws(HearthError) in try await house.hearth.orderRates("recorder-0", rates) }
            == .requestUnsupported, "\(rates)")
      }
      #expect(
        await reason { () throws(HearthError) in try await house.hearth.orderSecret("recorder-0", [1, 2]) }
          == .controlBadParameter)
      #expect(
        await reason { () throws(HearthError) in try await house.hearth.orderSecret("nobody", nil) } == .noSuchWearable)
      let kept = try house.hearth.orders(of: "recorder-0")
      #expect(
        kept.switches.map { $0.isOff } == [false] && kept.rates.isEmpty
          && house.store.wearables[0].hubState[KeptOrders.self] == nil)
    }
  }

  // MARK: wearers

  @Test("a session gets the wearer of its wearable, as soon as an assignment begins or a body changes")
  func wearers() throws {
    try inHouse { house, _ in
      let hearth = house.hearth
      _ = try await hearth.addWearer("Ada")
      _ = try await hearth.addWearer("Bo")
      house.start()
      _ = try await hearth.setBody("ada") { $0.height = 171 }
      _ = try await hearth.assign("recorder-0", to: "ADA", from: nil)
      @LoopActor func worn() -> WearerBody? { hearth.registry.all[0].choices.orders.wearer }
      #expect(worn()?.number == 1 && worn()?.facts.height == 171)
      let next = house.loop.wall + .seconds(5000)
      _ = try await hearth.assign("recorder-0", to: "2", from: next)
      _ = try await hearth.assign("recorder-0", to: nil, from: next + .seconds(100))
      try await house.pass(.seconds(4999))
      #expect(worn()?.number == 1)
      try await house.pass(.seconds(2))
      #expect(worn()?.number == 2 && hearth.wearers().map(\.wears) == [[], ["recorder-0"]])
      try await house.pass(.seconds(100))
      let all = try hearth.assignments(of: "recorder-0")
      #expect(worn() == nil && all.map(\.wearer) == ["Ada", "Bo", nil])
      #expect(
        await reason { () throws(HearthError) in try await hearth.assign("recorder-0", to: "Eve", from: nil) }
          == .noSuchWearer)
      #expect(
        await reason { () throws(HearthError) in try await hearth.setBody("Ada") { $0.height = 89 } }
          == .controlBadParameter)
      _ = try await hearth.retireWearer("Bo")
      #expect(
        await reason { () throws(HearthError) in try await hearth.assign("recorder-0", to: "Bo", from: nil) }
          == .noSuchWearer)
      #expect(try await hearth.renameWearer("Bo", to: "bed 3").wearer.retiredAt != nil)
    }
  }
}

extension RecorderDriver {
  static var withSwitch: RecorderDriver {
    var driver = RecorderDriver()
    driver.switches = [WearableSwitch("lamp", "Its lamp.")]
    driver.rates = [.acc: [WearableRate(25), WearableRate(50)], .gyro: []]
    driver.attention = .seconds(600)
    return driver
  }
}
