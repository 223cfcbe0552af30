// Bonds: their list, and the transfer of keys to another hub. A key is never printed, and leaves the hub only sealed.

import ArgumentParser
import EventLoop
import Glibc
import HubProtocol
import Reasons
import RingStore
import StoreDocuments
import Vault

struct BondCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bond",
    abstract: "List the bonds (keys of paired wearables); move them to another hub, or delete one.",
    discussion: """
      A bonded wearable answers only to a hub that has its keys. Export the keys before you exchange a hub. \
      Otherwise every bonded wearable must be reset and paired again.

      hearth bond export --to gym-a.bonds     on the old hub
      hearth bond import gym-a.bonds          on the new hub
      """,
    subcommands: [List.self, Export.self, Import.self, Remove.self], defaultSubcommand: List.self)

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List the wearables with keys on this hub. The keys themselves are not shown.")
    @ParentCommand var root: HearthCommand

    func run() throws {
      let session = try Session(root.options)
      let client = try session.connectUnlessDown()
      let bonds: [BondDocument] =
        if let client {
          try client.bondList().bonds
        } else {
          try StoredBonds(session.openStore()).all.map { BondDocument($0.bond, device: $0.name) }
        }
      let time = try session.time(client)
      let isSomeLost = bonds.contains { $0.lost ?? false }
      try session.show(["schema": "io.hearth.bonds/1", "bonds": JSON(encoding: bonds)], code: isSomeLost ? 1 : 0) {
        render(bonds, time, $0)
      }
      if client == nil { try session.noteOffline() }
    }
  }

  struct Export: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Write all keys to a file, sealed with a passphrase.",
      discussion: """
        Asks twice for the passphrase, at the terminal. Anyone with the file and the passphrase can pretend to be \
        this hub: keep them apart. A forgotten passphrase cannot be recovered.

        hearth bond export --to gym-a.bonds
        """)
    @ParentCommand var root: HearthCommand
    @OptionGroup var passphrase: PassphraseOptions

    @Option(help: ArgumentHelp("File to write; only its owner can read it.", valueName: "file"), completion: .file())
    var to: String

    @Flag(help: "Overwrite the file if it exists. Default: refuse (H2224).")
    var force = false

    func run() throws {
      let session = try Session(root.options)
      try PrivateFile.refuseTaken(to, force: force)
      let client = try session.connectUnlessDown()
      let (hub, bonds) = if let client { try Self.ask(client) } else { ("", try Self.stored(session.openStore())) }
      if bonds.isEmpty { throw HearthError(.noSuchBond, "this hub has no bonds") }
      var secret = try passphrase.read(twice: true)
      defer { Passphrase.wipe(&secret) }
      let sealed = try SealedBonds.seal(BondBundle(hub: hub, madeAt: wallNow(), bonds: bonds), passphrase: secret)
      try PrivateFile.write(sealed, to: to, force: force)
      try session.show([
        "schema": "io.hearth.bond-export/1", "file": .string(to), "bonds": .integer(Int64(bonds.count)),
      ]) { _ in
        line("\(counted(bonds.count, "bond")) sealed in \(harmless(to))")
          + line("on the other hub: hearth bond import FILE")
      }
      if client == nil { try session.noteOffline() }
    }

    /// - Throws: `controlNotAllowed` if this user may not read the key file.
    private static func stored(_ reader: StoreReader) throws(HearthError) -> [BundledBond] {
      StoredBonds(reader, try reader.bondsWithKeys()).all
    }

    private static func ask(_ client: ControlClient) throws(HearthError) -> (String, [BundledBond]) {
      let reply = try client.bondKeys()
      let bonds = try reply.bonds.map { document throws(HearthError) in
        BundledBond(name: document.name, kind: document.kind, driver: document.driver, bond: try document.bond())
      }
      return (reply.hub, bonds)
    }
  }

  struct Import: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Import the bonds of another hub from its file.",
      discussion:
        """
        Wearables that are not enrolled here are enrolled, under their names. Switch the other hub off first: two \
        hubs with one key disturb each other.

        hearth bond import gym-a.bonds
        """
    )
    @ParentCommand var root: HearthCommand
    @OptionGroup var passphrase: PassphraseOptions

    @Argument(help: "File that hearth bond export wrote on the other hub.", completion: .file())
    var file: String

    func run() throws {
      let session = try Session(root.options)
      let sealed = try PrivateFile.read(file, limit: SealedBonds.sizeLimit)
      let client = try session.connect()
      var secret = try passphrase.read(twice: false)
      defer { Passphrase.wipe(&secret) }
      let bundle = try SealedBonds.open(sealed, passphrase: secret)
      var imported: Int64 = 0
      for start in stride(from: 0, to: bundle.bonds.count, by: BondKeysDocument.atOnce) {
        let part = bundle.bonds[start..<min(start + BondKeysDocument.atOnce, bundle.bonds.count)]
        let documents = part.map { BondKeysDocument($0.bond, name: $0.name, kind: $0.kind, driver: $0.driver) }
        let count = try client.bondImport(.init(bonds: documents), patience: 120).imported
        imported += Int64(min(max(0, count), part.count))
      }
      let total = bundle.bonds.count
      let document: JSON = [
        "schema": "io.hearth.bond-import/1", "hub": .string(bundle.hub), "made_at": .string(bundle.madeAt.rfc3339),
        "bonds": .integer(Int64(total)), "imported": .integer(imported),
      ]
      try session.show(document) { _ in
        let known = Int64(total) - imported
        let rest = known > 0 ? "; \(grouped(known)) were known already" : ""
        return line(
          """
          \(counted(imported, "bond")) of \(harmless(bundle.hub.isEmpty ? "another hub" : bundle.hub)) taken \
          over\(rest)
          """
        )
      }
    }
  }

  struct Remove: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Delete the keys (bond) of one wearable, which stays enrolled.",
      discussion: """
        The wearable must be paired again before it gives data that needs a bond. Asks at a terminal. A script adds \
        --yes, or --yes-lose with the number of items not fetched yet. Without agreement the exit code is 7.

        hearth bond remove strap-07 --yes
        """)
    @ParentCommand var root: HearthCommand

    @Argument(help: "Name or address of the wearable.", completion: .wearables)
    var name: String

    @OptionGroup var agreement: AgreementOptions

    func run() throws {
      let session = try Session(root.options)
      let client = try session.connect()
      try session.agree(to: session.lossOfUnbonding(name, client), agreement.given)
      try client.bondRemove(.init(name: name))
      try session.show(["schema": "io.hearth.done/1", "removed": .string(name)]) { _ in
        line("the bond of \(harmless(name)) is removed")
      }
    }
  }
}

/// The bonds in the store of a stopped daemon, with the names of their wearables.
private struct StoredBonds {
  let all: [BundledBond]

  init(_ reader: StoreReader) { self.init(reader, reader.bonds) }

  init(_ reader: StoreReader, _ bonds: [Bond]) {
    let records = reader.wearables + reader.retiredWearables
    all = bonds.map { bond in
      let record = records.first { $0.id == bond.wearable }
      return BundledBond(
        name: record?.name ?? "wearable-\(bond.wearable.number)", kind: record?.kind ?? "",
        driver: record?.driver ?? "", bond: bond)
    }
  }
}

private func render(_ bonds: [BondDocument], _ time: HubTime, _ style: Style) -> String {
  if bonds.isEmpty { return "this hub has no bonds\n" }
  return bonds.map { bond in
    var words = [bond.authenticated ? "authenticated" : "unauthenticated"]
    if bond.secureConnections { words.append("secure connections") }
    if bond.identityKey { words.append("identity key") }
    let head = "\(cell(bond.device, 20))  \(bond.address)  \(time.day(bond.createdAt))  "
    if bond.lost ?? false { return style.attention(head + "key lost: pair again") + "\n" }
    return head + words.joined(separator: ", ") + "\n"
  }.joined()
}
