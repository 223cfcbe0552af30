// The sessions of a hub beside each other: which may be opened, and how all of them end.

import CivilTime
import Health
import Reasons
import Testing
import Vitals

@Suite("The sessions of a hub")
struct SessionTableTests {
  private typealias Table = SessionTable<String, String>

  @Test("run side by side, one per sensor and one per person")
  func concurrent() throws {
    var table = Table(firstID: 7)
    let first = try table.open("strap", "Ada", at: moment(0))
    #expect(first.id == 7 && first.outcome.text == "accepted: open")
    #expect(throws: SessionRefusal(.sessionConcurrent)) { try table.open("strap", "Ben", at: moment(1)) }
    #expect(throws: SessionRefusal(.sessionConcurrent)) { try table.open("strap", nil, at: moment(1)) }
    #expect(throws: SessionRefusal(.sessionConcurrent)) { try table.open("band", "Ada", at: moment(1)) }
    // nil is not a person: sensors without a known wearer are measured in parallel.
    #expect(try table.open("band", nil, at: moment(1)).id == 8)
    #expect(try table.open("cuff", nil, at: moment(1)).id == 9)
    #expect(table.entries.map(\.device) == ["strap", "band", "cuff"])
    #expect(table.handle(.sensorReady, of: "band", at: moment(2))?.id == 8)
    #expect(table[8]?.session.state == .ready && table[7]?.session.state == .initializing)
    #expect(table.handle(.sensorReady, of: "scale", at: moment(2)) == nil && table.strayed == 0)
    #expect(table.handle(.sensorReady, 3, at: moment(2)) == nil && table.strayed == 1)
  }

  @Test("free sensor and person when they are terminated, not before")
  func free() throws {
    var table = Table()
    let id = try table.open("strap", "Ada", at: moment(0)).id
    _ = table.handle(.terminate, id, at: moment(1))
    #expect(throws: SessionRefusal(.sessionConcurrent)) { try table.open("strap", "Ada", at: moment(2)) }
    #expect(table.handle(.closed, id, at: moment(3))?.outcome.text == "accepted: terminated")
    #expect(table.isEmpty)
    #expect(try table.open("strap", "Ada", at: moment(4)).id == id + 1)
  }

  @Test("are no more than the limit, and each one refused is counted")
  func limit() throws {
    var table = Table(limit: 2)
    _ = try table.open("a", nil, at: moment(0))
    _ = try table.open("b", nil, at: moment(0))
    #expect(throws: SessionRefusal(.sessionConcurrent)) { try table.open("c", nil, at: moment(0)) }
    #expect(table.refusedByLimit == 1)
  }

  @Test("end from every state when the hub stops, and no new one begins")
  func endAll() throws {
    var table = Table()
    for way in ConversationTests.ways where way.situation != "terminated" {
      let id = try table.open(way.situation, nil, at: moment(0)).id
      for event in way.events { _ = table.handle(event, id, at: moment(1)) }
    }
    let count = table.entries.count
    let steps = table.endAll(at: moment(2))
    #expect(steps.count == count)
    #expect(steps.allSatisfy { $0.outcome.answer == .accepted || $0.outcome.answer == .deferred })
    #expect(throws: SessionRefusal(.startUntimely)) { try table.open("late", nil, at: moment(2)) }
    for entry in table.entries {
      for event in [SessionEvent.prepared, .computed, .closed] { _ = table.handle(event, entry.id, at: moment(3)) }
    }
    #expect(table.isEmpty && table.isEnding)
  }

  @Test("end if their sensor is forgotten, without results of a measurement that runs")
  func forget() throws {
    var table = Table()
    let id = try table.open("strap", "Ada", at: moment(0)).id
    for event in [SessionEvent.sensorReady, .start(duration: 60_000_000), .prepared] {
      _ = table.handle(event, id, at: moment(1))
    }
    #expect(table.forget("band", at: moment(2)) == nil)
    #expect(table.forget("strap", at: moment(2))?.outcome.text == "deferred: stopping, abandon")
    #expect(table.handle(.computed, id, at: moment(2))?.outcome.text == "accepted: discard, ready, terminating, close")
    #expect(table.session(of: "strap")?.session.state == .terminating)
    _ = table.handle(.closed, id, at: moment(3))
    #expect(table.session(of: "strap") == nil)
  }

  @Test("end when their time is over, each of its own deadline")
  func due() throws {
    var table = Table()
    let slow = try table.open("slow", nil, at: moment(0)).id
    let quick = try table.open("quick", nil, at: moment(10)).id
    for event in [SessionEvent.sensorReady, .start(duration: 20_000_000), .prepared] {
      _ = table.handle(event, quick, at: moment(20))
    }
    #expect(table.nextDeadline == moment(40).monotonic)
    #expect(table.due(at: moment(39.9)).isEmpty)
    #expect(table.due(at: moment(40)).map(\.outcome.text) == ["accepted: stopping, compute"])
    #expect(table.nextDeadline == moment(60).monotonic)
    #expect(table.due(at: moment(61)).map(\.outcome.text) == ["accepted: 8003, terminating, close"])
    // A sensor that is not let go is let go all the same.
    #expect(table.due(at: moment(71)).map(\.id) == [slow])
    #expect(table.entries.map(\.id) == [quick] && table.nextDeadline == nil)
  }

  @Test("refuse with codes that lead to the hub's own reasons")
  func codes() {
    #expect(SessionCode.allCases.filter { $0.kind == .refusal }.allSatisfy { $0.reason != nil })
    #expect(SessionCode.startUntimely.reason == .requestUntimely)
    #expect(SessionCode.durationBeyond.reason == .controlBadParameter)
    #expect(Set(SessionCode.allCases.map(\.sentence)).count == SessionCode.allCases.count)
    #expect(
      SessionCode.allCases.filter { $0.kind == .warning }.map(\.rawValue) == [4, 14, 17, 3500, 4506, 8501, 9500])
  }

  @Test("name the person's numbers that formulas are not meant for")
  func body() throws {
    let today = try #require(LocalDate(text: "2026-11-25"))
    var facts = BodyFacts()
    #expect(BodyLimits.beyond(facts, on: today) == [])
    (facts.weight, facts.height, facts.born) = (40, 230, LocalDate(text: "2008-11-25"))
    #expect(BodyLimits.beyond(facts, on: today) == [])
    (facts.weight, facts.height, facts.born) = (39, 231, LocalDate(text: "2008-11-26"))
    #expect(BodyLimits.beyond(facts, on: today).map(\.rawValue) == [7007, 7008, 7012])
    (facts.weight, facts.height, facts.born) = (201, 129, LocalDate(text: "1915-11-25"))
    #expect(BodyLimits.beyond(facts, on: today).map(\.rawValue) == [7007, 7008, 7012])
    let leap = try #require(LocalDate(text: "2008-02-29"))
    #expect(VitalPerson.age(born: leap, on: try #require(LocalDate(text: "2026-02-28"))) == 17)
    #expect(VitalPerson.age(born: leap, on: try #require(LocalDate(text: "2026-03-01"))) == 18)
  }
}
