import Foundation
import ProgramSupport
import Reasons
import Testing

/// Codes of files that people write. The file is wrong, the code is reported with its place, and the file is corrected
/// there. Then the same command succeeds.
@Suite("Next steps of files that are walked", .serialized)
struct NextStepFileTests {
  @Test("H1001 to H1004: a wrong file starts no hub; corrected at the named place, hearth config check accepts it")
  func configuration() throws {
    let daemon = try RunningDaemon()
    let path = daemon.configuration.path
    let good = try String(contentsOf: daemon.configuration, encoding: .utf8)
    let wrong: [(String?, Reason, String)] = [
      (nil, .configUnreadable, "\(path): "),
      (good + "lights: {board: [none\n", .configSyntax, "\(path):"),
      (good + "lights: {bord: none}\n", .configUnknownKey, "did you mean 'board'?"),
      (good + "lane: {slice: soon}\n", .configBadValue, "lane.slice is 'soon'"),
    ]
    for (text, reason, place) in wrong {
      if let text {
        try text.write(to: daemon.configuration, atomically: true, encoding: .utf8)
      } else {
        try FileManager.default.removeItem(atPath: path)
      }
      let told = try daemon.hearth("config", "check", path)
      #expect(told.status == 1 && told.output.hasPrefix("\(reason.code) config: "), "\(told)")
      #expect(told.output.contains(place) && told.output.contains("next: \(reason.text.next)"), "\(told)")
      let (status, log) = try Self.hearthd(path)
      #expect(status == 2 && log.contains("\(reason.code) config: "), "\(log)")
      #expect(!FileManager.default.fileExists(atPath: daemon.store.path), "nothing was started")
      try good.write(to: daemon.configuration, atomically: true, encoding: .utf8)
      #expect(try daemon.hearth("config", "check", path).status == 0)
    }
  }

  /// With an adapter that no machine has, so that the radio of the machine it runs on is left alone.
  private static let noAdapter = "radio: {adapter: \"02:00:00:00:00:01\"}\n"

  @Test("H7001 and H7004: a hub without its lights serves and says so; set to none, and started again, it is silent")
  func lights() throws {
    let folder = try RunningDaemon().folder
    let board = folder.appendingPathComponent("board.yaml")
    try "name: board\nchips: [hearth-none]\nlamps: {hub: {line: GPIO17}}\n".write(
      to: board, atomically: true, encoding: .utf8)
    for (lights, reason) in [
      ("hearth-hat-99", Reason.lightsBoardUnknown), (board.path, .lightsChipMissing), ("none", nil),
    ] as [(String, Reason?)] {
      let extra = "lights: {board: \(lights)}\n\(Self.noAdapter)"
      let daemon = try RunningDaemon(extra: extra, in: folder)
      daemon.useDaemonProgram()
      try daemon.start()
      let status = try daemon.hearth("status").output
      for other in [Reason.lightsBoardUnknown, .lightsChipMissing] {
        #expect(status.contains("\(other.code) ") == (other == reason), "\(lights): \(status)")
      }
      #expect(daemon.end(SIGTERM) == 0)
      let check = try daemon.hearth("config", "check", daemon.configuration.path)
      #expect(check.output.contains("H7004 ") == (reason == .lightsBoardUnknown), "\(check)")
    }
  }

  private static func hearthd(_ path: String) throws -> (status: Int32, log: String) {
    let process = Process()
    let log = Pipe()
    process.executableURL = RunningDaemon.programs.appendingPathComponent("hearthd")
    process.arguments = ["--config", path]
    (process.standardError, process.standardOutput) = (log, FileHandle.nullDevice)
    try process.run()
    let data = log.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: data, as: UTF8.self))
  }
}
