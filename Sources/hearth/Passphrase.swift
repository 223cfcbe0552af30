// Passphrases and the files that they seal. Passphrases are read without an echo, files are readable only by their
// owner.

import ArgumentParser
import Glibc
import HubProtocol
import Reasons
import Vault

struct PassphraseOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("Read the passphrase from the first line of a file, '-' for standard input.", valueName: "file"))
  var passphraseFile: String?

  /// - Throws: `Misuse` without a terminal and without a file, for an empty passphrase, and if two entries differ.
  func read(twice: Bool) throws -> [UInt8] {
    var secret = try passphraseFile.map { try Passphrase.firstLine(of: $0) } ?? Passphrase.ask(twice: twice)
    if secret.isEmpty { throw Passphrase.missing("the passphrase is empty") }
    if secret.count > SealedBonds.passphraseLimit {
      Passphrase.wipe(&secret)
      throw Passphrase.missing("a passphrase has at most \(SealedBonds.passphraseLimit) bytes")
    }
    return secret
  }
}

/// The signal that came while the echo of the terminal was off.
private nonisolated(unsafe) var interruption: Int32 = 0

enum Passphrase {
  static func missing(_ detail: String) -> Misuse { Misuse(error: HearthError(.bondPassphraseMissing, detail)) }

  static func wipe(_ secret: inout [UInt8]) {
    secret.withUnsafeMutableBytes { if let start = $0.baseAddress { explicit_bzero(start, $0.count) } }
  }

  static func firstLine(of file: String) throws -> [UInt8] {
    var bytes = try PrivateFile.read(file, limit: 64 << 10)
    defer { wipe(&bytes) }
    return Array(bytes.prefix { $0 != 0x0A && $0 != 0x0D })
  }

  /// Asks at the terminal, even if standard input is something else.
  static func ask(twice: Bool, prompt: String = "passphrase: ") throws -> [UInt8] {
    let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC)
    if terminal < 0 { throw missing("there is no terminal to ask for one") }
    defer { close(terminal) }
    var first = try line(terminal, prompt)
    if !twice || first.isEmpty { return first }
    var second = try line(terminal, "once more: ")
    defer { wipe(&second) }
    if first != second {
      wipe(&first)
      throw missing("the two passphrases are not the same")
    }
    return first
  }

  /// Reads a line without an echo. After any signal the echo is restored first.
  private static func line(_ terminal: Int32, _ prompt: String) throws -> [UInt8] {
    var before = termios()
    if tcgetattr(terminal, &before) != 0 { throw missing("there is no terminal to ask for one") }
    var silent = before
    silent.c_lflag &= ~tcflag_t(ECHO)
    interruption = 0
    let signals = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP]
    var actions = signals.map { _ in sigaction() }
    for (index, number) in signals.enumerated() {
      // Without SA_RESTART, so that a signal ends the read.
      var action = sigaction()
      action.__sigaction_handler.sa_handler = { interruption = $0 }
      sigaction(number, &action, &actions[index])
    }
    tcsetattr(terminal, TCSAFLUSH, &silent)
    let text = Array(prompt.utf8)
    _ = Glibc.write(terminal, text, text.count)
    var bytes: [UInt8] = []
    var byte: UInt8 = 0
    while interruption == 0, bytes.count <= SealedBonds.passphraseLimit {
      let count = Glibc.read(terminal, &byte, 1)
      if count < 0, errno == EINTR { continue }
      if count != 1 || byte == 0x0A { break }
      bytes.append(byte)
    }
    _ = Glibc.write(terminal, "\n", 1)
    tcsetattr(terminal, TCSAFLUSH, &before)
    for (index, number) in signals.enumerated() { sigaction(number, &actions[index], nil) }
    if interruption != 0 {
      wipe(&bytes)
      raise(interruption)
      throw missing("it was interrupted")
    }
    return bytes
  }
}

/// Small files that are read and written as a whole.
enum PrivateFile {
  static func failure(_ path: String, _ code: Int32) -> HearthError {
    HearthError(.bondFileUnreadable, "\(harmless(path)): \(String(cString: strerror(code)))")
  }

  /// - Parameter path: `-` for standard input.
  static func read(_ path: String, limit: Int) throws(HearthError) -> [UInt8] {
    let descriptor = path == "-" ? 0 : open(path, O_RDONLY | O_CLOEXEC)
    if descriptor < 0 { throw failure(path, errno) }
    defer { if descriptor != 0 { close(descriptor) } }
    var bytes: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let count = Glibc.read(descriptor, &part, part.count)
      if count < 0, errno == EINTR { continue }
      if count < 0 { throw failure(path, errno) }
      if count == 0 { return bytes }
      bytes += part.prefix(count)
      if bytes.count > limit {
        throw HearthError(.bondFileUnreadable, "\(harmless(path)) has more than \(limit) bytes")
      }
    }
  }

  static func refuseTaken(_ path: String, force: Bool) throws(HearthError) {
    var status = stat()
    if !force, lstat(path, &status) == 0 {
      throw HearthError(.bondFileUnreadable, "\(harmless(path)) is there already; --force writes over it")
    }
  }

  /// Writes a file completely or not at all, readable only by its owner. Durable when this returns.
  static func write(_ bytes: [UInt8], to path: String, force: Bool) throws(HearthError) {
    let draft = "\(path).\(getpid()).part"
    let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    if descriptor < 0 { throw failure(draft, errno) }
    var code = send(bytes, to: descriptor)
    if code == 0, fsync(descriptor) != 0 { code = errno }
    if close(descriptor) != 0, code == 0 { code = errno }
    if code == 0 { code = move(draft, path, force) }
    if code != 0 {
      unlink(draft)
      if code == EEXIST { try refuseTaken(path, force: false) }
      throw failure(path, code)
    }
    syncFolder(of: path)
  }

  /// Writes all bytes. Returns 0, or errno.
  static func send(_ bytes: [UInt8], to descriptor: Int32) -> Int32 {
    var sent = 0
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes {
        Glibc.write(descriptor, $0.baseAddress.map { $0 + sent }, bytes.count - sent)
      }
      if count >= 0 { sent += count } else if errno != EINTR { return errno }
    }
    return 0
  }

  /// Makes the name of a new file durable, so that it survives a power cut.
  static func syncFolder(of path: String) {
    let slash = path.lastIndex(of: "/")
    let folder = open(
      slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    if folder >= 0 {
      _ = fsync(folder)
      close(folder)
    }
  }

  /// Renames a draft. Returns 0, or errno. Without `force` a file that appeared meanwhile stays.
  static func move(_ draft: String, _ path: String, _ force: Bool) -> Int32 {
    if !force {
      if link(draft, path) == 0 {
        unlink(draft)
        return 0
      }
      // On a file system without hard links, such as a stick from a PC, check first and then rename.
      if ![EPERM, EOPNOTSUPP, ENOSYS].contains(errno) { return errno }
      if access(path, F_OK) == 0 { return EEXIST }
    }
    return rename(draft, path) == 0 ? 0 : errno
  }
}
