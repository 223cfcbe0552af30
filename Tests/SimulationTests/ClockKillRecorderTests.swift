// A hub that is killed at each step around its write to the clock of a wearable that records by itself.

import BandTwin
import BotzTwin
import EventLoop
import Hub
import PolarTwin
import RingStore
import Simulation
import Testing

@testable import Health

@Suite("A hub that is killed while it sets the clock of a wearable that records", .serialized)
struct ClockKillRecorderTests {
  /// By how much its clock is ahead before, s: more than all that it has recorded lasts.
  private static let ahead: [Int64] = [-5000, 5000]

  @LoopActor
  private static func hub(_ world: VirtualWorld) -> SimulatedHub {
    var options = SimulatedHubOptions()
    options.hub.pairing = .always
    // What is judged is what the store has at the end.
    options.watchEvery = .seconds(60)
    return SimulatedHub(world, options: options)
  }

  @Test("what a band of Polar's recorded has its times", arguments: ahead)
  func polar(ahead: Int64) throws {
    try VirtualLoop.run { loop in
      try await ClockKill.around(loop, before: 5, after: 10) { loop, seed in
        let world = VirtualWorld(loop: loop, seed: seed)
        let traits = PolarTraits.of(.band360) { $0.clockError = .seconds(ahead) }
        let band = world.add { VirtualPolar($0, address: $1, random: $2, traits: traits) }
        let began = loop.wall.microseconds
        band.beginRecording(.acc)
        try await loop.sleep(for: .seconds(120))
        var one = ClockKillCase(
          hub: Self.hub(world), peripheral: band, driver: "polar", series: .acc,
          truth: {
            stride(from: began, through: loop.wall.microseconds, by: 1_000_000).map { ClockTruth(at: $0) }
          }, isSet: { !band.timesSet.isEmpty })
        // A row has some seconds.
        one.least = 2
        return one
      }
    }
  }

  @Test("what an insole recorded has its times", arguments: ahead)
  func insole(ahead: Int64) throws {
    try VirtualLoop.run { loop in
      try await ClockKill.around(loop) { loop, seed in
        let world = VirtualWorld(loop: loop, seed: seed)
        let insole = world.add { VirtualInsole($0, address: $1, random: $2, traits: InsoleTraits()) }
        let wall = loop.wall.microseconds / 1_000_000
        let shown = wall + ahead
        // Within what its clock counts before it falls back.
        insole.setClock(UInt32(shown))
        let begin = UInt32(shown - 300)
        var bytes = InsoleFormat.header(start: begin)
        for number in 0..<20 as Range<UInt32> {
          InsoleFormat.append(record: number, at: begin + 1 + number, session: 7, to: &bytes)
        }
        insole.put(file: 1, bytes + InsoleFormat.footer(end: begin + 22, count: 20))
        let settings = insole.timesSet.count
        var one = ClockKillCase(
          hub: Self.hub(world), peripheral: insole, driver: "botz", series: .cadence,
          truth: { (1...20).map { ClockTruth(at: (wall - 300 + $0) * 1_000_000) } },
          isSet: { insole.timesSet.count > settings })
        one.least = 20
        return one
      }
    }
  }

  @Test("what a band of the new platform recorded has its times, or says that they are not sure", arguments: ahead)
  func next(ahead: Int64) throws {
    try VirtualLoop.run { loop in
      try await ClockKill.around(loop, before: 4, after: 40) { loop, seed in
        let world = VirtualWorld(loop: loop, seed: seed)
        let band = world.addNextBand { (traits: inout TopStepTraits) in
          (traits.band.zone, traits.band.clockError) = (0, .seconds(ahead))
        }
        try await loop.sleep(for: .seconds(7200))
        let (now, time) = (loop.now, loop.wall)
        var one = ClockKillCase(
          hub: Self.hub(world), peripheral: band, driver: "topstep-next", series: .heartRate,
          truth: {
            band.catchUp()
            return band.recorder.items.filter { $0.series == .heartRate }.map {
              ClockTruth(at: (time + ($0.at - now)).microseconds, value: $0.value)
            }
          }, isSet: { !band.log.times.isEmpty })
        // A minute of slots, and what the clock was wrong by before is not known.
        (one.bound, one.isCertain) = (90_000_000, false)
        return one
      }
    }
  }
}
