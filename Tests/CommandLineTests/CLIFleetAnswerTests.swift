import EventLoop
import Foundation
import HubProtocol
import ProgramSupport
import Reasons
import Testing

@testable import hearth

/// What hubs answer, well or not, and how it is shown; and the children that ask, with small programs in the place of
/// ssh.
@Suite("Answers of several hubs")
struct CLIFleetAnswerTests {
  private func outcome(_ status: Int32, _ output: String = "", _ errors: String = "") -> FleetOutcome {
    FleetOutcome(end: .exited(status), output: Array(output.utf8), errors: Array(errors.utf8))
  }

  private func read(_ kind: FleetKind, json: Bool = true, _ outcome: FleetOutcome) -> FleetAnswer {
    FleetReading(kind: kind, isJSON: json, patience: 60).answer(of: "gym-a", outcome)
  }

  @Test("H6040: a hub that does not answer is reported in ssh's own words")
  func unreachable() {
    let cases: [(FleetOutcome, String)] = [
      (outcome(255, "", "ssh: connect to host gym-a port 22: Connection refused\r\n"), "Connection refused"),
      (outcome(255, "", "root@gym-a: Permission denied (publickey).\r\n"), "Permission denied (publickey)."),
      (
        outcome(
          255, "",
          "@@@@@\n@ WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED! @\n@@@@@\nHost key verification failed.\n"
        ),
        "the host key has changed; Host key verification failed."
      ),
      (outcome(255), "ssh ended with 255"), (FleetOutcome(end: .late), "no answer within 60 s"),
      (FleetOutcome(end: .notStarted(ENOENT)), "ssh is not installed here"),
      (FleetOutcome(end: .killed(9)), "signal 9"),
      (outcome(255, "", "\u{1B}[2Jgone\u{7}\n"), "?[2Jgone?"),
    ]
    for (outcome, words) in cases {
      let answer = read(.status, outcome)
      #expect(answer.reason?.code == "H6040" && answer.exit == 3 && answer.document == nil)
      #expect(
        answer.reason?.detail.hasSuffix(words) == true || answer.reason?.detail.contains(words) == true, "\(answer)")
    }
  }

  @Test("H6041: what is no document of this command is not shown as if it were sound")
  func unreadable() {
    let cases: [(FleetKind, FleetOutcome)] = [
      (.status, outcome(0, "Welcome to gym-a!\n{\"phase\": \"serving\"}")), (.status, outcome(0)),
      (.status, outcome(0, "[]")), (.status, outcome(0, "42")), (.status, outcome(0, "{\"schema\": \"x\"}")),
      (.devices, outcome(0, "[{}]")), (.devices, outcome(0, "{}")),
      (.devices, outcome(0, "[1]")), (.text, outcome(0, "true")), (.status, outcome(0, "{\"phase\": \"ser")),
      (.status, outcome(127, "", "sh: 1: hearth: not found\n")), (.status, FleetOutcome(end: .flooded)),
      (.text, outcome(2, "", "hearth: there is no command 'uplink'; see hearth --help\n")),
      (.status, outcome(139)), (.lines, outcome(0, "hello\n{}\n")),
    ]
    for (kind, outcome) in cases {
      let answer = read(kind, outcome)
      #expect(answer.reason?.code == "H6041" && answer.exit == 1 && answer.document == nil, "\(answer)")
      #expect(answer.isWithout)
    }
    #expect(read(.text, json: false, outcome(127, "", "hearth: not found")).reason?.code == "H6041")
  }

  @Test("a hub that refuses says so with its own code, also with one that is not known here")
  func refusals() {
    let down = read(
      .status, outcome(3, "", "H6008 control: no daemon answers at /run/s\n      samples unaffected\n"))
    #expect(down.exit == 3 && down.reason?.code == "H6008" && !down.isWithout)
    #expect(down.reason?.detail == "no daemon answers at /run/s")
    let newer = read(.status, outcome(4, "", "hearth: a word\nH6999 future: what came\n"))
    #expect(newer.exit == 4 && newer.reason?.code == "H6999" && newer.reason?.detail == "what came")
  }

  @Test("what is known of a document is shown, whatever its schema; what is not is a dash")
  func documents() {
    let sound = #"""
      {"schema": "io.hearth.status/9", "phase": "serving", "uptime_seconds": 7200, "radio": {"state": "ready",
      "links": 5, "slots": 7, "recovering": false}, "enrolled": 30, "present": 28, "missing": 2, "live": 12, "clock":
      {"time": "2026-11-22T10:00:00Z"}, "store": {"used_bytes": 180000, "limit_bytes": 256000000,
      "newest": "2026-11-22T09:59:56Z"}, "attention": [{"device": null, "reason": {"code": "H5001"}},
      {"device": "strap-07", "reason": {"code": "H2301"}}], "new": [1]}
      """#
    let answers = [
      read(.status, outcome(0, sound)),
      FleetReading(kind: .status, isJSON: true, patience: 60).answer(
        of: "gym-b", outcome(0, #"{"schema": "x", "phase": "serving"}"#)),
      FleetReading(kind: .status, isJSON: true, patience: 60).answer(of: "gym-c", FleetOutcome(end: .late)),
    ]
    let lines = renderHubs(answers, .plain).split(separator: "\n").map(String.init)
    #expect(lines[0] == "HUB    STATE      RADIO      PRESENT  MISSING  LIVE  STORE          NEWEST   UP  TROUBLE")
    #expect(lines[1].hasPrefix("gym-a  ok         ready 5/7    28/30        2    12  180 KB/256 MB     4 s  2 h  H"))
    #expect(lines[1].hasSuffix(" +1"))
    #expect(lines[2] == "gym-b  ok         -                -        -     -  -                   -    -  -")
    #expect(lines[3] == "gym-c  no answer  -                -        -     -  -                   -    -  H6040")
    #expect(lines[4] == "! H6040 gym-c: no answer within 60 s -> hearth explain H6040")
    #expect(lines[5] == "3 hubs, 2 ok, 1 without an answer")
  }

  @Test("wearables of all hubs are one table; what a newer hub says of one is shown as far as it is known")
  func wearables() throws {
    let answer = read(
      .devices,
      outcome(
        0,
        #"""
        [{"schema": "io.hearth.device/2", "name": "strap-01\u001b[2J", "kind": "HR strap", "state": "live", "rssi": -60,
        "battery": 81, "last_seen": "2026-11-22T09:59:56Z"}, {"name": "b", "state": "missing", "reason":
        {"code": "H2301"}}]
        """#))
    let now = try #require(WallTime(rfc3339: "2026-11-22T10:00:00Z"))
    let text = renderWearables([answer], now, .plain)
    let lines = text.split(separator: "\n").map(String.init)
    #expect(lines[0] == "HUB    NAME          KIND      SEEN  RSSI  BATT  STATE")
    #expect(lines[1] == "gym-a  strap-01?[2J  HR strap   4 s   -60  81 %  live")
    #expect(lines[2] == "gym-a  b             ?            -     -     -  missing H2301")
    #expect(lines[3] == "2 wearables of 1 hub")
  }

  @Test("texts stand under the name of their hub, indented and harmless, so that no hub writes another's name")
  func texts() {
    let hostile = read(.text, json: false, outcome(1, "a\tb\r\n\ngym-b\n\u{1B}]0;x\u{7}\u{202E}\n\n", "note\n"))
    let late = FleetReading(kind: .text, isJSON: false, patience: 5).answer(of: "gym-b", FleetOutcome(end: .late))
    let text = renderTexts([hostile, late], .plain)
    #expect(
      text.hasPrefix("gym-a   exit code 1\n  a    b\n\n  gym-b\n  ?]0;x??\n  note\n\ngym-b   exit code 3\n  H6040 "),
      "\(text)")
    #expect(!text.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" || $0.value == 0x202E })
  }

  @Test("one document has all answers, in the order of the names")
  func json() throws {
    let answer = read(.text, outcome(1, #"{"schema": "io.hearth.store/1"}"#))
    #expect(answer.json["hub"] == "gym-a" && answer.json["exit"] == 1 && answer.json["reason"] == .null)
    #expect(answer.json["document"]?["schema"] == "io.hearth.store/1")
    let lines = read(.lines, outcome(0, "{\"a\": 1}\n{\"a\": 2}\n"))
    #expect(lines.document == .array([["a": 1], ["a": 2]]))
    #expect(read(.lines, outcome(0)).document == .array([]))
    let none = read(.status, FleetOutcome(end: .late)).json
    #expect(none["document"] == .null && none["reason"]?["code"] == "H6040" && none["exit"] == 3)
  }

  // MARK: Children

  private func run(_ scripts: [String], _ change: (inout FleetBounds) -> Void = { _ in }) throws -> [FleetOutcome] {
    var bounds = FleetBounds()
    // Only a bound to keep a test from hanging: a busy machine may need much of it.
    bounds.patience = Int64(patience * 1000)
    change(&bounds)
    return try #require(FleetRun.run(scripts.map { ["/bin/sh", "-c", $0] }, bounds))
  }

  /// Whether a process of this mark, which each script has among its words, is still there after a wait for its end.
  private func isAnybodyLeft(_ mark: String) throws -> Bool {
    var left: [String] = []
    try waitUntil("no process \(mark)", saw: { "\(left)" }) {
      let names = try FileManager.default.contentsOfDirectory(atPath: "/proc").filter { $0.allSatisfy(\.isNumber) }
      left = names.map {
        String(decoding: FileManager.default.contents(atPath: "/proc/\($0)/cmdline") ?? Data(), as: UTF8.self)
      }
      .filter { $0.contains(mark) }
      return left.isEmpty
    }
    return !left.isEmpty
  }

  @Test("all run side by side, at most so many, and each outcome is at its own place")
  func sideBySide() throws {
    let found = try run((0..<40).map { "echo \($0); echo e\($0) >&2; exit \($0 % 8)" }) { $0.atOnce = 7 }
    for (place, outcome) in found.enumerated() {
      #expect(outcome == self.outcome(Int32(place % 8), "\(place)\n", "e\(place)\n"))
    }
    #expect(try run(["readlink /proc/self/fd/0"])[0] == outcome(0, "/dev/null\n"))
    #expect(FleetRun.run([["/nonexistent/ssh"]], FleetBounds())?[0].end == .notStarted(ENOENT))
  }

  @Test("a hanging child is ended at the limit, with its children, even one that resists; the other answers stand")
  func hangs() throws {
    let mark = "7\(UInt32.random(in: 100_000...999_999))"
    let begin = Date()
    let found = try run([
      "echo fine", "sleep \(mark) & sleep \(mark)", "trap '' TERM; while :; do sleep 0\(mark); done",
    ]) {
      // Long enough for an echo on a busy machine.
      $0.patience = 5_000
    }
    #expect(found[0] == outcome(0, "fine\n"))
    #expect(found[1].end == .late && found[2].end == .late)
    #expect(Date().timeIntervalSince(begin) < patience)
    #expect(try !isAnybodyLeft(mark))
  }

  @Test("a flooding child is ended, on standard output at its bound; of standard error the begin is kept")
  func floods() throws {
    let found = try run(["yes", "echo fine", "head -c 3000000 /dev/zero >&2; echo done"]) { $0.outputBytes = 1 << 20 }
    #expect(found[0] == FleetOutcome(end: .flooded) && found[1] == outcome(0, "fine\n"))
    #expect(found[2].end == .exited(0) && found[2].errors.count == 64 << 10)
    let together = try run(Array(repeating: "head -c 600000 /dev/zero; sleep 0.2", count: 4)) {
      $0.totalBytes = 1 << 20
    }
    #expect(together.contains { $0.end == .flooded })
  }

  @Test("an interruption ends all children, and a helper that keeps the pipes open delays no other")
  func interruption() throws {
    let mark = "8\(UInt32.random(in: 100_000...999_999))"
    var turns = 0
    let none = FleetRun.run([["sleep", mark], ["sleep", mark]], FleetBounds()) {
      turns += 1
      return turns > 2
    }
    #expect(none == nil)
    #expect(try !isAnybodyLeft(mark))
    let begin = Date()
    #expect(try run(["sleep \(mark) & echo early"])[0] == outcome(0, "early\n"))
    #expect(Date().timeIntervalSince(begin) < patience)
    #expect(try !isAnybodyLeft(mark))
  }

  @Test("more than a thousand open descriptors do no harm, and reach no child")
  func descriptors() throws {
    var before = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &before)
    var wide = before
    wide.rlim_cur = min(before.rlim_max, 4096)
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &wide)
    let open = (0..<1500).map { _ in Glibc.open("/dev/null", O_RDONLY | O_CLOEXEC) }
    defer {
      for descriptor in open where descriptor >= 0 { close(descriptor) }
      setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &before)
    }
    try #require(open.last ?? -1 > 1023)
    // Other tests have descriptors of their own meanwhile.
    let said = String(decoding: try run(["ls /proc/self/fd | wc -l"])[0].output, as: UTF8.self)
    #expect(Int(said.trimmingCharacters(in: .whitespacesAndNewlines)).map { $0 < 1000 } == true, "\(said)")
  }
}
