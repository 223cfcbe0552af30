import Bluetooth
import EventLoop
import Lights
import Reasons
import Testing

@testable import Hub

@Suite("Wearables that are away")
struct AbsenceTests {
  private let hour: Duration = .seconds(3600)

  @LoopActor private func state(_ house: LaneHouse) throws -> WearableState {
    try house.hearth.wearable(named: "recorder-0").state
  }

  @Test("one is missing when it was away for longer than it should be, and no longer when it is heard")
  func missing() throws {
    try withParts { parts in
      let wearable = try await parts.enrol(1, "a")
      parts.hear(1)
      parts.absence.start()
      try await parts.loop.sleep(for: hour * 25)
      #expect(parts.status.wearables.state(of: wearable) == .absent)
      try await parts.loop.sleep(for: AbsenceWatch.period * 2)
      #expect(parts.status.wearables.state(of: wearable) == .missing)
      #expect(parts.status.wearables.trouble(of: wearable)?.reason == .wearableMissing)
      #expect(
        parts.status.wearables.trouble(of: wearable)?.detail == "a: not heard for 25 h, at most 25 h is expected")
      #expect(parts.status.snapshot().missing == 1)
      parts.hear(1)
      #expect(parts.status.wearables.state(of: wearable) == .due)
      try await parts.loop.sleep(for: AbsenceWatch.period)
      #expect(
        parts.lines.all.filter { $0.contains("a: not heard") || $0 == "a is back" }
          == ["H2140 link: a: not heard for 25 h, at most 25 h is expected", "a is back"])
      await parts.absence.stop()
    }
  }

  @Test("a hub that starts after days reports which are missing once it has listened, and when each was there")
  func restarted() throws {
    try inHouse(recorders: 2) { house, _ in
      house.start()
      try await house.wait { try house.visits().contains { $0.ended != nil } }
      try await house.pass(.seconds(60))
      let left = house.loop.wall
      house.radio.isQuiet = true
      try await house.stopAndRestart(isQuiet: true)
      // Three days without power.
      house.loop.stepWall(by: hour * 72)
      let first = try house.hearth.wearable(named: "recorder-0")
      #expect(first.state == .absent, "\(first.state) \(first.trouble.map { "\($0)" } ?? "")")
      try await house.pass(AbsenceWatch.listening + AbsenceWatch.period * 2)
      let seen = try house.hearth.wearable(named: "recorder-0")
      #expect(seen.state == .missing && seen.trouble?.reason == .wearableMissing)
      let lastSeen = try #require(seen.lastSeen)
      #expect(abs((lastSeen - left).components.seconds) <= 60)
      #expect(seen.lastVisit?.outcome == .done)
      #expect(house.hearth.snapshot().attention.map(\.wearable) == ["recorder-0", "recorder-1"])
    }
  }

  @Test("what was written down of one that is there is two hours old at most when the hub is killed")
  func killed() throws {
    try inHouse { house, _ in
      house.start()
      try await house.pass(hour * 5)
      let killedAt = house.loop.wall
      try house.killAndRestart()
      house.radio.isQuiet = true
      let seen = try #require(try house.hearth.wearable(named: "recorder-0").lastSeen)
      #expect(killedAt - seen <= AbsenceWatch.staleness + AbsenceWatch.period + .seconds(20))
    }
  }

  @Test("no wearable is missing while the radio hears none, nor right after that")
  func deaf() throws {
    try withParts { parts in
      let wearable = try await parts.enrol(1, "a")
      parts.hear(1)
      parts.radio.state = .down(.adapterRemoved)
      parts.absence.start()
      try await parts.loop.sleep(for: hour * 30)
      #expect(parts.status.wearables.state(of: wearable) == .absent)
      parts.radio.state = .ready
      try await parts.loop.sleep(for: AbsenceWatch.listening - .seconds(1))
      #expect(parts.status.wearables.state(of: wearable) == .absent)
      try await parts.loop.sleep(for: AbsenceWatch.period * 2)
      #expect(parts.status.wearables.state(of: wearable) == .missing)
      await parts.absence.stop()
    }
  }

  @Test("an operator's choice for one goes before the configuration; zero is for ever, and it outlives a restart")
  func choices() throws {
    try inHouse(prepare: { $0.absentAfter = .seconds(3600) }) { house, _ in
      house.start()
      try await house.wait { try house.visits().contains { $0.ended != nil } }
      let never = try await house.hearth.setAbsence("recorder-0", .zero)
      #expect(never.absentAfter == nil && never.absenceChoice == .zero)
      house.radio.isQuiet = true
      try await house.pass(hour * 30)
      #expect(try state(house) == .absent)
      try await house.stopAndRestart(isQuiet: true)
      try await house.pass(hour * 30)
      #expect(try state(house) == .absent)
      let long = try await house.hearth.setAbsence("recorder-0", hour * 100)
      #expect(long.absentAfter == hour * 100 && long.state == .absent)
      let configured = try await house.hearth.setAbsence("recorder-0", nil)
      #expect(configured.absentAfter == hour && configured.absenceChoice == nil && configured.state == .missing)
      let refused = await refusal { () throws(HearthError) in try await house.hearth.setAbsence("nobody", nil) }
      #expect(refused == .noSuchWearable)
    }
  }

  @Test("a hub that does not know the time reports no wearable as missing")
  func timeless() throws {
    try withParts { parts in
      let wearable = try await parts.enrol(1, "a")
      parts.hear(1)
      parts.loop.wallIsTrusted = false
      parts.loop.stepWall(by: HubContext.softwareEpoch - parts.loop.wall - .seconds(86_400))
      parts.absence.start()
      try await parts.loop.sleep(for: hour * 30)
      #expect(parts.status.wearables.state(of: wearable) == .absent)
      await parts.absence.stop()
    }
  }

  // MARK: One truth on all surfaces

  @Test(
    "LED, first screen and the state of each say the same, whatever a wearable's trouble is and wherever it is",
    arguments: Reason.allCases, [false, true])
  func surfaces(reason: Reason, isHeard: Bool) throws {
    try withParts { parts in
      let wearable = try await parts.enrol(1, "a")
      wearable.trouble = HearthError(reason, "a")
      if isHeard { parts.hear(1) }
      agree(parts, wearable)
    }
  }

  @Test("they say the same of one that is missing, and of one that is visited")
  func otherSurfaces() throws {
    try withParts { parts in
      let wearable = try await parts.enrol(1, "a")
      parts.hear(1)
      agree(parts, wearable)
      wearable.lane.isHolder = true
      agree(parts, wearable)
      wearable.lane.isHolder = false
      parts.absence.start()
      try await parts.loop.sleep(for: hour * 26)
      #expect(parts.status.wearables.state(of: wearable) == .missing)
      agree(parts, wearable)
      await parts.absence.stop()
    }
  }

  @LoopActor private func agree(_ parts: Parts, _ wearable: EnrolledWearable) {
    let state = parts.status.wearables.state(of: wearable)
    let trouble = parts.status.wearables.trouble(of: wearable)
    var light = parts.status.lightState()
    light.phase = .serving
    let link = arbitrate(light, .gym).first { $0.lamp == .link }
    #expect((link?.pattern == .code(3)) == state.needsPerson)
    #expect(parts.status.wearables.all().first?.state == state)
    #expect(parts.status.wearables.all().first?.trouble == trouble)
    let listed = parts.status.snapshot().attention.filter { $0.wearable == "a" }
    if state.needsPerson {
      #expect(link?.reason == trouble?.reason && trouble != nil)
      #expect(listed.map(\.trouble) == [trouble].compactMap { $0 })
    }
  }
}
