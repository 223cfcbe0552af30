import EventLoop
import HubProtocol
import JSONText
import Reasons
import Testing

@testable import Uplink
@testable import UplinkMessages

/// Retained messages for Home Assistant, at brokers that refuse them or lose the connection.
@Suite(.serialized)
struct HomeVoiceTests {
  private static let many = (1...400).map { "strap-\($0)" }

  /// Retained messages that a broker would still have, by topic.
  @LoopActor
  private static func kept(_ world: UplinkCourseTests.World) -> Set<String> {
    var kept: Set<String> = []
    for message in world.broker.said.map(\.message) where message.isRetained && isOfHome(message.topic) {
      if message.payload.isEmpty { kept.remove(message.topic) } else { kept.insert(message.topic) }
    }
    return kept
  }

  private static func isOfHome(_ topic: String) -> Bool {
    topic.hasPrefix("homeassistant/") || topic.contains("/home/")
  }

  @Test func fourHundredWearablesAtABrokerThatForbidsTheirDescriptionsHoldUpNoRows() throws {
    try UplinkCourseTests.inWorld(rows: 500, { $0.home.isOn = true }) { world in
      world.daemon.names = Self.many
      world.broker.forbids = { Self.isOfHome($0) }
      // Refusals take longer than all descriptions take to leave.
      world.broker.acknowledgesAfter = .seconds(3)
      world.course.start()
      try await UplinkCourseTests.until(world) { world.daemon.confirmed == 500 }
      try await world.loop.sleep(for: .seconds(120))
      #expect(world.broker.connects.count == 1)
      #expect(Set(world.broker.messages("homeassistant/").map(\.topic)).count == 1 + 3 * 400)
      let told = world.course.document.troubles.filter { $0.code == "H9002" }
      #expect(told.count == 1 && told.allSatisfy { $0.detail.contains("rows go on") })
    }
  }

  @Test func aForgottenWearableAndThenAllOfThemAreRemovedOverALostConnection() throws {
    let memory = StoredMemory()
    try UplinkCourseTests.inWorld(rows: 1, { $0.home.isOn = true }, memory: memory) { world in
      world.daemon.names = Self.many
      world.course.start()
      try await UplinkCourseTests.until(world) { Self.kept(world).count == 1 + 4 * 400 }
      world.daemon.names = Array(Self.many.prefix(300))
      // The connection ends between the removals and their acknowledgement.
      world.broker.acknowledgesAfter = nil
      let before = world.broker.said.count
      try await UplinkCourseTests.until(world) {
        world.broker.said.dropFirst(before).contains { $0.message.payload.isEmpty }
      }
      world.broker.acknowledgesAfter = .milliseconds(20)
      world.broker.lose(HearthError(.uplinkBrokerUnreachable, "cut"))
      let cut = world.broker.said.count
      try await UplinkCourseTests.until(world) {
        let again = world.broker.said.dropFirst(cut).filter { $0.message.payload.isEmpty }
        return Set(again.map(\.message.topic)).count == 4 * 100
      }
      try await UplinkCourseTests.until(world) { Self.kept(world).count == 1 + 4 * 300 }
    }
    // Of the first hundred removals the last ones may not be acknowledged yet: they come again.
    let left = try #require(memory.bytes.flatMap { UplinkLegacy($0) }).home
    #expect(left.count >= 1 + 4 * 300)
    try UplinkCourseTests.inWorld(rows: 1, memory: memory) { world in
      world.daemon.names = Array(Self.many.prefix(300))
      world.course.start()
      try await UplinkCourseTests.until(world) { memory.bytes.flatMap { UplinkLegacy($0) }?.home == [] }
      let said = world.broker.said.map(\.message).filter { Self.isOfHome($0.topic) }
      #expect(Set(left).isSubset(of: said.map(\.topic)) && said.allSatisfy(\.payload.isEmpty))
    }
  }
}
