// Reports about a Polar wearable, read on request.

import Bluetooth
import CivilTime
import EventLoop
import Health
import Wearable

extension PolarSession: ReportingSession {
  var reports: [String] {
    (live == nil ? [] : ["streams", "recordings"]) + (transfer.isPresent ? ["settings"] : [])
      + (keepsDays ? ["today"] : [])
  }

  func report(_ topic: String) async throws(VisitTrouble) -> [ReportRow] {
    switch topic {
    case "streams": if let live { live.rows } else { throw .unsupported(topic) }
    case "recordings" where recorder != nil: try await recordingsReport()
    case "settings" where transfer.isPresent:
      try await inFiles { () throws(VisitTrouble) in try await settingsReport() }
    case "today" where keepsDays: try await inFiles { () throws(VisitTrouble) in try await todayReport() }
    default: throw .unsupported(topic)
    }
  }

  private func row(_ name: String, _ fields: [(String, String?)]) -> ReportRow {
    ReportRow(name, fields.compactMap { field in field.1.map { ReportRow.Field(field.0, $0) } })
  }

  private func yes(_ truth: Bool) -> String { truth ? "yes" : "no" }

  // MARK: recordings

  /// Reports all that is available now. During a training the wearable serves no files; what would need them is named
  /// instead.
  private func recordingsReport() async throws(VisitTrouble) -> [ReportRow] {
    guard let recorder, let armed else { return [] }
    // Before all that needs files, so that a wearable in a training is not asked for them.
    var later: [String] = []
    let state =
      keepsDays
      ? try await unlessBusy("training and sleep", &later) { () throws(VisitTrouble) in try await stateRows() } : nil
    let isTraining = state?.isTraining ?? !later.isEmpty
    let offered = try await recorder.client.features().offline.sorted { $0.rawValue < $1.rawValue }
    var rows: [ReportRow] = []
    if !offered.isEmpty {
      let running = try await recorder.running()
      let triggers = try await recorder.client.ifKnown { () throws(VisitTrouble) in try await recorder.client.triggers()
      }
      let heads =
        running.isEmpty || !transfer.isPresent
        ? []
        : try await unlessBusy("since when, rate and range", isTraining: isTraining, &later) {
          () throws(VisitTrouble) in
          try await inFiles { () throws(VisitTrouble) in try await newest(of: running) }
        } ?? []
      let rates = try await recorder.rates(of: offered)
      for type in offered {
        let file = heads.first { $0.type == type }
        let kept = armed.wanted.contains { $0.type == type }
        rows.append(
          row(
            type.word,
            [
              ("recording", yes(running.contains(type))), ("kept_going", yes(kept)),
              ("refused", kept && !running.contains(type) ? armed.refusal(of: type) : nil), ("since", file?.begins),
              ("rate_hz", file?.rate), ("range", file?.range),
              ("can_hz", rates[type]?.usual), ("can_hz_sdk", rates[type]?.inSDKMode),
              ("trigger", triggers.flatMap { trigger(of: type, $0) }),
            ]))
      }
      if let triggers {
        rows.append(row("triggers", [("mode", triggers.mode.word), ("ordered", armed.triggers?.mode.word)]))
      }
      let encrypts = Polar.streams(of: link.known.polarModel).map(\.encrypts)
      rows.append(
        row("encryption", [("on", yes(link.orders.polarSecret != nil)), ("possible", encrypts.map { yes($0) })]))
    }
    guard transfer.isPresent else { return rows }
    if isStrap {
      let status = try await transfer.recordingStatus()
      rows.append(
        row("exercise", [("recording", yes(status.isRecording)), ("name", status.name.isEmpty ? nil : status.name)]))
    }
    rows += state?.rows ?? []
    let space =
      try await unlessBusy("memory", &later) { () throws(VisitTrouble) in try await transfer.diskSpace() } ?? nil
    if let space { rows.append(row("memory", [("free_bytes", "\(space.free)"), ("total_bytes", "\(space.total)")])) }
    if !later.isEmpty {
      rows.append(
        row(
          "not-now",
          [
            (
              "why",
              "\(isTraining ? "it trains" : "it is busy"), and reports \(later.joined(separator: ", ")) afterwards"
            )
          ]))
    }
    return rows
  }

  /// nil if it is listed in an unknown state.
  private func trigger(of type: PMD.MeasurementType, _ triggers: PMD.TriggerStatus) -> String? {
    triggers.unclear.contains(type) ? nil : yes(triggers.mode != .disabled && triggers.enabled.contains(type))
  }

  /// nil if the wearable is busy; `what` is then added to `later`.
  private func unlessBusy<Value>(
    _ what: String, isTraining: Bool = false, _ later: inout [String], _ body: () async throws(VisitTrouble) -> Value
  ) async throws(VisitTrouble) -> Value? {
    if !isTraining {
      do throws(VisitTrouble) { return try await body() } catch {
        guard case .busy = error else { throw error }
      }
    }
    later.append(what)
    return nil
  }

  /// State of a wearable with days: a training, sleep. Queries without an answer are left out.
  private func stateRows() async throws(VisitTrouble) -> (rows: [ReportRow], isTraining: Bool) {
    var rows: [ReportRow] = []
    if let status = try await transfer.exerciseStatus() {
      let isOn = status.exerciseState == .exerciseStateRunning || status.exerciseState == .exerciseStatePaused
      rows.append(
        row(
          "training",
          [
            ("running", yes(isOn)), ("paused", status.exerciseState == .exerciseStatePaused ? "yes" : nil),
            ("sport", isOn && status.hasSportIdentifier ? "\(status.sportIdentifier.value)" : nil),
          ]))
      // The wearable serves no other data meanwhile.
      if isOn { return (rows, true) }
    }
    do throws(VisitTrouble) {
      if let isRecorded = try await transfer.isSleepRecorded() {
        rows.append(row("sleep", [("recording", yes(isRecorded))]))
      }
    } catch {
      guard case .silent = error else { throw error }
    }
    return (rows, false)
  }

  /// Settings of each running kind from its newest file, which appears a minute after the recording began.
  private func newest(of running: [PMD.MeasurementType]) async throws(VisitTrouble) -> [(
    type: PMD.MeasurementType, begins: String?, rate: String?, range: String?
  )] {
    let entries = try await files.recordings()
    var found: [(type: PMD.MeasurementType, begins: String?, rate: String?, range: String?)] = []
    for type in running {
      guard let entry = entries.last(where: { $0.type == type }), let part = entry.parts.last else { continue }
      let selection = try await files.head(of: part.path)?.settings.largest
      found.append(
        (
          type, ClockFace(microseconds: entry.begins).text, selection?.values[.sampleRate].map { "\($0)" },
          selection?.values[.range].map { "\($0)" }
        ))
    }
    return found
  }

  // MARK: settings

  private func settingsReport() async throws(VisitTrouble) -> [ReportRow] {
    var rows: [ReportRow] = []
    if let information = try await transfer.deviceInformation() {
      rows.append(
        row(
          "device",
          [("model", information.model), ("firmware", information.version), ("hardware", information.hardware)]))
    }
    if let reading = try await transfer.clockReading() {
      let error = Double(reading.evidence.device - reading.evidence.wall - Int64(zoneMinutes) * 60_000_000) / 1_000_000
      rows.append(
        row(
          "clock",
          [
            ("local_time", reading.time.text), ("zone_minutes", reading.offset.map { "\($0)" }),
            ("zone_of_hub_minutes", "\(zoneMinutes)"), ("off_by_s", "\((error * 10).rounded() / 10)"),
            ("waits_since", clockWaits.map { momentText($0 * 1_000_000, .milliseconds) }),
          ]))
    }
    if let space = try await transfer.diskSpace() {
      rows.append(row("memory", [("free_bytes", "\(space.free)"), ("total_bytes", "\(space.total)")]))
    }
    if exercises == nil {
      let logs = try await logs()
      if !logs.isEmpty {
        rows.append(row("logs", [("files", "\(logs.count)"), ("size_bytes", "\(PSFTP.RemoteFile.size(of: logs))")]))
      }
    }
    if wearer.isWanted { rows += try await wearerRows() }
    let radioRows = try await radio.report().map { one in
      row(one.name, [("on", yes(one.isOn)), ("ordered", link.orders.settings[one.name])])
    }
    guard let kept = try await settings.read() else { return rows + radioRows }
    if let location = kept.location {
      let ordered = link.orders.settings[PolarChoice.worn.rawValue]
      rows.append(
        row(
          "place",
          [("worn", Polar.DeviceSettings.placeName(location)), ("number", "\(location)"), ("ordered", ordered)]))
    }
    for one in PolarSwitch.allCases {
      guard let isOn = one.isOn(kept) else { continue }
      let monitored = one == .dayAndNight ? link.orders.monitoring[.heartRate]?.isOn.map { $0 ? "on" : "off" } : nil
      let ordered =
        link.orders.switchedOff.contains(one.rawValue) ? "off" : monitored ?? link.orders.settings[one.rawValue]
      rows.append(
        row(
          one.rawValue, [("on", yes(isOn)), ("ordered", ordered)] + (one == .trainingDetection ? tuning(of: kept) : []))
      )
    }
    if let change = kept.daylightSaving {
      rows.append(
        row(
          "clock-change",
          [
            ("at", momentText(change.next * 1_000_000, .milliseconds)),
            ("shift_minutes", "\(change.shift / 60)"),
          ]))
    }
    return rows + radioRows
  }

  /// Facts about its wearer, and which of them were not entered at the hub.
  private func wearerRows() async throws(VisitTrouble) -> [ReportRow] {
    let (state, data, isFirstUseDone) = try await wearer.look()
    func value(_ part: PhysicalPart) -> String? { data?.values[part]?.text }
    func named(_ part: PhysicalPart, _ name: (UInt8) -> String?) -> String? {
      guard case .number(let number) = data?.values[part] else { return nil }
      return UInt8(exactly: number).flatMap(name) ?? "\(number)"
    }
    let told = link.orders.wearer?.facts.physicalParts
    let own = told.map { told in
      PhysicalPart.allCases.filter { told[$0] == nil && data?.values[$0] != nil }.map(\.name).joined(separator: ", ")
    }
    let assumed = data.map { wearer.assumed($0).map(\.name).joined(separator: ", ") }
    return [
      row("first-use", [("done", isFirstUseDone.map { yes($0) })]),
      row(
        "wearer",
        [
          ("state", state.text), ("born", value(.birthDate)),
          ("sex", named(.sex) { BodyFacts.Sex(rawValue: $0)?.name }), ("height_cm", value(.height)),
          ("weight_kg", value(.weight)), ("maximum_heart_rate_bpm", value(.maximumHeartRate)),
          ("resting_heart_rate_bpm", value(.restingHeartRate)),
          ("vo2_max", value(.vo2Max)),
          ("training", named(.trainingBackground) { BodyFacts.TrainingBackground(rawValue: $0)?.name }),
          ("typical_day", named(.typicalDay) { BodyFacts.TypicalDay(rawValue: $0)?.name }),
          ("sleep_goal_minutes", value(.sleepGoal)),
          ("its_own", own.flatMap { $0.isEmpty ? nil : $0 }), ("assumed", assumed.flatMap { $0.isEmpty ? nil : $0 }),
        ]),
    ]
  }

  /// Settings of training detection, with their orders.
  private func tuning(of kept: Polar.DeviceSettings) -> [(String, String?)] {
    let orders = link.orders.settings
    return [
      ("sensitivity", kept.trainingDetection.map { "\($0.sensitivity)" }),
      ("sensitivity_ordered", orders[PolarChoice.trainingSensitivity.rawValue]),
      ("minimum_s", kept.trainingDetection.map { "\($0.minimumDuration)" }),
      ("minimum_ordered_s", orders[PolarChoice.trainingMinimum.rawValue]),
    ]
  }
}
