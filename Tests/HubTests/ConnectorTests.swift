import Bluetooth
import EventLoop
import Reasons
import Testing

@testable import Hub

/// A wish for a link, in a task of its own, and its result.
@LoopActor
private final class Asked {
  private(set) var bearer: (any Bearer)?
  private(set) var error: LinkError?
  private(set) var isTaken = false
  private(set) var task: Task<Void, Never>?

  init(_ parts: Parts, _ purpose: LinkPurpose, within limit: Duration = .seconds(10)) {
    let deadline = parts.loop.now + limit
    task = parts.loop.spawn { [self] in
      do throws(LinkError) {
        bearer = try await parts.context.connector.connect(
          to: Parts.address(1), for: purpose, deadline: deadline, parameters: .foreground,
          onTaken: { self.isTaken = true })
      } catch { self.error = error }
    }
  }
}

@Suite("A single attempt for each wearable")
struct ConnectorTests {
  private func withStrap(_ body: @escaping @LoopActor (Parts) async throws -> Void) throws {
    try withParts { parts in
      _ = parts.radio.add(1, RecorderTwin(parts.loop))
      parts.radio.connectTakes = .seconds(1)
      try await body(parts)
      #expect(parts.radio.taken == 0)
    }
  }

  @Test("a visit joins the attempt of a try, and has its link")
  func joins() throws {
    try withStrap { parts in
      let trial = Asked(parts, .trial)
      try await parts.loop.sleep(for: .milliseconds(500))
      let visit = Asked(parts, .visit)
      try await parts.loop.sleep(for: .seconds(1))
      #expect(visit.bearer != nil && trial.bearer == nil && trial.error == .aborted && parts.radio.connects == 1)
    }
  }

  @Test("a visit ends the link of a try, and makes its own")
  func takes() throws {
    try withStrap { parts in
      let trial = Asked(parts, .trial)
      try await parts.loop.sleep(for: .milliseconds(1500))
      #expect(trial.bearer != nil)
      let visit = Asked(parts, .visit)
      try await parts.loop.sleep(for: .milliseconds(1500))
      #expect(trial.isTaken && visit.bearer != nil && parts.radio.bearers.count { !$0.isClosed } == 1)
    }
  }

  @Test("a try of a wearable that is being paired ends at once")
  func leaves() throws {
    try withStrap { parts in
      let pairing = Asked(parts, .pairing)
      try await parts.loop.sleep(for: .milliseconds(1500))
      let trial = Asked(parts, .trial)
      try await parts.loop.sleep(for: .milliseconds(10))
      #expect(trial.error == .aborted && pairing.bearer != nil && !pairing.isTaken)
      pairing.bearer?.close(immediately: true)
      parts.context.connector.left(Parts.address(1), .pairing)
      let next = Asked(parts, .trial)
      try await parts.loop.sleep(for: .milliseconds(1500))
      #expect(next.bearer != nil)
    }
  }

  @Test("an attempt of a shorter deadline is followed by one of the wish that has more time")
  func goesOn() throws {
    try withStrap { parts in
      parts.radio.connectTakes = .seconds(2)
      parts.radio.connectFails = .notHeard
      let trial = Asked(parts, .trial, within: .seconds(2))
      try await parts.loop.sleep(for: .milliseconds(500))
      let visit = Asked(parts, .visit, within: .seconds(10))
      try await parts.loop.sleep(for: .seconds(2))
      #expect(trial.error == .notHeard && visit.error == nil)
      parts.radio.connectFails = nil
      try await parts.loop.sleep(for: .seconds(2))
      #expect(visit.bearer != nil && parts.radio.connects == 2)
    }
  }

  @Test("an attempt goes on while a wish for it is left, and one that was given up is made again for the next")
  func givenUp() throws {
    try withStrap { parts in
      let first = Asked(parts, .trial)
      let second = Asked(parts, .visit)
      try await parts.loop.sleep(for: .milliseconds(100))
      second.task?.cancel()
      try await parts.loop.sleep(for: .milliseconds(100))
      #expect(second.error == .aborted && first.error == nil)
      first.task?.cancel()
      try await parts.loop.sleep(for: .milliseconds(1))
      let third = Asked(parts, .visit)
      try await parts.loop.sleep(for: .seconds(3))
      #expect(first.error == .aborted && third.bearer != nil)
    }
  }

  @Test("every wish that waits for an attempt learns how it failed")
  func fails() throws {
    try withStrap { parts in
      parts.radio.connectFails = .failedToEstablish
      let wishes = [Asked(parts, .trial), Asked(parts, .pairing), Asked(parts, .visit)]
      try await parts.loop.sleep(for: .seconds(2))
      #expect(wishes.allSatisfy { $0.error == .failedToEstablish } && parts.radio.connects == 1)
    }
  }

  /// The name was requested for ten seconds. Then its try connects for half a second and looks for five at most.
  @Test(
    "a wearable that is accepted at any moment of a try is linked once and needs no second accept",
    arguments: [false, true],
    Array(stride(from: 7000, to: 18_000, by: 250)))
  func accepted(joinsByItself: Bool, moment: Int) throws {
    // The wearable advertises its service and no value: its try takes all of its time, and it is enrolled by hand
    // alone.
    var driver = RecorderDriver()
    (driver.needsLink, driver.keepsNothing) = (true, true)
    try inHouse(driver, prepare: { $0.enrolmentMode = joinsByItself ? .all : .window }) { house, _ in
      house.radio.connectTakes = .milliseconds(500)
      house.start()
      _ = try house.hearth.openEnrolment(for: .seconds(60))
      let address = house.radio.add(7, RecorderTwin(house.loop))
      try await house.pass(.milliseconds(1200 + moment))
      _ = try await house.hearth.accept("\(address)", name: "late")
      try await house.pass(.seconds(8))
      #expect(house.radio.taken == 0)
      #expect(house.radio.bearers.count { $0.address == address && !$0.isClosed } == 1)
    }
  }
}
