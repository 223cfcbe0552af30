// What the radio wants remembered over a restart, and the files by which root is asked for what the daemon may not do
// itself.

import Glibc

/// Small files beside the store and in the runtime folder. What cannot be read is not there; what cannot be written is
/// lost, and nothing depends on it but comfort.
struct RadioMemory: Sendable {
  private let state: String
  private let runtime: String?

  /// The folders are systemd's where it gives them, else the store's parent.
  init(storePath: String) {
    let parent = storePath.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
    state = Self.environment("STATE_DIRECTORY") ?? (parent.isEmpty ? "." : parent)
    runtime = Self.environment("RUNTIME_DIRECTORY")
  }

  /// Marks of restarts and reboots for the radio's sake.
  var stampFile: String { "\(state)/radio-recoveries" }
  /// Where hearth-radio-reset.path looks; nil outside systemd.
  var helperRequest: String? { runtime.map { "\($0)/radio-reset" } }

  /// The number of links a controller was found to carry, as it was kept last.
  var slots: Int? {
    let descriptor = open(slotFile, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0, let file = fdopen(descriptor, "r") else { return nil }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 8)
    guard fgets(&line, Int32(line.count), file) != nil else { return nil }
    return Int(String(decoding: line.prefix { $0 > 0x20 }.map { UInt8(bitPattern: $0) }, as: UTF8.self))
  }

  func keep(slots: Int?) {
    if let slots { _ = write("\(slots)\n", to: slotFile) } else { unlink(slotFile) }
  }

  /// False where nobody looks for it.
  func askForReboot() -> Bool { runtime.map { write("reboot\n", to: "\($0)/reboot") } ?? false }

  private var slotFile: String { "\(state)/radio-slots" }

  private func write(_ text: String, to path: String) -> Bool {
    // Nothing behind a link is written over.
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o644)
    guard descriptor >= 0, let file = fdopen(descriptor, "w") else { return false }
    let isWritten = fputs(text, file) >= 0
    return fclose(file) == 0 && isWritten
  }

  private static func environment(_ name: String) -> String? {
    // systemd may name several folders; the first is ours.
    getenv(name).map { String(cString: $0).split(separator: ":").first.map(String.init) } ?? nil
  }
}
