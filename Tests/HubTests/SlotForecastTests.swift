// What each wearable gets of the slots, before a class begins.

import Bluetooth
import EventLoop
import HubLane
import HubModel
import RingStore
import Testing

struct SlotForecastTests {
  private let now = Instant(nanoseconds: 1_000_000_000_000)

  private func straps(_ count: Int) -> [ForecastWearable] {
    (1...count).map { ForecastWearable(WearableID(number: UInt32($0)), needsLink: true, hasShortPresenceKind: false) }
  }

  private func forecast(_ wearables: [ForecastWearable], _ slots: Int...) -> SlotForecast {
    SlotForecast(wearables, slots.map { AdapterSlots(capacity: $0, links: 0) }, Scheduler(), now: now)
  }

  @Test func `with a slot for each wearable all keep their links, and no slot is missing`() {
    let found = forecast(straps(12), 5, 7)
    #expect(found.shares.allSatisfy { $0.role == .live && $0.gap == nil })
    #expect((found.wanting, found.missing) == (12, 0))
    #expect(forecast([], 5).shares.isEmpty)
  }

  @Test func `more straps than slots take turns of a slice, and each waits at most as long as the plan says`() throws {
    let found = forecast(straps(12), 5)
    #expect(found.missing == 7)
    #expect(found.shares.count { $0.role == .turns } >= 8, "who streams for longer than others keeps its link")
    for share in found.shares where share.role == .turns {
      #expect(try #require(share.turn) >= .seconds(15) && #require(share.gap) <= .seconds(400), "\(share)")
    }
  }

  @Test func `wearables that keep their data, are on for seconds or miss their adapter take no turn of a strap`() {
    var wearables = straps(3)
    let other = { (number: UInt32, change: (inout ForecastWearable) -> Void) in
      var wearable = ForecastWearable(WearableID(number: number), needsLink: false, hasShortPresenceKind: false)
      change(&wearable)
      wearables.append(wearable)
    }
    other(10) { _ in }
    other(11) { $0.hasShortPresenceKind = true }
    other(12) { $0.bond = .absent }
    let found = forecast(wearables, 3)
    #expect(found.shares.map(\.role) == [.live, .live, .live, .visits, .seconds, .unreachable])
    #expect(found.missing == 1, "the visits and the cuff take a slot from a strap, for seconds")
    #expect(forecast(wearables, 4).missing == 0)
  }

  @Test func `straps that are bonded to one adapter take turns there, while those of another keep their links`() {
    var wearables = straps(8)
    for index in 0..<4 { wearables[index].bond = .at(0) }
    let found = forecast(wearables, 2, 10)
    #expect(found.shares.prefix(4).allSatisfy { $0.role == .turns })
    #expect(found.shares.suffix(4).allSatisfy { $0.role == .live })
    #expect(found.missing == 2, "slots of the other adapter are none of theirs")
  }

  @Test func `an adapter that only listens carries its bonded wearables, and no others`() {
    var wearables = straps(4)
    wearables[0].bond = .at(1)
    var listening = AdapterSlots(capacity: 10, links: 0)
    listening.onlyListens = true
    let found = SlotForecast(wearables, [AdapterSlots(capacity: 2, links: 0), listening], Scheduler(), now: now)
    #expect(found.shares[0].role == .live && found.missing == 1)
    #expect(found.shares.dropFirst().contains { $0.role == .turns })
  }

  @Test func `a wearable with links that cost more than they brought waits, and the other keeps its link`() throws {
    var wearables = straps(2)
    wearables[0].stability.add(heard: .zero, silent: .seconds(60))
    let found = forecast(wearables, 1)
    #expect(found.shares.map(\.role) == [.turns, .live])
    #expect(try #require(found.shares[0].gap) > .seconds(3000))
  }

  @Test func `without a slot no wearable has a turn, and a plan for five hundred wearables is bounded`() {
    let none = forecast(straps(2), 0)
    #expect(none.shares.allSatisfy { $0.role == .turns && $0.turn == nil } && none.missing == 2)
    let many = forecast(straps(500), 20)
    #expect(many.missing == 480)
    // 24 others go before it, each with a slice and the time that its link takes.
    #expect(many.shares.allSatisfy { $0.role == .turns && $0.gap.map { $0 >= .seconds(24 * 47) } ?? false })
    for count in [0, 50, 100, 200, 500] { #expect(SlotForecast.steps(of: count) * count * count <= 5_000_000) }
    #expect(SlotForecast.steps(of: 40) >= 2500, "as many as before for a class of forty")
    let tied = (1...500).map { number in
      ForecastWearable(WearableID(number: UInt32(number)), needsLink: true, hasShortPresenceKind: false, bond: .at(0))
    }
    #expect(forecast(tied, 20, 500).missing == 480)
  }
}
