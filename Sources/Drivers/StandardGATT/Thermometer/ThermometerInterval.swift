// The measurement interval of a thermometer: read, written if ordered, and read back.

import Bluetooth
import EventLoop
import Health
import StateCodec
import Wearable

/// Measurement Interval (2A21; Health Thermometer Service 1.0, section 3.4) of one thermometer: seconds, 0 for "not
/// periodic". The descriptor Valid Range (2906) has the shortest and the longest accepted interval, two bytes each. 0
/// is always accepted.
@LoopActor
final class ThermometerInterval {
  private static let validRange: BluetoothUUID = 0x2906
  nonisolated static let choice = MonitoringChoice(
    .bodyTemperature, [.isOn, .interval], needs: [.monitoring, .monitoringInterval],
    intervals: MonitoringIntervals(1...65_535), beginsByInterval: true)

  private let link: any WearableLink
  private let characteristic: GATTCharacteristic
  private var state: MonitoringState?
  /// Accepted seconds; nil if unknown.
  private var takes: ClosedRange<Int>?
  /// Difference from the order, for people; nil if there is none.
  private(set) var refused: String?

  /// nil without a readable interval.
  init?(_ link: any WearableLink) {
    guard let found = link.database.characteristic(Thermometer.interval, in: Thermometer.service),
      found.properties.contains(.read)
    else { return nil }
    (self.link, characteristic) = (link, found)
  }

  /// The state as last read.
  var states: [MonitoringState] { state.map { [$0] } ?? [] }

  private var isSettable: Bool { characteristic.properties.contains(.write) }

  var announced: WearableCapabilities {
    WearableCapabilities(isSettable ? [.monitoring, .monitoringInterval] : .monitoring, [.bodyTemperature])
  }

  // MARK: Orders

  /// Writes the interval if it differs from the order, or if an earlier order has changed it and has ended. A refusal
  /// is reported at the end of the visit, which goes on.
  func bringAbout() async throws(VisitTrouble) {
    refused = nil
    let asked = link.orders.monitoring[.bodyTemperature] ?? MonitoringOrder()
    guard let now = try await read() else {
      state = nil
      if !asked.isEmpty { refused = "it does not say how often it measures" }
      return
    }
    takes = isSettable ? try await range() : nil
    let left = asked.isEmpty ? try await restore(now) : try await carryOut(asked, now)
    let says = Self.order(left)
    state = MonitoringState(.bodyTemperature, asked: asked, says: says, takes: takes)
    if asked.isEmpty || asked.isMet(by: says) || refused != nil { return }
    refused = left == 0 ? "it measures only when it is used" : "it measures every \(left) s"
  }

  /// Restores the interval from before an order.
  private func restore(_ now: UInt16) async throws(VisitTrouble) -> UInt16 {
    guard let before = link.remembered(IntervalBefore.self)?.seconds else { return now }
    let left = before == now || !isSettable ? now : try await set(before, was: now)
    // Tried once, as no order asks for it.
    if left != before { link.note("it measures every \(left) s, and did every \(before) s") }
    refused = nil
    link.forget(IntervalBefore.self)
    return left
  }

  private func carryOut(_ asked: MonitoringOrder, _ now: UInt16) async throws(VisitTrouble) -> UInt16 {
    let wanted = asked.isOn == false ? 0 : asked.interval.map { UInt16(clamping: $0) } ?? now
    if wanted == now { return now }
    guard isSettable else {
      refused = "how often it measures can only be read: \(now) s"
      return now
    }
    if wanted != 0, let takes, !takes.contains(Int(wanted)) {
      refused = MonitoringIntervals(takes).refusal(of: Int(wanted))
      return now
    }
    // Stored before the write, so that a lost link does not lose the earlier interval. Later changes are from one order
    // to another.
    if link.remembered(IntervalBefore.self) == nil { try link.remember(IntervalBefore(seconds: now)) }
    return try await set(wanted, was: now)
  }

  /// - Returns: the interval as read back.
  private func set(_ wanted: UInt16, was now: UInt16) async throws(VisitTrouble) -> UInt16 {
    var bytes: [UInt8] = []
    bytes.append(littleEndian: wanted)
    do throws(VisitTrouble) { try await link.write(characteristic, bytes) } catch {
      guard case .refused(let code, _) = error else { throw error }
      refused = "it refuses \(wanted) s between two measurements: \(code)"
      return now
    }
    guard let left = try await read() else {
      refused = "it does not say how often it measures since it was ordered \(wanted) s"
      return now
    }
    return left
  }

  // MARK: Reading

  func readAgain() async throws(VisitTrouble) -> [MonitoringState] {
    guard let now = try await read() else { throw .unsupported("it does not say how often it measures") }
    let says = Self.order(now)
    state = state?.read(says) ?? MonitoringState(.bodyTemperature, asked: nil, says: says, takes: takes)
    return states
  }

  /// nil if it is refused or malformed.
  private func read() async throws(VisitTrouble) -> UInt16? {
    do throws(VisitTrouble) {
      let bytes = try await link.read(characteristic)
      let interval = bytes.withUnsafeBytes { try? MeasurementInterval($0) }
      if interval == nil { link.note("its interval cannot be read: \(bytes.count) bytes in place of 2") }
      return interval?.seconds
    } catch {
      guard case .refused(let code, _) = error else { throw error }
      link.note("its interval cannot be read: \(code)")
      return nil
    }
  }

  /// nil if it is missing or malformed: the write then shows whether an interval is accepted.
  private func range() async throws(VisitTrouble) -> ClosedRange<Int>? {
    guard let descriptor = characteristic.descriptors.first(where: { $0.uuid == Self.validRange }) else { return nil }
    let bytes: [UInt8]
    do throws(VisitTrouble) { bytes = try await link.read(descriptor) } catch {
      guard case .refused = error else { throw error }
      return nil
    }
    let range = bytes.withUnsafeBytes { bytes -> ClosedRange<Int>? in
      var reader = ByteReader(bytes)
      guard let lowest = reader.u16(), let highest = reader.u16(), lowest <= highest else { return nil }
      return Int(lowest)...Int(highest)
    }
    if range == nil { link.note("the range of its interval makes no sense: \(bytes.prefix(4))") }
    return range
  }

  private static func order(_ seconds: UInt16) -> MonitoringOrder {
    var order = MonitoringOrder()
    order.isOn = seconds != 0
    if seconds != 0 { order.interval = Int(seconds) }
    return order
  }
}

/// The interval from before an order of this hub.
struct IntervalBefore: RememberedState {
  static let name = "interval-before"
  let seconds: UInt16

  init(seconds: UInt16) { self.seconds = seconds }

  func write(to fields: inout FieldWriter) { fields.put(1, seconds) }

  init?(_ fields: inout FieldReader, version: UInt16) {
    var seconds: UInt16?
    while let tag = fields.next() { if tag == 1 { fields.read(&seconds) } }
    guard let seconds else { return nil }
    self.seconds = seconds
  }
}
