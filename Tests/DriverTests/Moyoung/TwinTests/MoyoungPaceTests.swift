// The time in which a hub fetches a day from the virtual band, compared with the protocol's own pacing. One command is
// in flight; answers come in pieces with a gap between them.

import Bands
import EventLoop
import Simulation
import Testing
import Wearable

@testable import BandTwin
@testable import MoyoungFamily

@Suite("The pace of a hub with a Moyoung band", .serialized)
struct MoyoungPaceTests {
  @Test("a full day takes at most 1.3 times as long as its questions and the pieces of their answers")
  func day() throws {
    try VirtualLoop.run { loop in
      let world = VirtualWorld(loop: loop, seed: 93, faults: FaultPlan())
      let make = MoyoungMake()
      let band = world.add { VirtualMoyoungBand($0, address: $1, random: $2, make: make) }
      band.arrive()
      try await loop.sleep(for: .seconds(86_400))
      let hub = SimulatedHub(world, drivers: [MoyoungDriver()])
      try await hub.start(enrolling: [("band", band, Band.moyoungDriver, Band.kind)])
      try await loop.sleep(for: .seconds(600))
      await hub.stop()
      // The first visit: its commands follow each other within the patience of one.
      var visit = [try #require(band.commands.first)]
      for next in band.commands.dropFirst() {
        guard let last = visit.last, next.at - last.at < .seconds(6) else { break }
        visit.append(next)
      }
      let last = try #require(visit.last)
      let questions = visit.filter { $0.command != 49 && $0.command != 18 }
      // A command and its answer wait for a connection event of 30 ms each. The band thinks for 140 ms on average. The
      // four pieces of a quarter of a day come 20 ms apart.
      let quarters = questions.count { $0.command == 53 }
      let forced = Duration.milliseconds(200) * questions.count + .milliseconds(80) * quarters
      let took = last.at - visit[0].at
      print("Moyoung: \(visit.count) commands, \(took.inSeconds) s of \(forced.inSeconds) s")
      #expect(quarters == 8 && took <= forced * 13 / 10)
      #expect(band.ledger.faults.isEmpty)
    }
  }
}
