import CLinux
import Foundation
import HubProtocol
import ProgramSupport
import Reasons
import Testing

@testable import hearth

/// `hearth export --scheduled` against a hub.
@Suite("The scheduled export on the command line", .serialized)
struct CLIDeliveryTests {
  private func write(_ hub: RunningDaemon, _ text: String) throws -> String {
    let file = hub.folder.appendingPathComponent("export.yaml")
    let state = "state: \(hub.folder.appendingPathComponent("state").path)\n"
    try (state + text).write(to: file, atomically: true, encoding: .utf8)
    return file.path
  }

  /// As if the last run was long ago.
  private func makeDue(_ hub: RunningDaemon) throws {
    let file = hub.folder.appendingPathComponent("state/archive.json")
    let text = try String(contentsOf: file, encoding: .utf8)
    try text.replacing(/"ran_at":"[^"]*"/, with: #""ran_at":"2020-01-01T00:00:00.000Z""#)
      .write(to: file, atomically: true, encoding: .utf8)
  }

  @Test(
    "what fails has its code and next step; else rows land in files, each in one, until the hub is away"
  )
  func course() throws {
    let hub = try RunningDaemon(simulate: 2)
    let to = hub.folder.appendingPathComponent("archive")
    let settings = try write(hub, "to: \(to.path)\nevery: 1h\nordinals: true\n")
    func run(_ words: String...) throws -> (status: Int32, output: String) {
      try hub.hearth(arguments: words + ["export", "--scheduled", "--settings", settings])
    }
    func files() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: to.path).sorted() }
    let absent = try run()
    #expect(absent.status == 1 && absent.output.hasPrefix("H1004 config: to: \(to.path): No such file"), "\(absent)")
    #expect(absent.output.contains("samples wait in the hub's store") && absent.output.contains("--check"))
    try FileManager.default.createDirectory(at: to, withIntermediateDirectories: true)
    let down = try run()
    #expect(down.status == 3 && down.output.hasPrefix("H6008 "), "\(down)")
    try hub.start()
    try waitUntil("samples are stored", saw: { try hub.hearth("devices").output }) {
      try hub.hearth("export").output.count > 10_000
    }
    let full = try limited(hub, settings)
    #expect(full.status == 1 && full.output.hasPrefix("H4008 store: ") && full.output.contains("free room"), "\(full)")
    #expect(try files() == [], "a draft that did not fit is gone")
    #expect(try DeliveryMemory(folder: hub.folder.path + "/state", cursor: "archive").load().failure != nil)
    let first = try run("--json")
    #expect(first.status == 0 && first.output.contains(#""due": true"#), "\(first)")
    #expect(try files().count == 1 && files()[0].hasPrefix("test-archive-000001-") && files()[0].hasSuffix("Z.ndjson"))
    #expect(try run().output.hasPrefix("not due: ") && files().count == 1)
    try waitUntil("further samples are stored", saw: { "" }) {
      try makeDue(hub)
      return try run().output.contains(" in 1 file of \(to.path)")
    }
    hub.end(SIGTERM)
    try makeDue(hub)
    #expect(try run().status == 3)
    var last: [String: Int] = [:]
    var count = 0
    for name in try files() {
      for line in try String(contentsOf: to.appendingPathComponent(name), encoding: .utf8).split(separator: "\n") {
        let row = try JSON.parse(Array(line.utf8))
        guard case .integer(let ordinal)? = row["ordinal"] else { continue }
        let ring = "\(row["device"]?.text ?? "") \(row["series"]?.text ?? "") \(row["way"]?.text ?? "")"
        let parts: Int
        if case .integer(let number)? = row["parts"] { parts = Int(number) } else { parts = 1 }
        #expect(Int(ordinal) == last[ring, default: -1] + parts, "\(ring) goes on by one")
        last[ring] = Int(ordinal)
        count += 1
      }
    }
    #expect(count > 50 && last.count > 3)
  }

  /// A disk that takes no more, as a limit for this process: `ulimit -f` counts blocks of 512 bytes.
  private func limited(_ hub: RunningDaemon, _ settings: String) throws -> (status: Int32, output: String) {
    let (client, output) = (Process(), Pipe())
    client.executableURL = URL(fileURLWithPath: "/bin/sh")
    client.arguments = [
      "-c", #"trap '' XFSZ; ulimit -f 8; exec "$0" "$@""#, RunningDaemon.programs.appendingPathComponent("hearth").path,
      "--socket", hub.socketPath, "export", "--scheduled", "--settings", settings,
    ]
    (client.standardOutput, client.standardError) = (output, output)
    try client.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    client.waitUntilExit()
    return (client.terminationStatus, String(decoding: data, as: UTF8.self))
  }

  @Test(
    "a folder on the machine's own file system is refused, if a disk was to be mounted there; the check says so too")
  func mounted() throws {
    let hub = try RunningDaemon(simulate: 1)
    for folder in ["/", "/dev/shm"] {
      let settings = try write(hub, "to: \(folder)\nmounted: true\n")
      let said = try hub.hearth("export", "--scheduled", "--check", "--settings", settings)
      var (root, found) = (stat(), stat())
      guard stat("/", &root) == 0, stat(folder, &found) == 0 else { continue }
      if root.st_dev == found.st_dev {
        #expect(said.status == 1 && said.output.contains("mounted is true"), "\(said)")
      } else {
        #expect(said.status == 0 && said.output == "\(settings) is fine\n", "\(said)")
      }
    }
  }

  @Test("names are hidden in files as they are in lines; what nobody measured makes no file")
  func hidden() throws {
    let hub = try RunningDaemon(simulate: 1)
    let to = hub.folder.appendingPathComponent("archive")
    try FileManager.default.createDirectory(at: to, withIntermediateDirectories: true)
    try hub.start()
    try waitUntil(hub, "export", says: "heart_rate")
    let none = try write(hub, "to: \(to.path)\nseries: blood_pressure_systolic\n")
    let said = try hub.hearth("export", "--scheduled", "--settings", none)
    #expect(said.status == 0 && said.output == "no new rows\n", "\(said)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: to.path) == [])
    let settings = try write(hub, "to: \(to.path)\nformat: csv\nnames: hidden\ncursor: lab\n")
    #expect(try hub.hearth("export", "--scheduled", "--settings", settings).status == 0)
    let name = try #require(try FileManager.default.contentsOfDirectory(atPath: to.path).first)
    let text = try String(contentsOf: to.appendingPathComponent(name), encoding: .utf8)
    #expect(name.hasPrefix("test-lab-000001-") && text.contains("device-1,,heart_rate") && !text.contains("strap"))
  }

  @Test(
    "options that say more than the settings are refused",
    arguments: [
      ["--scheduled", "--format", "csv"], ["--scheduled", "--cursor", "a"], ["--scheduled", "--device", "a"],
      ["--scheduled", "--no-names"], ["--check"], ["--settings", "x"],
    ])
  func refused(_ words: [String]) throws {
    #expect(throws: (any Error).self) { try HearthCommand.parseAsRoot(["export"] + words) }
  }
}

/// Settings of the scheduled export.
@Suite("export.yaml")
struct DeliverySettingsTests {
  private func load(_ text: String) throws -> DeliverySettings {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("export-\(UUID().uuidString).yaml")
    try text.write(to: file, atomically: true, encoding: .utf8)
    defer { try? FileManager.default.removeItem(at: file) }
    return try DeliverySettings.load(path: file.path)
  }

  @Test("the file of all keys has the defaults, and every key")
  func defaults() throws {
    let lines = NamedText.read("config/export.yaml").split(separator: "\n")
    // A key without a blank behind its mark is one; a remark has one.
    let keys = lines.filter { $0.hasPrefix("#") && $0 != "#" && !$0.hasPrefix("# ") }.map { String($0.dropFirst()) }
    var defaults = DeliverySettings()
    defaults.to = "/srv/hearth"
    #expect(try load(keys.joined(separator: "\n").replacing("to: none ", with: "to: /srv/hearth ")) == defaults)
    #expect(keys.count == Mirror(reflecting: defaults).children.count)
  }

  @Test("lists are names with commas")
  func lists() throws {
    let settings = try load(
      "to: /a\ndevices: strap-01 , band 2\nseries: heart_rate,battery\nevery: 31d\nshift_days: -3\n")
    #expect(settings.devices == ["strap-01", "band 2"] && settings.series == ["heart_rate", "battery"])
    #expect(settings.every == .seconds(31 * 86_400) && settings.shiftDays == -3)
  }

  @Test(
    "what does not fit is refused with its key",
    arguments: [
      ("", "to is not set"), ("to: none\n", "to is not set"), ("to: /a\nevery: 5m\n", "every is '5m'"),
      ("to: /a\nformat: pdf\n", "format is 'pdf'"), ("to: /a\nseries: pulse\n", "series is 'pulse'"),
      ("to: /a\ndevices: a,,b\n", "devices is 'a,,b'"), ("to: /a\nfolder: x\n", "folder"),
      ("to: /a\nformat: edf\n", "set person, or one name"), ("to: /a\nformat: fit\ndevices: a,b\n", "one name in"),
      ("to: /a\nformat: rr\ndevices: a\n", "rr is of one person"), ("to: /a\nsport: running\n", "sport is for"),
      ("to: /a\nformat: csv-wide\nseries: ecg\n", "has no series ecg"), ("to: /a\nstep: 1m\n", "step is for"),
      ("to: /a\nformat: edf\nperson: Ada\nraw: false\n", "raw is for"),
      ("to: /a\nexplode: true\n", "explode is for"), ("to: /a\nformat: csv\nordinals: true\n", "ordinals is for"),
      ("to: /a\nnames_of: house\n", "names_of is for"), ("to: /a\nnames_of: x/y/z\n", "names_of is 'x/y/z'"),
      ("to: /a\nsize: 1KB\n", "size is '1KB'"), ("to: /a\ncursor: ../x\n", "cursor is '../x'"),
      ("to: /a\nshift_days: 40000\n", "shift_days is"), ("to: [a]\n", "to is a list"),
    ])
  func misfits(_ text: String, _ says: String) throws {
    let error = #expect(throws: HearthError.self) { try load(text) }
    #expect(error?.detail.contains(says) == true, "\(error?.detail ?? "")")
  }
}
