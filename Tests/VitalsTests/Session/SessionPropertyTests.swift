// Random lives of sessions and of tables of them, and what holds in each of them.

import Testing
import Vitals

private let seeds = freshSeeds(40, for: "lives of measurement sessions")

/// What may follow what, written down a second time.
private let edges: Set<[SessionState]> = [
  [.initializing, .ready], [.initializing, .terminating], [.ready, .initializing], [.ready, .starting],
  [.ready, .terminating], [.starting, .processing], [.starting, .stopping], [.processing, .stopping],
  [.stopping, .initializing], [.stopping, .ready], [.terminating, .terminated],
]

extension SessionEvent {
  /// A random event of all kinds, calls somewhat more often than they come in life.
  fileprivate static func random(_ random: inout SeededRandom) -> SessionEvent {
    let durations: [Int64] = [.min, 0, 19_999_999, 20_000_000, 60_000_000, 180_000_000, 180_000_001, .max]
    switch random.below(16) {
    case 0, 1: return .start(duration: durations[random.below(durations.count)])
    case 2: return .start(duration: Int64(20 + random.below(161)) * 1_000_000)
    case 3: return .stop
    case 4: return random.below(4) == 0 ? .terminate : .stop
    case 5, 6: return .sensorReady
    case 7: return .sensorLost
    case 8: return random.below(8) == 0 ? .sensorRefused(.modelUnsupported) : .sensorReady
    case 9: return random.below(4) == 0 ? .connectionTimedOut : .prepared
    case 10, 11: return .prepared
    case 12: return .elapsed(durations[random.below(durations.count)])
    case 13: return .fault(random.below(2) == 0 ? .signalLost : .bluetoothOff)
    case 14: return .computed
    default: return random.below(2) == 0 ? .closed : .computed
    }
  }
}

extension SessionEvent {
  /// True if a caller waits for an answer.
  fileprivate var isCall: Bool {
    switch self {
    case .start, .stop, .terminate: true
    default: false
    }
  }
}

/// Holds what a session told against what it may tell.
private struct Witness {
  var state = SessionState.initializing
  var ignored: UInt64 = 0
  /// Of the measurement that runs.
  var isOpen = false
  var hasFailed = false
  var isComputing = false
  var concluded: Set<UInt32> = []
  var faults: [String] = []

  mutating func see(_ event: SessionEvent, _ outcome: SessionOutcome, _ session: MeasurementSession) {
    if outcome.answer == .ignored { ignored += 1 }
    expect(session.ignored == ignored, "ignored events are counted")
    if outcome.answer == .ignored { expect(!event.isCall, "a call has an answer") }
    if case .refused(let code) = outcome.answer {
      expect(event.isCall && event != .terminate, "only start and stop are refused")
      expect(code.kind == .refusal, "a refusal has the code of one")
    }
    switch outcome.answer {
    case .refused, .ignored: expect(outcome.effects.isEmpty && session.state == state, "nothing is changed")
    case .accepted, .deferred: break
    }
    for effect in outcome.effects { see(effect) }
    expect(session.state == state, "each change is told")
    expect((session.measurement != nil) == isOpen, "a measurement is there from starting to its results")
  }

  private mutating func see(_ effect: SessionEffect) {
    switch effect {
    case .state(let change):
      expect(change.from == state, "each change begins where the last one ended")
      expect(edges.contains([change.from, change.to]), "\(change.from) leads to \(change.to)")
      state = change.to
      if state == .starting { (isOpen, hasFailed, isComputing) = (true, false, false) }
      if [.ready, .initializing, .terminating].contains(state) { expect(!isOpen, "results come before \(state)") }
    case .announce(let code):
      expect(code.kind == .error, "what is announced is an error")
      // What was measured before the sensor was lost stands.
      if state == .starting || state == .processing { hasFailed = true }
    case .deliver(let done):
      expect(isOpen && !hasFailed && isComputing && state == .stopping, "final results without an error")
      expect(done.end == .duration || done.end == .stop, "final results of a whole measurement")
      conclude(done)
    case .discard(let done):
      expect(isOpen && !isComputing && state == .stopping, "results are thrown away that nobody computed")
      conclude(done)
    case .compute: isComputing = true
    case .prepare(let begun): expect(!concluded.contains(begun.number), "each measurement has its own number")
    case .hurry, .abandon, .openSensor, .closeSensor: break
    }
  }

  private mutating func conclude(_ done: Measurement) {
    isOpen = false
    expect(concluded.insert(done.number).inserted, "results come once")
  }

  private mutating func expect(_ holds: Bool, _ what: String) { if !holds { faults.append(what) } }
}

@Suite("Any life of a measurement session")
struct SessionPropertyTests {
  @Test("has legal steps, results once and before the state, no result after an error, and an end", arguments: seeds)
  func life(seed: UInt64) {
    var random = SeededRandom(seed)
    for life in 0..<100 {
      var session = MeasurementSession(at: moment(0))
      var witness = Witness()
      for step in 0..<random.below(120) {
        let event = SessionEvent.random(&random)
        witness.see(event, session.handle(event, at: moment(Double(step))), session)
      }
      // Whatever it is doing, it ends once the hub answers what it was told to do.
      let last: [SessionEvent] = [.terminate, .prepared, .computed, .closed]
      for event in last { witness.see(event, session.handle(event, at: moment(200)), session) }
      #expect(session.state == .terminated, "seed \(seed), life \(life)")
      #expect(witness.faults == [], "seed \(seed), life \(life)")
    }
  }

  @Test("comes to its end by its deadlines alone, but for what is computed", arguments: seeds.prefix(8))
  func deadlines(seed: UInt64) {
    var random = SeededRandom(seed)
    for life in 0..<100 {
      var session = MeasurementSession(at: moment(0))
      for step in 0..<random.below(40) { _ = session.handle(.random(&random), at: moment(Double(step))) }
      _ = session.handle(.terminate, at: moment(100))
      for _ in 0..<4 where session.state != .terminated {
        let event = session.deadline?.event ?? .computed
        _ = session.handle(event, at: moment(500))
      }
      #expect(session.state == .terminated, "seed \(seed), life \(life)")
    }
  }

  @Test("goes on beside others: no sensor and no person has two", arguments: seeds.prefix(12))
  func table(seed: UInt64) {
    var random = SeededRandom(seed)
    var table = SessionTable<Int, String>(limit: 5)
    var alive: Set<UInt64> = []
    for step in 0..<3000 {
      let now = moment(Double(step))
      var steps: [SessionTable<Int, String>.Step] = []
      switch random.below(12) {
      case 0, 1:
        let device = random.below(8)
        let person = random.below(4) == 0 ? nil : "p\(random.below(8))"
        let isTaken = table.entries.contains { $0.device == device || (person != nil && $0.person == person) }
        do throws(SessionRefusal) {
          steps = [try table.open(device, person, at: now)]
          #expect(!isTaken && alive.insert(steps[0].id).inserted, "seed \(seed), step \(step)")
        } catch {
          #expect(
            error.code == .sessionConcurrent && (isTaken || table.entries.count == 5), "seed \(seed), step \(step)")
        }
      case 2: steps = table.forget(random.below(8), at: now).map { [$0] } ?? []
      case 3: steps = table.due(at: now)
      default:
        let id = UInt64(random.below(Int(table.nextID) + 2))
        let wasOpen = table[id] != nil
        let told = table.handle(.random(&random), id, at: now)
        #expect((told != nil) == wasOpen, "seed \(seed), step \(step)")
        steps = told.map { [$0] } ?? []
      }
      for step in steps where step.outcome.states.last == .terminated { alive.remove(step.id) }
      #expect(Set(table.entries.map(\.id)) == alive, "seed \(seed), step \(step)")
      #expect(Set(table.entries.map(\.device)).count == alive.count, "seed \(seed), step \(step)")
      let people = table.entries.compactMap(\.person)
      #expect(Set(people).count == people.count, "seed \(seed), step \(step)")
      #expect(table.entries.map(\.id) == table.entries.map(\.id).sorted())
    }
    _ = table.endAll(at: moment(5000))
    for entry in table.entries {
      for event in [SessionEvent.prepared, .computed, .closed] { _ = table.handle(event, entry.id, at: moment(5001)) }
    }
    #expect(table.isEmpty, "seed \(seed)")
  }
}
