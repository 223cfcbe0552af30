// Ordered recordings: restarted if they ended by themselves, and verified at the end of each visit.

import Bluetooth
import EventLoop
import Health
import Wearable

/// Ordered recordings, which the hub stores across links: a wearable forgets them when its battery is empty or its
/// memory is full.
@LoopActor
final class PolarArmed {
  /// A kind with its ordered settings; other settings are the largest that the wearable offers.
  struct Wanted: Hashable {
    let type: PMD.MeasurementType
    /// Hz
    var rate: UInt32?
    /// ± g, degrees a second or gauss.
    var range: UInt32?
    /// True if only SDK mode offers the rate or range. The wearable stays in it during the recording.
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
  /// Reasons why recordings were not begun in this visit.
  private var refusals: [PMD.MeasurementType: String] = [:]
  /// Ordered series that were not being recorded at the last check.
  private(set) var unrecorded: [Series] = []
  /// Recordings that ran when the visit began, except those that an operator stopped.
  private var expected: Set<PMD.MeasurementType> = []
  private var isReviewed = false

  init(_ link: any WearableLink, _ recorder: PolarRecorder) {
    self.link = link
    self.recorder = recorder
  }

  // MARK: stored orders

  var wanted: [Wanted] { link.remembered(PolarRecordings.self)?.all ?? [] }

  /// Ordered trigger mode and kinds; nil if there is no such order.
  var triggers: PolarTriggers? { link.remembered(PolarTriggers.self) }

  /// - Throws: if the order cannot be stored; it then does not exist.
  func want(_ new: Wanted) throws(VisitTrouble) {
    try link.remember(PolarRecordings(wanted.filter { $0.type != new.type } + [new]))
    expected.insert(new.type)
    refusals[new.type] = nil
  }

  /// Stores a recording that the wearable refuses for now. Each visit tries again, and reports the refusal until it
  /// runs.
  func keep(_ new: Wanted, refusedFor why: String) throws(VisitTrouble) {
    try want(new)
    refusals[new.type] = why
    isReviewed = true
  }

  func keepTriggers(_ mode: PMD.TriggerMode, _ types: [PMD.MeasurementType]) throws(VisitTrouble) {
    try remember(mode, types)
    isReviewed = true
  }

  /// Stores the trigger order; `disabled` removes it.
  func remember(_ mode: PMD.TriggerMode, _ types: [PMD.MeasurementType]) throws(VisitTrouble) {
    if mode == .disabled { link.forget(PolarTriggers.self) } else { try link.remember(PolarTriggers(mode, types)) }
  }

  func refusal(of type: PMD.MeasurementType) -> String? { refusals[type] }

  func release(_ type: PMD.MeasurementType) throws(VisitTrouble) {
    try link.remember(PolarRecordings(wanted.filter { $0.type != type }))
    try recorder.renewals.forget([type])
    expected.remove(type)
  }

  // MARK: execution

  /// Begins a recording. If an ordered setting is not offered, the nearest one below is used.
  ///
  /// - Parameter now: µs since 1970 on the wearable's clock; nil if it is unknown.
  func begin(_ wanted: Wanted, at now: Int64?) async throws(VisitTrouble) -> PMD.Selection {
    if wanted.needsSDKMode { try await recorder.enterSDKMode() }
    let selection = try await recorder.client.settings(wanted.type, .offline, isFull: wanted.needsSDKMode).choosing(
      wanted.settings)
    let secret = link.orders.polarSecret
    do throws(VisitTrouble) {
      _ = try await recorder.client.start(wanted.type, .offline, selection, secret: secret)
    } catch {
      // SDK mode costs the heart rate, so it is left if the recording was refused.
      if wanted.needsSDKMode, error.refusal != nil { try await recorder.leaveSDKMode() }
      guard secret != nil, error.refusal?.hasSuffix(PMD.Status.notSupported.text) == true else { throw error }
      throw .unsupported("it does not encrypt recordings, as its secret wants; take that away first")
    }
    if let now { try recorder.noteBegun([wanted.type], at: now) }
    return selection
  }

  /// Begins recordings that should run but do not: ordered ones, and those that an interrupted visit ended.
  ///
  /// - Parameters:
  ///   - running: recordings that ran when the visit began.
  ///   - now: µs since 1970 on the wearable's clock; nil if it is unknown.
  /// - Returns: the recordings that were begun.
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
    // Recordings that an earlier visit ended and could not restart. Ordered ones were begun above.
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

  /// Sets the ordered triggers again; a full memory makes the wearable switch them off.
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

  /// Arms these types and no others. For a type that is already armed, only the ordered settings change.
  ///
  /// - Parameter found: the armed triggers; nil to query them.
  /// - Returns: the triggers as read back.
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
      // A trigger with a secret is always written, as the armed one does not show whether it has the secret.
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

  // MARK: verification

  /// Reads back the running recordings and the triggers, and sets `unrecorded`.
  ///
  /// - Throws: `needsAttention` if they differ from the orders.
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

  /// The wearable does not report its recordings: no recording is begun, and `prove` reports the orders as unproven.
  func cannotLook() {
    refusals = [:]
    expected = Set(wanted.map(\.type)).union(recorder.renewals.pending.map(\.type))
    isReviewed = true
  }
}

extension PMD.TriggerStatus {
  /// Types that the trigger records.
  var enabled: Set<PMD.MeasurementType> { Set(triggers.filter { $0.value != nil }.keys) }

  /// Text for people: the mode, and the names of armed and unclear types.
  var text: String {
    let unclear = unclear.map { "\($0.word)?" }
    return ([mode.word] + enabled.map(\.word).sorted() + unclear.sorted()).joined(separator: " ")
  }
}

extension PMD.Settings {
  /// The single value of each setting, for settings that were already chosen.
  fileprivate var chosen: PMD.Selection {
    var chosen: [PMD.Setting: UInt32] = [:]
    for setting in values.keys where setting != .factor { chosen[setting] = single(setting) }
    return PMD.Selection(chosen)
  }
}

extension PMD.TriggerMode {
  /// Word for messages to people.
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
  /// Word for messages to people: the name of its series.
  var word: String { series.first?.name ?? "type_\(rawValue)" }

  /// nil for an unknown word.
  init?(word: String) {
    guard let type = Self.allCases.first(where: { $0.isData && $0.word == word }) else { return nil }
    self = type
  }
}

extension VisitTrouble {
  /// The wearable's refusal; nil for troubles of the link or of the whole visit.
  var refusal: String? {
    switch self {
    case .unsupported(let text): text
    case .busy(let what, _): what
    case .refused(let code, let what): "\(what): \(code)"
    default: nil
    }
  }
}
