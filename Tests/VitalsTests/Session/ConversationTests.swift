// Every event in every situation of a session, as one table: what the machine answers, and what it has done, in order.

import Testing
import Vitals

@Suite("A measurement session in every situation")
struct ConversationTests {
  /// How a session gets into a situation.
  static let ways: [(situation: String, events: [SessionEvent])] = [
    ("initializing", []),
    ("initializing again", [.sensorReady, .sensorLost]),
    ("ready", [.sensorReady]),
    ("starting", [.sensorReady, .start(duration: 20_000_000)]),
    ("starting, to end", [.sensorReady, .start(duration: 20_000_000), .terminate]),
    ("processing", [.sensorReady, .start(duration: 20_000_000), .prepared]),
    ("stopping", [.sensorReady, .start(duration: 20_000_000), .prepared, .stop]),
    ("stopping, to end", [.sensorReady, .start(duration: 20_000_000), .prepared, .stop, .terminate]),
    ("stopping, broken off", [.sensorReady, .start(duration: 20_000_000), .prepared, .terminate]),
    ("stopping, failed", [.sensorReady, .start(duration: 20_000_000), .prepared, .fault(.signalLost)]),
    ("stopping, sensor lost", [.sensorReady, .start(duration: 20_000_000), .prepared, .sensorLost]),
    ("stopping, lost at last", [.sensorReady, .start(duration: 20_000_000), .prepared, .stop, .sensorLost]),
    ("terminating", [.sensorReady, .terminate]),
    ("terminated", [.sensorReady, .terminate, .closed]),
  ]

  static let events: [(name: String, event: SessionEvent)] = [
    ("start", .start(duration: 60_000_000)),
    ("stop", .stop),
    ("terminate", .terminate),
    ("sensor ready", .sensorReady),
    ("sensor lost", .sensorLost),
    ("sensor refused", .sensorRefused(.firmwareUnsupported)),
    ("timed out", .connectionTimedOut),
    ("prepared", .prepared),
    ("elapsed 19 s", .elapsed(19_999_999)),
    ("elapsed 20 s", .elapsed(20_000_000)),
    ("fault", .fault(.signalLost)),
    ("computed", .computed),
    ("closed", .closed),
  ]

  static let table = """
    initializing
      start → refused 6004
      stop → refused 6005
      terminate → accepted: terminating, close
      sensor ready → accepted: ready
      sensor refused → accepted: 8005, terminating, close
      timed out → accepted: 8003, terminating, close
    initializing again
      start → refused 6004
      stop → refused 6005
      terminate → accepted: terminating, close
      sensor ready → accepted: ready
      sensor refused → accepted: 8005, terminating, close
    ready
      start → accepted: starting, prepare
      stop → refused 6005
      terminate → accepted: terminating, close
      sensor lost → accepted: 8007, initializing, open
    starting
      start → refused 6004
      stop → refused 6005
      terminate → deferred: hurry
      sensor lost → accepted: 8007, stopping, abandon, open
      prepared → accepted: processing
    starting, to end
      start → refused 6004
      stop → refused 6005
      terminate → deferred
      sensor lost → accepted: 8007, stopping, abandon
      prepared → accepted: processing, stopping, abandon
    processing
      start → refused 6004
      stop → accepted: stopping, compute
      terminate → deferred: stopping, abandon
      sensor lost → accepted: 8007, stopping, abandon, open
      elapsed 19 s → accepted
      elapsed 20 s → accepted: stopping, compute
      fault → accepted: 3003, stopping, abandon
    stopping
      start → refused 6004
      stop → refused 6005
      terminate → deferred
      sensor lost → accepted: 8007, open
      computed → accepted: deliver, ready
    stopping, to end
      start → refused 6004
      stop → refused 6005
      terminate → deferred
      sensor lost → accepted: 8007
      computed → accepted: deliver, ready, terminating, close
    stopping, broken off
      start → refused 6004
      stop → refused 6005
      terminate → deferred
      sensor lost → accepted: 8007
      computed → accepted: discard, ready, terminating, close
    stopping, failed
      start → refused 6004
      stop → refused 6005
      terminate → deferred
      sensor lost → accepted: 8007, open
      computed → accepted: discard, ready
    stopping, sensor lost
      start → refused 6004
      stop → refused 6005
      terminate → deferred
      sensor ready → accepted
      sensor refused → deferred: 8005
      computed → accepted: discard, initializing
    stopping, lost at last
      start → refused 6004
      stop → refused 6005
      terminate → deferred
      sensor ready → accepted
      sensor refused → deferred: 8005
      computed → accepted: deliver, initializing
    terminating
      start → refused 6004
      stop → refused 6005
      terminate → accepted
      closed → accepted: terminated
    terminated
      start → refused 6004
      stop → refused 6005
      terminate → accepted
    """

  @Test("answers each event as the table says")
  func table() {
    var lines: [String] = []
    for way in Self.ways {
      lines.append("\(way.situation)")
      for (name, event) in Self.events {
        var session = MeasurementSession(at: moment(0))
        for event in way.events { _ = session.handle(event, at: moment(1)) }
        let ignored = session.ignored
        let state = session.state
        let outcome = session.handle(event, at: moment(2))
        #expect(session.ignored == ignored + (outcome.answer == .ignored ? 1 : 0))
        #expect(way.situation.hasPrefix(state.name))
        // What is ignored in every line below would hide what is not.
        if outcome.answer != .ignored { lines.append("  \(name) → \(outcome.text)") }
      }
    }
    let found = lines.joined(separator: "\n")
    if found != Self.table { print(found) }
    #expect(found == Self.table)
  }

  @Test("says the state before the duration: only if a start fits, 7002 is the answer")
  func durations() {
    for way in Self.ways {
      for duration in [Int64.min, -1, 0, 19_999_999, 180_000_001, .max] {
        var session = MeasurementSession(at: moment(0))
        for event in way.events { _ = session.handle(event, at: moment(1)) }
        let outcome = session.handle(.start(duration: duration), at: moment(2))
        #expect(outcome.text == (session.state == .ready ? "refused 7002" : "refused 6004"))
      }
    }
    for duration: Int64 in [20_000_000, 180_000_000] {
      var session = MeasurementSession(at: moment(0))
      _ = session.handle(.sensorReady, at: moment(1))
      #expect(session.handle(.start(duration: duration), at: moment(2)).text == "accepted: starting, prepare")
      #expect(session.measurement?.requested == duration)
    }
  }

  @Test("knows the deadline of its state, and has no deadline while another side decides")
  func deadlines() {
    var session = MeasurementSession(at: moment(0))
    func due(_ seconds: Double, _ event: SessionEvent) -> Bool {
      session.deadline?.time == moment(seconds).monotonic && session.deadline?.event == event
    }
    #expect(due(60, .connectionTimedOut))
    _ = session.handle(.sensorReady, at: moment(10))
    #expect(session.deadline == nil)
    _ = session.handle(.start(duration: 30_000_000), at: moment(20))
    #expect(due(80, .sensorLost))
    _ = session.handle(.prepared, at: moment(25))
    #expect(due(55, .elapsed(30_000_000)))
    _ = session.handle(.elapsed(30_000_000), at: moment(55))
    #expect(session.deadline == nil)
    _ = session.handle(.sensorLost, at: moment(55.5))
    _ = session.handle(.computed, at: moment(56))
    // A sensor that was there once may come back whenever it does.
    #expect(session.state == .initializing && session.deadline == nil)
    _ = session.handle(.terminate, at: moment(70))
    #expect(due(80, .closed))
    _ = session.handle(.closed, at: moment(71))
    #expect(session.state == .terminated && session.deadline == nil)
    #expect(session.since == moment(71))
  }

  @Test("writes both clocks at each change, and what a measurement took by the monotonic one")
  func times() throws {
    var session = MeasurementSession(at: moment(0))
    _ = session.handle(.sensorReady, at: moment(1))
    _ = session.handle(.start(duration: 20_000_000), at: moment(2))
    let begun = session.handle(.prepared, at: moment(3))
    #expect(begun.effects == [.state(SessionTransition(from: .starting, to: .processing, at: moment(3)))])
    _ = session.handle(.stop, at: moment(15, stepped: -3600))
    let done = try #require(session.measurement)
    #expect(done.actual == 12_000_000 && done.number == 1 && done.end == .stop)
    #expect(done.ended == moment(15, stepped: -3600))
    #expect(session.handle(.computed, at: moment(16)).effects.first == .deliver(done))
    #expect(session.measurement == nil && session.measurements == 1)
  }

  @Test("counts no further than it can")
  func extremes() {
    let last = SessionMoment(monotonic: .max, wall: .min)
    var session = MeasurementSession(at: last)
    #expect(session.deadline?.time == .max)
    _ = session.handle(.sensorReady, at: SessionMoment(monotonic: .min, wall: .max))
    #expect(last.since(SessionMoment(monotonic: .min, wall: 0)) == .max)
    #expect(SessionMoment(monotonic: 0, wall: 0).since(last) == 0)
  }
}
