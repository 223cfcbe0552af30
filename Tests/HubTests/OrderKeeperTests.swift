import EventLoop
import Health
import Reasons
import RingStore
import Testing
import Wearable

@testable import Hub

@Suite("Order keeper")
struct OrderKeeperTests {
  @LoopActor
  private static func keeper(_ parts: Parts) -> OrderKeeper {
    OrderKeeper(context: parts.context, registry: parts.registry, presence: parts.presence)
  }

  /// As a hub that began again would read it.
  @LoopActor
  private static func stored(_ parts: Parts) throws -> WearableOrders {
    WearableChoices(try #require(parts.store.wearables.first)).orders
  }

  private static var driver: RecorderDriver {
    var driver = RecorderDriver()
    driver.live = [.acc, .ecg]
    driver.streams = [.acc]
    driver.rates = [.acc: [WearableRate(52), WearableRate(104)]]
    driver.switches = [WearableSwitch("lamp", "Shines."), WearableSwitch("sleep", "Sleeps.")]
    return driver
  }

  @Test(
    "streams that its model has are durable when the order returns; others of its kind, or unknown ones, are refused")
  func streams() throws {
    try withParts(Self.driver) { parts in
      let keeper = Self.keeper(parts)
      let wearable = try await parts.enrol(1, "a")
      #expect(try await keeper.orderStreams("a", [.acc]).streams == [.acc])
      #expect(try Self.stored(parts).streams == [.acc] && wearable.choices.orders.streams == [.acc])
      for (which, series, reason) in [
        ("a", Series.ecg, Reason.requestUnsupported), ("a", .gyro, .requestUnsupported), ("b", .acc, .noSuchWearable),
      ] {
        #expect(await refusal { () throws(HearthError) in try await keeper.orderStreams(which, [series]) } == reason)
      }
      #expect(try Self.stored(parts).streams == [.acc])
      #expect(try await keeper.orderStreams("a", []).streams.isEmpty)
      #expect(try Self.stored(parts).streams.isEmpty)
    }
  }

  @Test("a rate is one that its model has, and a refusal says which those are")
  func rates() throws {
    try withParts(Self.driver) { parts in
      let keeper = Self.keeper(parts)
      let wearable = try await parts.enrol(1, "a")
      let orders = try await keeper.orderRates("a", [.acc: 104])
      #expect(orders.rates.map(\.1) == [104] && orders.rateChoices.map { $0.1.map(\.hertz) } == [[52, 104]])
      #expect(try Self.stored(parts).rates == [.acc: 104])
      var told = ""
      do throws(HearthError) { _ = try await keeper.orderRates("a", [.acc: 100]) } catch { told = "\(error)" }
      #expect(told.contains("a: it has no acc at 100 Hz; it has 52, 104 Hz"))
      told = ""
      do throws(HearthError) { _ = try await keeper.orderRates("a", [.ecg: 130]) } catch { told = "\(error)" }
      #expect(told.contains("a: no rate of ecg can be ordered; it has rates of acc"))
      #expect(await refusal { () throws(HearthError) in try await keeper.orderRates("a", [.acc: 0]) } != nil)
      #expect(wearable.choices.orders.rates == [.acc: 104])
    }
  }

  @Test("what is ordered on is not switched off, and what the wearable has not is no switch")
  func switches() throws {
    try withParts(Self.driver) { parts in
      let keeper = Self.keeper(parts)
      let wearable = try await parts.enrol(1, "a")
      let orders = try await keeper.orderSwitchedOff("a", ["sleep"])
      #expect(orders.switches.map { $0.0.name } == ["lamp", "sleep"] && orders.switches.map(\.1) == [false, true])
      #expect(
        await refusal { () throws(HearthError) in try await keeper.orderSwitchedOff("a", ["sleep", "wings"]) }
          == .requestUnsupported)
      _ = try await keeper.order(wearable) { $0.settings["lamp"] = "on" }
      #expect(
        await refusal { () throws(HearthError) in try await keeper.orderSwitchedOff("a", ["lamp"]) }
          == .requestUnsupported)
      #expect(try Self.stored(parts).switchedOff == ["sleep"])
      #expect(try await keeper.orderSwitchedOff("a", []).switches.allSatisfy { !$0.1 })
    }
  }

  @Test("a secret has sixteen bytes, and is removed by its order")
  func secrets() throws {
    try withParts { parts in
      let keeper = Self.keeper(parts)
      _ = try await parts.enrol(1, "a")
      #expect(
        await refusal { () throws(HearthError) in try await keeper.orderSecret("a", [1, 2, 3]) } == .controlBadParameter
      )
      let secret = (0..<16).map { UInt8($0) }
      #expect(try await keeper.orderSecret("a", secret).hasSecret)
      #expect(try Self.stored(parts).secret == secret)
      #expect(try await !keeper.orderSecret("a", nil).hasSecret)
      #expect(try Self.stored(parts).secret == nil)
    }
  }

  @Test("a wearable without encryption gets no secret, and one without a secret can be ordered so")
  func uselessSecrets() throws {
    var driver = RecorderDriver()
    driver.refusesSecrets = true
    try withParts(driver) { parts in
      let keeper = Self.keeper(parts)
      let wearable = try await parts.enrol(1, "a")
      let secret = [UInt8](repeating: 7, count: 16)
      #expect(await refusal { () throws(HearthError) in try await keeper.orderSecret("a", secret) } == .secretUseless)
      #expect(wearable.choices.orders.secret == nil)
      #expect(try await !keeper.orderSecret("a", nil).hasSecret)
    }
  }

  @Test("an order that does not get into the store leaves those that there are")
  func notKept() throws {
    try withParts(Self.driver) { parts in
      let keeper = Self.keeper(parts)
      let wearable = try await parts.enrol(1, "a")
      _ = try await keeper.orderStreams("a", [.acc])
      try await parts.store.remove(wearable.id)
      #expect(await refusal { () throws(HearthError) in try await keeper.orderStreams("a", []) } != nil)
      #expect(wearable.choices.orders.streams == [.acc])
    }
  }

  @Test("orders name the wearer")
  func wearer() throws {
    try withParts { parts in
      let wearers = WearerKeeper(parts.context, parts.registry)
      _ = try await parts.enrol(1, "a")
      #expect(try Self.keeper(parts).orders(of: "a").wearer == nil)
      _ = try await wearers.addWearer("Ada")
      _ = try await wearers.assign("a", to: "Ada", from: nil)
      #expect(try Self.keeper(parts).orders(of: "a").wearer == "Ada")
    }
  }
}
