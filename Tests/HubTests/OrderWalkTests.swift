import EventLoop
import Health
import Reasons
import RingStore
import Testing
import Wearable

@testable import Hub

/// Codes of what people ask of a wearable: refused, their next step done as it says, and taken then.
@Suite("Next steps of orders that are walked")
struct OrderWalkTests {
  private static let secret = [UInt8](repeating: 0x5A, count: 16)

  @LoopActor private func blink(_ house: LaneHouse, _ action: String = "blink") async -> Reason? {
    await refusal { () throws(HearthError) in try await house.hearth.perform(action, on: "recorder-0") }
  }

  @Test("H2127: one without a link is brought near and visited, and does what it is asked then")
  func notLinked() throws {
    try inHouse { house, _ in
      house.radio.isQuiet = true
      house.start()
      #expect(await blink(house) == .notLinked)
      house.radio.isQuiet = false
      try await house.pass(.seconds(2))
      _ = try house.hearth.visitNow("recorder-0")
      #expect(await blink(house) == nil)
    }
  }

  @Test("H2131: what it cannot do is refused; of the actions and orders that it lists each is taken")
  func requestUnsupported() throws {
    try inHouse(RecorderDriver.withSwitch) { house, _ in
      house.start()
      try await house.wait { house.hearth.registry.all[0].link?.work != nil }
      #expect(await blink(house, "ring") == .requestUnsupported)
      let listed = try await house.hearth.actions(of: "recorder-0").actions.map(\.name)
      #expect(listed == ["blink"])
      for name in listed { #expect(await blink(house, name) == nil) }
      let hearth = house.hearth
      #expect(
        await refusal { () throws(HearthError) in try await hearth.orderSwitchedOff("recorder-0", ["bell"]) }
          == .requestUnsupported)
      #expect(
        await refusal { () throws(HearthError) in try await hearth.orderRates("recorder-0", [.acc: 60]) }
          == .requestUnsupported)
      let choices = try hearth.orders(of: "recorder-0")
      let names = choices.switches.map { $0.switch.name }
      #expect(try await hearth.orderSwitchedOff("recorder-0", Set(names)).switches.allSatisfy { $0.isOff })
      let fastest = try #require(choices.rateChoices.first { $0.series == .acc }?.rates.last?.hertz)
      #expect(try await hearth.orderRates("recorder-0", [.acc: fastest]).rates.map(\.hertz) == [fastest])
    }
  }

  @Test("H2132: one without encryption is left without a secret; a model that encrypts takes it")
  func secretUseless() throws {
    for encrypts in [false, true] {
      var driver = RecorderDriver.withSwitch
      driver.refusesSecrets = !encrypts
      try inHouse(driver, files: { $0[0].files = [.of(500)] }) { house, twin in
        let hearth = house.hearth
        let refused = await refusal { () throws(HearthError) in try await hearth.orderSecret("recorder-0", Self.secret)
        }
        #expect(refused == (encrypts ? nil : .secretUseless))
        // The wearable records as before.
        house.start()
        try await house.wait { twin.files.isEmpty }
        #expect(try house.hearth.orders(of: "recorder-0").hasSecret == encrypts)
        #expect(try house.hearth.wearable(named: "recorder-0").trouble == nil)
      }
    }
  }

  @Test("H2137: what had no turn was not kept; asked again later, it is done")
  func requestNotDone() throws {
    try inHouse { house, _ in
      house.start()
      try await house.wait { house.hearth.registry.all[0].link == nil && (try? house.visits().first?.ended) != nil }
      house.hearth.lane.reserve()
      #expect(await blink(house) == .requestNotDone)
      #expect(house.hearth.registry.all[0].lane.requests == 0)
      house.hearth.lane.release()
      #expect(await blink(house) == nil)
    }
  }
}
