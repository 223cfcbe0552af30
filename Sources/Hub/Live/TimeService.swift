// The hub's own Current Time Service, from which a wearable can read the time over its link.

import Bluetooth
import CivilTime
import EventLoop
import Health

/// Current Time Service 1.1 with Current Time (2A2B), read and notified, and Local Time Information (2A0F), read.
/// Writes are refused, so no wearable sets the hub's clock.
///
/// The time is that of the hub's zone. If the hub's clock cannot be right, a read is refused with Unlikely Error (0E),
/// as the service has no value. A wrong time is worse for a wearable than no time.
enum TimeService {
  static let service: BluetoothUUID = 0x1805
  static let currentTime: BluetoothUUID = 0x2A2B
  static let localTime: BluetoothUUID = 0x2A0F

  static let server = GATTServer([
    GATTServiceDefinition(
      service,
      [
        GATTCharacteristicDefinition(currentTime, [.read, .notify]), GATTCharacteristicDefinition(localTime, .read),
      ])
  ])

  /// Reasons why the time is notified (section 3.1.2.1).
  struct Reason: OptionSet {
    let rawValue: UInt8
    static let reference = Reason(rawValue: 1 << 1)
    static let zone = Reason(rawValue: 1 << 2)
    static let daylight = Reason(rawValue: 1 << 3)
  }

  /// Sets the values that a wearable reads now.
  @LoopActor
  static func show(_ context: HubContext, _ server: inout GATTServer) {
    guard context.clockIsPlausible else {
      for characteristic in [currentTime, localTime] { server.refuseReading(characteristic, .unlikelyError) }
      return
    }
    server.setValue(current(context.loop.wall, context.options.timeZone), for: currentTime)
    server.setValue(local(context.loop.wall, context.options.timeZone), for: localTime)
  }

  /// Current Time: year (two bytes), month, day, hour, minute, second, weekday (1 Monday), 1/256 s, reason.
  static func current(_ time: WallTime, _ zone: TimeZoneRules, _ reason: Reason = []) -> [UInt8] {
    let (shown, overflow) = time.microseconds.addingReportingOverflow(
      Int64(zone.offset(at: time.microseconds)) * 1_000_000)
    let local = overflow ? time.microseconds : shown
    let date = LocalDate(dayNumber: floorDivide(local, 86_400_000_000))
    let inDay = floorRemainder(local, 86_400_000_000)
    let (second, fraction) = (inDay / 1_000_000, inDay % 1_000_000 * 256 / 1_000_000)
    // 1970-01-01 was a Thursday.
    let weekday = floorRemainder(date.dayNumber + 3, 7) + 1
    var bytes: [UInt8] = []
    bytes.append(littleEndian: UInt16(clamping: date.year))
    bytes += [UInt8(clamping: date.month), UInt8(clamping: date.day)]
    bytes += [UInt8(clamping: second / 3600), UInt8(clamping: second / 60 % 60), UInt8(clamping: second % 60)]
    return bytes + [UInt8(clamping: weekday), UInt8(clamping: fraction), reason.rawValue]
  }

  /// Local Time Information: quarters of an hour east of Greenwich without daylight saving (128 unknown), daylight
  /// saving in quarters (0, 2, 4, 8; 255 unknown). A zone without such a number is unknown.
  static func local(_ time: WallTime, _ zone: TimeZoneRules) -> [UInt8] {
    let (standard, daylight) = zone.parts(at: time.microseconds)
    guard standard % 15 == 0, let quarters = Int8(exactly: standard / 15), (-48...56).contains(quarters),
      [0, 30, 60, 120].contains(daylight)
    else { return [0x80, 0xFF] }
    return [UInt8(bitPattern: quarters), UInt8(daylight / 15)]
  }
}

/// Notifies subscribers when the hub's clock differs from what they got: set by a time server, plausible at last, or
/// changed with daylight saving.
@LoopActor
final class TimeTeller {
  private let context: HubContext
  private var clients: [GATTClient] = []
  private var timer: LoopTimer?
  private var told: Clock?

  private struct Clock {
    /// µs: wall clock minus monotonic clock.
    var distance: Int64
    /// s.
    var offset: Int
    /// Minutes.
    var daylight: Int
    var isPlausible: Bool
  }

  /// A change that a display with seconds would show, µs.
  private static let step: Int64 = 1_000_000
  private static let period: Duration = .seconds(10)

  init(_ context: HubContext) { self.context = context }

  /// Serves for as long as the link lasts.
  func serve(_ client: GATTClient) {
    client.onServe = { [context] server in TimeService.show(context, &server) }
    clients.append(client)
    if told == nil { told = clock }
    if timer == nil { look() }
  }

  private var clock: Clock {
    let (wall, zone) = (context.loop.wall.microseconds, context.options.timeZone)
    return Clock(
      distance: wall &- context.loop.now.nanoseconds / 1000, offset: zone.offset(at: wall),
      daylight: zone.parts(at: wall).daylight, isPlausible: context.clockIsPlausible)
  }

  private func look() {
    timer = nil
    clients.removeAll { !$0.isOpen }
    if clients.isEmpty {
      told = nil
      return
    }
    timer = context.loop.schedule(after: Self.period) { [weak self] in self?.look() }
    let now = clock
    guard let before = told, now.isPlausible else {
      told?.isPlausible = now.isPlausible
      return
    }
    var reason: TimeService.Reason = []
    if (now.distance &- before.distance).magnitude > UInt64(Self.step) || !before.isPlausible { reason = .reference }
    if now.offset - 60 * now.daylight != before.offset - 60 * before.daylight { reason.insert(.zone) }
    if now.daylight != before.daylight { reason.insert(.daylight) }
    guard !reason.isEmpty else { return }
    told = now
    let value = TimeService.current(context.loop.wall, context.options.timeZone, reason)
    for client in clients { client.notify(TimeService.currentTime, value) }
  }
}
