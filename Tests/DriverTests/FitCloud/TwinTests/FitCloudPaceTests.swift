// How long a hub takes to fetch a day from the virtual band, against what the protocol's own pacing asks for, and what
// it does with a band of an unusual pace.

import EventLoop
import Simulation
import Testing
import Wearable

@testable import BandTwin
@testable import Bands
@testable import FitCloudFamily

@Suite("The pace of a hub with a FitCloud band", .serialized)
struct FitCloudPaceTests {
  @Test("a full day takes at most 1.3 times as long as its frames and their acknowledgements")
  func day() throws {
    try VirtualLoop.run { loop in
      let world = VirtualWorld(loop: loop, seed: 91, faults: FaultPlan())
      let band = world.addFitCloud()
      try await loop.sleep(for: .seconds(86_400))
      let hub = SimulatedHub(world, drivers: [FitCloudDriver()])
      try await hub.start(enrolling: [("band", band, Band.fitCloudDriver, Band.kind)])
      try await loop.sleep(for: .seconds(900))
      await hub.stop()
      let deliveries = band.ledger.deliveries
      let first = try #require(deliveries.first)
      let last = try #require(deliveries.last { $0.deliveredAt != nil }?.deliveredAt)
      let frames = band.framesSent
      // Each frame waits for its acknowledgement: both ways take a connection event of 30 ms, and one more passes until
      // the next is on the air.
      let forced = Duration.milliseconds(90) * frames
      let took = last - first.sentAt
      print("FitCloud: \(frames) frames, \(took.inSeconds) s of \(forced.inSeconds) s")
      #expect(took <= forced * 13 / 10)
      #expect(band.ledger.faults.isEmpty && band.repeats == 0)
    }
  }

  @Test("a band that loses pieces 20 ms apart is bound with the repeat, and served slowly from then on")
  func slow() throws {
    try VirtualLoop.run { loop in
      let world = VirtualWorld(loop: loop, seed: 92, faults: FaultPlan())
      let band = world.addFitCloud { $0.band.pace = .milliseconds(60) }
      let hub = SimulatedHub(world, drivers: [FitCloudDriver()])
      try await hub.start(enrolling: [("band", band, Band.fitCloudDriver, Band.kind)])
      try await loop.sleep(for: .seconds(3600))
      await hub.stop()
      #expect(band.ledger.bindings == 1 && band.ledger.faults.isEmpty)
      #expect(band.ledger.deliveries.contains { $0.verdict == true })
    }
  }
}
