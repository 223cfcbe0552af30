import EventLoop
import Foundation
import Health
import Testing
import Vitals

@testable import Hub

@Suite("The ear of a session")
struct VitalsTapTests {
  /// A second of a strap: rate and two intervals.
  @LoopActor private func beat(_ tap: VitalsTap, at time: Instant, _ intervals: [Int64] = [512, 512]) {
    tap.packetBegan(at: time)
    tap.contact(true, at: time)
    tap.value(Sample(.heartRate, 120), at: time)
    // An iterator of an array takes memory here, and would be counted.
    var index = 0
    while index < intervals.count {
      tap.value(Sample(.rrInterval, intervals[index]), at: time)
      index += 1
    }
    tap.packetEnded()
  }

  @LoopActor private func batch(_ tap: VitalsTap, at time: Instant, _ values: [[Int64]]) {
    tap.packetBegan(at: time)
    for value in values { value.withUnsafeBufferPointer { tap.values(.ppi, $0, at: time) } }
    tap.packetEnded()
  }

  @Test("intervals of one packet are one packet, in milliseconds; rates are kept beside them")
  func packets() throws {
    try VirtualLoop.run { loop in
      let tap = VitalsTap(VitalsSensor(.electrical), loop)
      let time = loop.now + .seconds(1)
      beat(tap, at: time, [1024, 512, 513])
      #expect(tap.packets == 1 && tap.timeline.count == 3 && tap.hasIntervals)
      let intervals: [Double] = (0..<3).map { tap.timeline[$0].interval }
      #expect(intervals == [1000, 500, 513 * 1000 / 1024.0])
      #expect((0..<3).allSatisfy { tap.timeline[$0].packet == 0 } && tap.timeline.lastBeat == time.seconds)
      #expect(tap.readings.rate(at: time.seconds) == 120)
      #expect(tap.readings.rate(at: time.seconds + 6) == nil, "too old to be one of now")
      // A battery's notification does not count as its packet.
      tap.packetBegan(at: time)
      tap.value(Sample(.battery, 50), at: time)
      tap.packetEnded()
      #expect(tap.packets == 1)
      // What comes behind a lost link is another stretch.
      tap.linkEnded()
      #expect(!tap.hasIntervals && tap.firstPacket == nil)
      beat(tap, at: time + .seconds(1))
      #expect(tap.timeline[3].stretch != tap.timeline[2].stretch && tap.timeline.gapCount == 1)
    }
  }

  @Test("an optical sensor's bits are heeded: blocker, error, and contact if it is supported")
  func optical() throws {
    try VirtualLoop.run { loop in
      let time = loop.now + .seconds(1)
      for trusts in [true, false] {
        var sensor = VitalsSensor(.optical)
        sensor.trustsContact = trusts
        let tap = VitalsTap(sensor, loop)
        // Good; blocked; uncertain; too uncertain; without contact.
        batch(tap, at: time, [[900, 6, 6], [910, 6, 7], [920, 15, 6], [930, 40, 6], [940, 6, 4]])
        let usable = (0..<5).map { tap.timeline[$0].isUsable }
        #expect(usable == [true, false, true, false, !trusts])
        #expect(tap.timeline[2].verdict == .uncertain && tap.packets == 1)
        #expect((tap.offSkinSince != nil) == trusts)
        // The rate and another series are not used for the measurement.
        beat(tap, at: time + .seconds(1))
        #expect(tap.packets == 1 && tap.timeline.count == 5)
      }
    }
  }

  @Test("values of any number and size are taken, and memory stays as it is")
  func hostile() throws {
    try VirtualLoop.run { loop in
      var random = SplitMix64(seed: UInt64.random(in: .min ... .max))
      for kind in SensorClass.allCases {
        let tap = VitalsTap(VitalsSensor(kind), loop)
        for _ in 0..<500 {
          let time = Instant(nanoseconds: loop.now.nanoseconds + Int64.random(in: -1 << 40...1 << 40, using: &random))
          tap.packetBegan(at: time)
          for _ in 0..<Int.random(in: 0...100, using: &random) {
            let value = Int64.random(in: .min ... .max, using: &random)
            let series = Series.all.randomElement(using: &random) ?? .heartRate
            tap.value(Sample(series, value), at: time)
            [value, value, value].withUnsafeBufferPointer { tap.values(.ppi, $0, at: time) }
          }
          tap.packetEnded()
        }
        #expect(tap.timeline.count <= BeatTimeline.usualCapacity && tap.readings.count <= SensorReadings.capacity)
        _ = tap.readings.reading(from: 0, to: 1e9)
      }
    }
  }

  /// With a preloaded `malloc` that counts, `HEARTH_TAP_PACKETS` shows the allocations of a packet: zero.
  @Test("a strap that is heard for an hour")
  func hour() throws {
    let packets = ProcessInfo.processInfo.environment["HEARTH_TAP_PACKETS"].flatMap { Int($0) } ?? 3600
    try VirtualLoop.run { loop in
      let tap = VitalsTap(VitalsSensor(.electrical), loop)
      tap.watch.streamBegan(at: SessionMoment(monotonic: loop.now.nanoseconds / 1000, wall: 0))
      var time = loop.now
      let intervals: [Int64] = [512, 512]
      for _ in 0..<packets {
        time = time + .seconds(1)
        beat(tap, at: time, intervals)
      }
      #expect(tap.packets == UInt64(packets) && tap.timeline.gapCount == 0)
    }
  }
}
