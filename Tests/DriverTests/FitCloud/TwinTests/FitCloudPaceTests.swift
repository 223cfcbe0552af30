// The time in which a hub fetches a day from the virtual band, compared with the least that band and protocol need.
// Also its behaviour with a band of an unusual pace.

import EventLoop
import Simulation
import Testing
import Wearable

@testable import BandTwin
@testable import Bands
@testable import FitCloudFamily

@Suite("The pace of a hub with a FitCloud band", .serialized)
struct FitCloudPaceTests {
  /// The time from the first request for history to the arrival of the last one of a batch. Also the part of it that
  /// the twin's own log counts as unavoidable.
  @LoopActor
  private static func pace(of band: VirtualFitCloud) throws -> (whole: Duration, forced: Duration, kinds: Int) {
    let first = try #require(band.ledger.deliveries.first?.sentAt)
    let link = try #require(band.log.heard.last { $0.at <= first }?.link)
    var (last, kinds) = (first, 0)
    // What is asked on the same link minutes later is another visit.
    for delivery in band.ledger.deliveries {
      guard let arrived = delivery.deliveredAt, delivery.sentAt - last < .seconds(60) else { break }
      (last, kinds) = (arrived, kinds + 1)
    }
    let forced = band.log.forced(
      link: link, first..<last, piece: BandPieces.size, pause: BandPieces.usualPause)
    return (last - first, forced, kinds)
  }

  @Test(
    "a full day takes at most 1.3 times what the band's frames and the waits for their acknowledgements take",
    arguments: [20, 60, 497])
  func day(_ frameBytes: Int) throws {
    try VirtualLoop.run { loop in
      let world = VirtualWorld(loop: loop, seed: 91, faults: FaultPlan())
      let band = world.addFitCloud { $0.frameBytes = frameBytes }
      try await loop.sleep(for: .seconds(86_400))
      let hub = SimulatedHub(world, drivers: [FitCloudDriver()])
      try await hub.start(enrolling: [("band", band, Band.fitCloudDriver, Band.kind)])
      // Ends before the next visit begins.
      try await loop.sleep(for: .seconds(600))
      await hub.stop()
      let pace = try Self.pace(of: band)
      print("FitCloud: \(pace.kinds) transfers in \(pace.whole.inSeconds) s, \(pace.forced.inSeconds) s of it forced")
      #expect(pace.kinds >= 8 && pace.forced < pace.whole)
      #expect(pace.whole <= pace.forced * 13 / 10)
      #expect(band.ledger.faults == [] && band.repeats == 0)
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
