import EventLoop
import Simulation
import StrapTwin
import Testing

@Suite("Wearables nearby")
struct PresenceTests {
  @Test("a wearable that stays for good and is then sent away does not come back from a short absence of before")
  func leaves() throws {
    try VirtualLoop.run { loop in
      var plan = FaultPlan()
      plan.shortAbsencePerStay = 1
      plan.shortAbsence = .seconds(60)...(.seconds(60))
      let world = VirtualWorld(loop: loop, seed: 1, options: WorldOptions(), faults: plan)
      let hour = Duration.seconds(3600)
      let strap = world.addStrap(.comesAndGoes(near: hour...hour, away: hour...hour, startsNear: 1))
      for _ in 0..<3600 where strap.isInRange { try await loop.sleep(for: .seconds(1)) }
      try #require(!strap.isInRange)
      strap.stayForGood()
      #expect(strap.isInRange)
      strap.leave()
      try await loop.sleep(for: .seconds(120))
      #expect(!strap.isInRange)
    }
  }
}
