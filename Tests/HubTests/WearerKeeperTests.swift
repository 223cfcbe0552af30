import EventLoop
import Health
import Reasons
import RingStore
import Testing
import Wearable

@testable import Hub

@Suite("Wearer keeper")
struct WearerKeeperTests {
  @Test("a wearable is on the wearer of its assignment, from that time on and no sooner")
  func follows() throws {
    try withParts { parts in
      let keeper = WearerKeeper(parts.context, parts.registry)
      let wearable = try await parts.enrol(1, "a")
      let ada = try await keeper.addWearer("Ada").wearer
      _ = try await keeper.assign("a", to: "ada", from: nil)
      #expect(wearable.choices.wearer == ada.id && keeper.wearers().map(\.wears) == [["a"]])
      let all = try await keeper.assign("a", to: nil, from: parts.loop.wall + .seconds(100))
      #expect(all.map(\.wearer) == ["Ada", nil] && wearable.choices.wearer == ada.id)
      try await parts.loop.sleep(for: .seconds(99))
      #expect(wearable.choices.wearer == ada.id)
      try await parts.loop.sleep(for: .seconds(2))
      #expect(wearable.choices.wearer == nil && keeper.wearers().map(\.wears) == [[]])
    }
  }

  @Test("a clock that is set forward lets the next assignment begin within a quarter of an hour")
  func stepped() throws {
    try withParts { parts in
      let keeper = WearerKeeper(parts.context, parts.registry)
      let wearable = try await parts.enrol(1, "a")
      let ada = try await keeper.addWearer("Ada").wearer
      _ = try await keeper.assign("a", to: "Ada", from: parts.loop.wall + .seconds(7200))
      #expect(wearable.choices.wearer == nil)
      parts.loop.stepWall(by: .seconds(7200))
      try await parts.loop.sleep(for: .seconds(901))
      #expect(wearable.choices.wearer == ada.id)
    }
  }

  @Test("a keeper that was stopped, or is of a stopped hub, waits for no assignment any more")
  func stops() throws {
    try withParts { parts in
      let keeper = WearerKeeper(parts.context, parts.registry)
      let wearable = try await parts.enrol(1, "a")
      _ = try await keeper.addWearer("Ada")
      _ = try await keeper.assign("a", to: "Ada", from: parts.loop.wall + .seconds(10))
      keeper.stop()
      try await parts.loop.sleep(for: .seconds(1000))
      #expect(wearable.choices.wearer == nil)
      _ = try await keeper.assign("a", to: nil, from: parts.loop.wall + .seconds(10))
      #expect(wearable.choices.wearer != nil, "it is looked again")
      parts.context.phase = .stopping
      keeper.review()
      try await parts.loop.sleep(for: .seconds(1000))
      #expect(wearable.choices.wearer != nil)
    }
  }

  @Test("the body of its wearer is among the orders of a wearable, and never another's")
  func bodies() throws {
    try withParts { parts in
      let keeper = WearerKeeper(parts.context, parts.registry)
      let (mine, other) = (try await parts.enrol(1, "a"), try await parts.enrol(2, "b"))
      let ada = try await keeper.addWearer("Ada").wearer
      _ = try await keeper.assign("a", to: "Ada", from: nil)
      _ = try await keeper.setBody("Ada") { $0.height = 171 }
      _ = try await keeper.setBody("Ada") { $0.weight = 64 }
      var body = BodyFacts()
      (body.height, body.weight) = (171, 64)
      #expect(mine.choices.orders.wearer == WearerBody(number: ada.id.number, body))
      #expect(other.choices.orders.wearer == nil)
      #expect(
        await refusal { () throws(HearthError) in try await keeper.setBody("Ada") { $0.height = 17 } }
          == .controlBadParameter)
      #expect(mine.choices.orders.wearer?.facts.height == 171)
      #expect(mine.choices.orders.takeOff == nil)
      _ = try await keeper.setBody("Ada") { $0.isTakenOff = true }
      #expect(mine.choices.orders.takeOff == nil, "it is worn")
      try await parts.loop.sleep(for: .seconds(1))
      _ = try await keeper.assign("a", to: nil, from: nil)
      #expect(mine.choices.orders.takeOff == ada.id.number && other.choices.orders.takeOff == nil)
      #expect(mine.choices.orders.wearer == nil)
    }
  }

  @Test("a name means a present wearer before a retired one, in any case, and a number means its owner")
  func names() throws {
    try withParts { parts in
      let keeper = WearerKeeper(parts.context, parts.registry)
      let first = try await keeper.addWearer("Ada").wearer
      _ = try await keeper.retireWearer("Ada")
      #expect(try keeper.requireWearer("ADA").id == first.id, "nobody else is called so yet")
      let second = try await keeper.addWearer("ada").wearer
      #expect(try keeper.requireWearer("Ada").id == second.id)
      #expect(try keeper.requireWearer("\(first.id.number)").id == first.id)
      _ = try await keeper.renameWearer("ada", to: "Bea")
      #expect(try keeper.requireWearer("Ada").id == first.id)
      #expect(await refusal { () throws(HearthError) in try keeper.requireWearer("Cleo") } == .noSuchWearer)
      #expect(try await keeper.setHouseID("Bea", "M-42").wearer.houseID == "M-42")
      #expect(await refusal { () throws(HearthError) in try await keeper.setHouseID("Cleo", "M-7") } == .noSuchWearer)
    }
  }

  @Test("an unknown name, an empty one, or a retired wearer is assigned to no wearable")
  func refuses() throws {
    try withParts { parts in
      let keeper = WearerKeeper(parts.context, parts.registry)
      let wearable = try await parts.enrol(1, "a")
      _ = try await keeper.addWearer("Ada")
      _ = try await keeper.retireWearer("Ada")
      for (which, who, reason) in [
        ("a", "Ada", Reason.noSuchWearer), ("a", "Bea", .noSuchWearer), ("b", "Ada", .noSuchWearable),
      ] {
        #expect(
          await refusal { () throws(HearthError) in try await keeper.assign(which, to: who, from: nil) } == reason)
      }
      #expect(try keeper.assignments(of: "a").isEmpty && wearable.choices.wearer == nil)
    }
  }
}
