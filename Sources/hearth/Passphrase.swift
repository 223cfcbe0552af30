// Passphrases, read without an echo.

import ArgumentParser
import Glibc
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
