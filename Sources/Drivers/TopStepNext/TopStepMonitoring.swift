// Automatic measuring: configurations are read, changed by order, and read back.

import Bands
import EventLoop
import Health
import StateCodec
import TopStepMessages
import Wearable

@LoopActor
final class TopStepMonitoring {
  private let channel: TopStepChannel
  private var read: [ConfigurationKind: Configuration] = [:]
  private var states: [ConfigurationKind: MonitoringState] = [:]
  private var refusals: [ConfigurationKind: String] = [:]
  /// Kinds that the band has.
  var kinds = ConfigurationKind.allCases

  nonisolated static let choices: [MonitoringChoice] = ConfigurationKind.allCases.map { kind in
    let parts: MonitoringParts =
      kind == .heartRate
      ? [.isOn, .window, .interval, .restLimits, .exerciseLimits, .maximumHeartRate] : [.isOn, .window, .interval]
    return MonitoringChoice(kind.series, parts, intervals: .ofKit)
  }

  init(_ channel: TopStepChannel) { self.channel = channel }

  /// States as read last, in the order of their numbers.
  var monitoring: [MonitoringState] { ConfigurationKind.allCases.compactMap { states[$0] } }

  /// Reason why the band does not measure as ordered; nil: it does.
  var refused: String? {
    let all = ConfigurationKind.allCases.compactMap { kind in refusals[kind].map { "\(kind.series.name): \($0)" } }
    return all.isEmpty ? nil : all.joined(separator: "; ")
  }

  /// Orders that the configuration accepts; nil: it was not read.
  func gates(_ kind: ConfigurationKind) -> SeriesCapabilities? { read[kind]?.gates }

  /// Seconds between two measurements; nil: the band does not report it.
  func interval(of series: Series) -> Int? {
    ConfigurationKind.allCases.first { $0.series == series }.flatMap { read[$0]?.order.interval }
  }

  // MARK: Orders

  /// Writes orders that the band does not fulfil yet, and restores parts that are no longer ordered.
  func bringAbout() async throws(VisitTrouble) {
    refusals = [:]
    for kind in kinds { try await bringAbout(kind) }
  }

  private func bringAbout(_ kind: ConfigurationKind) async throws(VisitTrouble) {
    let asked = channel.link.orders.monitoring[kind.series] ?? MonitoringOrder()
    guard let now = try await look(kind) else {
      states[kind] = nil
      if !asked.isEmpty { refusals[kind] = "it does not say how it measures" }
      return
    }
    if let interval = asked.interval, !MonitoringIntervals.ofKit.contains(interval) {
      refusals[kind] = MonitoringIntervals.ofKit.refusal(of: interval)
      states[kind] = MonitoringState(kind.series, asked: asked, says: now.order)
      return
    }
    let changed = try await change(kind, now, asked)
    states[kind] = MonitoringState(kind.series, asked: asked, says: changed.order)
    if !asked.isEmpty, !asked.isMet(by: changed.order), refusals[kind] == nil {
      refusals[kind] = "it is not as ordered"
    }
  }

  /// - Returns: the configuration as read back.
  private func change(_ kind: ConfigurationKind, _ now: Configuration, _ asked: MonitoringOrder)
    async throws(VisitTrouble) -> Configuration
  {
    let link = channel.link
    var kept = link.remembered(ConfigurationsBefore.self) ?? ConfigurationsBefore()
    let before = kept.entries[kind]
    // An alarm may be ordered by one limit only. A limit that is no longer ordered is restored, too.
    let left = (before?.parts ?? []).subtracting(asked.parts.subtracting([.restLimits, .exerciseLimits]))
    var wanted = now
    if let before, let old = try? Configuration(kind, before.bytes) { wanted = wanted.with(left, of: old) }
    wanted = wanted.with(asked)
    var changed = now
    if wanted != now {
      // Stored before writing, so that a lost link does not lose the former state. Only the state before the first
      // change counts.
      let parts = (before?.parts ?? []).union(asked.isMet(by: now.order) ? [] : asked.parts)
      if !parts.isEmpty {
        let found = try TopStepChannel.written { () throws(MalformedMessage) in try now.wire() }
        kept.entries[kind] = .init(parts: parts, bytes: before?.bytes ?? found)
        try link.remember(kept)
      }
      changed = try await set(kind, wanted, was: now)
      let (meant, says) = (wanted.order.limits, changed.order.limits)
      if !asked.limits.isEmpty, refusals[kind] == nil, says.contains(where: { meant[$0.key] == nil }) {
        refusals[kind] = "it warns at a limit that was not ordered"
      }
    }
    // Parts that are no longer ordered get one attempt to restore them.
    if let entry = kept.entries[kind] {
      let parts = entry.parts.intersection(asked.parts)
      kept.entries[kind] = parts.isEmpty ? nil : .init(parts: parts, bytes: entry.bytes)
      try link.remember(kept)
    }
    return changed
  }

  private func set(_ kind: ConfigurationKind, _ wanted: Configuration, was now: Configuration)
    async throws(VisitTrouble) -> Configuration
  {
    let bytes = try TopStepChannel.written { () throws(MalformedMessage) in try wanted.wire() }
    guard channel.isDone(try await channel.ask(kind.setting, bytes)) else {
      refusals[kind] = "it refuses"
      return now
    }
    guard let changed = try await look(kind) else {
      refusals[kind] = "it does not say how it measures since it was ordered"
      return now
    }
    return changed
  }

  // MARK: Reading

  /// Reads these configurations, for example those that were changed elsewhere.
  func readAgain(_ kinds: [ConfigurationKind]) async throws(VisitTrouble) {
    for kind in kinds where self.kinds.contains(kind) {
      guard let now = try await look(kind) else { continue }
      states[kind] = states[kind]?.read(now.order) ?? MonitoringState(kind.series, asked: nil, says: now.order)
    }
  }

  /// nil if the band does not answer, or its answer is no message.
  private func look(_ kind: ConfigurationKind) async throws(VisitTrouble) -> Configuration? {
    read[kind] = nil
    guard let bytes = try await channel.askOnce(kind.reading) else { return nil }
    guard let configuration = try? Configuration(kind, bytes) else {
      channel.link.note("how it measures \(kind.series.name) is no message")
      return nil
    }
    read[kind] = configuration
    return configuration
  }
}

/// Configurations as they were before this hub changed them, and which parts it changed.
struct ConfigurationsBefore: RememberedState {
  static let name = "topstep-before"
  /// Longest stored configuration, bytes: one with every known field has 30.
  static let limit = 512

  struct Entry: Sendable, Hashable {
    let parts: MonitoringParts
    let bytes: [UInt8]
  }

  var entries: [ConfigurationKind: Entry] = [:]

  init() {}

  var isEmpty: Bool { entries.isEmpty }

  func write(to fields: inout FieldWriter) {
    for kind in ConfigurationKind.allCases {
      guard let entry = entries[kind] else { continue }
      fields.put(kind.rawValue, [entry.parts.rawValue] + entry.bytes.prefix(Self.limit))
    }
  }

  init?(_ fields: inout FieldReader, version: UInt16) {
    while let tag = fields.next() {
      guard let kind = ConfigurationKind(rawValue: tag) else { continue }
      var bytes: [UInt8]?
      fields.read(&bytes, atMost: Self.limit + 1)
      guard let bytes, let parts = bytes.first else { continue }
      entries[kind] = Entry(parts: MonitoringParts(rawValue: parts), bytes: Array(bytes.dropFirst()))
    }
  }
}
