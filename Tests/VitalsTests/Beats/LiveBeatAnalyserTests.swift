import Foundation
import Testing

@testable import Vitals

private func steady(_ interval: Double, seconds: Int, from start: Int = 0, into timeline: inout BeatTimeline) {
  var (time, packet, ripple) = (Double(start), [ReceivedInterval](), 0)
  var notified = Double(start) + 1
  while time < Double(start + seconds) {
    ripple += 7
    let beat = interval + Double(ripple % 11) - 5
    time += beat / 1000
    if time > notified {
      timeline.take(packet, at: notified)
      packet = []
      notified += 1
    }
    packet.append(ReceivedInterval(beat))
  }
}

@Suite("Live values")
struct LiveBeatAnalyserTests {
  @Test("the pulse rate needs seven seconds of intervals")
  func pulse() throws {
    var timeline = BeatTimeline()
    var live = LiveBeatAnalyser()
    steady(1000, seconds: 6, into: &timeline)
    #expect(live.values(of: timeline, at: 6).pulseRate == nil)
    steady(500, seconds: 60, from: 7, into: &timeline)
    let rate = try #require(live.values(of: timeline, at: 67).pulseRate)
    #expect((rate - 120).magnitude < 1)
  }

  @Test("the pulse rate is gone when intervals are sixteen seconds old")
  func old() {
    var timeline = BeatTimeline()
    steady(1000, seconds: 30, into: &timeline)
    #expect(PulseRate.instantaneous(timeline, at: 30) != nil)
    #expect(PulseRate.instantaneous(timeline, at: 60) == nil)
  }

  @Test("a signal is doubtful when more than a fifth of the last ten seconds are artefacts")
  func doubtful() throws {
    var timeline = BeatTimeline()
    var live = LiveBeatAnalyser()
    steady(1000, seconds: 60, into: &timeline)
    #expect(live.values(of: timeline, at: 60).artefactShare == 0)
    for second in 61...63 { timeline.take([ReceivedInterval(1000, isBlocked: true)], at: Double(second)) }
    let values = live.values(of: timeline, at: 63)
    #expect(values.isDoubtful, "\(values)")
    #expect(live.values(of: timeline, at: 200).artefactShare == nil)
  }

  /// Processor time, which `board/check --all` asks for with `HEARTH_VITALS_COST=1`.
  @Test(
    "forty straps at once cost a fiftieth of a core at most",
    .enabled(if: ProcessInfo.processInfo.environment["HEARTH_VITALS_COST"] != nil), arguments: [60.0, 180, 300])
  func cost(window length: Double) {
    var random = SeededRandom(40)
    let straps = 40
    var timelines = (0..<straps).map { _ in BeatTimeline() }
    let hearts = (0..<straps).map { _ in random.heart(seconds: 900) }
    var places = [Int](repeating: 0, count: straps)
    var times = [Double](repeating: 0, count: straps)
    var packet: [ReceivedInterval] = []
    var (live, signs, window) = (LiveBeatAnalyser(), VitalSigns(), BeatWindow())
    let request = VitalRequest(
      sensor: .electrical, phase: .runtime, person: VitalPerson(sex: .female, age: 30, weight: 60))
    var (intake, instant, heavy, results) = (0.0, 0.0, 0.0, 0)
    func measured(_ work: () -> Void) -> Double {
      let begin = clock()
      work()
      return Double(clock() - begin) / Double(CLOCKS_PER_SEC)
    }
    let seconds = 800
    for second in 1...seconds {
      for strap in 0..<straps {
        packet.removeAll(keepingCapacity: true)
        while times[strap] + hearts[strap][places[strap]] / 1000 <= Double(second) {
          times[strap] += hearts[strap][places[strap]] / 1000
          packet.append(ReceivedInterval(hearts[strap][places[strap]]))
          places[strap] += 1
        }
        intake += measured { timelines[strap].take(packet, at: Double(second)) }
        instant += measured { if live.values(of: timelines[strap], at: Double(second)).isDoubtful { results += 1 } }
        guard (second + strap) % 5 == 0 else { continue }
        heavy += measured {
          timelines[strap].fill(&window, from: Double(second) - length, to: Double(second))
          results += signs.report(request, of: window).results.count
        }
      }
    }
    func percent(_ cost: Double) -> String { String(format: "%.3f %%", 100 * cost / Double(seconds)) }
    print(
      "forty straps, windows of \(length) s, share of one core: beats \(percent(intake)), every second "
        + "\(percent(instant)), every five seconds \(percent(heavy)); \(results) results")
    #expect(intake + instant + heavy <= Double(seconds) / 50)
  }
}
