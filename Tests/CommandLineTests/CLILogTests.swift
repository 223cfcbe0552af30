import EventLoop
import Foundation
import HubProtocol
import ProgramSupport
import Reasons
import StoreDocuments
import Testing

@testable import hearth

@Suite("The log, decoded")
struct CLILogTests {
  private let time = HubTime(zone: .utc, now: WallTime(microseconds: 1_795_255_200_000_000))

  private func entry(_ line: String) throws -> LogEntry { try #require(LogEntry(line: Array(line.utf8))) }

  private static func journal(_ message: String, at seconds: Int, priority: Int = 5) -> String {
    let json: JSON = [
      "MESSAGE": .string(message), "PRIORITY": .string("\(priority)"), "_PID": "77",
      "__REALTIME_TIMESTAMP": .string("\(1_795_255_200_000_000 + seconds * 1_000_000)"),
    ]
    return String(decoding: json.compact, as: UTF8.self)
  }

  @Test("a line of the journal gives its time, code, wearable, effect and what happened")
  func decodes() throws {
    let lost = try entry(
      Self.journal(
        "H2104 link: strap-03 fell silent CODE=H2104 DEVICE=strap-03 EFFECT=samples lost from then until it is back",
        at: 5))
    #expect(lost.text == "strap-03 fell silent" && lost.code == "H2104" && lost.device == "strap-03")
    #expect(lost.effect == "samples lost from then until it is back" && lost.level == "notice" && lost.fields.isEmpty)
    #expect(render(.entry(lost), time) == "2026-11-21 10:00:05  H2104    strap-03 fell silent\n")
    let visit = try entry(Self.journal("visit DEVICE=insole-L TRIGGER=due VISIT=12", at: 6, priority: 6))
    #expect(render(.entry(visit), time) == "2026-11-21 10:00:06           insole-L: visit (visit 12)\n")
    #expect(
      render(.entry(visit), time, verbose: true)
        == "2026-11-21 10:00:06           insole-L: visit (visit 12) TRIGGER=due\n")
    let plain = try entry(Self.journal("serving enrolled=3 enrolment=window", at: 7, priority: 6))
    #expect(plain.text == "serving enrolled=3 enrolment=window" && plain.fields.isEmpty && plain.code == nil)
    let error = try entry(Self.journal("mdb failed", at: 8, priority: 3))
    #expect(render(.entry(error), time) == "2026-11-21 10:00:08  error    mdb failed\n")
  }

  @Test("lines of a hub that runs without systemd are taken apart as well")
  func captured() throws {
    let clock = try entry("10:00:05 warning H3104 radio: the adapter is gone CODE=H3104")
    #expect(clock.clock == "10:00:05" && clock.level == "warning" && clock.code == "H3104")
    #expect(render(.entry(clock), time) == "10:00:05             H3104    the adapter is gone\n")
    let prefixed = try entry("<3>H4007 store: the disk is full CODE=H4007")
    #expect(prefixed.level == "error" && prefixed.code == "H4007" && prefixed.text == "the disk is full")
    let bare = try entry("hearthd: H6001 control: another daemon answers")
    #expect(bare.level == "" && bare.text == "hearthd: H6001 control: another daemon answers")
    #expect(LogEntry(line: []) == nil)
  }

  @Test("what only looks like fields stays in the message, and no text can drive a terminal")
  func forged() throws {
    let forged = try entry(Self.journal("odd: name CODE=H9999 \u{1B}[2J CODE=H2104 DEVICE=a", at: 0))
    #expect(forged.code == "H2104" && forged.text == "odd: name CODE=H9999 \u{1B}[2J")
    #expect(!render(.entry(forged), time).contains("\u{1B}"))
    #expect(try entry("a = b").text == "a = b")
    #expect(try entry("=").text == "=")
    #expect(try entry(" CODE=H2104").code == "H2104")
  }

  @Test("any bytes are a line or nil, never a trap, and a long line is cut")
  func hostile() throws {
    var random: UInt64 = 7
    for round in 0..<2000 {
      let bytes = (0..<(round % 300)).map { _ -> UInt8 in
        random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return [UInt8(truncatingIfNeeded: random >> 33), 0x3D, 0x20, 0x43, 0x7B, 0x22][Int(random >> 60) % 6]
      }
      if let entry = LogEntry(line: bytes) { #expect(!render(.entry(entry), time).isEmpty) }
    }
    let broken = try entry(#"{"MESSAGE":"half"#)
    #expect(broken.text == #"{"MESSAGE":"half"#)
    let bytes = try entry(#"{"MESSAGE":[72,255,27,105],"__REALTIME_TIMESTAMP":"99999999999999999999"}"#)
    #expect(bytes.time == nil && bytes.text.hasSuffix("i"))
    // As journalctl gives a line of more than 4 KB.
    let left = try entry(#"{"MESSAGE":null,"PRIORITY":"3","__REALTIME_TIMESTAMP":"1795255200000000"}"#)
    #expect(left.time != nil && left.level == "error" && left.text.contains("more than 4 KB"))
    let long = try #require(LogEntry(line: [UInt8](repeating: 0x61, count: 1 << 20)))
    #expect(long.text.utf8.count == LogEntry.lineLimit)
    #expect(render(.entry(long), time).utf8.count < 1100)
    let equals = try #require(LogEntry(line: Array(String(repeating: " AB=", count: 16_000).utf8)))
    #expect(equals.fields.count <= 16)
  }

  @Test("a line that repeats is counted, also if the daemon counted already")
  func folds() throws {
    var folding = LogFolding()
    func take(_ message: String, _ second: Int) throws -> [String] {
      folding.take(try entry(Self.journal(message, at: second))).map { render($0, time) }
    }
    let lost = "H2104 link: a fell silent CODE=H2104 DEVICE=a"
    #expect(try take(lost, 0).count == 1)
    #expect(try take(lost, 60).isEmpty)
    #expect(try take("the line before came 40 times more", 120).isEmpty)
    #expect(try take(lost, 130).isEmpty)
    let next = try take("other", 140)
    #expect(next.first == String(repeating: " ", count: 30) + "the same 42 times more, until 2026-11-21 10:02:10\n")
    #expect(next.count == 2 && folding.end().isEmpty)
  }

  @Test("entries pass by wearable and by code or block of codes")
  func filters() throws {
    let lost = try entry("<5>H2104 link: a fell silent CODE=H2104 DEVICE=a")
    let radio = try entry("<4>H3104 radio: gone CODE=H3104")
    let yields = try entry("<6>a yields its slot to b")
    func passes(_ name: String?, _ code: String?) throws -> [Bool] {
      let filter = LogFilter(name: name, code: try code.map { try CodePattern($0) })
      return [lost, radio, yields].map { filter.passes($0) }
    }
    #expect(try passes(nil, nil) == [true, true, true])
    #expect(try passes("a", nil) == [true, false, true])
    #expect(try passes("b", nil) == [false, false, false])
    #expect(try passes(nil, "h21xx") == [true, false, false])
    #expect(try passes("a", "H3104") == [false, false, false])
  }

  @Test("codes and blocks of codes are read as people write them; unknown ones are refused with the nearest")
  func patterns() throws {
    for (text, matching, other) in [
      ("H2104", Reason.linkLost, Reason.peerClosed), ("2104", .linkLost, .peerClosed),
      ("h21xx", .linkLost, .keyMissing),
      ("H21", .linkLost, .keyMissing), ("H2", .keyMissing, .storeFull), ("H410X", .storeEvicting, .storeFull),
    ] {
      let pattern = try CodePattern(text)
      #expect(pattern.matches(matching.rawValue) && !pattern.matches(other.rawValue), "\(text)")
    }
    for text in ["", "H", "Hxxxx", "H21x", "H21xxx", "21045", "H0", "link", "H2199", "\u{1B}", "H٢"] {
      #expect(throws: HearthError.self, "\(text)") { try CodePattern(text) }
    }
    do { _ = try CodePattern("H2199") } catch {
      #expect(error.reason == .controlBadParameter && error.detail.contains("did you mean 'H21"), "\(error)")
    }
  }

  // MARK: The command

  /// A journalctl on the path that prints recorded lines, and writes down what it was asked.
  private final class FakeJournal {
    let folder = NSTemporaryDirectory() + "hearth-journal-\(UUID().uuidString)"

    init(_ lines: [String], status: Int = 0) throws {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      try (lines.joined(separator: "\n") + "\n").write(toFile: "\(folder)/lines", atomically: true, encoding: .utf8)
      let script = "#!/bin/sh\necho \"$@\" >> \(folder)/asked\ncat \(folder)/lines\nexit \(status)\n"
      try script.write(toFile: "\(folder)/journalctl", atomically: true, encoding: .utf8)
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: "\(folder)/journalctl")
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    var asked: String { (try? String(contentsOfFile: "\(folder)/asked", encoding: .utf8)) ?? "" }

    func log(_ arguments: String..., input: String? = nil, path: String? = nil) throws -> (
      status: Int32, output: String, errors: String
    ) {
      let process = Process()
      process.executableURL = RunningDaemon.programs.appendingPathComponent("hearth")
      process.arguments = ["--socket", "\(folder)/none.sock", "log"] + arguments
      var environment = ProcessInfo.processInfo.environment
      environment["PATH"] = path ?? "\(folder):/usr/bin:/bin"
      environment["TZ"] = "UTC"
      process.environment = environment
      let (output, errors, standardInput) = (Pipe(), Pipe(), Pipe())
      (process.standardOutput, process.standardError, process.standardInput) = (output, errors, standardInput)
      try process.run()
      if let input { standardInput.fileHandleForWriting.write(Data(input.utf8)) }
      try standardInput.fileHandleForWriting.close()
      let said = output.fileHandleForReading.readDataToEndOfFile()
      let complained = errors.fileHandleForReading.readDataToEndOfFile()
      process.waitUntilExit()
      return (
        process.terminationStatus, String(decoding: said, as: UTF8.self), String(decoding: complained, as: UTF8.self)
      )
    }
  }

  private static let lost = "H2104 link: strap-1 fell silent CODE=H2104 DEVICE=strap-1"

  @Test("hearth log asks the journal for the daemon's unit, the newest first, and prints the newest last, folded")
  func command() throws {
    // As --reverse gives them.
    let journal = try FakeJournal([
      Self.journal("live DEVICE=strap-1 MTU=247", at: 9, priority: 6), Self.journal(Self.lost, at: 8),
      Self.journal(Self.lost, at: 7), Self.journal("radio ready", at: 1, priority: 6), "no JSON at all",
    ])
    let all = try journal.log()
    #expect(all.status == 0, "\(all)")
    #expect(journal.asked.contains("--output=json --unit=hearthd.service --reverse"))
    let lines = all.output.split(separator: "\n").map(String.init)
    #expect(lines.count == 6 && lines[0].hasPrefix("times in "), "\(all.output)")
    #expect(lines[3].hasSuffix("H2104    strap-1 fell silent") && lines[4].contains("the same once more, until"))
    #expect(lines[5].hasSuffix("strap-1: live"))
    let one = try journal.log("-n", "1", "--code", "H21")
    #expect(one.status == 0 && one.output.hasSuffix(":08  H2104    strap-1 fell silent\n"))
    let json = try journal.log("strap-1", "--code", "H2104", "--json")
    #expect(json.output.contains(#""code":"H2104","device":"strap-1""#) && json.output.contains(#""repeats":1"#))
    let near = try journal.log("strap-2")
    #expect(near.status == 0 && near.output.isEmpty && near.errors.contains("did you mean 'strap-1'?"))
    #expect(try journal.log("--code", "H2199").status == 2)
    #expect(try journal.log("-n", "0").status == 2)
    #expect(try journal.log("--since", "soon").status == 2)
    #expect(try journal.log("--since", "2026-11-21 10:00", "-f").status == 0)
    #expect(journal.asked.contains("--follow --since=@1795"), "\(journal.asked)")
  }

  @Test("a machine without a journal is said to have none, with a next step that works")
  func without() throws {
    let journal = try FakeJournal([])
    let empty = try journal.log()
    #expect(empty.status == 1 && empty.errors.contains("H8010") && empty.errors.contains("hearth log --file FILE"))
    let missing = try journal.log(path: "/nonexistent")
    #expect(missing.status == 1 && missing.errors.contains("no journalctl"))
    let failing = try FakeJournal([], status: 3)
    #expect(try failing.log().errors.contains("journalctl ended with 3"))
    // The next step.
    let lines = "10:00:05 notice \(Self.lost)\n10:00:06 info serving\n10:00:07 notice \(Self.lost)\n"
    let input = try journal.log("--file", "-", input: lines)
    #expect(input.status == 0 && input.output.split(separator: "\n").count == 4, "\(input)")
    let file = "\(journal.folder)/hub.log"
    try lines.write(toFile: file, atomically: true, encoding: .utf8)
    let newest = try journal.log("--file", file, "-n", "1")
    #expect(newest.output.hasSuffix("\n10:00:07             H2104    strap-1 fell silent\n"))
    #expect(try journal.log("--file", "\(file).none").status == 2)
    #expect(try journal.log("--file", file, "-f").status == 2)
  }
}
