import ArgumentParser
import Foundation
import HubProtocol
import Reasons
import Testing

@testable import hearth

/// Requests to each hub, the command line for a hub's shell, and the combined answers.
@Suite("One command for several hubs")
struct CLIFleetTests {
  @Test("hubs are named with commas or again, before or behind the command, and the rest is what is asked")
  func calls() throws {
    func call(_ words: String...) throws -> FleetCall { try #require(try FleetCall(words)) }
    var found = try call("--hub", "gym-a,gym-b", "devices", "--present")
    #expect(found.hubs == ["gym-a", "gym-b"] && found.words == ["devices", "--present"])
    #expect(found.within == 60 && found.sshConfig == nil)
    found = try call("events", "-n", "5", "--hub=a", "--within", "30s", "--hub", "root@10.0.0.7", "--ssh-config=/c")
    #expect(found.hubs == ["a", "root@10.0.0.7"] && found.words == ["events", "-n", "5"])
    #expect(found.within == 30 && found.sshConfig == "/c")
    #expect(try call("--hub", "a").words.isEmpty)
    // Behind -- everything is an argument.
    #expect(try call("--hub", "a", "device", "--", "--hub").words == ["device", "--", "--hub"])
    #expect(try FleetCall(["device", "--", "--hub", "a"]) == nil)
    #expect(try FleetCall(["status", "--json"]) == nil)
  }

  @Test("the same words parse as one command, wherever the hubs stand")
  func parsed() throws {
    for words in [
      ["--hub", "a,b", "store", "show"], ["store", "show", "--hub", "a,b"], ["store", "--hub=a,b", "show"],
    ] {
      #expect(try HearthCommand.parseAsRoot(words) is StoreCommand.Show)
      #expect(try HearthCommand.parseAsRoot(try #require(try FleetCall(words)).words) is StoreCommand.Show)
    }
    #expect(HearthCommand.unknownCommand(["--hub", "a", "--within", "5s", "--ssh-config", "f", "statsu"]) == "statsu")
    for words in [["--within", "5s", "status"], ["status", "--ssh-config", "f"]] {
      #expect(throws: (any Error).self) { try HearthCommand.parseAsRoot(words) }
    }
  }

  @Test(
    "a name that ssh or a shell could take for something else is refused",
    arguments: [
      "", "-oProxyCommand=sh", "a,-oProxyCommand=sh", "a,,b", "a b", "$(reboot)", "a;b", "a`b`", "@a", "a@", "a@b@c",
      "-x@a", "a@-x", "a\nb", "a'b", "ä", "a/b", "%h", "a,a", "../a", "a|b", "ssh://a",
      String(repeating: "a", count: 254),
    ])
  func names(hub: String) {
    #expect(throws: Misuse.self) { try FleetCall(["--hub", hub, "status"]) }
  }

  @Test("names of ~/.ssh/config, users and addresses are taken; a time is 1s to 10m; 1024 hubs are the most")
  func goodNames() throws {
    for name in ["gym-a", "gym_a.example.org", "pi@10.0.0.7", "fe80::1", "a.b@c.d", "A", "7"] {
      #expect(FleetCall.isHub(name), "\(name)")
    }
    for (text, seconds) in [("1s", 1), ("30s", 30), ("10m", 600)] as [(String, Int64)] {
      #expect(try FleetCall.seconds(text) == seconds)
    }
    for text in ["0s", "11m", "30", "-5s", "soon", ""] {
      #expect(throws: Misuse.self) { try FleetCall.seconds(text) }
    }
    #expect(throws: Misuse.self) { try FleetCall(["--hub"]) }
    let many = (0...1024).map { "h\($0)" }.joined(separator: ",")
    #expect(throws: Misuse.self) { try FleetCall(["--hub", many]) }
  }

  @Test("a word reaches the hub as it was typed, in every shell that is here")
  func quoting() throws {
    let words = [
      "", "plain-1_2.3/4:5,6@7+8=9", "two words", "it's", "a\\b", "back\\\\slash'", "$HOME", "$(id)", "`id`",
      "a;b|c&d>e",
      "*", "~", "!!", "#x", "\"q\"", "{a,b}", "[x]", "%1", "é 漢", "-rf", "'", "\\", "a'b\\c!d",
    ]
    let line = words.map(RemoteWords.quoted).joined(separator: " ")
    let shells = ["/bin/sh", "/bin/bash", "/usr/bin/fish", "/bin/zsh", "/bin/csh"]
    for shell in shells where FileManager.default.isExecutableFile(atPath: shell) {
      let outcomes = try #require(FleetRun.run([[shell, "-c", "printf '<%s>' \(line)"]], FleetBounds()))
      let said = String(decoding: outcomes[0].output, as: UTF8.self)
      #expect(said == words.map { "<\($0)>" }.joined(), "\(shell)")
    }
    #expect(try RemoteWords.line(["events", "--since", "2 h"]) == "hearth events --since '2 h'")
    for word in ["a\nb", "a\u{1B}b", "a\u{7F}"] { #expect(throws: Misuse.self) { try RemoteWords.line([word]) } }
  }

  @Test("ssh may not ask, open a terminal, stay behind or let anybody in; the name stands behind the end of options")
  func arguments() throws {
    var call = try #require(try FleetCall(["--hub", "gym-a", "--within", "5s", "--ssh-config", "/c"]))
    let words = RemoteWords.ssh("ssh", "gym-a", call, "hearth --json")
    #expect(words.suffix(3) == ["--", "gym-a", "hearth --json"])
    for setting in ["BatchMode=yes", "ConnectTimeout=5", "ControlMaster=no", "RemoteCommand=none"] {
      #expect(words.contains(setting), "\(setting)")
    }
    #expect(words.starts(with: ["ssh", "-T", "-n", "-a", "-x", "-F", "/c"]))
    call.within = 60
    #expect(RemoteWords.ssh("ssh", "a", call, "").contains("ConnectTimeout=10"))
  }

  @Test("the exit code is the worst of all, what is not known before what is")
  func exitCodes() {
    #expect(worstExit([]) == 0 && worstExit([0, 0]) == 0)
    for order in [[3, 4, 2, 7, 6, 5, 1, 0]] as [[Int32]] {
      for place in order.indices { #expect(worstExit(order[place...].shuffled()) == order[place]) }
    }
    #expect(Reason.fleetUnreachable.exitStatus == 3)
    #expect(Reason.fleetAnswerUnreadable.exitStatus == 1)
    #expect(Reason.fleetNotForMany.exitStatus == 2)
  }

  // MARK: Which commands

  /// Every command of the program with words that parse, and how many hubs may be asked at once.
  private static let table: [(words: [String], kind: FleetKind?)] = [
    (["status"], .status), (["watch"], nil), (["watch", "--once"], nil), (["devices"], .devices),
    (["devices", "--present", "--by", "battery"], .devices),
    (["device", "a"], .text), (["device", "a", "rename", "b"], nil), (["device", "a", "forget", "--yes"], nil),
    (["device", "a", "erase", "no"], nil), (["device", "a", "listen", "on"], nil),
    (["device", "a", "absent-after", "2h"], nil), (["device", "a", "pause"], nil), (["device", "a", "resume"], nil),
    (["mute"], .text), (["mute", "H2109"], nil), (["unmute", "H2109"], nil),
    (["live"], nil), (["live", "--seconds", "5"], nil),
    (["enroll", "open"], nil), (["enroll", "list"], .text), (["enroll"], .text), (["enroll", "accept", "A"], nil),
    (["enroll", "close"], nil),
    (["visits"], .text), (["visit", "now", "a"], nil), (["visit", "now", "a", "--wait"], nil),
    (["sync", "a"], nil), (["sync", "--all"], nil), (["sync", "a", "--last"], .text), (["custody", "a"], .text),
    (["link", "a"], .text), (["link", "a", "set", "idle"], nil), (["clock"], .text),
    (["radio", "show"], .text), (["radio"], .text), (["radio", "recover", "--yes"], nil),
    (["pair", "list"], .text), (["pair", "answer", "a", "yes"], nil),
    (["recordings", "a"], nil), (["recordings", "a", "start", "acc", "rate=52"], nil),
    (["recordings", "a", "stop", "all"], nil), (["recordings", "a", "triggers", "off"], nil),
    (["settings", "a", "--orders"], .text), (["settings", "a"], nil),
    (["settings", "a", "set", "streams", "acc"], nil), (["settings", "a", "set", "rates", "none"], nil),
    (["settings", "a", "set", "features-off", "usb"], nil), (["settings", "a", "set", "measure", "every=4h"], nil),
    (["settings", "a", "set", "phases", "all"], nil), (["settings", "a", "set", "visit-at", "never"], nil),
    (["settings", "a", "set", "secret", "none"], nil), (["settings", "a", "set", "worn", "chest"], nil),
    (["monitor", "a"], .text), (["monitor", "a", "--now"], nil), (["monitor", "a", "heart_rate", "on"], nil),
    (["measure", "a"], nil), (["measure", "a", "spo2"], nil), (["training", "a", "begin"], nil),
    (["action", "a"], nil), (["action", "a", "blink"], nil),
    (["alerts"], .text), (["alerts", "a"], .text), (["alerts", "a", "acknowledge"], nil),
    (["alerts", "a", "set", "rest-above", "120"], nil),
    (["wearer", "list"], .text), (["wearer", "add", "a"], nil), (["wearer", "rename", "a", "b"], nil),
    (["wearer", "set", "a", "id", "b"], nil),
    (["wearer", "retire", "a"], nil), (["wearer", "assign", "a", "b"], nil), (["wearer", "unassign", "a"], nil),
    (["wearer", "correct", "a", "10:00", "--nobody"], nil), (["wearer", "history", "a"], .text),
    (["wearer", "body", "a"], nil), (["wearer", "erase", "a"], nil),
    (["store", "show"], .text), (["store"], .text), (["store", "peek", "a", "heart_rate"], .text),
    (["store", "verify"], .text), (["store", "purge"], nil), (["store", "forget-cursor", "a"], nil),
    (["store", "salvage", "x"], nil), (["store", "salvage", "x", "--dry-run"], nil),
    (["export"], nil), (["export", "--cursor", "a"], nil), (["export", "--scheduled"], nil),
    (["items", "a", "heart_rate"], .text),
    (["measurements", "a"], .text), (["days", "a"], .text), (["days", "a", "--today"], nil),
    (["coverage", "a"], .text),
    (["report", "a", "--out", "x"], nil), (["report", "a", "--out", "-"], nil),
    (["update", "status"], .text), (["update"], .text), (["update", "apply"], nil), (["update", "rollback"], nil),
    (["update", "dismiss"], nil), (["update", "judge"], nil), (["uplink"], .text), (["uplink", "status"], .text),
    (["uplink", "resend", "--from", "2h"], nil),
    (["events"], .text), (["log"], .lines), (["log", "-f"], nil), (["log", "--file", "-"], nil),
    (["log", "--file", "/var/log/hub"], .lines), (["access"], .text),
    (["bond", "list"], .text), (["bond", "export", "--to", "x"], nil), (["bond", "import", "x"], nil),
    (["bond", "remove", "a"], nil), (["backup", "x"], nil), (["backup", "--scheduled"], nil), (["restore", "x"], nil),
    (["led", "explain"], .text), (["led", "legend"], .text), (["led", "locate"], nil),
    (["led", "locate", "--off"], nil),
    (["config", "check"], .text), (["config", "show"], .text), (["setup"], nil), (["setup", "--defaults"], nil),
    (["doctor"], .text), (["explain", "H2102"], .text), (["version"], .text),
  ]

  /// Commands that have no commands below them.
  private func leaves(_ parent: any ParsableCommand.Type) -> [any ParsableCommand.Type] {
    let below = parent.configuration.subcommands
    return below.isEmpty ? [parent] : below.flatMap { leaves($0) }
  }

  @Test("what only asks is for many, everything else is refused before any hub is asked; no command is in neither list")
  func everyCommand() throws {
    var seen: Set<String> = []
    for (words, kind) in Self.table {
      let command = try HearthCommand.parseAsRoot(words)
      seen.insert(try #require(HearthCommand.path(to: type(of: command))))
      #expect(fleetKind(of: command) == kind, "\(words)")
      if kind != nil { continue }
      let call = try #require(try FleetCall(["--hub", "a,b"] + words))
      // A missing program: it would be an answer (H6040), no refusal.
      let refused = #expect(throws: HearthError.self, "\(words)") {
        try FleetCommand.run(call, program: "/nonexistent/ssh")
      }
      #expect(refused?.reason == .fleetNotForMany, "\(words)")
    }
    let all = Set(leaves(HearthCommand.self).compactMap { HearthCommand.path(to: $0) })
    #expect(all.subtracting(seen).isEmpty, "commands that this table does not know: \(all.subtracting(seen))")
    #expect(seen.subtracting(all).isEmpty)
  }

  @Test("words that are no command, or that lack something, are usage errors before any hub is asked")
  func usage() throws {
    for words in [["device"], ["devices", "--by", "size"], ["events", "-n", "0"]] {
      let call = try #require(try FleetCall(["--hub", "a"] + words))
      #expect(throws: (any Error).self) { try FleetCommand.run(call, program: "/nonexistent/ssh") }
    }
  }

  @Test("help is here, whatever hubs are named")
  func help() throws {
    for words in [["help"], ["status", "--help"], ["help", "store"]] {
      let call = try #require(try FleetCall(["--hub", "a"] + words))
      let end = #expect(throws: (any Error).self) { try FleetCommand.run(call, program: "/nonexistent/ssh") }
      #expect(end.map { HearthCommand.exitCode(for: $0) } == .success && !(end is HearthError))
    }
  }

  // MARK: Shells

  @Test("a shell is offered the hosts of ~/.ssh/config, no patterns, and goes on behind a comma")
  func completion() {
    let hosts = sshHosts(
      "Host gym-a gym-b *.gym\n  HostName 10.0.0.7\nHOST=ward\n# Host no\nHost * !x -o\nMatch host y\nhost gym-a\n")
    #expect(hosts == ["gym-a", "gym-b", "ward"])
    #expect(hubCandidates(behind: "", hosts) == hosts)
    #expect(hubCandidates(behind: "gym-b,g", hosts) == ["gym-b,gym-a", "gym-b,ward"])
    #expect(HearthCommand.unknownCommand(["---completion", "--", "--hub", "2", "0", "hearth", "--hub", ""]) == nil)
  }
}
