// Does somebody keep this machine's clock? The kernel knows, whoever it is: systemd-timesyncd, chrony, ntpd.

import CLinux
import Glibc

/// A file by which a process that may ask the kernel tells one that may not.
///
/// Reading the clock's state takes the system call that also sets the clock. The unit of the hub forbids it, so a unit
/// of its own asks in its stead, twice a minute, and leaves the answer here: the file is there and fresh, or it is not.
public struct ClockWord: Sendable {
  /// Where hearth-clock.service leaves it.
  public static let standardPath = "/run/hearth-clock/synchronised"
  /// What systemd-timesyncd leaves, where nobody else does.
  private static let timesyncd = "/run/systemd/timesync/synchronized"
  /// Ten times the interval of hearth-clock.timer, s: a word that old is nobody's any more.
  static let freshness = 300

  private let path: String

  public init(path: String = Self.standardPath) { self.path = path }

  /// The kernel's answer, or the word of those who may ask it.
  static var isSynchronised: Bool { kernel() ?? (ClockWord().isHeard || access(timesyncd, F_OK) == 0) }

  /// What the kernel says; nil where this process may not ask.
  static func kernel() -> Bool? {
    var state = timex()
    // Without modes it only reads, which takes no capability.
    return adjtimex(&state) >= 0 ? state.status & STA_UNSYNC == 0 : nil
  }

  /// Asks the kernel and leaves its answer. False where it may not be asked, or the file not be written.
  public func tell() -> Bool {
    guard let isSynchronised = Self.kernel() else { return false }
    if !isSynchronised { return unlink(path) == 0 || errno == ENOENT }
    let descriptor = hearth_open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o644)
    if descriptor < 0 { return false }
    defer { close(descriptor) }
    return futimens(descriptor, nil) == 0
  }

  /// Whether the file says yes, and lately.
  var isHeard: Bool {
    var found = stat()
    if lstat(path, &found) != 0 || found.st_mode & S_IFMT != S_IFREG { return false }
    let age = time(nil).subtractingReportingOverflow(found.st_mtim.tv_sec)
    return !age.overflow && (-Self.freshness...Self.freshness).contains(age.partialValue)
  }
}
