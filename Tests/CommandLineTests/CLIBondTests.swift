import Control
import EventLoop
import Foundation
import HubProtocol
import ProgramSupport
import Reasons
import RingStore
import StoreDocuments
import Testing

@Suite("Bonds on the command line", .serialized)
struct CLIBondTests {
  /// A long-term key as the kernel reports it: address, type, kind, the rest.
  private static func longTerm(_ address: UInt64) -> [UInt8] {
    (0..<6).map { UInt8(truncatingIfNeeded: address >> (8 * $0)) } + [2, 3] + [UInt8](repeating: 0xAB, count: 28)
  }

  private static func fill(_ path: String) throws {
    try EpollLoop.run { loop in
      let store = try Store.open(
        StoreOptions(path: path, sizeBytes: StoreOptions.minimumSize), loop: loop, disk: InlineDiskLane())
      for number in UInt64(1)...2 {
        let bond = Bond(
          addressValue: 0xF0F1_0000_0000 + number, addressKind: 2, wearable: WearableID(number: 0),
          createdAt: loop.wall,
          keys: [
            BondKey(kind: 1, bytes: longTerm(0xF0F1_0000_0000 + number)),
            BondKey(kind: 2, bytes: [UInt8](repeating: 0xCD, count: 16)),
          ])
        _ = try await store.enrol(
          name: "insole-0\(number)", addressValue: bond.addressValue, addressKind: 2, driver: "heart-rate",
          kind: "insole", bond: bond)
      }
      await store.close()
    }
  }

  @Test("bonds are listed and exported without a daemon, imported by another hub, and no key is ever printed")
  func fromHubToHub() throws {
    let daemon = try RunningDaemon(simulate: 1)
    let old = daemon.folder.appendingPathComponent("old").path
    try Self.fill(old)
    func file(_ name: String, _ text: String? = nil) throws -> String {
      let path = daemon.folder.appendingPathComponent(name).path
      if let text { try text.write(toFile: path, atomically: true, encoding: .utf8) }
      return path
    }
    let (sealed, secret) = (try file("bonds"), try file("secret", "correct horse\n"))
    var said = ""
    func hearth(_ arguments: String...) throws -> Int32 {
      let (status, output) = try daemon.hearth(arguments: arguments)
      said += output
      return status
    }
    #expect(try hearth("--store", old, "bond", "list") == 0)
    #expect(said.contains("insole-01") && said.contains("authenticated, secure connections, identity key"))
    #expect(
      try hearth("--store", old, "bond", "export", "--to", sealed, "--passphrase-file", try file("empty", "\n")) == 2)
    #expect(said.contains("H2223") && !FileManager.default.fileExists(atPath: sealed))
    #expect(try hearth("--store", old, "bond", "export", "--to", sealed, "--passphrase-file", secret) == 0)
    #expect(try FileManager.default.attributesOfItem(atPath: sealed)[.posixPermissions] as? Int == 0o600)
    #expect(
      try hearth("--store", old, "bond", "export", "--to", sealed, "--passphrase-file", secret) == 1,
      "the file is there")
    #expect(said.contains("H2224"))
    #expect(try hearth("--store", old, "bond", "export", "--to", sealed, "--passphrase-file", secret, "--force") == 0)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: daemon.folder.path).filter { $0.hasSuffix(".part") } == [])
    #expect(try hearth("bond", "import", sealed, "--passphrase-file", secret) == 3, "nobody to import it")

    try daemon.start()
    #expect(try hearth("bond", "import", sealed, "--passphrase-file", try file("wrong", "incorrect horse")) == 1)
    #expect(said.contains("H2222"))
    #expect(try hearth("bond", "import", try file("none", "nothing"), "--passphrase-file", secret) == 1)
    #expect(said.contains("H2221"))
    #expect(try hearth("bond", "import", sealed, "--passphrase-file", secret) == 0)
    #expect(said.contains("2 bonds of another hub taken over"))
    #expect(try hearth("bond", "import", sealed, "--passphrase-file", secret) == 0)
    #expect(said.contains("2 were known already"))
    let list = try JSON.parse(Array(daemon.hearth("bond", "--json").output.utf8))
    #expect(list["schema"]?.text == "io.hearth.bonds/1")
    let bonds: [BondDocument] = try ControlClient.document(list, "bonds", "BondList")
    #expect(bonds.map(\.device) == ["insole-01", "insole-02"])
    #expect(bonds.map(\.address) == ["F0:F1:00:00:00:01", "F0:F1:00:00:00:02"])
    #expect(try hearth("bond", "remove", "insole-01") == 7)
    #expect(said.contains("to remove the bond of insole-01 would lose its keys"))
    #expect(try hearth("bond", "remove", "insole-01", "--yes") == 0)
    #expect(try hearth("bond", "remove", "insole-01", "--yes") == 5)
    let again = try file("again")
    #expect(try hearth("bond", "export", "--to", again, "--passphrase-file", secret) == 0)
    #expect(said.contains("1 bond sealed"))
    #expect(!said.lowercased().contains("abab") && !said.lowercased().contains("cdcd"))
    daemon.end(SIGTERM)
  }
}
