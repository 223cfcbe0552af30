import Foundation
import ProgramSupport
import Reasons
import RingStore
import Testing

/// `hearth backup` and `hearth restore`, from hub to hub.
@Suite("Backups on the command line", .serialized)
struct CLIBackupTests {
  private func file(_ daemon: RunningDaemon, _ name: String, _ text: String? = nil) throws -> String {
    let path = daemon.folder.appendingPathComponent(name).path
    if let text { try text.write(toFile: path, atomically: true, encoding: .utf8) }
    return path
  }

  @Test("H4201 to H4204: a hub is backed up while it serves, and a spare becomes it; faults change nothing there")
  func fromHubToSpare() throws {
    let old = try RunningDaemon(simulate: 2)
    let (sealed, secret) = (try file(old, "b"), try file(old, "secret", "correct horse\n"))
    try old.start()
    // The hub enrols each wearable that it recognises.
    try waitUntil(old, "--json", "devices", says: "\"enrolled\": true")
    try waitUntil(old, "items", "strap-01", "heart_rate", says: "bpm")
    #expect(try old.hearth("wearer", "add", "Ada").status == 0)
    #expect(try !old.hearth("status").output.contains("backup "))
    let made = try old.hearth(
      "--config", old.configuration.path, "backup", sealed, "--samples", "--passphrase-file", secret)
    #expect(
      made.status == 0 && made.output.contains("records") && made.output.contains("hearth restore FILE"), "\(made)")
    #expect(try FileManager.default.attributesOfItem(atPath: sealed)[.posixPermissions] as? Int == 0o600)
    #expect(try old.hearth("status").output.contains("backup "))
    let again = try old.hearth("--config", old.configuration.path, "backup", sealed, "--passphrase-file", secret)
    #expect(again.status == 1 && again.output.contains("H4203"), "\(again)")
    #expect(
      try old.hearth("--config", old.configuration.path, "backup", sealed, "--passphrase-file", secret, "--force")
        .status == 0)
    #expect(
      try old.hearth(
        "--config", old.configuration.path, "backup", sealed, "--samples", "--passphrase-file", secret, "--force"
      ).status == 0)
    let parts = try FileManager.default.contentsOfDirectory(atPath: old.folder.path).filter { $0.hasSuffix(".part") }
    #expect(parts == [])
    let known = try old.hearth("--json", "bond", "list").output
    #expect(old.end(SIGTERM) == 0)

    let spare = try RunningDaemon(simulate: 2)
    func restore(_ from: String, _ passphrase: String) throws -> (status: Int32, output: String) {
      try spare.hearth("--config", spare.configuration.path, "restore", from, "--passphrase-file", passphrase)
    }
    let wrong = try restore(sealed, try file(old, "wrong", "another\n"))
    #expect(wrong.status == 1 && wrong.output.contains("H4202"), "\(wrong)")
    let whole = try Data(contentsOf: URL(fileURLWithPath: sealed))
    let cut = URL(fileURLWithPath: try file(old, "cut"))
    for count in [0, 59, 60, whole.count / 2, whole.count - 1] {
      try whole.prefix(count).write(to: cut)
      let refused = try restore(cut.path, secret)
      #expect(
        refused.status == 1 && (refused.output.contains("H4201") || refused.output.contains("H4202")), "\(refused)")
    }
    #expect(try restore(try file(old, "nowhere"), secret).output.contains("H4203"))
    #expect(!FileManager.default.fileExists(atPath: spare.store.appendingPathComponent("data.mdb").path))

    let done = try restore(sealed, secret)
    #expect(done.status == 0 && done.output.contains("this hub is test"), "\(done)")
    #expect(done.output.contains("hearth.yaml.from-backup"), "\(done)")
    let twice = try restore(sealed, secret)
    #expect(twice.status == 7 && twice.output.contains("H4204"), "\(twice)")
    let before = try StoreReader(path: old.store.path)
    let after = try StoreReader(path: spare.store.path)
    #expect(after.wearables.map(\.name) == before.wearables.map(\.name) && !after.wearables.isEmpty)
    #expect(after.status.samples > 0)

    try spare.start()
    #expect(try spare.hearth("wearer").output.contains("Ada"))
    #expect(try spare.hearth("--json", "bond", "list").output == known)
    #expect(try spare.hearth("events").output.contains("H4210"))
    let busy = try restore(sealed, secret)
    #expect(busy.status == 6 && busy.output.contains("systemctl stop hearthd"), "\(busy)")
  }

  @Test(
    "H4206 to H4208: a scheduled backup is made when due, old ones go, and a failure is reported until one succeeds")
  func scheduled() throws {
    let plain = try RunningDaemon(simulate: 1)
    let none = try plain.hearth("--config", plain.configuration.path, "backup", "--scheduled")
    #expect(none.status == 2 && none.output.contains("H4208"), "\(none)")
    let folder = plain.folder
    let to = folder.appendingPathComponent("backups")
    try FileManager.default.createDirectory(at: to, withIntermediateDirectories: true)
    let secret = folder.appendingPathComponent("secret").path
    let hub = try RunningDaemon(
      simulate: 1, extra: "backup: {to: \(to.path), every: 1h, passphrase_file: \(secret), keep: 2}", in: folder)
    try hub.start()
    func run() throws -> (status: Int32, output: String) {
      try hub.hearth("--config", hub.configuration.path, "backup", "--scheduled")
    }
    func files() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: to.path).sorted() }
    let failed = try run()
    #expect(failed.status != 0, "\(failed)")
    #expect(try hub.hearth("status").output.contains("H4207"))
    try "correct horse\n".write(toFile: secret, atomically: true, encoding: .utf8)
    #expect(try run().status == 0)
    #expect(try files().count == 1 && !hub.hearth("status").output.contains("H4207"))
    #expect(try run().output.contains("not due") && files().count == 1)
    for (place, name) in ["test-20250101T000000Z.hearth", "test-20250102T000000Z.hearth", "other.hearth"].enumerated() {
      let path = to.appendingPathComponent(name).path
      try Data().write(to: URL(fileURLWithPath: path))
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSince1970: Double(place))], ofItemAtPath: path)
    }
    // The newest by name is made to be of long ago.
    let newest = try #require(try files().last { $0.hasPrefix("test-") })
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSince1970: 9)], ofItemAtPath: to.appendingPathComponent(newest).path)
    sleep(1)
    #expect(try run().status == 0)
    let left = try files()
    #expect(left.count == 3 && left.contains("other.hearth"), "\(left)")
  }
}
