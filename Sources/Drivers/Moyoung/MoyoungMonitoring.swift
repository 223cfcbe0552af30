// Interval of automatic heart rates: read, changed by order, read back.

import Bluetooth
import EventLoop
import Health
import StateCodec
import Wearable

/// Commands 31 and 47. The protocol has no other part of automatic measuring: no window, no alerts, no highest rate.
@LoopActor
final class MoyoungMonitoring {
  nonisolated static let choice = MonitoringChoice(
    .heartRate, [.isOn, .interval], needs: [.monitoring, .monitoringInterval],
    intervals: MonitoringIntervals(oneOf: MoyoungInterval.seconds), beginsByInterval: true)

  private let link: any WearableLink
  private let client: MoyoungClient
  private var state: MonitoringState?
  /// Reason why the band does not measure as ordered, for display; nil: it does.
  private(set) var refused: String?

  init(_ link: any WearableLink, _ client: MoyoungClient) { (self.link, self.client) = (link, client) }

  /// State as read last; empty if the band does not report it.
  var states: [MonitoringState] { state.map { [$0] } ?? [] }

  // MARK: Orders

  /// Writes an order that the band does not fulfil yet, and restores the interval if it is no longer ordered. A refusal
  /// is kept for the end of the visit, which otherwise continues.
  func bringAbout() async throws(VisitTrouble) {
    refused = nil
    let asked = link.orders.monitoring[.heartRate] ?? MonitoringOrder()
    guard let now = try await read() else {
      state = nil
      if !asked.isEmpty { refused = "it does not say how often it measures" }
      return
    }
    let left = asked.isEmpty ? try await restore(now) : try await carryOut(asked, now)
    let says = Self.order(left)
    state = MonitoringState(.heartRate, asked: asked, says: says)
    if asked.isEmpty || asked.isMet(by: says) || refused != nil { return }
    refused = left == 0 ? "it does not measure by itself" : "it measures every \(Int(left) * 5) min"
  }

  /// Restores the interval from before the first order.
  private func restore(_ now: UInt8) async throws(VisitTrouble) -> UInt8 {
    guard let before = link.remembered(MoyoungIntervalBefore.self)?.code else { return now }
    let left = before == now ? now : try await set(before)
    if left != before { link.note("it does not go back to how often it measured before") }
    refused = nil
    link.forget(MoyoungIntervalBefore.self)
    return left
  }

  private func carryOut(_ asked: MonitoringOrder, _ now: UInt8) async throws(VisitTrouble) -> UInt8 {
    let others = asked.parts.subtracting(Self.choice.parts)
    guard others.isEmpty else {
      refused = "it does not have \(others.words.joined(separator: ", "))"
      return now
    }
    guard let wanted = wanted(asked, now) else { return now }
    if wanted == now { return now }
    // Stored before writing, so that a lost link does not lose the former state. Only the state before the first order
    // counts.
    if link.remembered(MoyoungIntervalBefore.self) == nil { try link.remember(MoyoungIntervalBefore(code: now)) }
    return try await set(wanted)
  }

  /// Code of an order; nil if no code expresses it.
  private func wanted(_ asked: MonitoringOrder, _ now: UInt8) -> UInt8? {
    if asked.isOn == false { return 0 }
    guard let seconds = asked.interval else {
      if now != 0 { return now }
      refused = "it measures by itself with an interval alone: \(Self.choice.intervals.words)"
      return nil
    }
    guard let code = MoyoungInterval.code(seconds) else {
      refused = Self.choice.intervals.refusal(of: seconds)
      return nil
    }
    return code
  }

  /// - Returns: the code as read back.
  private func set(_ wanted: UInt8) async throws(VisitTrouble) -> UInt8 {
    try await client.tell(Moyoung.Command.setInterval, [wanted])
    return try await client.ask(Moyoung.Command.queryInterval).first ?? 0
  }

  // MARK: Reading

  func readAgain() async throws(VisitTrouble) -> [MonitoringState] {
    guard let now = try await read() else { throw .unsupported("it does not say how often it measures") }
    let says = Self.order(now)
    state = state?.read(says) ?? MonitoringState(.heartRate, asked: nil, says: says)
    return states
  }

  private func read() async throws(VisitTrouble) -> UInt8? {
    guard let answer = try await client.askIfKnown(Moyoung.Command.queryInterval) else { return nil }
    guard let code = answer.first else {
      link.note("it does not say how often it measures")
      return nil
    }
    if MoyoungInterval.seconds(code) == nil {
      link.note("it measures as often as code \(code) says, which is not known")
    }
    return code
  }

  /// Order of a code. An unknown interval is left out.
  private static func order(_ code: UInt8) -> MonitoringOrder {
    var order = MonitoringOrder()
    order.isOn = code != 0
    if code != 0 { order.interval = MoyoungInterval.seconds(code) }
    return order
  }
}

/// Code of the interval before this hub changed it by order.
struct MoyoungIntervalBefore: RememberedState {
  static let name = "moyoung-interval"
  let code: UInt8

  init(code: UInt8) { self.code = code }

  func write(to fields: inout FieldWriter) { fields.put(1, code) }

  init?(_ fields: inout FieldReader, version: UInt16) {
    var code: UInt8?
    while let tag = fields.next() { if tag == 1 { fields.read(&code) } }
    guard let code else { return nil }
    self.code = code
  }
}
