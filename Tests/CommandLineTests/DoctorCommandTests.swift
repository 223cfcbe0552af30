import Foundation
import HubProtocol
import ProgramSupport
import Testing

@testable import hearth

/// The program itself, on the machine that the tests run on, whatever that is.
@Suite("hearth doctor, run", .serialized)
struct DoctorCommandTests {
  private func checks(_ text: String) throws -> [String: JSON] {
    guard case .array(let checks)? = try JSON.parse(Array(text.utf8))["checks"] else { throw POSIXError(.EINVAL) }
    return Dictionary(checks.map { ($0["check"]?.text ?? "", $0) }) { first, _ in first }
  }

  @Test("with a hub it knows its answers and its file; changed, the file differs; read again, it does not")
  func running() throws {
    let daemon = try RunningDaemon(simulate: 1)
    try daemon.start()
    func look() throws -> [String: JSON] { try checks(daemon.hearth("doctor", "--json").output) }
    var found = try look()
    #expect(Set(found.keys) == Set(DoctorTests.checks))
    #expect(found["configuration"]?["verdict"] == "ok", "\(found["configuration"] ?? .null)")
    #expect(found["configuration"]?["figures"]?["file"] == .string(daemon.configuration.path))
    #expect(found["store"]?["verdict"] == "ok" && found["slots"]?["figures"]?["links"] != nil)
    #expect(found["sandbox"]?["figures"]?["process"] == .integer(Int64(daemon.process.processIdentifier)))
    #expect(found["antenna"]?["verdict"] == "unknown")

    try daemon.write(configuration: "lane: {slice: 50s}")
    found = try look()
    #expect(found["configuration"]?["verdict"] == "warn", "\(found["configuration"] ?? .null)")
    #expect(found["configuration"]?["finding"]?.text?.contains("lane.slice is 45s, the file says 50s") == true)
    #expect(found["configuration"]?["figures"]?["differing"] == .array(["lane.slice"]))
    let (status, page) = try daemon.hearth("doctor")
    #expect(status == 1 && page.contains("need") && !page.contains("\u{1B}"), "\(page)")
    daemon.end(SIGTERM)
  }

  @Test("without a daemon it says so first, makes all other checks, and exits with 3")
  func down() throws {
    let daemon = try RunningDaemon(simulate: 0)
    let (status, page) = try daemon.hearth("--config", daemon.configuration.path, "doctor")
    #expect(status == 3, "\(page)")
    #expect(page.hasPrefix("fail    hub           no daemon answers at \(daemon.socketPath)  H6008\n"), "\(page)")
    let json = try daemon.hearth("--config", daemon.configuration.path, "doctor", "--json")
    #expect(json.status == 3)
    #expect(Set(try checks(json.output).keys) == Set(DoctorTests.checks))
    let alone = try daemon.hearth("--store", daemon.folder.path, "doctor")
    #expect(alone.output.hasPrefix("unknown hub           with --store no daemon is asked\n"), "\(alone)")
  }

  @Test("an argument that it does not take is a usage error, and its help says what it checks")
  func usage() throws {
    let daemon = try RunningDaemon(simulate: 0)
    #expect(try daemon.hearth("doctor", "all").status == 2)
    let help = HearthCommand.helpMessage(for: DoctorCommand.self, columns: 80)
    for check in DoctorTests.checks { #expect(help.contains(check), "\(check)") }
    #expect(help.split(separator: "\n").allSatisfy { $0.count <= 80 })
  }
}
