// What a run says at its end.

import EventLoop
import Glibc

/// The outcome of one seed.
struct TrialReport: Sendable {
  var options: TrialOptions
  var visits = 0
  var virtualTime: Duration = .zero
  var realSeconds = 0.0
  var contentHash: UInt64 = 0
  var samples = 0
  var files = 0
  var erasedFiles = 0
  var lives = 0
  var kills = 0
  var operatorActs = 0
  var controllerHangs = 0
  var violations: [String] = []
  var tail: [String] = []
  var lane: LaneEfficiency?
  var month: Month?

  /// How the lane used the air: what was fetched, the time it took, and the least it could have taken.
  struct LaneEfficiency: Sendable {
    var bytes: Int
    var seconds: Double
    var boundSeconds: Double
    var share: Double { seconds > 0 ? boundSeconds / seconds : 0 }
  }

  /// What became of what Polar's wearables measured.
  struct Month: Sendable {
    /// Of a fetched value's time where it can be known, milliseconds.
    var worstError: Double
    /// Values that were fetched.
    var recorded: Int
    /// Those of them that were measured between a reading of the clock and the next, in which others had set it, or it was lost before its rate was known: nobody can know when.
    var doubtful: Int
    /// Of their times, seconds.
    var worstDoubtful: Double
    /// Live values within the commit window before a kill.
    var lostToKills: Int
    /// Of wearers.
    var changes: Int
    /// Requests that were answered with `SYSTEM_BUSY`.
    var busy: Int
    /// Of the hub's clock.
    var wallSteps: Int
  }

  @LoopActor
  mutating func note(_ hub: HubLives) { (visits, lives, kills, controllerHangs) = (hub.links, hub.count, hub.kills, hub.hangs) }

  var speed: Double { realSeconds > 0 ? virtualTime.inSeconds / realSeconds : 0 }

  var replay: String {
    let place = (options.zone == "UTC" ? "" : " --zone \(options.zone)") + (options.from.map { " --from \($0.text)" } ?? "")
    let length = options.population == .polar ? "--population polar --days \(options.days)\(place)" : "--visits \(options.visits)"
    return "hearth-sim --seed \(options.seed) \(length) --wearables \(options.wearables) --faults \(options.faults.rawValue)"
      + (options.measuresLane ? " --efficiency" : "")
  }

  private var content: String { hexadecimal(withUnsafeBytes(of: contentHash.bigEndian) { Array($0) }).lowercased() }

  var text: String {
    let hours = Int(virtualTime.inSeconds / 3600)
    var text = "seed \(options.seed): \(visits) visits, \(hours / 24) d \(hours % 24) h in \(Self.tenths(realSeconds)) s (\(Int(speed)) x real time), "
    text += "\(lives) lives, \(kills) kills, \(operatorActs) acts of operators, \(controllerHangs) hangs\n"
    text += "  \(samples) samples, \(files) files whole, \(erasedFiles) erased; content \(content)"
    if let lane {
      text += "\n  lane: \(lane.bytes) bytes in \(Self.tenths(lane.seconds)) s, bound \(Self.tenths(lane.boundSeconds)) s: \(Self.tenths(lane.share * 100)) %"
    }
    if let month {
      text += "\n  \(month.recorded) values fetched, at most \(Self.tenths(month.worstError)) ms from when they were measured; \(month.lostToKills) live values lost to kills"
      if month.doubtful > 0 { text += "\n  \(month.doubtful) values between two readings of a clock that others set, or that was lost, meanwhile: at most \(Self.tenths(month.worstDoubtful)) s" }
      text += "\n  \(month.changes) changes of wearers, \(month.busy) times busy, the hub's clock stepped \(month.wallSteps) times"
    }
    if violations.isEmpty { return text + "\n  no violation" }
    text += "\n  \(violations.count) VIOLATIONS\n" + violations.map { "    \($0)" }.joined(separator: "\n")
    text += "\n  last events:\n" + tail.suffix(40).map { "    \($0)" }.joined(separator: "\n")
    if let commit = Self.commit { text += "\n  commit: \(commit)" }
    return text + "\n  replay: \(replay)"
  }

  var json: String {
    var fields = [
      ("seed", "\(options.seed)"), ("visits", "\(visits)"), ("virtual_seconds", "\(Int(virtualTime.inSeconds))"), ("real_seconds", Self.tenths(realSeconds)),
      ("speed", "\(Int(speed))"), ("lives", "\(lives)"), ("kills", "\(kills)"), ("operator_acts", "\(operatorActs)"), ("hangs", "\(controllerHangs)"),
      ("samples", "\(samples)"), ("files", "\(files)"), ("erased_files", "\(erasedFiles)"), ("content", Self.quoted(content)),
    ]
    if let lane {
      fields += [("lane_bytes", "\(lane.bytes)"), ("lane_seconds", Self.tenths(lane.seconds)), ("lane_bound_seconds", Self.tenths(lane.boundSeconds)),
                 ("lane_percent", Self.tenths(lane.share * 100))]
    }
    if let month {
      fields += [("recorded", "\(month.recorded)"), ("worst_error_ms", Self.tenths(month.worstError)), ("doubtful", "\(month.doubtful)"),
                 ("worst_doubtful_seconds", Self.tenths(month.worstDoubtful)), ("lost_to_kills", "\(month.lostToKills)"),
                 ("wearer_changes", "\(month.changes)"), ("busy_answers", "\(month.busy)"), ("wall_steps", "\(month.wallSteps)")]
    }
    fields.append(("violations", "[" + violations.map(Self.quoted).joined(separator: ",") + "]"))
    if !violations.isEmpty {
      fields.append(("tail", "[" + tail.suffix(40).map(Self.quoted).joined(separator: ",") + "]"))
      fields.append(("replay", Self.quoted(replay)))
      if let commit = Self.commit { fields.append(("commit", Self.quoted(commit))) }
    }
    return "{" + fields.map { "\"\($0.0)\":\($0.1)" }.joined(separator: ",") + "}"
  }

  private static var commit: String? { getenv("HEARTH_COMMIT").map { String(cString: $0) } }

  private static func tenths(_ value: Double) -> String {
    let tenths = Int((value * 10).rounded())
    return "\(tenths / 10).\(abs(tenths) % 10)"
  }

  private static func quoted(_ text: String) -> String {
    var out = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": out += "\\\""
      case "\\": out += "\\\\"
      case _ where scalar.value < 0x20: out += " "
      default: out.unicodeScalars.append(scalar)
      }
    }
    return out + "\""
  }
}
