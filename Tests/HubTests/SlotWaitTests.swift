import Hub
import Reasons
import Testing

@testable import EventLoop

struct SlotWaitTests {
  @Test func `a waiting wearable says how many slots are taken, since when, by which, and which yields next`() throws {
    var driver = RecorderDriver()
    driver.attention = .seconds(3600)
    driver.needsLink = true
    try inHouse(driver, recorders: 5) { house, _ in
      house.radio.slots = 2
      house.start()
      var seen = 0
      for _ in 0..<600 {
        try await house.pass(.seconds(1))
        let all = try house.twins.indices.map { try house.hearth.wearable(named: "recorder-\($0)") }
        let linked = all.filter { $0.linkedSince != nil }
        guard linked.count == 2, linked.allSatisfy({ $0.slotWait == nil }) else { continue }
        let waits = all.compactMap { wearable in wearable.slotWait.map { (wearable.name, $0) } }
        let first = waits.first { $0.1.place == 1 }
        guard let wait = first?.1, let next = wait.next, let nextAt = wait.nextAt, nextAt > house.loop.wall else {
          continue
        }
        seen += 1
        #expect(wait.links == 2 && wait.slots == 2)
        #expect(Set(wait.holders) == Set(linked.map(\.name)))
        #expect(wait.since == linked.compactMap(\.linkedSince).max())
        #expect(linked.map(\.name).contains(next))
        #expect(Set(waits.map(\.1.place)).count == waits.count, "each has a place of its own")
        #expect(waits.allSatisfy { $0.1.next == next }, "who yields next is the same for all")
        // The promised time holds: until then it keeps its link, and loses it soon after.
        try await house.pass(nextAt - house.loop.wall - .seconds(1))
        #expect(try house.hearth.wearable(named: next).linkedSince != nil)
        try await house.pass(.seconds(4))
        #expect(try house.hearth.wearable(named: next).linkedSince == nil)
      }
      #expect(seen >= 5, "\(seen)")
    }
  }

  @Test func `with a free slot no wearable waits for one`() throws {
    try inHouse(recorders: 2) { house, _ in
      house.start()
      for _ in 0..<120 {
        try await house.pass(.seconds(1))
        for number in 0..<2 { #expect(try house.hearth.wearable(named: "recorder-\(number)").slotWait == nil) }
      }
    }
  }

  @Test func `links of others are said to be there, and no link of the hub yields`() throws {
    try inHouse(recorders: 1) { house, _ in
      house.radio.foreignLinks = house.radio.slots
      house.start()
      try await house.pass(.seconds(30))
      let wait = try #require(try house.hearth.wearable(named: "recorder-0").slotWait)
      #expect(wait.links == wait.slots && wait.holders.isEmpty && wait.since == nil && wait.next == nil)
      #expect(wait.place == 1)
    }
  }
}
