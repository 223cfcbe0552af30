import EventLoop
import Testing

@testable import Updates

/// Whether an update serves: looks at a hub in virtual time, a line each.
@Suite("The trial of an update")
struct UpdateTrialTests {
  /// What a hub is from some second on: `silent`, `serving`, `no radio`, `card`, `starting`, `old`, `6 %`.
  private struct Change {
    let second: Int64
    let state: String
  }

  private static func facts(_ state: String, uptime: Duration) -> HubFacts {
    HubFacts(
      isServing: state != "starting", radioIsReady: state != "no radio",
      storeTrouble: state == "card" ? "H4199 store: it fails" : nil, uptime: uptime)
  }

  /// The verdict, and the second in which it came. Each change to another state than silence is a new run, but for what
  /// is said with `~` before it.
  private func judge(
    before: String? = "serving", _ changes: [(Int64, String)], every step: Int64 = 2
  ) -> (verdict: UpdateTrial.Verdict, second: Int64) {
    let begin = Instant(nanoseconds: 5_000_000_000_000)
    var trial = UpdateTrial(
      before: before.map { Self.facts($0, uptime: .seconds(1)) }, began: begin, installed: begin)
    var started: Int64 = 0
    var index = -1
    for second in stride(from: Int64(0), through: 30_000, by: Int(step)) {
      while index + 1 < changes.count, changes[index + 1].0 <= second {
        index += 1
        if !changes[index].1.hasPrefix("~") { started = changes[index].0 }
      }
      var state = index < 0 ? "silent" : changes[index].1
      if state.hasPrefix("~") { state.removeFirst() }
      let look: UpdateTrial.Look
      if state == "silent" {
        look = .silent("no daemon answers")
      } else if state.hasSuffix("%") {
        look = .converting(state)
      } else if state == "old" {
        look = .facts(Self.facts("serving", uptime: .seconds(1000 + second)))
      } else {
        look = .facts(Self.facts(state, uptime: .seconds(second - started)))
      }
      let verdict = trial.note(look, at: begin + .seconds(second))
      if verdict != .waiting { return (verdict, second) }
    }
    return (.waiting, 30_000)
  }

  @Test("a hub that serves for half a minute is good, whenever in its two minutes that begins")
  func good() {
    #expect(judge([(0, "old"), (4, "silent"), (6, "serving")]) == (.good("served for 30 s"), 36))
    #expect(judge([(118, "serving")]) == (.good("served for 30 s"), 148))
    #expect(judge([(0, "starting"), (10, "~no radio"), (60, "~serving")]) == (.good("served for 30 s"), 90))
  }

  @Test("one that does not answer in two minutes is bad, and so is one that serves a moment too late")
  func silent() {
    #expect(judge([]) == (.bad("no daemon answers"), 120))
    #expect(judge([(122, "serving")]) == (.bad("no daemon answers"), 120))
    #expect(judge([(0, "starting")]) == (.bad("it answers and does not serve"), 120))
  }

  @Test("one that crashes every 20 s is bad, though each look finds it serving")
  func crashes() {
    let changes = (0..<10).map { (Int64($0) * 20, "serving") }
    #expect(judge(changes) == (.bad("it does not keep running"), 120))
  }

  @Test("a radio or a card that was in trouble before is not the update's fault; one that was well is")
  func compared() {
    #expect(judge([(2, "no radio")]) == (.bad("its radio is not ready"), 120))
    #expect(
      judge(before: "no radio", [(2, "no radio")]) == (.good("served for 30 s, without a radio as before"), 32))
    #expect(judge([(2, "card")]) == (.bad("its store: H4199 store: it fails"), 120))
    #expect(judge(before: "card", [(2, "card")]) == (.good("served for 30 s"), 32))
    #expect(judge([(2, "serving"), (20, "~no radio")]) == (.bad("its radio is not ready"), 120))
  }

  @Test("a hub that did not serve before is not judged, and no change is undone for it")
  func notServing() {
    #expect(judge(before: nil, []) == (.good("not judged, as the hub did not serve before"), 0))
    #expect(judge(before: "starting", []).verdict == .good("not judged, as the hub did not serve before"))
  }

  @Test("while the program of before still runs there is no verdict")
  func notStartedAnew() {
    #expect(judge([(0, "old")]) == (.undecided("the program of before still runs"), 120))
    #expect(judge([(0, "old"), (60, "silent")]) == (.bad("no daemon answers"), 120))
  }

  @Test("a store that is converted takes the time that it takes while it gets on, and no more")
  func converting() {
    let tenMinutes = (0..<60).map { (Int64($0) * 10, "\($0) %") }
    #expect(judge(tenMinutes + [(600, "serving")]) == (.good("served for 30 s"), 630))
    #expect(judge([(0, "7 %")]) == (.bad("it converts its store: 7 %"), 120))
    let endless = (0..<3000).map { (Int64($0) * 10, "\($0) %") }
    #expect(judge(endless).second == 21_600)
  }
}
