import EventLoop
import Health
import Reasons
import Testing
import Vitals

@testable import Hub

@Suite("Several measurements in one session")
struct SessionTurnTests {
  private func refusal(_ body: () throws -> Void) -> HearthError? {
    do { try body() } catch { return error as? HearthError }
    return nil
  }

  @Test("a session that stays is ready behind its results, and the next measurement begins at once, with its own")
  func stays() throws {
    try withStraps { house, _ in
      let ear = SessionEar()
      ear.begin(house, seconds: 20, stays: true)
      try await house.wait(.seconds(30)) { ear.records.count == 1 && ear.state == .ready }
      try await house.pass(.seconds(90))
      #expect(ear.state == .ready && !ear.isOver)
      try house.hearth.startVitals("recorder-0", seconds: 40)
      try await house.pass(.milliseconds(1))
      #expect(ear.state == .processing)
      #expect(refusal { try house.hearth.startVitals("recorder-0", seconds: 20) }?.reason == .requestUntimely)
      try await house.wait(.seconds(50)) { ear.records.count == 2 && ear.state == .ready }
      #expect(ear.records.map(\.number) == [1, 2] && Set(ear.records.map(\.session)).count == 1)
      #expect(ear.records.map(\.actual) == [20_000_000, 40_000_000])
      #expect(ear.values.last?.requested == 40_000_000)
      let end = ear.records[0].end
      #expect(ear.records[1].start > end + 80_000_000)
      try house.hearth.terminateVitals("recorder-0")
      try await house.wait(.seconds(3)) { ear.isOver }
      #expect(ear.state == .terminated && ear.result?.trouble == nil)
      #expect(try await house.records() == ear.records)
      try house.hearth.terminateVitals("recorder-0")
    }
  }

  @Test("after an error the session goes on, and the next measurement has results")
  func afterError() throws {
    try withStraps { house, straps in
      let ear = SessionEar()
      ear.begin(house, seconds: 20, stays: true)
      try await house.wait(.seconds(10)) { ear.values.count == 5 }
      house.twins[0].bearer?.cut(.linkLost)
      try await house.wait(.seconds(60)) { ear.state == .ready }
      #expect(ear.records.isEmpty && ear.notices == ["+8007", "-8007"])
      try house.hearth.startVitals("recorder-0", seconds: 20)
      try await house.wait(.seconds(30)) { ear.records.count == 1 && ear.state == .ready }
      #expect(ear.records[0].number == 2)
      try house.hearth.terminateVitals("recorder-0")
      try await house.wait(.seconds(3)) { ear.isOver }
      #expect(ear.result?.record == ear.records[0] && ear.result?.code == nil)
    }
  }

  @Test("one that does not stay takes no second, a length out of range is refused, and its client's end is its own")
  func refused() throws {
    try withStraps { house, _ in
      let start = { (seconds: Int) throws in try house.hearth.startVitals("recorder-0", seconds: seconds) }
      #expect(refusal { try start(60) }?.reason == .requestUntimely, "there is none")
      var ear = SessionEar()
      ear.begin(house, seconds: 20)
      try await house.wait(.seconds(5)) { ear.state == .processing }
      #expect(refusal { try start(60) }?.reason == .requestUntimely)
      try await house.wait(.seconds(30)) { ear.isOver }
      ear = SessionEar()
      ear.begin(house, seconds: 20, stays: true)
      try await house.wait(.seconds(30)) { ear.records.count == 1 && ear.state == .ready }
      #expect(refusal { try start(19) }?.reason == .controlBadParameter)
      ear.isThere = false
      try await house.wait(.seconds(3)) { ear.isOver }
      #expect(ear.state == .terminated)
    }
  }
}
