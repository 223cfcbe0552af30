// The record of the last update, one small file that `board/hearth-update` replaces whole: what it went from and to,
// and what became of it. Read by the daemon and by the command line; written by neither.

public import Reasons

/// One update, as its record has it. Lines of `NAME=VALUE`; unknown names and what is malformed are passed over.
public struct UpdateRecord: Sendable, Equatable {
  /// Where the shell keeps it, with the package to go back to.
  public static let folder = "/var/lib/hearth-update"
  public static let path = folder + "/trial"
  /// Bytes. The shell writes at most 300 of each of its ten values.
  public static let limit = 8 << 10

  public enum Verdict: String, Sendable, CaseIterable {
    /// On trial, or broken off by a power cut and not finished yet.
    case open
    /// It serves.
    case good
    /// It did not serve, and the package before is being installed.
    case returning
    /// It did not serve, and the package before is installed again.
    case returned
    /// Somebody went back from it.
    case rolledBack = "rolled-back"
    /// It did not serve, and the package before could not be installed.
    case stuck
    /// It was not unpacked.
    case aborted
  }

  /// Versions of the package.
  public var from: String
  public var to: String
  public var verdict: Verdict
  /// For people; empty while there is nothing to say.
  public var why: String
  /// RFC 3339. nil where the record does not say.
  public var began: String?
  public var ended: String?
  /// The start of the machine in which the version was installed, and how long after it, in seconds.
  public var boot: String
  public var uptime: Int
  /// A person has seen to what it says.
  public var isSeen: Bool
  /// How a way back that is under way will have ended.
  var final: Verdict?

  /// nil for what is no record.
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

  /// What a person should know of it; nil where all is well, while it is on trial, and where it was their own order.
  public var trouble: HearthError? {
    if isSeen { return nil }
    switch verdict {
    case .open, .good, .rolledBack, .aborted: return nil
    // The shell installs the package before, and with that starts the hub, before it can say that it is done.
    case .returning where final == .rolledBack: return nil
    case .returning, .returned:
      return HearthError(.updateReturned, "\(to) went back to \(from): \(why)")
    case .stuck: return HearthError(.updateStuck, "\(to): \(why)")
    }
  }
}
