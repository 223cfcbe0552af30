// Recordings that people ordered: begun again where they ended by themselves, and proven at the end of each visit.

import Bluetooth
import EventLoop
import Health
import Wearable

/// What should be recorded, kept with the hub across links: a wearable whose battery was empty, or whose memory was
/// full, forgets it.
@LoopActor
final class PolarArmed {
  /// One kind, with the settings that were asked for; the others are the largest it offers.
  struct Wanted: Hashable {
    let type: PMD.MeasurementType
    /// Hz
    var rate: UInt32?
    /// ± g, degrees a second or gauss.
    var range: UInt32?
    /// Its rate or range is only there in SDK mode, in which the wearable stays while it is recorded.
    var needsSDKMode = false

    var settings: [PMD.Setting: UInt32] {
      var settings: [PMD.Setting: UInt32] = [:]
      settings[.sampleRate] = rate
      settings[.range] = range
      return settings
    }
  }

  private let link: any WearableLink
  private let recorder: PolarRecorder
  /// Why something was not begun, in this visit.
  private var refusals: [PMD.MeasurementType: String] = [:]
  /// What was ordered and was not recorded when it was read back last.
  private(set) var unrecorded: [Series] = []
  /// What was running when the visit began, and was not ended by a person.
  private var expected: Set<PMD.MeasurementType> = []
  private var isReviewed = false

  init(_ link: any WearableLink, _ recorder: PolarRecorder) {
    self.link = link
    self.recorder = recorder
  }

  // MARK: what is remembered

  var wanted: [Wanted] { link.remembered(PolarRecordings.self)?.all ?? [] }

  /// Mode and kinds of recordings that are to begin by themselves; nil: nobody ordered any.
  var triggers: PolarTriggers? { link.remembered(PolarTriggers.self) }

  /// - Throws: where it cannot be remembered: then it is not ordered.
  func want(_ new: Wanted) throws(VisitTrouble) {
    try link.remember(PolarRecordings(wanted.filter { $0.type != new.type } + [new]))
    expected.insert(new.type)
    refusals[new.type] = nil
  }

  /// The wearable does not take it now: each visit tries again, and says so until it runs.
  func keep(_ new: Wanted, refusedFor why: String) throws(VisitTrouble) {
    try want(new)
    refusals[new.type] = why
    isReviewed = true
  }

  func keepTriggers(_ mode: PMD.TriggerMode, _ types: [PMD.MeasurementType]) throws(VisitTrouble) {
    try remember(mode, types)
    isReviewed = true
  }

  /// What is ordered from now on; nobody orders any with `disabled`.
  func remember(_ mode: PMD.TriggerMode, _ types: [PMD.MeasurementType]) throws(VisitTrouble) {
    if mode == .disabled { link.forget(PolarTriggers.self) } else { try link.remember(PolarTriggers(mode, types)) }
  }

  func refusal(of type: PMD.MeasurementType) -> String? { refusals[type] }

  func release(_ type: PMD.MeasurementType) throws(VisitTrouble) {
    try link.remember(PolarRecordings(wanted.filter { $0.type != type }))
    try recorder.renewals.forget([type])
    expected.remove(type)
  }

  // MARK: bringing it about

  /// With the settings that were asked for where they are offered, and the nearest below where they are not.
  ///
  /// - Parameter now: µs since 1970 on the wearable's clock; nil where it tells none.
  func begin(_ wanted: Wanted, at now: Int64?) async throws(VisitTrouble) -> PMD.Selection {
    if wanted.needsSDKMode { try await recorder.enterSDKMode() }
    let selection = try await recorder.client.settings(wanted.type, .offline, isFull: wanted.needsSDKMode).choosing(
      wanted.settings)
    let secret = link.orders.polarSecret
    do throws(VisitTrouble) {
      _ = try await recorder.client.start(wanted.type, .offline, selection, secret: secret)
    } catch {
      // Not for nothing: it costs the heart rate.
      if wanted.needsSDKMode, error.refusal != nil { try await recorder.leaveSDKMode() }
      guard secret != nil, error.refusal?.hasSuffix(PMD.Status.notSupported.text) == true else { throw error }
      throw .unsupported("it does not encrypt recordings, as its secret wants; take that away first")
    }
    if let now { try recorder.noteBegun([wanted.type], at: now) }
    return selection
  }

  /// Begins what should be recorded and is not: what was ordered, and what a visit ended whose link was lost.
  ///
  /// - Parameters:
  ///   - running: what was recorded when the visit began.
  ///   - now: µs since 1970 on the wearable's clock; nil where it tells none.
  /// - Returns: what was begun.
  func review(_ running: [PMD.MeasurementType], at now: Int64?) async throws(VisitTrouble) -> [PMD.MeasurementType] {
    refusals = [:]
    expected = Set(running)
    isReviewed = true
    var begun: [PMD.MeasurementType] = []
    let missing = wanted.filter { !running.contains($0.type) }
    expected.formUnion(wanted.map(\.type))
    for wanted in missing {
      try await noting(wanted.type) { () throws(VisitTrouble) in
        _ = try await begin(wanted, at: now)
        begun.append(wanted.type)
      }
    }
    // What an earlier visit ended and could not begin anew. What was ordered is begun as it was ordered.
    let ended = recorder.renewals.pending.filter { renewal in
      !running.contains(renewal.type) && !missing.contains { $0.type == renewal.type }
    }
    expected.formUnion(ended.map(\.type))
    for renewal in ended {
      try await noting(renewal.type) { () throws(VisitTrouble) in
        try await recorder.renewals.begin(renewal)
        if let now { try recorder.noteBegun([renewal.type], at: now) }
        begun.append(renewal.type)
      }
    }
    try await rearm()
    return begun
  }

  /// A wearable whose memory ran full has switched them off.
  private func rearm() async throws(VisitTrouble) {
    guard let triggers else { return }
    do throws(VisitTrouble) {
      let status = try await recorder.client.triggers()
      if status.mode == triggers.mode, status.enabled == Set(triggers.types) { return }
      _ = try await setTriggers(triggers.mode, triggers.types, over: status)
    } catch {
      guard let text = error.refusal else { throw error }
      link.note("triggers: \(text)")
    }
  }

  /// Arms these types and no others. Of one that is armed already only what was ordered of its recording changes; the
  /// rest stays as somebody set it.
  ///
  /// - Parameter found: what is armed; nil: it is asked.
  /// - Returns: as read back.
  func setTriggers(
    _ mode: PMD.TriggerMode, _ types: [PMD.MeasurementType], over found: PMD.TriggerStatus? = nil
  ) async throws(VisitTrouble) -> PMD.TriggerStatus {
    var wanted: [PMD.MeasurementType: PMD.Trigger] = [:]
    var kept: [PMD.MeasurementType: PMD.Settings] = [:]
    var before = found
    if before == nil, !types.isEmpty { before = try await recorder.client.triggers() }
    for type in types {
      let own = self.wanted.first { $0.type == type }?.settings ?? [:]
      let armed = before?.triggers[type] ?? nil
      let selection = try await selection(of: type, own, over: armed)
      // A secret that is ordered belongs to the trigger, and what is armed does not tell whether it has it.
      if let armed, link.orders.polarSecret == nil, selection == armed.chosen { kept[type] = armed }
      do { wanted[type] = try .enabled(selection, secret: link.orders.polarSecret) } catch {
        throw .unsupported("\(error.setting) of \(error.value)")
      }
    }
    return try await recorder.client.setTriggers(mode, wanted, keeping: kept)
  }

  private func selection(
    of type: PMD.MeasurementType, _ own: [PMD.Setting: UInt32], over armed: PMD.Settings?
  ) async throws(VisitTrouble) -> PMD.Selection {
    let before = armed?.chosen.values ?? [:]
    if armed != nil, own.allSatisfy({ before[$0.key] == $0.value }) { return PMD.Selection(before) }
    return try await recorder.client.settings(type, .offline).choosing(before.merging(own) { $1 })
  }

  private func noting(_ type: PMD.MeasurementType, _ body: () async throws(VisitTrouble) -> Void)
    async throws(VisitTrouble)
  {
    do throws(VisitTrouble) { try await body() } catch {
      guard let text = error.refusal else { throw error }
      refusals[type] = text
    }
  }

  // MARK: proving it

  /// Reads back what is recorded, and what would begin by itself. Notes what is not in `unrecorded`.
  ///
  /// - Throws: `needsAttention` where that is not what it should be.
  func prove() async throws(VisitTrouble) {
    guard isReviewed, !expected.isEmpty || triggers != nil else { return }
    isReviewed = false
    unrecorded = []
    guard let running = try await recorder.runningIfTold() else {
      throw .needsAttention(.recordingNotArmed, "does not say what it records")
    }
    try recorder.renewals.forget(running)
    let missing = expected.subtracting(running).sorted { $0.rawValue < $1.rawValue }
    unrecorded = missing.flatMap(\.series)
    if !missing.isEmpty {
      let words = missing.map { type in type.word + (refusals[type].map { " (\($0))" } ?? "") }
      throw .needsAttention(.recordingNotArmed, "does not record \(words.joined(separator: ", "))")
    }
    guard let triggers else { return }
    let status: PMD.TriggerStatus
    do throws(VisitTrouble) { status = try await recorder.client.triggers() } catch {
      guard case .unsupported(let why) = error else { throw error }
      throw .needsAttention(.recordingNotArmed, "does not say which triggers it has: \(why)")
    }
    if status.mode != triggers.mode || status.enabled != Set(triggers.types) {
      throw .needsAttention(.recordingNotArmed, "has other triggers than were ordered: \(status.text)")
    }
  }

  /// It does not say what it records: nothing is begun, and what was ordered is not proven.
  func cannotLook() {
    refusals = [:]
    expected = Set(wanted.map(\.type)).union(recorder.renewals.pending.map(\.type))
    isReviewed = true
  }
}

extension PMD.TriggerStatus {
  /// What the trigger begins.
  var enabled: Set<PMD.MeasurementType> { Set(triggers.filter { $0.value != nil }.keys) }

  /// For people: the mode, what is armed, and what is not clear, each by its name.
  var text: String {
    let unclear = unclear.map { "\($0.word)?" }
    return ([mode.word] + enabled.map(\.word).sorted() + unclear.sorted()).joined(separator: " ")
  }
}

extension PMD.Settings {
  /// Of settings that were chosen already: one value each.
  fileprivate var chosen: PMD.Selection {
    var chosen: [PMD.Setting: UInt32] = [:]
    for setting in values.keys where setting != .factor { chosen[setting] = single(setting) }
    return PMD.Selection(chosen)
  }
}

extension PMD.TriggerMode {
  /// For people.
  var word: String {
    switch self {
    case .disabled: "off"
    case .systemStart: "system-start"
    case .exerciseStart: "exercise-start"
    }
  }

  init?(word: String) {
    guard let mode = Self.allCases.first(where: { $0.word == word }) else { return nil }
    self = mode
  }
}

extension PMD.MeasurementType {
  /// For people: the name of the series that it becomes.
  var word: String { series.first?.name ?? "type_\(rawValue)" }

  /// nil for what is no kind of data.
  init?(word: String) {
    guard let type = Self.allCases.first(where: { $0.isData && $0.word == word }) else { return nil }
    self = type
  }
}

extension VisitTrouble {
  /// What a wearable said that does not want something; nil for trouble that concerns the link or the whole visit.
  var refusal: String? {
    switch self {
    case .unsupported(let text): text
    case .busy(let what, _): what
    case .refused(let code, let what): "\(what): \(code)"
    default: nil
    }
  }
}
