// The report of a run.

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
  /// Live values within the commit window before a kill, kill by kill.
  private(set) var losses: [(at: Duration, count: Int)] = []
  /// Histories of the clocks of wearables with a violation.
  var accounts: [String] = []
  /// Excused cases, each of which is listed: commands that crossed a beginning on the air, and live values by a clock
  /// of a moment ago.
  private(set) var crossed: [String] = []
  private(set) var slewed: [String] = []
  private(set) var slewedValues = 0
  var lane: LaneEfficiency?
  var month: Month?
  var ward: WardOutcome?
  var bands: BandOutcome?
  var siege: SiegeOutcome?

  /// Use of the air by the lane: fetched data, its time, and the least possible time.
  struct LaneEfficiency: Sendable {
    var bytes: Int
    var seconds: Double
    var boundSeconds: Double
    var share: Double { seconds > 0 ? boundSeconds / seconds : 0 }
  }

  /// Results for measurements of Polar's wearables.
  struct Month: Sendable {
    /// Error of a fetched value's time if that can be known, milliseconds.
    var worstError: Double
    /// Values that were fetched.
    var recorded: Int
    /// Number of these with unknowable time: between two readings of a clock that others set meanwhile, or
    /// that was lost before its drift was known.
    var doubtful: Int
    /// Reasons why some of these are at a wrong time.
    var excuses: [PolarExcuse]
    /// Values from before the first reading of a clock that are further off than others may be, and the largest error,
    /// milliseconds.
    var early: Int
    var worstEarly: Double
    /// Changes of wearers.
    var changes: Int
    /// Requests that were answered with `SYSTEM_BUSY`.
    var busy: Int
    /// Steps of the hub's clock.
    var wallSteps: Int

    /// Values with wrong times that are excused.
    var excused: Int { excuses.reduce(0) { $0 + $1.values } }
    /// Seconds.
    var worstExcused: Double { Double(excuses.map(\.worst).max() ?? 0) / 1e9 }
  }

  @LoopActor
  mutating func note(_ hub: HubLives) {
    (visits, lives, kills, controllerHangs) = (hub.links, hub.count, hub.kills, hub.hangs)
  }

  /// Notes losses by kills, and whether they exceed the limit of a commit window: a heart rate and two intervals a
  /// second, of each wearable.
  mutating func noteLosses(_ losses: [(at: Duration, count: Int)], window: Duration, wearables: Int? = nil) {
    self.losses = losses
    let wearables = wearables ?? options.wearables
    let bound = wearables * 3 * Int(window.inSeconds + 1)
    for (at, count) in losses where count > bound {
      violations.append("\(Int(at.inSeconds)) s: a kill cost \(count) live values, of \(wearables) wearables")
    }
  }

  /// Notes commands that came in a wrong state only because the state changed while they were on the air. By chance
  /// that happens in one of 500 visits, and a few more.
  mutating func noteCrossed(_ commands: [String]) {
    crossed = commands
    if crossed.count > 3 + visits / 500 {
      violations.append("\(crossed.count) commands crossed a beginning on the air, in \(visits) visits")
    }
  }

  /// Notes live values with a clock that is off by the rest of steps in both directions.
  mutating func noteSlewed(_ values: [(what: String, microseconds: Int64, count: Int)], steps: Int) {
    slewed = values.map { "\($0.what): \($0.count) values, \($0.microseconds) us" }
    slewedValues = values.reduce(0) { $0 + $1.count }
    // Two steps of at most two minutes leave less than 10 ms in one of 12,000 pairs.
    let pairs = Set(values.map { abs($0.microseconds) }).count
    if pairs > 2 + steps * steps / 1000 {
      violations.append("the hub's clock is said to have been stepped there and back \(pairs) times, of \(steps) steps")
    }
  }

  var lostToKills: Int { losses.reduce(0) { $0 + $1.count } }

  var speed: Double { realSeconds > 0 ? virtualTime.inSeconds / realSeconds : 0 }

  var replay: String {
    let place =
      (options.zone == "UTC" ? "" : " --zone \(options.zone)") + (options.from.map { " --from \($0.text)" } ?? "")
    let families = options.families.isEmpty ? "" : " --families" + options.families.map { " \($0.rawValue)" }.joined()
    let length =
      switch options.population {
      case .mixed: "--visits \(options.visits)" + (options.adapters > 1 ? " --adapters \(options.adapters)" : "")
      case .hostile: "--population hostile"
      case .polar, .ward, .bands:
        "--population \(options.population.rawValue) --days \(options.days)\(place)" + families
      }
    return
      "hearth-sim --seed \(options.seed) \(length) --wearables \(options.wearables)"
      + " --faults \(options.faults.rawValue)" + (options.measuresLane ? " --efficiency" : "")
  }

  private var content: String { hexadecimal(withUnsafeBytes(of: contentHash.bigEndian) { Array($0) }).lowercased() }

  var text: String {
    let hours = Int(virtualTime.inSeconds / 3600)
    var text =
      """
      seed \(options.seed): \(visits) visits, \(hours / 24) d \(hours % 24) h in \(Self.tenths(realSeconds)) s \
      (\(Int(speed)) x real time), 
      """
    text += "\(lives) lives, \(kills) kills, \(operatorActs) acts of operators, \(controllerHangs) hangs\n"
    text += "  \(samples) samples, \(files) files whole, \(erasedFiles) erased; content \(content)"
    if let lane {
      text +=
        """
        \n  lane: \(lane.bytes) bytes in \(Self.tenths(lane.seconds)) s, bound \(Self.tenths(lane.boundSeconds)) s: \
        \(Self.tenths(lane.share * 100)) %
        """
    }
    if let month {
      text +=
        "\n  \(month.recorded) values fetched, at most \(Self.tenths(month.worstError)) ms from when they were measured"
      if month.early > 0 {
        text +=
          """
          \n  \(month.early) values from before the first reading of a clock: at most \
          \(Self.tenths(month.worstEarly)) ms
          """
      }
      if month.doubtful > 0 {
        text +=
          """
          \n  \(month.doubtful) values between two readings of a clock that others set, or that was lost, meanwhile: \
          \(month.excused) excused, at most \(Self.tenths(month.worstExcused)) s
          """
        text += month.excuses.map { "\n    \($0.text)" }.joined()
      }
      text +=
        """
        \n  \(month.changes) changes of wearers, \(month.busy) times busy, the hub's clock stepped \
        \(month.wallSteps) times
        """
    }
    if let ward { text += ward.text }
    if let bands { text += bands.text }
    if let siege { text += siege.text }
    if lostToKills > 0 {
      text +=
        "\n  \(lostToKills) live values lost to kills: "
        + losses.map { "\($0.count) at \(Int($0.at.inSeconds)) s" }.joined(separator: ", ")
    }
    if !crossed.isEmpty {
      text += "\n  \(crossed.count) commands crossed a beginning on the air:" + crossed.map { "\n    \($0)" }.joined()
    }
    if !slewed.isEmpty {
      text +=
        """
        \n  \(slewedValues) live values by a clock of a moment ago, after steps there and back that left less than \
        10 ms:
        """
      text += slewed.map { "\n    \($0)" }.joined()
    }
    if violations.isEmpty { return text + "\n  no violation" }
    text += "\n  \(violations.count) VIOLATIONS\n" + violations.map { "    \($0)" }.joined(separator: "\n")
    if !accounts.isEmpty { text += "\n  their clocks:\n" + accounts.map { "    \($0)" }.joined(separator: "\n") }
    text += "\n  last events:\n" + tail.suffix(40).map { "    \($0)" }.joined(separator: "\n")
    if let commit = Self.commit { text += "\n  commit: \(commit)" }
    return text + "\n  replay: \(replay)"
  }

  /// A line for a run without violations, to follow the replay line, and one line of numbers for sums.
  var brief: String {
    let month = month
    if !violations.isEmpty { return text }
    var words = "\(visits) visits, \(samples) samples, \(Self.tenths(realSeconds)) s"
    if let month, month.excused > 0 {
      words +=
        """
        , \(month.excused) values off by at most \(Self.tenths(month.worstExcused)) s for \(month.excuses.count) \
        clocks that others set or that were lost
        """
    }
    let numbers = [
      visits, samples, kills, month?.recorded ?? 0, month?.doubtful ?? 0, month?.excuses.count ?? 0,
      month?.excused ?? 0,
      month?.early ?? 0, lostToKills, crossed.count, slewedValues,
    ]
    if let siege { words += "; \(siege.brief)" }
    if !crossed.isEmpty { words += ", \(crossed.joined(separator: ", "))" }
    if slewedValues > 0 { words += ", \(slewedValues) live values by a clock of a moment ago" }
    return words + "\n" + FreshSum.mark + numbers.map { "\($0)" }.joined(separator: " ")
  }

  var json: String {
    var fields = [
      ("seed", "\(options.seed)"), ("visits", "\(visits)"), ("virtual_seconds", "\(Int(virtualTime.inSeconds))"),
      ("real_seconds", Self.tenths(realSeconds)),
      ("speed", "\(Int(speed))"), ("lives", "\(lives)"), ("kills", "\(kills)"), ("operator_acts", "\(operatorActs)"),
      ("hangs", "\(controllerHangs)"),
      ("samples", "\(samples)"), ("files", "\(files)"), ("erased_files", "\(erasedFiles)"),
      ("content", Self.quoted(content)), ("lost_to_kills", "\(lostToKills)"),
      ("crossed", "\(crossed.count)"), ("slewed", "\(slewedValues)"),
    ]
    if let lane {
      fields += [
        ("lane_bytes", "\(lane.bytes)"), ("lane_seconds", Self.tenths(lane.seconds)),
        ("lane_bound_seconds", Self.tenths(lane.boundSeconds)),
        ("lane_percent", Self.tenths(lane.share * 100)),
      ]
    }
    if let month {
      fields += [
        ("recorded", "\(month.recorded)"), ("worst_error_ms", Self.tenths(month.worstError)),
        ("doubtful", "\(month.doubtful)"),
        ("excuses", "\(month.excuses.count)"), ("excused", "\(month.excused)"),
        ("worst_excused_seconds", Self.tenths(month.worstExcused)), ("early", "\(month.early)"),
        ("wearer_changes", "\(month.changes)"), ("busy_answers", "\(month.busy)"), ("wall_steps", "\(month.wallSteps)"),
      ]
    }
    if let ward { fields += ward.fields }
    if let bands { fields += bands.fields }
    if let siege { fields += siege.fields }
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
