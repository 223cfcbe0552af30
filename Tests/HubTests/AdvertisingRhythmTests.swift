import EventLoop
import Testing

@testable import Hub

@Suite("The rhythm of a wearable's advertising")
struct AdvertisingRhythmTests {
  private func at(_ milliseconds: Int) -> Instant { Instant(nanoseconds: Int64(milliseconds) * 1_000_000) }

  /// Hears `count` events of this interval, of which each is lost with `loss`.
  private func heard(
    _ interval: Int, count: Int = 400, loss: Double = 0, seed: UInt64 = 1, into rhythm: inout AdvertisingRhythm
  ) {
    var random = SplitMix64(seed: seed)
    for event in 0..<count where Double.random(in: 0..<1, using: &random) >= loss {
      // The specification adds up to 10 ms to every interval, lest two advertisers stay in step.
      rhythm.heard(at: at(event * interval + Int.random(in: 0...10, using: &random)))
    }
  }

  @Test("what was never heard is not present, and what is not learned yet is given half a minute")
  func unlearned() {
    var rhythm = AdvertisingRhythm()
    #expect(!rhythm.isPresent(lastHeard: nil, now: at(0)))
    rhythm.heard(at: at(0))
    #expect(rhythm.interval == nil)
    #expect(rhythm.isPresent(lastHeard: at(0), now: at(31_000)))
    #expect(!rhythm.isPresent(lastHeard: at(0), now: at(31_001)))
  }

  @Test(
    "the interval is found though four of ten events are lost", arguments: [100, 417, 1022, 2000] as [Int],
    [1, 2, 3] as [UInt64])
  func lossesAreTolerated(interval: Int, seed: UInt64) throws {
    var rhythm = AdvertisingRhythm()
    heard(interval, loss: 0.4, seed: seed, into: &rhythm)
    let found = try #require(rhythm.interval).inSeconds * 1000
    #expect(found >= Double(interval) - 10 && found <= Double(interval) + 10)
  }

  @Test("if more is lost than heard, the interval is taken too long and not too short")
  func heavyLossErrsOnTheSafeSide() throws {
    var rhythm = AdvertisingRhythm()
    heard(1000, loss: 0.7, into: &rhythm)
    #expect(try #require(rhythm.interval) >= .milliseconds(990))
  }

  @Test(
    "silence is eight intervals, but fifteen seconds at least and half a minute at most",
    arguments: [
      (100, 15_000), (1022, 15_000), (2000, 16_000), (3000, 24_000), (5000, 31_000), (10_240, 31_000), (12_000, 36_000),
    ] as [(Int, Int)])
  func bounds(interval: Int, milliseconds: Int) {
    let rhythm = AdvertisingRhythm(remembered: AdvertisingInterval(milliseconds: UInt32(interval)))
    #expect(rhythm.silence == .milliseconds(milliseconds))
  }

  @Test("several reports of one event, on three channels, are one event")
  func channelsAreOneEvent() throws {
    var rhythm = AdvertisingRhythm()
    for event in 0..<40 { for channel in 0..<3 { rhythm.heard(at: at(event * 500 + channel * 2)) } }
    #expect(try #require(rhythm.interval) >= .milliseconds(490))
  }

  @Test("an absence and a link are no gaps")
  func absencesAreNoGaps() throws {
    var rhythm = AdvertisingRhythm()
    var now = 0
    for _ in 0..<60 {
      rhythm.heard(at: at(now))
      rhythm.heard(at: at(now + 1000))
      now += 600_000
      rhythm.interrupt()
      rhythm.heard(at: at(now))
      now += 40_000
    }
    #expect(try #require(rhythm.interval) == .milliseconds(1000))
  }

  @Test("a wearable that becomes slower is learned again, from the quickest to the slowest legal interval")
  func slowsDown() throws {
    var rhythm = AdvertisingRhythm()
    for event in 0..<30 { rhythm.heard(at: at(event * 20)) }
    #expect(rhythm.interval == .milliseconds(20))
    for event in 1...31 { rhythm.heard(at: at(600 + event * 10_240)) }
    #expect(rhythm.interval == .milliseconds(10_240))
  }

  @Test("what was learned is remembered, and written again only when it is something else")
  func memory() {
    var rhythm = AdvertisingRhythm()
    #expect(rhythm.memory == nil && !rhythm.differs(from: nil))
    heard(1000, into: &rhythm)
    #expect(rhythm.differs(from: nil))
    let again = AdvertisingRhythm(remembered: rhythm.memory)
    #expect(again.interval == rhythm.interval)
    #expect(!rhythm.differs(from: AdvertisingInterval(milliseconds: 1100)))
    #expect([600, 1600].allSatisfy { rhythm.differs(from: AdvertisingInterval(milliseconds: $0)) })
  }

  @Test("an interval that cannot have been learned is not believed", arguments: [0, 3, 14, 60_001, UInt32.max])
  func nonsense(_ milliseconds: UInt32) {
    #expect(AdvertisingRhythm(remembered: AdvertisingInterval(milliseconds: milliseconds)).interval == nil)
  }
}
