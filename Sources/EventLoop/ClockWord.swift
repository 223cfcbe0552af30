// Detection whether a program (systemd-timesyncd, chrony, ntpd) disciplines this machine's clock; the kernel knows.

import CLinux
import Glibc

/// File through which a process that may query the kernel informs one that may not.
///
/// Reading the clock's state takes the same system call that sets the clock, which the hub's unit forbids. So a
/// separate unit queries the kernel twice a minute and leaves the answer here. The answer is yes if the file exists and
/// is fresh.
public struct ClockWord: Sendable {
  /// Path at which hearth-clock.service leaves it.
  public static let standardPath = "/run/hearth-clock/synchronised"
  /// File that systemd-timesyncd leaves; used if the kernel and hearth-clock give no answer.
  private static let timesyncd = "/run/systemd/timesync/synchronized"
  /// Ten times the interval of hearth-clock.timer, s: an older file no longer counts.
  static let freshness = 300

  private let path: String

  /// The file at a path.
  public init(path: String = Self.standardPath) { self.path = path }

  /// The kernel's answer, or that of the files if this process may not query the kernel.
  static var isSynchronised: Bool { kernel() ?? (ClockWord().isHeard || access(timesyncd, F_OK) == 0) }

  /// The kernel's answer; nil if this process may not query it.
  static func kernel() -> Bool? {
    var state = timex()
    // Without modes the call only reads, which takes no capability.
    return adjtimex(&state) >= 0 ? state.status & STA_UNSYNC == 0 : nil
  }

  /// Queries the kernel and writes the answer. False if the query is forbidden or the file cannot be written.
  public func tell() -> Bool {
    guard let isSynchronised = Self.kernel() else { return false }
    if !isSynchronised { return unlink(path) == 0 || errno == ENOENT }
    let descriptor = hearth_open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o644)
    if descriptor < 0 { return false }
    defer { close(descriptor) }
    return futimens(descriptor, nil) == 0
  }

  /// Whether the file exists and is fresh.
  var isHeard: Bool {
    var found = stat()
    if lstat(path, &found) != 0 || found.st_mode & S_IFMT != S_IFREG { return false }
    let age = time(nil).subtractingReportingOverflow(found.st_mtim.tv_sec)
    return !age.overflow && (-Self.freshness...Self.freshness).contains(age.partialValue)
  }
}
