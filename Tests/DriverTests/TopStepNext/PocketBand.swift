// The smallest band of the new platform that a session can visit: answers, what it recorded, and faults that a test
// switches on.

import Bands
import EventLoop
import Foundation
import Health
import StateCodec
import TopStepMessages
import Wearable

@testable import Bluetooth
@testable import DriverTestSupport
@testable import TopStepNextFamily

@LoopActor
final class PocketBand: LinkPeer {
  let database: GATTDatabase
  private(set) lazy var link = ScriptedLink(self)

  /// Bytes of a notification.
  var piece = 20
  var level: UInt32 = 80
  var isCharging = false
  /// nil: without an owner.
  var owner: String?
  /// Its answer to a binding or login, instead of the right one.
  var result: TopStepAuthenticationReply.Result?
  /// What it has, as its device info says.
  var capabilities: [UInt8] = PocketBand.word([0, 1, 2, 3, 5, 6, 7, 12])
  /// Messages of each type.
  var days: [UInt8: [[UInt8]]] = [:]
  /// Reports by itself when it has sent all.
  var saysEnd = false
  var heartRate = TopStepHeartRateConfiguration()
  var stress = TopStepMonitorConfiguration()
  var spo2 = TopStepMonitorConfiguration()
  /// Settings are acknowledged and not taken.
  var ignoresSettings = false
  /// Refuses a bound of an alarm at rest above this.
  var highestLimit = UInt32.max
  /// Answers bear the sequence of their request.
  var echoes = true
  /// Topics that it does not answer.
  var silent: Set<TopStepTopic> = []
  /// The first answers to a topic that are lost.
  var losing: [TopStepTopic: Int] = [:]
  /// What it sends instead of an answer.
  var instead: ((TopStepFrame) -> [[UInt8]]?)?
  /// Values of a measurement, each a second after the one before; then it ends the measurement, if it does so.
  var measured: [UInt32] = []
  var endsMeasuring = false
  var takesMeasuring = true

  private(set) var asked: [TopStepFrame] = []
  private(set) var time: TopStepTime?
  private(set) var user: TopStepUser?
  private(set) var authentication: TopStepAuthentication?
  /// Types of which it was told that all is held.
  private(set) var released: [UInt8] = []
  private(set) var isMeasuring = false
  private var pending: [UInt8] = []
  /// Number of the newest frame that it counted itself.
  var own: UInt16 = 500
  private var later: [(due: Int64, pieces: [[UInt8]])] = []

  init(isCommand: Bool = true) {
    database = .made(of: [
      GATTServiceDefinition(
        Band.service,
        [
          GATTCharacteristicDefinition(Band.command, isCommand ? .writeWithoutResponse : .write),
          GATTCharacteristicDefinition(Band.answer, .notify),
        ])
    ])
    heartRate.monitor.enabled = false
    heartRate.exerciseAlarm = TopStepAlarm()
    heartRate.restingAlarm = TopStepAlarm()
    heartRate.maximum = 190
    stress.monitor = TopStepMonitor()
    spo2.monitor = TopStepMonitor()
  }

  func take(_ user: TopStepUser) { self.user = user }

  static func word(_ bits: [Int]) -> [UInt8] {
    let word = bits.reduce(UInt64(0)) { $0 | 1 << UInt64($1) }
    return (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * UInt64($0))) }
  }

  var answer: GATTCharacteristic { database.characteristic(Band.answer, in: Band.service)! }

  // MARK: What it hears

  func read(_ characteristic: GATTCharacteristic) throws(VisitTrouble) -> [UInt8] { [] }
  func write(_ characteristic: GATTCharacteristic, _ value: [UInt8]) throws(VisitTrouble) { hear(value) }
  func command(_ characteristic: GATTCharacteristic, _ value: [UInt8]) throws(VisitTrouble) { hear(value) }

  func settled(_ duration: Duration) {
    let due = later.filter { $0.due <= link.now }
    later.removeAll { $0.due <= link.now }
    for entry in due { for piece in entry.pieces { link.notify(answer, piece) } }
  }

  private func hear(_ piece: [UInt8]) {
    pending += piece
    while pending.count >= 10 {
      let length = Int(pending[4]) << 8 | Int(pending[5])
      guard pending.count >= 10 + length else { return }
      let frame = TopStepFrame(
        topic: TopStepTopic(pending[1], pending[2]), flags: pending[3],
        sequence: UInt16(pending[8]) << 8 | UInt16(pending[9]), payload: Array(pending[10..<(10 + length)]))
      let crc = UInt16(pending[6]) << 8 | UInt16(pending[7])
      pending.removeFirst(10 + length)
      guard crc == CRC16ARC.of(frame.payload), frame.flags == 0 else { continue }
      asked.append(frame)
      meet(frame)
    }
  }

  private func meet(_ frame: TopStepFrame) {
    if silent.contains(frame.topic) { return }
    if let left = losing[frame.topic], left > 0 {
      losing[frame.topic] = left - 1
      return
    }
    if let bytes = instead?(frame) {
      for one in bytes { notify(one) }
      return
    }
    guard let payload = try? payload(for: frame) else { return }
    reply(frame, payload)
    if frame.topic == .syncStart { sendDays(frame) }
    if frame.topic == .liveControl { startMeasuring(frame) }
  }

  // MARK: What it says

  private func payload(for frame: TopStepFrame) throws -> [UInt8] {
    switch frame.topic {
    case .battery:
      var battery = TopStepBattery()
      (battery.level, battery.charging) = (level, isCharging)
      return try battery.wire()
    case .bind, .login: return try authenticate(frame)
    case .unbind:
      owner = nil
      return []
    case .time:
      time = try TopStepTime(wire: frame.payload)
      return []
    case .user:
      user = try TopStepUser(wire: frame.payload)
      return []
    case .deviceInfo:
      var info = TopStepDeviceInfo()
      info.brand = Data("Hearth's".utf8)
      info.model = Data("Pocket".utf8)
      info.version = Data("1.2.3".utf8)
      info.capabilities = Data(capabilities)
      return try info.wire()
    case .functions: return [0x0A, 0x02, 0x01, 0x02]
    case .bluetoothInfo:
      var info = TopStepBluetoothInfo()
      info.name = Data("Pocket".utf8)
      return try info.wire()
    case .heartRate: return try heartRate.wire()
    case .stress: return try stress.wire()
    case .spo2: return try spo2.wire()
    case .setHeartRate:
      if !ignoresSettings { heartRate = try TopStepHeartRateConfiguration(wire: frame.payload) }
      if heartRate.restingAlarm.max > highestLimit { heartRate.restingAlarm.max = highestLimit }
      return []
    case .setStress:
      if !ignoresSettings { stress = try TopStepMonitorConfiguration(wire: frame.payload) }
      return []
    case .setSpO2:
      if !ignoresSettings { spo2 = try TopStepMonitorConfiguration(wire: frame.payload) }
      return []
    case .syncStart:
      let start = try TopStepSyncStart(wire: frame.payload)
      var reply = TopStepSyncStartReply()
      reply.type = start.type
      reply.result = messages(start).isEmpty ? .nothingNewer : .ok
      return try reply.wire()
    case .syncEnd:
      released.append(UInt8(try TopStepSyncEnd(wire: frame.payload).type.rawValue))
      return []
    case .liveControl: return takesMeasuring ? [] : [0x08, 0x01]
    default: throw MalformedMessage()
    }
  }

  private func authenticate(_ frame: TopStepFrame) throws -> [UInt8] {
    let message = try TopStepAuthentication(wire: frame.payload)
    authentication = message
    var reply = TopStepAuthenticationReply()
    reply.boundBefore = owner != nil
    let isKnown = owner == message.userID || (owner == nil && frame.topic == .bind)
    reply.result = result ?? (isKnown ? .ok : .otherUser)
    if [.ok, .okWithoutClassic].contains(reply.result) {
      owner = message.userID
      if message.hasUser { user = message.user }
    }
    return try reply.wire()
  }

  private func messages(_ start: TopStepSyncStart) -> [[UInt8]] { days[UInt8(start.type.rawValue)] ?? [] }

  private func sendDays(_ frame: TopStepFrame) {
    guard let start = try? TopStepSyncStart(wire: frame.payload) else { return }
    let type = UInt8(start.type.rawValue)
    let messages = messages(start)
    for message in messages { tell(.data(type), message) }
    if saysEnd, !messages.isEmpty { tell(.syncEnd, [0x08, type]) }
  }

  private func startMeasuring(_ frame: TopStepFrame) {
    guard takesMeasuring, let control = try? TopStepLiveControl(wire: frame.payload) else { return }
    isMeasuring = control.action == .start
    if !isMeasuring { later = [] }
    guard isMeasuring else { return }
    for (place, value) in measured.enumerated() {
      var message = TopStepLiveValue()
      message.value = value
      say(.liveValue, (try? message.wire()) ?? [], after: Int64(place + 1))
    }
    if endsMeasuring { say(.liveStopped, [], after: Int64(measured.count + 1)) }
  }

  /// By itself, now.
  func tell(_ topic: TopStepTopic, _ payload: [UInt8], flags: UInt8 = 0) {
    own += 1
    notify(TopStepFrame(topic: topic, flags: flags, sequence: own, payload: payload).bytes)
  }

  private func say(_ topic: TopStepTopic, _ payload: [UInt8], after seconds: Int64) {
    own += 1
    let frame = TopStepFrame(topic: topic, sequence: own, payload: payload)
    later.append((link.now + seconds * 1_000_000_000, cut(frame.bytes)))
  }

  private func reply(_ frame: TopStepFrame, _ payload: [UInt8]) {
    own += 1
    notify(TopStepFrame(topic: frame.topic, sequence: echoes ? frame.sequence : own, payload: payload).bytes)
  }

  func notify(_ bytes: [UInt8]) { for piece in cut(bytes) { link.notify(answer, piece) } }

  private func cut(_ bytes: [UInt8]) -> [[UInt8]] {
    stride(from: 0, to: bytes.count, by: piece).map { Array(bytes[$0..<min($0 + piece, bytes.count)]) }
  }

  /// Requests of a topic.
  func requests(_ topic: TopStepTopic) -> [TopStepFrame] { asked.filter { $0.topic == topic } }

  // MARK: What it recorded

  /// s since 2000, at the begin of the day of the link's clock.
  var midnight: Int64 { TopStep.floored(TopStep.seconds(link.hubTime.wall.microseconds), 86_400) * 86_400 }

  /// A day before that of the link's clock, and one night, with something of everything.
  func recordSomething() throws {
    let day = midnight - 86_400
    var rates = TopStepHeartRateDay()
    (rates.start, rates.end) = (day, day + 86_399)
    rates.manual = [.of(day + 3600, 71)]
    rates.automatic = Data([0, 60, 61])
    rates.resting = [.of(day + 7200, 52)]
    rates.extremes = [.of(day + 600, 48), .of(day + 900, 150)]
    var values = TopStepMeasuredDay()
    (values.start, values.end) = (day, day + 86_399)
    values.automatic = Data([97, 0, 98])
    var night = TopStepSleepNight()
    night.midnight = day
    night.items = [.of(day + 1800, 3600, .light), .of(day + 5400, 1800, .deep), .of(day + 7200, 600, .awake)]
    var activity = TopStepActivityDay()
    (activity.start, activity.end) = (day, day + 86_399)
    (activity.steps, activity.calories, activity.distance, activity.active) = (
      [0, 420], [0, 21_000], [0, 310], [0, 6]
    )
    var sport = TopStepSport()
    (sport.start, sport.end, sport.type, sport.duration) = (day + 40_000, day + 41_800, 5, 1800)
    (sport.distance, sport.calories, sport.heartRateMean, sport.heartRateMax) = (5000, 300, 140, 171)
    days = [
      1: [try rates.wire()], 2: [try values.wire()], 4: [try values.wire()], 5: [try night.wire()],
      6: [try activity.wire()], 7: [try sport.wire()],
    ]
  }
}

extension TopStepReading {
  static func of(_ time: Int64, _ value: UInt32) -> TopStepReading {
    var reading = TopStepReading()
    (reading.time, reading.value) = (time, value)
    return reading
  }
}

extension TopStepSleepItem {
  static func of(_ time: Int64, _ duration: UInt32, _ stage: Stage) -> TopStepSleepItem {
    var item = TopStepSleepItem()
    (item.time, item.duration, item.stage) = (time, duration, stage)
    return item
  }
}

/// Keeps all that is said of each value.
final class DaySink: ItemSink {
  struct Value: Equatable {
    let series: Series
    let values: [Int64]
    /// s since 2000.
    let time: Int64
    var kind = SampleKind.normal
    var isManual = false
    var isLowQuality = false
  }

  private(set) var values: [Value] = []
  private(set) var anomalies: [String] = []

  func append(
    _ series: Series, _ values: [Int64], bytes: [UInt8], at deviceTime: Int64, kind: SampleKind, isManual: Bool
  ) {
    append(series, values, bytes: bytes, at: deviceTime, kind: kind, isManual: isManual, isLowQuality: false)
  }

  func append(
    _ series: Series, _ values: [Int64], bytes: [UInt8], at deviceTime: Int64, kind: SampleKind, isManual: Bool,
    isLowQuality: Bool
  ) {
    self.values.append(
      Value(
        series: series, values: values, time: TopStep.seconds(deviceTime), kind: kind, isManual: isManual,
        isLowQuality: isLowQuality))
  }

  func noteAnomaly(_ what: StaticString) { anomalies.append("\(what)") }

  /// What one item says.
  static func reading(_ item: DayItem) throws -> DaySink {
    let sink = DaySink()
    var reader = DayReader(item, into: sink)
    try reader.read()
    return sink
  }
}

/// The trouble that a body ends with.
@LoopActor
func trouble(_ body: () async throws(VisitTrouble) -> Void) async -> VisitTrouble? {
  do throws(VisitTrouble) { try await body() } catch { return error }
  return nil
}
