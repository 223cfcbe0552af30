import Bluetooth
import EventLoop
import Health
import Reasons
import Testing
import Wearable

@testable import Hub

@Suite("What a driver does not declare")
struct UndeclaredTests {
  private static var plain: RecorderDriver {
    var driver = RecorderDriver()
    driver.isPlain = true
    driver.live = [.acc]
    return driver
  }

  private func refused(_ order: () async throws(HearthError) -> Void) async -> HearthError? {
    do throws(HearthError) { try await order() } catch { return error }
    return nil
  }

  @Test("is refused when it is ordered, and the sentence says that it is missing")
  func orders() throws {
    try inHouse(Self.plain) { house, _ in
      let hearth = house.hearth
      let name = "recorder-0"
      let streams = await refused { () throws(HearthError) in _ = try await hearth.orderStreams(name, [.acc]) }
      #expect(
        streams?.reason == .requestUnsupported
          && streams?.detail == "recorder-0: its model sends no acc by order; it sends no series by order")
      let rates = await refused { () throws(HearthError) in _ = try await hearth.orderRates(name, [.acc: 50]) }
      #expect(rates?.reason == .requestUnsupported && rates?.detail == "recorder-0: no rate of acc can be ordered")
      let settings = await refused { () throws(HearthError) in _ = try await hearth.orderSettings(name, ["lamp": "on"])
      }
      #expect(
        settings?.reason == .requestUnsupported
          && settings?.detail == "recorder-0: no setting is called 'lamp'; it has no settings")
      let switches = await refused { () throws(HearthError) in _ = try await hearth.orderSwitchedOff(name, ["lamp"]) }
      #expect(
        switches?.reason == .requestUnsupported
          && switches?.detail == "recorder-0: it has no 'lamp'; it has no switches")
      let secret = await refused { () throws(HearthError) in
        _ = try await hearth.orderSecret(name, Hearth.freshSecret())
      }
      #expect(secret?.reason == .secretUseless && secret?.detail == "recorder-0 cannot encrypt what it records")
      let listening = await refused { () throws(HearthError) in _ = try await hearth.setListening(name, true) }
      #expect(
        listening?.reason == .requestUnsupported && listening?.detail == "recorder-0: its kind advertises no values")
      let sync = await refused { () throws(HearthError) in _ = try hearth.orderSync(name, SyncRequest()) }
      #expect(
        sync?.reason == .requestUnsupported && sync?.detail == "recorder-0 stores no data to fetch")
      let kept = try hearth.orders(of: name)
      #expect(
        kept.streams.isEmpty && kept.rates.isEmpty && kept.settings.isEmpty && kept.switches.isEmpty && !kept.hasSecret)
    }
  }

  @Test("is refused by its session too, and its visits fetch what it holds")
  func sessions() throws {
    try inHouse(Self.plain, files: { $0[0].files = [.of(500)] }) { house, twin in
      house.start()
      let hearth = house.hearth
      let name = "recorder-0"
      try await house.wait { hearth.presence[hearth.registry.all[0].address] != nil }
      let known = try await hearth.actions(of: name)
      #expect(known.actions.isEmpty && known.reports.isEmpty)
      let action = await refused { () throws(HearthError) in _ = try await hearth.perform("blink", on: name) }
      #expect(action?.reason == .requestUnsupported && action?.detail == "recorder-0: it has no action 'blink'")
      let report = await refused { () throws(HearthError) in _ = try await hearth.report("streams", of: name) }
      #expect(report?.reason == .requestUnsupported && report?.detail == "recorder-0: it does not report 'streams'")
      try await house.wait { twin.files.isEmpty }
      #expect(try await house.values().count == 500)
    }
  }
}
