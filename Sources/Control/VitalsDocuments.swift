// What is reported of a measurement of vital signs, as documents: one event a reply.

internal import EventLoop
internal import Hub
internal import HubProtocol
internal import Reasons
internal import Vitals

extension Methods.MeasureVitals.Reply {
  /// - Parameter record: the document of a record, with the names of now.
  init(_ news: VitalsNews, _ record: (MeasurementRecord) -> VitalsRecordDocument) {
    switch news {
    case .opened(let session): self.init(event: "opened", session: VitalsSessionDocument(session))
    case .state(let state, let time):
      self.init(event: "state", state: VitalsStateDocument(state: .init(state.name), time: time.rfc3339))
    case .values(let moment): self.init(event: "values", values: VitalsMomentDocument(moment))
    case .notice(let code, let isOn):
      self.init(event: code.kind == .warning ? "warning" : "error", notice: VitalsNoticeDocument(code, isOn: isOn))
    case .results(let found): self.init(event: "results", record: record(found))
    }
  }
}

extension VitalsSessionDocument {
  init(_ session: VitalsSession) {
    self.init(
      id: session.id, device: session.wearable, person: session.person, sensor: session.sensor.word,
      basis: session.sensor.basis.map { .init($0.rawValue) }, seconds: session.seconds,
      signs: VitalSign.table(for: session.sensor).map { VitalSignDocument($0) })
  }
}

extension VitalSignDocument {
  init(_ entry: VitalSignEntry) {
    self.init(
      name: entry.sign.rawValue, unit: entry.sign.unit, enabled: entry.isEnabled, reason: entry.notEnabled?.rawValue)
  }
}

extension VitalsMomentDocument {
  init(_ moment: VitalsMoment) {
    self.init(
      elapsedS: moment.elapsed.inSeconds, requestedS: moment.requested.inSeconds, pulseRate: moment.pulseRate,
      artefactShare: moment.artefactShare, quality: moment.quality, hidden: moment.isHidden,
      results: (moment.report?.results ?? []).compactMap { VitalValueDocument($0) })
  }
}

extension VitalValueDocument {
  /// nil for a list of intervals: it is in the record.
  init?(_ result: ReportedVital) {
    var name: String?
    switch result.value {
    case .number: break
    case .named(let text): name = text
    case .intervals: return nil
    }
    // In the order of a record's flags, two of which are properties here.
    var flags = result.flags.map(\.rawValue)
    if result.basis == .ppi { flags.append("optical") }
    if result.method == .sensor { flags.append("passed_through") }
    let order = ["window_short", "optical", "hf_unreliable", "extrapolated", "passed_through", "corrected", "wrist"]
    self.init(
      name: result.sign.rawValue, value: result.value.number, text: name, unit: result.unit,
      confidence: result.confidence.name, windowS: result.window, method: result.method.rawValue,
      flags: order.filter { flags.contains($0) })
  }
}

extension VitalsNoticeDocument {
  init(_ code: SessionCode, isOn: Bool) {
    let reason = code.kind == .error ? (code.reason ?? .requestNotDone).code : nil
    self.init(code: Int(code.rawValue), sentence: code.sentence, next: code.advice, on: isOn, reason: reason)
  }
}

extension VitalsEndDocument {
  init(_ result: VitalsResult) {
    var reason = result.trouble.map { TroubleDocument($0) }
    // The session knows better what helps than the hub's code, which stands for more than sensors.
    if let code = result.code { reason?.next = code.advice }
    let end: Words.VitalsFinish =
      switch (result.record?.endReason, result.code) {
      case (.duration, _): .duration
      case (.some, _): .stop
      case (nil, .some): .error
      case (nil, nil): .terminated
      }
    self.init(end: end, code: result.code.map { Int($0.rawValue) }, reason: reason)
  }
}

extension VitalsMoment {
  /// Name of the signal quality, by the share of artefacts; nil without intervals.
  fileprivate var quality: String? {
    guard let artefactShare else { return isHidden ? "withheld" : nil }
    if isHidden { return "withheld" }
    return SignalQuality.confidence(artefactShare: artefactShare)?.name ?? "withheld"
  }
}

extension SensorClass {
  var word: Words.VitalsSensor {
    switch self {
    case .electrical: .electrical
    case .optical: .optical
    case .opticalWrist: .opticalWrist
    case .rateOnly: .rateOnly
    case .oximeter: .oximeter
    case .thermometer: .thermometer
    case .cuff: .cuff
    case .scale: .scale
    }
  }
}

extension Int64 {
  /// Microseconds.
  fileprivate var inSeconds: Double { Double(self) / 1_000_000 }
}
