// A running measurement of vital signs as text: on a terminal a redrawn line, elsewhere a line for each change.

import EventLoop
import HubProtocol
import Reasons
import StoreDocuments

/// State of a measurement by the events of its stream.
struct VitalsView {
  /// Seconds between two lines of values without a terminal: as often as vital signs are computed.
  private static let pace = 5.0

  let isTerminal: Bool
  private let time: HubTime
  private var session: VitalsSessionDocument?
  private var state: Words.VitalsPhase?
  private var moment: VitalsMomentDocument?
  /// The newest value of each sign, as most moments bring no value.
  private var values: [VitalValueDocument] = []
  /// Present conditions, in order of their begin.
  private var warnings: [VitalsNoticeDocument] = []
  /// Seconds; when the next line of values is due.
  private var due = VitalsView.pace
  /// The last error: a measurement that it ended has no results.
  private var error: VitalsNoticeDocument?
  /// The record, after it came.
  private(set) var record: VitalsRecordDocument?
  private(set) var end: VitalsEndDocument?

  init(_ time: HubTime, isTerminal: Bool) {
    self.time = time
    self.isTerminal = isTerminal
  }

  /// - Returns: text that stays; on a terminal only the heading.
  mutating func take(_ reply: Methods.MeasureVitals.Reply) -> String {
    record = reply.record ?? record
    end = reply.end ?? end
    if let found = reply.session {
      session = found
      return (isTerminal ? "" : zoneLine(time)) + line(Self.heading(found))
    }
    if let found = reply.state {
      state = found.state
      let clock = WallTime(rfc3339: found.time).map { time.clock($0) } ?? "?"
      return isTerminal ? "" : line(cell(clock, 10) + Self.word(of: found.state))
    }
    if let found = reply.values { return take(found) }
    if let found = reply.notice { return take(found, isError: reply.event == "error") }
    // Results, an end, and events of a newer hub.
    return ""
  }

  private mutating func take(_ found: VitalsMomentDocument) -> String {
    moment = found
    if !found.results.isEmpty { values = found.results }
    if found.hidden { values = [] }
    guard !isTerminal, found.elapsedS.rounded() >= due else { return "" }
    while due <= found.elapsedS.rounded(), due < 86_400 { due += Self.pace }
    let head = "\(whole(found.elapsedS)) of \(whole(found.requestedS)) s"
    return line(Self.margin + ([head] + pulse + shownValues).joined(separator: "  "))
  }

  private mutating func take(_ found: VitalsNoticeDocument, isError: Bool) -> String {
    warnings.removeAll { $0.code == found.code }
    if isError { error = found } else if found.on { warnings.append(found) }
    if isTerminal { return "" }
    if isError { return line("\(Self.margin)error \(found.code): \(found.sentence)") }
    return line(
      found.on
        ? "\(Self.margin)warning \(found.code): \(found.sentence); \(found.next)"
        : "\(Self.margin)over \(found.code): \(found.sentence)")
  }

  /// The reason why there will be no results, while the hub still waits for a lost sensor. The measurement does not
  /// resume when the sensor is back, so that waiting is useless.
  var loss: TroubleDocument? {
    guard state == .initializing, record == nil, let error, let reason = error.reason.flatMap({ Reason(code: $0) })
    else {
      return nil
    }
    let what = "\(error.sentence) (\(error.code))"
    var trouble = TroubleDocument(HearthError(reason, (session.map { "\($0.device): " } ?? "") + what))
    trouble.next = error.next
    return trouble
  }

  /// Whether a person triggers each measurement, in contrast to a continuous one.
  var isUsedByHand: Bool { [.cuff, .scale, .thermometer].contains(session?.sensor) }

  /// The next measurement of the same session begins: the state of the one before is cleared.
  mutating func beginAnother() { (moment, values, due, error, record) = (nil, [], Self.pace, nil, nil) }

  /// Results are being computed, or are there. Stopping is useless, as it ends by itself within seconds.
  var isEnding: Bool { state == .stopping || record != nil }

  // MARK: The line of a terminal

  /// `strap-07  measuring  42 s left  63 bpm  quality high`, then warnings, then values so far.
  var liveLine: String {
    var parts = [session?.device ?? "", state.map { Self.word(of: $0) } ?? ""]
    if state == .processing, let moment {
      parts.append("\(whole(max(0, moment.requestedS - moment.elapsedS))) s left")
      parts += pulse
    }
    parts += warnings.map(\.sentence)
    if state == .processing { parts += shownValues }
    return parts.filter { !$0.isEmpty }.joined(separator: "  ")
  }

  /// Indentation of lines without a time.
  private static let margin = String(repeating: " ", count: 10)

  private var pulse: [String] {
    guard let moment else { return [] }
    var parts: [String] = []
    if session?.signs.first(where: { $0.name == "pulse_rate" })?.enabled ?? true {
      parts.append(moment.pulseRate.map { "\(whole($0)) bpm" } ?? (moment.hidden ? "pulse hidden" : "no pulse yet"))
    }
    if let quality = moment.quality { parts.append("quality \(quality)") }
    return parts
  }

  /// Few values, as a line has little room: the sensor's own values, then breathing and variability.
  private var shownValues: [String] {
    let signs: [(name: String, title: String)] = [
      ("spo2", "SpO2"), ("temperature", ""), ("blood_pressure_systolic", "systolic"),
      ("blood_pressure_diastolic", "diastolic"), ("respiration_rate", "breathing"), ("rmssd", "RMSSD"),
    ]
    return signs.compactMap { sign in
      guard let found = values.first(where: { $0.name == sign.name }), let value = found.value else { return nil }
      let shown = VitalWords.decimal(value, sign.name == "temperature" ? 1 : 0)
      return [sign.title, shown, found.unit].filter { !$0.isEmpty }.joined(separator: " ")
    }
  }

  // MARK: Words

  /// `63`
  private func whole(_ value: Double) -> String { VitalWords.decimal(value, 0) }

  /// `strap-07: vital signs of Ada for 60 s, from the intervals of a chest strap`
  private static func heading(_ session: VitalsSessionDocument) -> String {
    let person = session.person.map { " of \($0)" } ?? " of an unknown person"
    let source =
      switch session.sensor {
      case .electrical: "from the intervals of a chest strap"
      case .optical: "from optical intervals"
      case .opticalWrist: "from optical intervals at the wrist"
      case .rateOnly: "from heart rates"
      case .oximeter: "of an oximeter"
      case .thermometer: "of a thermometer"
      case .cuff: "of a cuff"
      case .scale: "of a scale"
      default: "of \(session.sensor)"
      }
    return "\(session.device): vital signs\(person) for \(session.seconds) s, \(source)"
  }

  private static func word(of state: Words.VitalsPhase) -> String {
    switch state {
    case .initializing: "linking"
    case .processing: "measuring"
    case .stopping: "computing"
    case .terminating: "closing"
    case .terminated: "closed"
    default: state.rawValue
    }
  }
}
