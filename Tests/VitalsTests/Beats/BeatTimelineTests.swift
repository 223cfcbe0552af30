import Testing

@testable import Vitals

private let seeds = freshSeeds(40, for: "timelines of beats")

private func good(_ intervals: Double...) -> [ReceivedInterval] { intervals.map { ReceivedInterval($0) } }

extension BeatTimeline {
  fileprivate var stretches: [[Double]] {
    var found: [[Double]] = []
    var current: UInt32?
    for index in 0..<count where self[index].isUsable {
      if self[index].stretch != current { found.append([]) }
      current = self[index].stretch
      found[found.count - 1].append(self[index].interval)
    }
    return found
  }

  fileprivate var gaps: [BeatGap] { (0..<gapCount).map { gap($0) } }
}

@Suite("A timeline of beats")
struct BeatTimelineTests {
  @Test("begins at the arrival of the first packet with intervals")
  func first() {
    var timeline = BeatTimeline()
    timeline.take([], at: 9)
    #expect(timeline.lastBeat == nil)
    timeline.take(good(800, 900), atMicroseconds: 10_000_000)
    #expect(timeline.lastBeat == 10)
    #expect(timeline[0].time == 9.1 && timeline[1].time == 10)
    #expect(timeline[0].packet == 1 && timeline.gapCount == 0)
  }

  @Test("is drawn to the arrivals by a fiftieth of the distance")
  func drift() {
    var timeline = BeatTimeline()
    timeline.take(good(1000), at: 10)
    timeline.take(good(1000), at: 11.5)
    #expect(abs((timeline.lastBeat ?? 0) - 11.01) < 1e-9)
  }

  @Test("has a gap beyond two seconds, not at them")
  func limit() {
    for (arrival, gaps) in [(13.0, 0), (13.001, 1), (9.0, 0), (8.999, 1)] {
      var timeline = BeatTimeline()
      timeline.take(good(1000), at: 10)
      timeline.take(good(1000), at: arrival)
      #expect(timeline.gapCount == gaps, "\(arrival)")
    }
  }

  @Test("keeps the mark of a reconnect on a packet without intervals for the next one with")
  func reconnect() {
    var timeline = BeatTimeline()
    timeline.take(good(1000), at: 10)
    timeline.take([], at: 10.5, reconnected: true)
    timeline.take(good(1000), at: 11)
    #expect(timeline.stretches == [[1000], [1000]])
    #expect(timeline.gaps == [BeatGap(reason: .reconnect, length: 0, end: 10, packet: 2)])
  }

  @Test("is cut if an interval is dropped, and goes on at the arrival of what follows")
  func cut() {
    var timeline = BeatTimeline()
    timeline.take(good(1000), at: 10)
    timeline.take(
      [ReceivedInterval(1000), ReceivedInterval(900, isBlocked: true), ReceivedInterval(800)], at: 12.7)
    #expect(timeline.stretches == [[1000, 1000], [800]])
    #expect((0..<timeline.count).map { timeline[$0].isUsable } == [true, true, false, true])
    #expect(abs(timeline[1].time - 11) < 1e-9 && abs(timeline[2].time - 11.9) < 1e-9 && timeline[3].time == 12.7)
    #expect(timeline.gaps.map(\.reason) == [.dropped(.blocked)])
    #expect(abs(timeline.gaps[0].length - 0.9) < 1e-9)
  }

  @Test("is cut by a packet that says the contact is lost, also one without intervals")
  func contact() {
    for lost in [good(1000), []] {
      var timeline = BeatTimeline()
      timeline.take(good(1000), at: 10)
      timeline.take(lost, at: 11, contactLost: true)
      timeline.take(good(1000), at: 12)
      #expect(timeline.stretches == [[1000], [1000]])
      #expect(timeline.gaps.map(\.reason) == [.dropped(.noContact)])
    }
  }

  @Test("does not count the time of an invalid interval")
  func absurd() {
    var timeline = BeatTimeline()
    timeline.take(good(1000), at: 10)
    timeline.take([ReceivedInterval(.nan), ReceivedInterval(1000), ReceivedInterval(1000)], at: 12)
    #expect(timeline.stretches == [[1000], [1000, 1000]])
    #expect(timeline.gaps[0].length == 0)
  }

  @Test("gives a window's intervals, those dropped counted, and the part of a gap that lies in it")
  func window() {
    var timeline = BeatTimeline()
    for second in 1...10 { timeline.take(good(1000), at: Double(second)) }
    timeline.take([ReceivedInterval(1000, errorEstimate: 20)], at: 20)
    timeline.take([ReceivedInterval(1000, errorEstimate: 40)], at: 21)
    let window = timeline.window(from: 5, to: 25)
    #expect(window.series.stretches.map(\.count) == [5, 1])
    #expect(window.received == 7 && window.dropped == 1 && window.uncertain == 1)
    #expect(window.length == 20 && abs(window.gapSeconds - 9) < 1e-9)
    #expect(abs(timeline.window(from: 15, to: 25).gapSeconds - 4) < 1e-9)
    #expect(timeline.window(from: 25, to: 5).length == 0)
    #expect(timeline.window(from: .nan, to: .nan).length == 0)
  }

  @Test("keeps the newest beats when its memory is full, and counts the others")
  func full() {
    var timeline = BeatTimeline(capacity: 16)
    for second in 1...20 { timeline.take(good(Double(second) + 1000), at: Double(second)) }
    #expect(timeline.count == 16 && timeline.overwrittenBeats == 4)
    #expect(timeline[0].interval == 1005 && timeline[15].interval == 1020)
  }

  @Test("survives whatever a radio may say", arguments: seeds)
  func hostile(_ seed: UInt64) {
    var random = SeededRandom(seed)
    var timeline = BeatTimeline(capacity: 64)
    let odd = [0, -1, 1, 65_535, 1e308, -1e308, .nan, .infinity, Double.leastNonzeroMagnitude]
    for _ in 0..<400 {
      let intervals = (0..<random.whole(0...9)).map { _ in
        ReceivedInterval(
          random.chance(0.2) ? odd[random.whole(0...8)] : random.number(0...3000),
          errorEstimate: random.chance(0.3) ? random.number(0...60) : random.chance(0.1) ? .nan : nil,
          isBlocked: random.chance(0.1), contact: random.chance(0.1) ? .absent : .unsupported)
      }
      let arrival = random.chance(0.1) ? odd[random.whole(0...8)] : random.number(0...1000)
      timeline.take(intervals, at: arrival, reconnected: random.chance(0.05), contactLost: random.chance(0.05))
      #expect(timeline.count <= 64 && timeline.gapCount <= BeatTimeline.gapCapacity)
      #expect(timeline.lastBeat?.isFinite ?? true)
    }
    timeline.take(good(1000), atMicroseconds: .max)
    timeline.take(good(1000), atMicroseconds: .min)
    #expect(timeline.refusedPackets >= 2)
    for index in 0..<timeline.count {
      #expect(timeline[index].time.isFinite)
      #expect(!timeline[index].isUsable || (0...65_535).contains(timeline[index].interval))
    }
    for gap in (0..<timeline.gapCount).map({ timeline.gap($0) }) { #expect(gap.length >= 0 && gap.length.isFinite) }
  }

  @Test("loses no interval of a good link, whatever the jitter below the limit", arguments: seeds.prefix(12))
  func lossless(_ seed: UInt64) {
    var random = SeededRandom(seed)
    var timeline = BeatTimeline()
    let beats = random.heart(seconds: 200)
    var time = 100.0
    var packet: [ReceivedInterval] = []
    for beat in beats {
      time += beat / 1000
      packet.append(ReceivedInterval(beat))
      if random.chance(0.7) {
        timeline.take(packet, at: time + random.number(0...0.9))
        packet = []
      }
    }
    timeline.take(packet, at: time)
    #expect(timeline.stretches == [beats])
    #expect(abs((timeline.lastBeat ?? 0) - time) < 1)
  }
}
