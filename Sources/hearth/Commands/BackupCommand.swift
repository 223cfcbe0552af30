// `hearth backup`: writes everything of a hub that cannot be measured again to a file, sealed with a passphrase.

import ArgumentParser
import Configuration
import EventLoop
import Glibc
import HubProtocol
import JSONText
import Reasons
import RingStore
import Vault

struct BackupCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup",
    abstract: "Back up everything that cannot be measured again, sealed with a passphrase.",
    discussion: """
      The file has wearables with their names and keys (bonds), wearers and their assignments, orders and notes. \
      Custody (what was fetched and exported), visits, events and the configuration are in it too. --samples adds \
      the samples.

      Anyone with the file and the passphrase can read everything in it: keep them apart. A forgotten passphrase \
      cannot be recovered. Without --samples, items that no export has confirmed count as not fetched after a \
      restore. The hub then fetches them again from wearables that still hold them.

      Allowed for root, the hub's own user and the group of administrators.

      hearth backup gym-a.backup               all but the samples
      hearth backup gym-a.backup --samples     the samples too
      hearth restore gym-a.backup              as root, on a spare hub
      """)
  @ParentCommand var root: HearthCommand
  @OptionGroup var passphrase: PassphraseOptions

  @Argument(help: "File to write; only its owner can read it.")
  var file: String?

  @Flag(help: "Include all samples: up to the size of the store.")
  var samples = false

  @Flag(help: "Overwrite the file if it exists. Default: refuse (H4203).")
  var force = false

  @Flag(help: "Back up as section backup of the configuration says, if due (hearth-backup.timer).")
  var scheduled = false

  func validate() throws {
    if scheduled == (file != nil) { throw ValidationError("give a file, or --scheduled") }
  }

  func run() throws {
    let session = try Session(root.options)
    if scheduled { return try runScheduled(session) }
    guard let file else { return }
    // Before a person is asked for a passphrase.
    let target = try BackupFile(file, force: force)
    var secret = try passphrase.read(twice: true)
    defer { Passphrase.wipe(&secret) }
    let made = try BackupMaking(session, samples: samples).make(target, secret)
    try session.show(document(made, file)) { _ in
      made.line(file) + line("on a spare: hearth restore FILE")
    }
    if !made.isOnline { try session.noteOffline() }
  }

  private func document(_ made: BackupMaking.Made, _ file: String) -> JSON {
    [
      "schema": "io.hearth.backup/1", "file": .string(file), "made_at": .string(made.at.rfc3339),
      "records": .integer(Int64(clamping: made.rows)), "bytes": .integer(Int64(made.bytes)),
      "samples": .bool(made.hasSamples), "due": .bool(true),
    ]
  }

  // MARK: By schedule

  private func runScheduled(_ session: Session) throws {
    let settings = session.configuration ?? Configuration()
    guard let to = settings.backup.to, let file = settings.backup.passphraseFile else {
      throw HearthError(.backupNotConfigured, "backup.to or backup.passphrase_file is not set")
    }
    do {
      let folder = BackupFolder(path: to, hub: settings.hub.name)
      let now = wallNow()
      // The timer fires every hour: a backup that is due within half an hour is made now.
      if let newest = try folder.newest(), now - newest + .seconds(1800) < settings.backup.every, newest <= now {
        return try session.show([
          "schema": "io.hearth.backup/1", "made_at": .string(newest.rfc3339), "due": .bool(false),
        ]) { _ in line("not due: the newest backup is of \(newest.rfc3339)") }
      }
      var secret = try Passphrase.firstLine(of: file)
      defer { Passphrase.wipe(&secret) }
      if secret.isEmpty { throw Passphrase.missing("\(harmless(file, limit: 256)) has no passphrase") }
      let path = folder.file(now)
      let target = try BackupFile(path, force: false)
      let made = try BackupMaking(session, samples: settings.backup.samples).make(target, secret)
      try folder.prune(keeping: settings.backup.keep)
      try session.show(document(made, path)) { _ in made.line(path) }
    } catch {
      let why = (error as? HearthError) ?? (error as? Misuse)?.error
      if let why, let client = try? session.connect() {
        try? client.backupTell(.init(failure: "\(why)"))
      }
      throw error
    }
  }
}

/// Makes one backup, from the hub or from the store of a stopped one.
struct BackupMaking {
  let session: Session
  let hasSamples: Bool

  struct Made {
    let at: WallTime
    let rows: UInt64
    let bytes: Int
    let hasSamples: Bool
    let isOnline: Bool

    func line(_ file: String) -> String {
      let what = "\(grouped(Int64(clamping: rows))) records, \(size(bytes))"
      return hearth.line("\(what), sealed in \(harmless(file, limit: 256))")
    }
  }

  init(_ session: Session, samples: Bool) {
    self.session = session
    hasSamples = samples
  }

  func make(_ file: BackupFile, _ secret: [UInt8]) throws(HearthError) -> Made {
    let client = try session.connectUnlessDown()
    let at = wallNow()
    var sealer = try BackupSealer(passphrase: secret)
    try file.write(sealer.header)
    var head = BackupHead(
      hub: session.configuration?.hub.name ?? "", version: hearthVersion, madeAt: at,
      storeFormat: UInt16(clamping: storeFormat), hasSamples: hasSamples)
    if let client { try add(client, to: &head) }
    try file.write(sealer.add(BackupContent.head(head)))
    for (name, text) in ConfigurationFiles.read(session.configurationPath(of: client)) {
      try file.write(sealer.add(BackupContent.file(name: name, text: text)))
    }
    var rows: UInt64 = 0
    func take(_ page: BackupPage) throws(HearthError) {
      guard let found = BackupRow.parse(page.bytes) else {
        throw HearthError(.controlMalformed, "a page of the backup is not valid")
      }
      rows += UInt64(found.count)
      try file.write(sealer.add(BackupContent.rows(page)))
    }
    if let client {
      try pages(client, take)
    } else {
      try session.openStore().backup(samples: hasSamples, take)
    }
    try file.write(sealer.add(BackupContent.end(rows: rows)))
    try file.write(sealer.finish())
    try file.finish()
    if let client { try client.backupTell(.init(madeAt: at.microseconds)) }
    return Made(at: at, rows: rows, bytes: file.size, hasSamples: hasSamples, isOnline: client != nil)
  }

  private func add(_ client: ControlClient, to head: inout BackupHead) throws(HearthError) {
    let status = try client.status().status
    var radio: RadioIdentity?
    // Bonds without an adapter belong to the first one, even if it does not serve at this moment.
    let first = try client.radio().radio.adapters?.first
    if let address = first?.address ?? status.radio.address, let value = UInt64(address.filter { $0 != ":" }, radix: 16)
    {
      let type = first?.address == nil ? status.radio.addressType : first?.addressType
      radio = RadioIdentity(value: value, kind: type == "random" ? 2 : 1)
    }
    head = BackupHead(
      hub: status.name, version: status.version, madeAt: head.madeAt, storeFormat: head.storeFormat,
      hasSamples: head.hasSamples, radio: radio)
  }

  private func pages(_ client: ControlClient, _ take: (BackupPage) throws(HearthError) -> Void) throws(HearthError) {
    var isFirst = true
    while true {
      let reply = try client.backupNext(
        isFirst ? .init(begin: true, samples: hasSamples) : .init(), patience: 60)
      isFirst = false
      guard let bytes = Base64.bytes(reply.page), bytes.count <= BackupPage.limit else {
        throw HearthError(.controlMalformed, "the answer to BackupNext is not understood")
      }
      try take(BackupPage(bytes: bytes, isLast: reply.last))
      if reply.last { return }
    }
  }
}

/// Configuration files of a hub as they are on disk. In a backup they are `hearth.yaml` with the drop-ins of
/// `hearth.d`, as their names may differ on another hub.
enum ConfigurationFiles {
  static let name = "hearth"

  /// Folder with its slash, and name without its extension.
  static func parts(of main: String) -> (folder: String, stem: String) {
    let folder = main.lastIndex(of: "/").map { String(main[...$0]) } ?? ""
    let file = main.dropFirst(folder.count)
    return (folder, String(file.hasSuffix(".yaml") ? file.dropLast(5) : file))
  }

  /// The main file and its drop-ins with their names in a backup; unreadable ones are left out.
  static func read(_ main: String) -> [(name: String, text: [UInt8])] {
    let (folder, stem) = parts(of: main)
    var files = [(name: "\(name).yaml", path: main)]
    if let directory = opendir("\(folder)\(stem).d") {
      defer { closedir(directory) }
      while let entry = readdir(directory), files.count < BackupContent.files {
        let found = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        if found.hasSuffix(".yaml"), !found.hasPrefix(".") {
          files.append(("\(name).d/\(found)", "\(folder)\(stem).d/\(found)"))
        }
      }
    }
    return files.sorted { $0.name < $1.name }.compactMap { file in
      (try? PrivateFile.read(file.path, limit: BackupContent.fileLimit)).map { (file.name, $0) }
    }
  }

  /// Path on this hub for a file of a backup.
  static func path(of file: String, beside main: String) -> String {
    let (folder, stem) = parts(of: main)
    if file == "\(name).yaml" { return main }
    return file.hasPrefix("\(name).d/") ? "\(folder)\(stem).d/\(file.dropFirst(name.count + 3))" : folder + file
  }
}
