import Bluetooth
import EventLoop
import Reasons
import RingStore
import Testing

@testable import Hub

@Suite("Registry")
struct RegistryTests {
  @Test("wearables are in the order of their numbers, and found by name, address and number")
  func finds() throws {
    try withParts { parts in
      let second = try await parts.store.enrol(
        name: "b", addressValue: Parts.address(2).value, addressKind: Parts.address(2).kind.rawValue,
        driver: "recorder",
        kind: "Recorder")
      let third = try await parts.enrol(3, "c")
      let admitted = try #require(parts.registry.admit(second))
      #expect(parts.registry.all.map { $0.name } == ["b", "c"])
      #expect(parts.registry.named("c") === third && parts.registry[Parts.address(2)] === admitted)
      #expect(parts.registry.named(Parts.address(3).description.lowercased()) === third)
      #expect(parts.registry[admitted.id] === admitted)
      #expect(await refusal { () throws(HearthError) in try parts.registry.require("d") } == .noSuchWearable)
    }
  }

  @Test("one that was removed is no longer enrolled, also when its address is enrolled again")
  func removed() throws {
    try withParts { parts in
      let old = try await parts.enrol(1, "old")
      parts.registry.remove(old)
      try await parts.store.remove(old.id)
      let new = try await parts.enrol(1, "new")
      #expect(!parts.registry.contains(old) && parts.registry.contains(new))
      old.remember(EarlyLink())
      parts.registry.persistIfEnrolled(old)
      try await parts.loop.sleep(for: .seconds(1))
      #expect(parts.store.wearables.map(\.name) == ["new"] && parts.store.wearables[0].hubState[EarlyLink.self] == nil)
    }
  }

  @Test("a name is durable when it is given, and a name that is taken changes nothing")
  func renames() throws {
    try withParts { parts in
      let wearable = try await parts.enrol(1, "a")
      _ = try await parts.enrol(2, "b")
      _ = try await parts.registry.rename("a", to: "c")
      #expect(wearable.name == "c" && parts.store.wearables[0].name == "c")
      #expect(
        await refusal { () throws(HearthError) in try await parts.registry.rename("c", to: "b") } == .enrolNameTaken)
      #expect(wearable.name == "c")
    }
  }

  @Test("what several people order of one wearable at the same moment is kept, all of it")
  func together() throws {
    var driver = RecorderDriver()
    driver.hasNights = true
    try VirtualLoop.run { [driver] loop in
      let parts = try Parts(loop, driver, { _ in }, disk: SlowDisk(loop))
      let wearable = try await parts.enrol(1, "a")
      let keeper = CollectionKeeper(context: parts.context, registry: parts.registry)
      let orders: [Task<Void, Never>] = [
        loop.spawn { _ = try? await keeper.orderPhases("a", ["files"]) },
        loop.spawn { _ = try? await keeper.orderVisitTimes("a", [720]) },
        loop.spawn { _ = try? await parts.absence.setBound("a", .seconds(7200)) },
        loop.spawn { parts.registry.persist(wearable) },
        loop.spawn { _ = try? await parts.registry.rename("a", to: "b") },
        loop.spawn { parts.registry.persist(wearable) },
      ]
      for order in orders { await order.value }
      await parts.registry.settle()
      let record = parts.store.wearables[0]
      let kept = record.hubState[CollectionOrders.self]
      #expect(kept?.phases == .only(["files"]) && kept?.visitAt == [720])
      #expect(wearable.choices.collection == kept)
      #expect(record.hubState[AbsenceChoice.self]?.seconds == 7200)
      #expect(record.name == "b" && wearable.name == "b")
      await parts.close()
    }
  }
}

/// Writes take their time, so that others come in between.
@LoopActor
private final class SlowDisk: DiskLane {
  private let loop: VirtualLoop

  init(_ loop: VirtualLoop) { self.loop = loop }

  func perform<T: Sendable>(_ work: @escaping @Sendable () throws -> T) async throws -> T {
    try await loop.sleep(for: .milliseconds(5))
    return try work()
  }
}
