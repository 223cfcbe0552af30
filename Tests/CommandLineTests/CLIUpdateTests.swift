import Foundation
import ProgramSupport
import Testing

/// `hearth update` without the right to install; Tests/Package/update installs, on a bare Debian.
@Suite("Updates on the command line")
struct CLIUpdateTests {
  @Test("H8062 and H8063: only a package of the hub is installed, and a return needs a kept version")
  func refused() throws {
    let daemon = try RunningDaemon(simulate: 1)
    let file = daemon.folder.appendingPathComponent("hearth.deb").path
    try Data("no package".utf8).write(to: URL(fileURLWithPath: file))
    let wrong = try daemon.hearth("update", "apply", file)
    if geteuid() != 0 {
      #expect(wrong.status == 4 && wrong.output.contains("H6009"), "\(wrong)")
      return
    }
    #expect(wrong.status == 1 && wrong.output.contains("H8062"), "\(wrong)")
    // On a hub it would go back.
    if FileManager.default.fileExists(atPath: "/usr/libexec/hearth-update") { return }
    let back = try daemon.hearth("update", "rollback")
    #expect(back.status == 5 && back.output.contains("H8063"), "\(back)")
  }
}
