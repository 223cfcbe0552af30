import EventLoop
import HubModel
import Testing

@testable import Hub

@Suite("A wearable that streams as long as it is linked is stable")
struct LinkStabilityTests {
  /// A link with one value a second for so many seconds, followed by so many seconds of silence.
  private func span(values: Int, silence: Int = 0) -> LiveSpan {
    var span = LiveSpan()
    for _ in 0..<values { span.passed(.seconds(1)) }
    if silence > 0 { span.passed(.seconds(silence)) }
    return span
  }

  private func after(_ span: LiveSpan, from stability: LinkStability = LinkStability()) -> LinkStability {
    var stability = stability
    stability.add(span)
    return stability
  }

  @Test("no wearable is stable, or unstable, before its first link")
  func beginning() {
    #expect(!LinkStability().isStable && !LinkStability().isUnstable && LinkStability().level == 0)
    #expect(after(span(values: 0)) == LinkStability())
  }

  @Test("ten seconds between two values are as good as one; of a longer pause no second counts")
  func gaps() {
    var span = LiveSpan()
    span.passed(.seconds(1))
    span.passed(.seconds(10))
    #expect(span.heard == .seconds(11) && span.silent == .zero)
    span.passed(.seconds(10) + .nanoseconds(1))
    #expect(span.heard == .seconds(11) && span.silent == .seconds(10) + .nanoseconds(1))
  }

  @Test(
    "a wearable that streams all the time is stable after a minute, and keeps its slot before others after more of it")
  func streams() {
    #expect(!after(span(values: 59)).isStable)
    #expect(after(span(values: 60)).isStable && after(span(values: 60)).level == 0)
    #expect(after(span(values: 200)).level == 1 && after(span(values: 400)).level == 2)
    #expect(after(span(values: 600)).level == 3)
    // A day of it is worth no more than ten minutes, or no silence would ever count.
    #expect(after(span(values: 86_400)) == after(span(values: 600)))
  }

  @Test("so is one that streams over links that are lost each half minute, a little later")
  func brokenLinks() {
    var stability = LinkStability()
    for link in 1...3 {
      stability.add(span(values: 30))
      stability.linkEnded()
      #expect(stability.isStable == (link == 3))
    }
  }

  @Test(
    "one value and then silence is never stable, and unstable as soon as the silence cost more than the start credit")
  func mute() {
    #expect(!after(span(values: 1, silence: 15)).isUnstable && after(span(values: 1, silence: 16)).isUnstable)
    var stability = LinkStability()
    for _ in 0..<50 {
      stability.add(span(values: 1, silence: 15))
      stability.linkEnded()
      #expect(!stability.isStable)
    }
    #expect(stability.isUnstable && stability.level == 0)
  }

  @Test("a wearable that breaks its links at once is unstable after the seventh")
  func breaks() {
    var stability = LinkStability()
    for link in 1...7 {
      stability.linkEnded()
      #expect(stability.isUnstable == (link == 7))
    }
  }

  @Test("a strap that was silent for a night is as good as new after a minute of values, and stable after another")
  func returns() {
    let night = after(span(values: 0, silence: 8 * 3600))
    #expect(night.isUnstable)
    #expect(after(span(values: 59), from: night).isUnstable)
    #expect(!after(span(values: 60), from: night).isUnstable)
    #expect(!after(span(values: 149), from: night).isStable)
    #expect(after(span(values: 150), from: night).isStable)
  }

  @Test("a minute of values and a minute of silence in turn do not stay stable, whatever came before")
  func alternates() {
    for before in [0, 60, 600] {
      var stability = after(span(values: before))
      var lastStable = 0
      for minute in 1...120 {
        stability.add(minute.isMultiple(of: 2) ? span(values: 0, silence: 60) : span(values: 60))
        if stability.isStable { lastStable = minute }
      }
      // Ten minutes of values are used up by silence in twice that.
      #expect(lastStable <= 20, "\(before): \(lastStable)")
      #expect(stability.isUnstable)
    }
  }

  @Test("ten minutes of values are forgiven four minutes of silence, and not five")
  func forgiven() {
    let best = after(span(values: 600))
    #expect(after(span(values: 0, silence: 240), from: best).isStable)
    #expect(!after(span(values: 0, silence: 300), from: best).isStable)
  }

  @Test("whatever a wearable did, two and a half minutes of values make it stable, and five of silence unstable")
  func bounded() {
    let seed = UInt64.random(in: .min ... .max)
    var random = SplitMix64(seed: seed)
    var stability = LinkStability()
    for _ in 0..<2000 {
      switch Int.random(in: 0..<3, using: &random) {
      case 0: stability.add(span(values: .random(in: 0...300, using: &random)))
      case 1: stability.add(span(values: 1, silence: .random(in: 11...3600, using: &random)))
      default: stability.linkEnded()
      }
      #expect((0...3).contains(stability.level) && !(stability.isStable && stability.isUnstable), "seed \(seed)")
      #expect(after(span(values: 150), from: stability).isStable, "seed \(seed)")
      #expect(after(span(values: 0, silence: 301), from: stability).isUnstable, "seed \(seed)")
    }
  }

  @Test("what was stable before a restart is so after it, and loses that by the first silence of a few seconds more")
  func remembered() {
    var stability = LinkStability()
    stability.remembered()
    #expect(stability.isStable && stability.level == 0)
    #expect(!after(span(values: 0, silence: 16), from: stability).isStable)
    // A wearable that had more keeps it.
    var best = after(span(values: 600))
    best.remembered()
    #expect(best == after(span(values: 600)))
  }

  @Test("a hub that starts again knows from its registry which were stable, and takes no other for stable")
  func restarted() throws {
    var driver = RecorderDriver()
    driver.keepsNothing = true
    try withParts(driver) { parts in
      let now = parts.loop.now
      let useful = try await parts.enrol(1, "useful")
      let mute = try await parts.enrol(2, "mute")
      for wearable in [useful, mute] { #expect(!wearable.isStable(now)) }
      useful.remember(ProvenWearable())
      mute.remember(ProvenWearable())
      useful.remember(StableWearable())
      /// The same as the next hub finds it.
      @LoopActor func again(_ wearable: EnrolledWearable) -> EnrolledWearable {
        EnrolledWearable(
          wearable.record, address: wearable.address, driver: wearable.driver, store: parts.store)
      }
      #expect(again(useful).isStable(now) && !again(mute).isStable(now))
      // A wearable with a short presence never counts as stable.
      useful.remember(ShortPresenceVisitor())
      #expect(!again(useful).isStable(now))
    }
  }
}
