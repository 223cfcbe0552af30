// `hearth restore`: makes a fresh hub from the backup of another one.

import ArgumentParser
import Configuration
import EventLoop
import Glibc
import HubProtocol
import Reasons
import RingStore
import Vault

struct RestoreCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore",
    abstract: "Restore the backup of another hub on this fresh hub.",
    discussion: """
      Run it as root with hearthd stopped: sudo systemctl stop hearthd. The store must know no wearable. The backup \
      is restored completely or not at all. Switch the other hub off first: two hubs with one key disturb each \
      other.

      The configuration of the other hub is written beside this one's, as NAME.from-backup. With --configuration it \
      replaces this one's, which is kept as NAME.before-restore.

      sudo hearth restore gym-a.backup --take-radio-address
      """)
  @ParentCommand var root: HearthCommand
  @OptionGroup var passphrase: PassphraseOptions

  @Argument(help: "A file of hearth backup.")
  var file: String

  @Flag(help: "Give this adapter the other adapter's address, by which bonded wearables know the hub.")
  var takeRadioAddress = false

  @Flag(help: "Replace this hub's configuration with the other hub's.")
  var configuration = false

  func run() throws {
    let session = try Session(root.options)
    let source = try BackupSource(file)
    var secret = try passphrase.read(twice: false)
    defer { Passphrase.wipe(&secret) }
    let restoring = RestoreOperation(session, takesRadioAddress: takeRadioAddress)
    try source.read(secret) { entry throws(HearthError) in try restoring.take(entry) }
    let done = try restoring.finish()
    let written = ConfigurationRestore(session, takesPlace: configuration).write(restoring.files)
    let radio = takeRadioAddress ? done.head.radio?.text : nil
    let document: JSON = [
      "schema": "io.hearth.restore/1", "hub": .string(done.head.hub), "made_at": .string(done.head.madeAt.rfc3339),
      "records": .integer(Int64(clamping: done.rows)), "samples": .bool(done.head.hasSamples),
      "radio_address": radio.map { .string($0) } ?? .null, "configuration": .array(written.map { .string($0) }),
    ]
    try session.show(document) { _ in
      let hub = done.head.hub.isEmpty ? "another hub" : harmless(done.head.hub)
      var text = line(
        """
        this hub is \(hub) as of \(done.head.madeAt.rfc3339): \(grouped(Int64(clamping: done.rows))) records\
        \(done.head.hasSamples ? ", with samples" : "")
        """)
      if let radio { text += line("the adapter takes the address \(radio) when the hub starts") }
      for path in written { text += line("configuration: \(harmless(path, limit: 256))") }
      return text + line("switch the other hub off, then: sudo systemctl start hearthd")
    }
  }
}

/// A backup file, read piece by piece.
private final class BackupSource {
  private let path: String
  private let descriptor: Int32

  /// - Throws: `backupFileUnusable`.
  init(_ path: String) throws(HearthError) {
    self.path = path
    descriptor = path == "-" ? 0 : open(path, O_RDONLY | O_CLOEXEC)
    if descriptor < 0 { throw BackupFile.failure(path, errno) }
  }

  deinit { if descriptor > 0 { close(descriptor) } }

  /// Passes on each entry of the file, and returns after the last one was verified to be the last.
  func read(_ secret: [UInt8], _ take: (BackupEntry) throws(HearthError) -> Void) throws(HearthError) {
    var opener = try BackupOpener(header: try some(BackupOpener.headerSize), passphrase: secret)
    var content = BackupContentReader()
    while true {
      let bytes = try some(64 << 10)
      for entry in try content.add(bytes.isEmpty ? opener.finish() : opener.add(bytes)) { try take(entry) }
      if bytes.isEmpty { break }
    }
    try content.finish()
  }

  /// Reads up to `count` bytes; empty at the end.
  private func some(_ count: Int) throws(HearthError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var got = 0
    while got < count {
      let read = bytes.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress.map { $0 + got }, count - got) }
      if read < 0, errno == EINTR { continue }
      if read < 0 { throw BackupFile.failure(path, errno) }
      if read == 0 { break }
      got += read
    }
    return Array(bytes.prefix(got))
  }
}

/// A restore, from its first entry on, so that a wrong passphrase changes no file.
private final class RestoreOperation {
  private let session: Session
  private let takesRadioAddress: Bool
  private var head: BackupHead?
  private var store: StoreRestore?
  private(set) var files: [(name: String, text: [UInt8])] = []

  init(_ session: Session, takesRadioAddress: Bool) {
    self.session = session
    self.takesRadioAddress = takesRadioAddress
  }

  func take(_ entry: BackupEntry) throws(HearthError) {
    switch entry {
    case .head(let head):
      if takesRadioAddress, head.radio == nil {
        throw HearthError(.backupDamaged, "this backup does not know the address of its hub's adapter")
      }
      self.head = head
      do { store = try StoreRestore(session.storeOptions) } catch {
        if error.reason != .storeInUse { throw error }
        throw HearthError(.storeInUse, "\(error.detail): sudo systemctl stop hearthd, then once more")
      }
    case .file(let name, let text): files.append((name, text))
    case .rows(let rows): try store?.add(rows)
    case .end: break
    }
  }

  func finish() throws(HearthError) -> (head: BackupHead, rows: UInt64) {
    guard let head, let store else { throw HearthError(.backupDamaged, "it has no beginning") }
    let radio = takesRadioAddress ? head.radio : nil
    try store.finish(format: head.storeFormat, madeAt: head.madeAt, radio: radio, now: wallNow())
    return (head, store.rows)
  }
}

/// Target paths for the other hub's configuration files.
private struct ConfigurationRestore {
  private let session: Session
  private let takesPlace: Bool

  init(_ session: Session, takesPlace: Bool) {
    self.session = session
    self.takesPlace = takesPlace
  }

  /// Writes files and returns their names. A failure is reported on standard error, and does not stop the restore of
  /// the store.
  func write(_ files: [(name: String, text: [UInt8])]) -> [String] {
    let main = session.options.config ?? Configuration.defaultPath
    return files.compactMap { file in
      let path = ConfigurationFiles.path(of: file.name, beside: main)
      if (try? PrivateFile.read(path, limit: BackupContent.fileLimit)) == file.text { return nil }
      if file.name.contains("/"), let slash = path.lastIndex(of: "/") { mkdir(String(path[..<slash]), 0o755) }
      let target = takesPlace || access(path, F_OK) != 0 ? path : path + ".from-backup"
      if target == path { rename(path, path + ".before-restore") }
      do throws(HearthError) { try PrivateFile.write(file.text, to: target, force: true) } catch {
        Output.error.say("hearth: \(error)\n")
        return nil
      }
      // The daemon reads it as its own user.
      chmod(target, 0o644)
      return target
    }
  }
}
