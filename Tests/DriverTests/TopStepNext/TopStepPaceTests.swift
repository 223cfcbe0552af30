// How long a visit takes beside what the band itself forces on it: held against the log of the twin, in virtual time.

import Bands
import EventLoop
import Simulation
import Testing
import Wearable

@testable import BandTwin
@testable import TopStepNextFamily

@Suite("How fast a band of the new platform is read", .serialized)
struct TopStepPaceTests {
  /// The time from the first request of a link to the end of the last kind of data. Part of it is forced by the band.
  /// Each request comes in pieces with a pause between two. So does all that the band sends until the last piece.
  private struct Pace {
    var whole = Duration.zero
    var forced = Duration.zero
    var requests = 0
    var days = 0
    var ratio: Double { whole.inSeconds / forced.inSeconds }
  }

  /// Bytes of a piece, and what lies between two of them.
  private static let piece = 20
  private static let pause = Duration.milliseconds(20)

  @LoopActor
  private static func pace(of band: VirtualTopStepBand, link: Int) throws -> Pace {
    // Each kind once: what is asked on the same link later is another visit.
    let syncs = band.log.syncs.filter { $0.link == link }.prefix(DayKind.allCases.count)
    let over = try #require(
      syncs.last.flatMap { last in
        band.log.sent.filter { $0.link == link && $0.frame.command == 5 && $0.sentAt >= last.at }.prefix(3)
          .compactMap(\.deliveredAt).max()
      })
    let heard = band.log.heard.filter { $0.link == link && $0.at <= over }
    let first = try #require(heard.first)
    var pace = Pace(whole: over - first.at, days: syncs.reduce(0) { $0 + $1.days.count })
    for (place, request) in heard.enumerated() {
      pace.requests += 1
      if place > 0 { pace.forced = pace.forced + pause * ((request.frame.bytes.count - 1) / piece) }
      let until = place + 1 < heard.count ? heard[place + 1].at : over
      let said = band.log.sent.filter { $0.link == link && $0.sentAt >= request.at && $0.sentAt < until }
      if let end = said.compactMap(\.deliveredAt).max() { pace.forced = pace.forced + (end - request.at) }
    }
    return pace
  }

  @Test("a full day comes in at most 1.3 times what the band's answers and pieces take", arguments: [true, false])
  func day(_ echoes: Bool) throws {
    try VirtualLoop.run { loop in
      let world = VirtualWorld(loop: loop, seed: 17, faults: FaultPlan())
      let band = world.addNextBand(.always, TopStepTraits()) { $0.air.echoesSequence = echoes }
      // A day without a fetch.
      try await loop.sleep(for: .seconds(86_400))
      let hub = SimulatedHub(world, drivers: [TopStepNextDriver()])
      try await hub.start(enrolling: [("band", band, TopStepNextDriver().id, Band.kind)])
      try await loop.sleep(for: .seconds(600))
      let link = try #require(band.log.syncs.first { $0.result == 0 }?.link)
      let pace = try Self.pace(of: band, link: link)
      await hub.stop()
      #expect(pace.requests >= 10 && pace.days >= 5, "\(pace)")
      // An answer takes up to 120 ms here, and the air an event or two: no wait of seconds is among it.
      #expect(pace.ratio <= 1.3, "\(pace.whole) of which \(pace.forced) are the band's")
      #expect(band.log.faults.isEmpty && band.ledger.faults.isEmpty)
    }
  }
}
