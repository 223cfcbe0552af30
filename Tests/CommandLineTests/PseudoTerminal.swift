import Foundation
import Glibc
import ProgramSupport

/// A terminal without a person: a program runs on it, keys go in, and what the program draws is read as a screen.
final class PseudoTerminal {
  let process = Process()
  private let master: Int32
  private let slave: Int32
  private var pending: [UInt8] = []
  private(set) var rows: [[String]] = []
  private(set) var isOtherScreen = false
  private(set) var isCursorHidden = false
  /// Sequences that this terminal does not know.
  private(set) var unknown: [String] = []
  /// Bytes drawn so far.
  private(set) var drawn = 0
  private var row = 0
  private var column = 0

  init(columns: Int, rows: Int) throws {
    master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    guard master >= 0 else { throw POSIXError(.ENXIO) }
    // TIOCSPTLCK and TIOCGPTN of <asm-generic/ioctls.h>: Swift does not import their macros.
    var (locked, number): (Int32, Int32) = (0, 0)
    guard ioctl(master, 0x4004_5431, &locked) == 0, ioctl(master, 0x8004_5430, &number) == 0 else {
      throw POSIXError(.ENXIO)
    }
    slave = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY | O_CLOEXEC)
    guard slave >= 0 else { throw POSIXError(.ENXIO) }
    resize(columns: columns, rows: rows)
    self.rows = Array(repeating: Array(repeating: " ", count: columns), count: rows)
  }

  deinit {
    if process.isRunning {
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
    }
    close(slave)
    close(master)
  }

  func run(_ program: URL, _ arguments: [String], _ environment: [String: String]) throws {
    process.executableURL = program
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    let end = FileHandle(fileDescriptor: slave, closeOnDealloc: false)
    (process.standardInput, process.standardOutput, process.standardError) = (end, end, end)
    try process.run()
  }

  /// Sets the size alone: the program here needs a signal too, as this is not its controlling terminal.
  func resize(columns: Int, rows count: Int) {
    var size = winsize(ws_row: UInt16(count), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
    _ = ioctl(slave, UInt(TIOCSWINSZ), &size)
    rows = Array(repeating: Array(repeating: " ", count: columns), count: count)
  }

  /// What the terminal does with keys and newlines.
  var modes: [UInt32] {
    var found = termios()
    tcgetattr(slave, &found)
    return [found.c_iflag, found.c_oflag, found.c_cflag, found.c_lflag]
  }

  func type(_ keys: String) {
    let bytes = Array(keys.utf8)
    _ = write(master, bytes, bytes.count)
  }

  func signal(_ number: Int32) { kill(process.processIdentifier, number) }

  /// Stopped by a signal, as the shell's job control does it.
  var isStopped: Bool {
    let status = (try? String(contentsOfFile: "/proc/\(process.processIdentifier)/stat", encoding: .utf8)) ?? ""
    return status.split(separator: ")").last?.hasPrefix(" T") == true
  }

  var text: String {
    rows.map { $0.joined().replacingOccurrences(of: " +$", with: "", options: .regularExpression) }.joined(
      separator: "\n")
  }

  /// Reads until `isSo`; fails with the screen if `patience` ends first.
  func wait(_ what: String, until isSo: (PseudoTerminal) -> Bool) throws {
    let end = Date() + patience
    while !isSo(self) {
      if Date() > end { throw Late(what: what, screen: text) }
      read(for: 200)
    }
  }

  /// Draws what comes for so many milliseconds.
  func read(for milliseconds: Int32) {
    var entry = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
    guard poll(&entry, 1, milliseconds) > 0 else { return }
    var bytes = [UInt8](repeating: 0, count: 65_536)
    let count = Glibc.read(master, &bytes, bytes.count)
    if count <= 0 { return }
    drawn += count
    pending += bytes.prefix(count)
    draw()
  }

  struct Late: Error {
    var what: String
    var screen: String
  }

  // MARK: Drawing

  private func draw() {
    while let first = pending.first {
      if first == 0x1B {
        guard let end = pending.dropFirst(2).firstIndex(where: { (0x40...0x7E).contains($0) }) else { return }
        obey(String(decoding: pending[1...end], as: UTF8.self))
        pending.removeFirst(end + 1)
        continue
      }
      let length = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
      if pending.count < length { return }
      let character = String(decoding: pending.prefix(length), as: UTF8.self)
      pending.removeFirst(length)
      switch first {
      case 0x0D: column = 0
      case 0x0A: row += 1
      case 0..<0x20: unknown.append("control \(first)")
      default: put(character)
      }
    }
  }

  private func put(_ character: String) {
    guard rows.indices.contains(row), rows[row].indices.contains(column) else { return }
    rows[row][column] = character
    column += 1
    // East Asian ones fill the next column too.
    if let scalar = character.unicodeScalars.first, (0x2E80...0xD7A3).contains(scalar.value) {
      if rows[row].indices.contains(column) { rows[row][column] = "" }
      column += 1
    }
  }

  private func obey(_ sequence: String) {
    let numbers = sequence.dropFirst().dropLast().split(separator: ";").map { Int($0) ?? 0 }
    switch (sequence, sequence.last) {
    case ("[?1049h", _): isOtherScreen = true
    case ("[?1049l", _): isOtherScreen = false
    case ("[?25l", _): isCursorHidden = true
    case ("[?25h", _): isCursorHidden = false
    case ("[?7l", _), ("[?7h", _), (_, "m"): break
    case ("[2J", _): rows = rows.map { $0.map { _ in " " } }
    case ("[K", _):
      guard rows.indices.contains(row) else { return }
      for index in rows[row].indices where index >= column { rows[row][index] = " " }
    case (_, "H") where numbers.count == 2: (row, column) = (numbers[0] - 1, numbers[1] - 1)
    default: unknown.append(sequence)
    }
  }
}
