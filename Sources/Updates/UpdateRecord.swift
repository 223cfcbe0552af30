// Record of the last update, a small file that `board/hearth-update` replaces atomically: versions, and the result. The
// daemon and the command line only read it.

public import Reasons

/// Record of an update. Lines of `NAME=VALUE`; unknown names and malformed lines are skipped.
public struct UpdateRecord: Sendable, Equatable {
  /// Folder of the record, with the package to revert to.
  public static let folder = "/var/lib/hearth-update"
  /// Path of the record.
  public static let path = folder + "/trial"
  /// Bytes. The shell script writes at most 300 for each of its ten values.
  public static let limit = 8 << 10

  /// Result of an update.
  public enum Verdict: String, Sendable, CaseIterable {
    /// Update on trial, or interrupted by a power cut and not finished yet.
    case open
    /// The new version serves.
    case good
    /// The new version failed, and the previous package is being installed.
    case returning
    /// The new version failed, and the previous package is installed again.
    case returned
    /// An operator reverted it.
    case rolledBack = "rolled-back"
    /// The new version failed, and the previous package could not be installed.
    case stuck
    /// The package was not unpacked.
    case aborted
  }

  /// Versions of the package.
  public var from: String
  /// Version after the update.
  public var to: String
  /// Result of the update.
  public var verdict: Verdict
  /// Reason as text; may be empty.
  public var why: String
  /// RFC 3339. nil if the record has no time.
  public var began: String?
  /// End in RFC 3339; nil if the record has no time.
  public var ended: String?
  /// Boot in which the version was installed, and its uptime then, in seconds.
  public var boot: String
  /// Uptime of that boot at the installation, in seconds.
  public var uptime: Int
  /// Whether an operator has acknowledged it.
  public var isSeen: Bool
  /// Final verdict of a revert that is in progress.
  var final: Verdict?

  /// nil for an invalid record.
  public init?(_ text: String) {
    if text.utf8.count > Self.limit { return nil }
    var fields: [Substring: String] = [:]
    for line in text.split(separator: "\n", maxSplits: 64) {
      guard let sign = line.firstIndex(of: "=") else { continue }
      fields[line[..<sign]] = String(line[line.index(after: sign)...])
    }
    guard let from = fields["from"], let to = fields["to"], !from.isEmpty, !to.isEmpty,
      let verdict = fields["verdict"].flatMap(Verdict.init(rawValue:))
    else { return nil }
    self.from = from
    self.to = to
    self.verdict = verdict
    why = fields["why"] ?? ""
    began = fields["began"]
    ended = fields["ended"]
    boot = fields["boot"] ?? ""
    uptime = fields["uptime"].flatMap { Int($0) } ?? 0
    isSeen = fields["seen"] == "yes"
    final = fields["final"].flatMap(Verdict.init(rawValue:))
  }

  /// Warning for the operator; nil if all is well, during the trial, and after the operator's own order.
  public var trouble: HearthError? {
    if isSeen { return nil }
    switch verdict {
    case .open, .good, .rolledBack, .aborted: return nil
    // The shell script installs the previous package, which starts the hub, before it can write the final verdict.
    case .returning where final == .rolledBack: return nil
    case .returning, .returned:
      return HearthError(.updateReturned, "\(to) went back to \(from): \(why)")
    case .stuck: return HearthError(.updateStuck, "\(to): \(why)")
    }
  }
}
