import Configuration
import Foundation
import Reasons
import Testing

@testable import hearth

@Suite("The questions of hearth setup")
struct SetupTests {
  private static func answers(_ pairs: (SetupQuestion, String)...) throws -> SetupAnswers {
    var answers = SetupAnswers()
    for (question, text) in pairs where !answers.take(question, text) { throw POSIXError(.EINVAL) }
    return answers
  }

  @Test("Enter six times takes what is safe: the machine's name, the gym, and the user that typed sudo")
  func safe() throws {
    let bench = try SetupBench()
    let talk = try bench.talk(["", "", "", "", "", "", "yes"])
    #expect(talk.answers.values[.enrolment] == "window" && talk.answers.values[.lights] == "none")
    #expect(bench.members(of: "hearth") == ["pi"] && bench.members(of: "hearth-admin") == [])
    let loaded = try Configuration.load(path: bench.configuration)
    #expect(loaded.hub.name == "gym-north" && loaded.entries.count { $0.origin.hasPrefix("/") } == 1)
    #expect(
      bench.read("/etc/hearth/hearth.yaml.before-setup")
        == (try String(contentsOf: SetupBench.shipped, encoding: .utf8)))
    #expect(bench.names("/etc/hearth") == ["hearth.yaml", "hearth.yaml.before-setup"])
    for text in [
      "1 of 6  What is this hub called?", "        name [gym-north]: ", "        preset [gym]: ",
      "        zone [local]: ",
      "        lights [none]: ", "        enrolment [window]: ", "        who_may_ask [pi]: ",
      "> " + "  name: gym-north             # letters", "  #preset: gym  ", "  hub.name: gym-north   (was hearth)",
      "  pi joins the group hearth", "Write this? yes or no [no]: yes",
    ] { #expect(talk.said.contains(text), "\(text) in \(talk.said)") }
    #expect(talk.said.components(separatedBy: "\n> ").count == 2, "one line is new")
  }

  @Test("a ward is closed unless chosen otherwise; an answer that does not fit is asked again; spaces do not count")
  func ward() throws {
    let bench = try SetupBench()
    let talk = try bench.talk([
      "my hub", "ward-2", "hospital", " ward ", "Berlin", "Europe/Berlin", "terminal", "", "anna pi", "YES",
    ])
    #expect(talk.said.contains("'my hub' is not a name of 1 to 63 letters"))
    #expect(talk.said.contains("'hospital' is not one of gym, ward."))
    #expect(talk.said.contains("'Berlin' is not local, UTC or a zone"))
    #expect(talk.said.contains("enrolment [closed]: "))
    let loaded = try Configuration.load(path: bench.configuration)
    #expect(loaded.hub.preset == .ward && loaded.enrolment.mode == .closed && loaded.hub.timeZone == "Europe/Berlin")
    #expect(!loaded.isSet("enroll.mode"), "the preset says it")
    #expect(bench.members(of: "hearth") == ["anna", "pi"])
  }

  @Test("a second run shows present values in brackets, and Enter changes nothing")
  func again() throws {
    let bench = try SetupBench()
    _ = try bench.talk(["north", "ward", "UTC", "terminal", "all", "anna", "yes"])
    let before = bench.read("/etc/hearth/hearth.yaml")
    let second = try bench.talk(["", "", "", "", "", "none", "yes"])
    for text in ["name [north]", "preset [ward]", "zone [UTC]", "lights [terminal]", "enrolment [all]"] {
      #expect(second.said.contains(text), "\(text)")
    }
    #expect(bench.read("/etc/hearth/hearth.yaml") == before && bench.members(of: "hearth") == ["anna"])
  }

  @Test(
    "H1019: without a yes, at the end of the input and after ten wrong answers no file is written; asked again, it is")
  func declined() throws {
    let bench = try SetupBench()
    let before = bench.read("/etc/hearth/hearth.yaml")
    for lines in [
      ["", "", "", "", "", "", ""], ["", "", "", "", "", "", "no"], ["", "", "", "", "", ""], ["a", "gym"], [],
      Array(repeating: "two words", count: 11),
    ] {
      do {
        _ = try bench.talk(lines)
        Issue.record("\(lines) is no yes")
      } catch let error as HearthError { #expect(error.reason == .setupDeclined) }
      #expect(bench.read("/etc/hearth/hearth.yaml") == before && bench.ran.withLock { $0.isEmpty })
    }
    _ = try bench.talk(["", "", "", "", "", "", "y"])
    #expect(bench.members(of: "hearth") == ["pi"])
  }

  @Test("--defaults gives the same result however often, and leaves an edited configuration alone")
  func defaults() throws {
    func run(_ bench: SetupBench, replacing: Bool = false) throws -> SetupPlan {
      let facts = try SetupFacts(path: bench.configuration, bench.machine)
      let plan = try SetupPlan(
        path: bench.configuration, answers: facts.defaults(replacing: replacing), bench.machine)
      try SetupWriting(machine: bench.machine).apply(plan)
      return plan
    }
    let fresh = try SetupBench()
    #expect(try run(fresh).draft.changes.map(\.key) == ["hub.name"])
    let written = fresh.read("/etc/hearth/hearth.yaml")
    for _ in 0..<3 { #expect(try run(fresh).isNothing) }
    #expect(fresh.read("/etc/hearth/hearth.yaml") == written && fresh.members(of: "hearth") == ["pi"])

    let changed = try SetupBench("# of this gym\nlane: {slice: 30s}\nenroll: {mode: all}\n")
    let before = changed.read("/etc/hearth/hearth.yaml")
    #expect(try !run(changed).draft.isChanged)
    #expect(changed.read("/etc/hearth/hearth.yaml") == before)
    #expect(try run(changed, replacing: true).draft.changes.map(\.key) == ["hub.name", "enroll.mode"])
    #expect(
      changed.read("/etc/hearth/hearth.yaml")
        == "# of this gym\nlane: {slice: 30s}\nenroll: {mode: window}\n\nhub:\n  name: gym-north\n")
    #expect(try run(changed, replacing: true).isNothing)
  }

  @Test("H1016: a missing user or group changes nothing; a user that usermod refuses takes all back")
  func users() throws {
    let bench = try SetupBench()
    let before = bench.read("/etc/hearth/hearth.yaml")
    func refused(_ answers: SetupAnswers) throws {
      do {
        try SetupWriting(machine: bench.machine).apply(
          SetupPlan(path: bench.configuration, answers: answers, bench.machine))
        Issue.record("nobody of that name")
      } catch let error as HearthError { #expect(error.reason == .setupUserUnknown, "\(error)") }
      #expect(bench.read("/etc/hearth/hearth.yaml") == before && bench.members(of: "hearth") == [])
      #expect(!bench.names("/etc/hearth").contains("hearth.yaml.setup"))
    }
    var answers = try Self.answers((.name, "north"), (.users, "pi ben"))
    try refused(answers)
    answers = try Self.answers((.name, "north"), (.users, "pi anna"))
    try bench.write("/etc/group", "root:x:0:\n")
    try refused(answers)
    try bench.write("/etc/group", "root:x:0:\nhearth:x:991:\n")
    var machine = bench.machine
    let run = bench.machine.run
    machine.run = { words in words.last == "anna" ? 6 : run(words) }
    do {
      try SetupWriting(machine: machine).apply(SetupPlan(path: bench.configuration, answers: answers, machine))
      Issue.record("usermod said no")
    } catch let error as HearthError { #expect(error.reason == .setupUserUnknown) }
    #expect(bench.ran.withLock { $0.map(\.[0]) } == ["/usr/sbin/usermod", "/usr/bin/gpasswd"])
    #expect(bench.read("/etc/hearth/hearth.yaml") == before && bench.members(of: "hearth") == [])
    try SetupWriting(machine: bench.machine).apply(
      SetupPlan(path: bench.configuration, answers: answers, bench.machine))
    #expect(bench.members(of: "hearth") == ["pi", "anna"])
  }

  @Test("H1018: with systemd the hub reloads, or restarts for what a reload does not take; a failure is reported")
  func telling() throws {
    let bench = try SetupBench()
    try bench.write("/proc/1/comm", "systemd\n")
    func telling(_ question: SetupQuestion, _ text: String) throws -> SetupMachine.Telling {
      let answers = try Self.answers((question, text))
      return try SetupPlan(path: bench.configuration, answers: answers, bench.machine).telling(bench.machine)
    }
    // systemctl cannot start a file that no unit names.
    #expect(try telling(.name, "north") == .byHand)
    #expect(try telling(.name, "hearth") == .nothing)
    try bench.machine.tell(.restart)
    #expect(bench.ran.withLock { $0.last } == ["systemctl", "restart", "hearthd.service"])
    bench.failing.withLock { _ = $0.insert("restart") }
    #expect(throws: HearthError(.setupNotTaken, "systemctl restart hearthd failed (exit status 1)")) {
      try bench.machine.tell(.restart)
    }
  }

  @Test("of a file's lines those are new that stand in no such order in the old one")
  func newLines() {
    func marks(_ old: String, _ new: String) -> String {
      let new = new.map { String($0) }
      let kept = SetupPlan.kept(old.map { String($0) }, new)
      return new.indices.map { kept.contains($0) ? "." : ">" }.joined()
    }
    #expect(marks("abc", "abc") == "...")
    #expect(marks("", "ab") == ">>")
    #expect(marks("abc", "axbc") == ".>..")
    #expect(marks("abcde", "axcye") == ".>.>.")
    #expect(marks("abc", "abcd") == "...>")
    #expect(marks("aba", "baab") == ">..>" || marks("aba", "baab").filter { $0 == "." }.count == 2)
  }
}
