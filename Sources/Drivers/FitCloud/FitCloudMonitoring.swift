// Automatic measuring: read, written by order, read back.

import Bands
import EventLoop
import Health
import Wearable

@LoopActor
final class FitCloudMonitoring {
  /// Series with the band's number for it.
  private struct Subject: Sendable, Hashable {
    let series: Series
    let type: UInt8
    let feature: FitCloudFeatures.Feature
  }

  private nonisolated static let subjects = [
    Subject(series: .heartRate, type: 1, feature: .heartRate), Subject(series: .spo2, type: 2, feature: .spo2),
  ]

  /// Settings that can be ordered. Limits are left out: the layout of the band's alarms is not published.
  nonisolated static let choices = subjects.map {
    MonitoringChoice($0.series, [.isOn, .window, .interval], needs: .monitoring, intervals: .ofKit)
  }

  private let link: any WearableLink
  private let client: FitCloudClient
  private var features: FitCloudFeatures?
  private(set) var states: [MonitoringState] = []
  /// Reason why the band does not measure as ordered, for display; nil: it does.
  private(set) var refused: String?
  /// The band has one monitor for all series, without types.
  private var isCommon = false

  init(_ client: FitCloudClient) { (self.client, link) = (client, client.link) }

  /// Offset of the monitor within all settings of the old generation, which have 53 bytes. Before the monitor are
  /// notifications (4), display (2), features (2) and versions (32). Fields that a later band appends follow those and
  /// are not read. The monitor is written with a key of its own, so the rest is never written.
  private static let placeInSettings = 40
  private static let settingsSize = 53
  /// Type under which the common monitor is stored.
  private static let common: UInt8 = 0

  /// Orders that the band accepts, from the states as read.
  var announced: WearableCapabilities {
    var all = WearableCapabilities()
    for state in states {
      all.insert([.monitoring, .monitoringWindow], [state.series])
      if state.says.interval != nil { all.insert(.monitoringInterval, [state.series]) }
    }
    return all
  }

  /// - Parameter features: nil if the band does not report its features.
  func bringAbout(_ features: FitCloudFeatures?) async throws(VisitTrouble) {
    self.features = features
    refused = nil
    states = []
    // What the first subject reveals about the band's keys applies to the next.
    for subject in Self.subjects where isServed(subject) {
      guard let now = try await read(subject) else {
        if link.orders.monitoring[subject.series]?.isEmpty == false {
          refuse("it does not say how it measures \(subject.series.name)")
        }
        continue
      }
      let asked = link.orders.monitoring[subject.series] ?? MonitoringOrder()
      let left = asked.isEmpty ? try await restore(subject, now) : try await carryOut(asked, subject, now)
      let says = Self.order(left)
      states.append(MonitoringState(subject.series, asked: asked, says: says))
      if !asked.isEmpty, !asked.isMet(by: says) { refuse("\(subject.series.name) is not as ordered") }
    }
    for series in link.orders.monitoring.keys.sorted(by: { $0.id < $1.id })
    where !Self.subjects.contains(where: { $0.series == series && isServed($0) })
      && link.orders.monitoring[series]?.isEmpty == false
    {
      refuse("it does not measure \(series.name) by itself")
    }
  }

  func readAgain() async throws(VisitTrouble) -> [MonitoringState] {
    for subject in Self.subjects where isServed(subject) {
      guard let now = try await read(subject) else { continue }
      let says = Self.order(now)
      if let place = states.firstIndex(where: { $0.series == subject.series }) {
        states[place] = states[place].read(says)
      } else {
        states.append(MonitoringState(subject.series, asked: nil, says: says))
      }
    }
    return states
  }

  private func refuse(_ why: String) { if refused == nil { refused = why } }

  /// Whether a series has a monitor. The common monitor is shown and ordered with the heart rate, which all bands
  /// measure.
  private func isServed(_ subject: Subject) -> Bool {
    if isCommon || client.generation == .old, subject.type != 1 { return false }
    return features.map { $0.has(subject.feature) } ?? (subject.type == 1)
  }

  // MARK: Orders

  private func restore(_ subject: Subject, _ now: FitCloudMonitor) async throws(VisitTrouble) -> FitCloudMonitor {
    var before = link.remembered(FitCloudMonitorBefore.self) ?? FitCloudMonitorBefore()
    guard let wanted = before[number(subject)] else { return now }
    let left = wanted == now ? now : try await write(wanted, subject, was: now)
    // Without an order there is only one attempt.
    if left != wanted { link.note("it measures \(subject.series.name) otherwise than before it was ordered to") }
    before[number(subject)] = nil
    if before.isEmpty { link.forget(FitCloudMonitorBefore.self) } else { try link.remember(before) }
    return left
  }

  private func carryOut(_ asked: MonitoringOrder, _ subject: Subject, _ now: FitCloudMonitor)
    async throws(VisitTrouble) -> FitCloudMonitor
  {
    var wanted = now
    if let isOn = asked.isOn { wanted.isOn = isOn }
    if let window = asked.window {
      (wanted.begin, wanted.end) = (UInt16(clamping: window.begin), UInt16(clamping: window.end))
    }
    if let seconds = asked.interval {
      guard now.interval != nil else {
        refuse("how often it measures \(subject.series.name) is its own choice")
        return now
      }
      guard MonitoringIntervals.ofKit.contains(seconds) else {
        refuse(MonitoringIntervals.ofKit.refusal(of: seconds))
        return now
      }
      wanted.interval = UInt16(clamping: seconds / 60)
    }
    if wanted == now { return now }
    // Stored before writing, so that a lost link does not lose the former state. Only the state before the first order
    // counts.
    var before = link.remembered(FitCloudMonitorBefore.self) ?? FitCloudMonitorBefore()
    if before[number(subject)] == nil {
      before[number(subject)] = now
      try link.remember(before)
    }
    return try await write(wanted, subject, was: now)
  }

  // MARK: Wire

  private func number(_ subject: Subject) -> UInt8 {
    isCommon || client.generation == .old ? Self.common : subject.type
  }

  /// - Returns: the monitor as read back.
  private func write(_ wanted: FitCloudMonitor, _ subject: Subject, was now: FitCloudMonitor)
    async throws(VisitTrouble) -> FitCloudMonitor
  {
    if client.generation == .old {
      try await client.send(FitCloudItem(.setOldMonitor, Array(wanted.bytes.prefix(FitCloudMonitor.shortSize))))
    } else if isCommon {
      try await client.send(FitCloudItem(.setMonitor, wanted.bytes))
    } else {
      try await client.send(FitCloudItem(.setTypeMonitor, [subject.type] + wanted.bytes))
    }
    guard let left = try await read(subject) else {
      refuse("it does not say how it measures \(subject.series.name) since it was ordered")
      return now
    }
    return left
  }

  /// nil if the band does not reply, or its reply is unreadable.
  private func read(_ subject: Subject) async throws(VisitTrouble) -> FitCloudMonitor? {
    if client.generation == .old {
      guard let value = try await client.ask(.allSettings), value.count >= Self.settingsSize else { return nil }
      return FitCloudMonitor(Array(value[Self.placeInSettings...].prefix(FitCloudMonitor.shortSize)))
    }
    if !isCommon {
      let reply = try await client.ask(.typeMonitor, [subject.type], within: Self.patience)
      if let reply { return Self.monitor(reply, of: subject.type) }
      isCommon = true
      if subject.type != 1 { return nil }
    }
    return try await client.ask(.monitor, within: Self.patience).flatMap { FitCloudMonitor($0) }
  }

  /// Parses a reply with the type in front, or without it: the two differ in size.
  private static func monitor(_ reply: [UInt8], of type: UInt8) -> FitCloudMonitor? {
    if let plain = FitCloudMonitor(reply) { return plain }
    return reply.first == type ? FitCloudMonitor(Array(reply.dropFirst())) : nil
  }

  /// Shorter than for a command: not every band has these keys, and the check has more to do.
  private static let patience: Duration = .seconds(4)

  private static func order(_ monitor: FitCloudMonitor) -> MonitoringOrder {
    var order = MonitoringOrder()
    order.isOn = monitor.isOn
    order.window = MonitoringWindow(begin: Int(monitor.begin), end: Int(monitor.end))
    if let interval = monitor.interval { order.interval = Int(interval) * 60 }
    return order
  }
}
