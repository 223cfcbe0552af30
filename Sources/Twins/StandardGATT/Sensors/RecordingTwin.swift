// Sensor that stores records and sends them by its Record Access Control Point (2A52).

import Bluetooth
public import EventLoop
import Simulation

/// Properties of its records.
public struct RecordingTraits: Sendable {
  /// True if it stores records.
  public var isRecording = true
  /// Interval of records, with or without a link.
  public var recordsEvery: ClosedRange<Duration> = .seconds(60)...(.seconds(300))
  /// Records that exist at the beginning, each with an earlier time.
  public var firstRecords = 0
  /// Interval between those.
  public var firstSpacing = Duration.seconds(300)
  /// Capacity; the oldest record is dropped first.
  public var capacity = 200
  /// Whether the operator ordered the deletion of records. Otherwise a hub that deletes is at fault.
  public var mayBeDeleted = false
  /// Operators other than `all` by record number.
  public var hasOperators = true

  /// Records without faults.
  public init() {}
}

/// Record, as it will be sent.
struct HealthRecord {
  let number: UInt32
  let reading: UInt64
  let takenAt: Instant
  let shown: Int64
  let timeline: Int
}

/// Common part of oximeters with storage and of generic health sensors.
public class RecordingTwin: HealthTwin {
  /// Properties of its records.
  public let recording: RecordingTraits
  private(set) var records: [HealthRecord] = []
  /// Numbers of the stored records, oldest first.
  public var recordNumbers: [UInt32] { records.map(\.number) }
  /// Numbers of records from before a moment that were never delivered.
  public func untold(before moment: Instant) -> [UInt32] {
    records.filter { $0.takenAt < moment && !ledger.wasDelivered($0.reading) }.map(\.number)
  }
  /// Measurements that were in records, whether they still are or not.
  public private(set) var recorded: Set<UInt64> = []
  /// Reports: begun, completed, aborted.
  public private(set) var reports: (begun: Int, ended: Int, aborted: Int) = (0, 0, 0)
  /// Index of the present timeline, which ends when the clock is set or lost.
  private(set) var timeline = 0

  private var use: LoopTimer?
  /// Records of the running report, next first; nil: no report is running.
  private var running: [HealthRecord]?
  private var reported = 0
  private var pause: LoopTimer?
  private var nextNumber: UInt32

  init(
    _ world: VirtualWorld, address: BluetoothAddress, random: SeededRandom, sensor: SensorTraits,
    recording: RecordingTraits, firstNumber: UInt32, services: [GATTServiceDefinition], advertised: [UInt16],
    measuring: [BluetoothUUID]
  ) {
    self.recording = recording
    nextNumber = firstNumber
    super.init(
      world, address: address, random: random, sensor: sensor, services: services, advertised: advertised,
      measuring: measuring)
    guard recording.isRecording else { return }
    for index in 0..<recording.firstRecords {
      keep(at: world.loop.now - recording.firstSpacing * (recording.firstRecords - index))
    }
    scheduleUse()
  }

  // MARK: For subclasses

  /// Whether a report has a count of four bytes and an end of its own (service 1840), not two bytes (service 1822).
  var isCombined: Bool { false }
  /// Characteristic by which records are sent.
  var recordCharacteristic: BluetoothUUID { .spotCheckMeasurement }
  /// Measures live; false: without a subscriber the measurement becomes a record.
  func sendLive() -> Bool { false }
  /// Values of a record, in the order of sending; the last one carries the number of the reading.
  func drafts(of record: HealthRecord) -> [Draft] { [] }
  /// Called when a record is made: its content is drawn now.
  func took(_ record: HealthRecord) {}

  // MARK: Records

  private func scheduleUse() {
    use = world.loop.schedule(after: random.duration(in: recording.recordsEvery)) { [weak self] in
      self?.measureNow()
      self?.scheduleUse()
    }
  }

  /// Makes a measurement now.
  public final func measureNow() {
    if running == nil, sendLive() { return }
    keep(at: world.loop.now)
  }

  private func keep(at moment: Instant) {
    let record = HealthRecord(
      number: nextNumber, reading: nextReading(), takenAt: moment, shown: clock.shown(at: moment), timeline: timeline)
    nextNumber &+= 1
    took(record)
    records.append(record)
    recorded.insert(record.reading)
    guard records.count > recording.capacity else { return }
    let gone = records.removeFirst()
    if !ledger.wasDelivered(gone.reading) { ledger.overwritten.append(gone.reading) }
  }

  /// Loses the time, and begins another timeline.
  public override func loseClock() {
    super.loseClock()
    timeline += 1
  }

  func clockWasSet() { timeline += 1 }

  // MARK: Control point

  private static let report: UInt8 = 1, delete: UInt8 = 2, abort: UInt8 = 3, count: UInt8 = 4
  private static let countReply: UInt8 = 5, codeReply: UInt8 = 6, combined: UInt8 = 7, combinedReply: UInt8 = 8
  private static let success: UInt8 = 1, unknownOperation: UInt8 = 2, badOperator: UInt8 = 3
  private static let unknownOperator: UInt8 = 4, badOperand: UInt8 = 5, nothingFound: UInt8 = 6
  private static let unknownOperand: UInt8 = 9

  override var controlPoints: [BluetoothUUID] { [.recordAccessControlPoint] }

  /// FE during a procedure, except for its abort; FD for a report on a characteristic without a subscription.
  override func refusal(of value: [UInt8], to characteristic: BluetoothUUID) -> UInt8? {
    guard characteristic == .recordAccessControlPoint, let operation = value.first else { return nil }
    if running != nil, operation != Self.abort {
      ledger.faults.append(.askedTwiceAtOnce)
      return 0xFE
    }
    if operation == reportOperation, !server.isSubscribed(to: recordCharacteristic) {
      ledger.faults.append(.controlledUnsubscribed)
      return 0xFD
    }
    return nil
  }

  private var reportOperation: UInt8 { isCombined ? Self.combined : Self.report }

  override func wrote(_ value: [UInt8], to characteristic: BluetoothUUID) {
    if characteristic == .currentTime { clockWasSet() }
    guard characteristic == .recordAccessControlPoint else { return }
    guard value.count >= 2 else {
      ledger.faults.append(.wroteNonsense)
      return answer(value.first ?? 0, Self.badOperator)
    }
    let operation = value[0]
    if operation == Self.abort { return endByOrder(value[1]) }
    guard [reportOperation, Self.delete, Self.count].contains(operation) else {
      ledger.faults.append(.wroteNonsense)
      return answer(operation, Self.unknownOperation)
    }
    switch select(value[1], Array(value[2...])) {
    case .failure(let refusal): answer(operation, refusal.code)
    case .success(let chosen): run(operation, chosen)
    }
  }

  private struct Refusal: Error { let code: UInt8 }

  /// 1 all, 2 at most, 3 at least, 4 from–to, 5 first, 6 last; by record number (filter 1) in service 1840 only.
  private func select(_ chosenBy: UInt8, _ operand: [UInt8]) -> Result<[HealthRecord], Refusal> {
    if chosenBy == 1 { return operand.isEmpty ? .success(records) : .failure(Refusal(code: Self.badOperand)) }
    guard (2...6).contains(chosenBy) else { return .failure(Refusal(code: Self.badOperator)) }
    guard isCombined, recording.hasOperators else { return .failure(Refusal(code: Self.unknownOperator)) }
    if chosenBy == 5 { return .success(Array(records.prefix(1))) }
    if chosenBy == 6 { return .success(Array(records.suffix(1))) }
    guard let filter = operand.first else { return .failure(Refusal(code: Self.badOperand)) }
    guard filter == 1 else { return .failure(Refusal(code: Self.unknownOperand)) }
    let numbers = stride(from: 1, to: operand.count, by: 4).map { place in
      operand[place..<min(place + 4, operand.count)].reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    }
    let wanted = chosenBy == 4 ? 2 : 1
    guard operand.count == 1 + 4 * wanted else { return .failure(Refusal(code: Self.badOperand)) }
    return .success(
      records.filter { record in
        switch chosenBy {
        case 2: record.number <= numbers[0]
        case 3: record.number >= numbers[0]
        default: numbers[0] <= record.number && record.number <= numbers[1]
        }
      })
  }

  private func run(_ operation: UInt8, _ chosen: [HealthRecord]) {
    switch operation {
    case Self.count:
      reply([Self.countReply, 0] + number(max(0, chosen.count + sensor.conduct.miscounts)))
    case Self.delete:
      if !recording.mayBeDeleted { ledger.faults.append(.deletedRecords) }
      let gone = Set(chosen.map(\.number))
      records.removeAll { gone.contains($0.number) }
      answer(operation, gone.isEmpty ? Self.nothingFound : Self.success)
    default:
      if chosen.isEmpty { return answer(operation, Self.nothingFound) }
      reports.begun += 1
      reported = 0
      running = sensor.conduct.repeatsRecords ? chosen.flatMap { [$0, $0] } : chosen
      scheduleNext()
    }
  }

  private func endByOrder(_ chosenBy: UInt8) {
    guard chosenBy == 0 else { return answer(Self.abort, Self.badOperator) }
    if running != nil { reports.aborted += 1 }
    running = nil
    stop(&pause)
    forgetOutbox { $0.isStored }
    answer(Self.abort, Self.success)
  }

  private func number(_ count: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    if isCombined {
      bytes.append(littleEndian: UInt32(clamping: count))
    } else {
      bytes.append(littleEndian: UInt16(clamping: count))
    }
    return bytes
  }

  private func answer(_ operation: UInt8, _ code: UInt8) { reply([Self.codeReply, 0, operation, code]) }

  private func reply(_ value: [UInt8]) {
    // After the response to the write itself.
    world.loop.schedule(after: .milliseconds(20)) { [weak self] in
      guard let self else { return }
      send(Draft(characteristic: .recordAccessControlPoint, value: value, takenAt: world.loop.now))
    }
  }

  // MARK: Reports

  private func scheduleNext() {
    stop(&pause)
    pause = world.loop.schedule(after: .milliseconds(30)) { [weak self] in self?.reportNext() }
  }

  private func reportNext() {
    pause = nil
    guard let list = running, link != nil else { return }
    if isSending { return scheduleNext() }
    guard let record = list.first else { return endReport() }
    running?.removeFirst()
    reported += 1
    for draft in drafts(of: record) { send(draft) }
    scheduleNext()
  }

  private func endReport() {
    if sensor.conduct.neverEndsReports { return }
    running = nil
    reports.ended += 1
    if isCombined {
      let told = max(0, reported + sensor.conduct.miscounts)
      reply([Self.combinedReply, 0] + number(told))
    } else {
      answer(Self.report, Self.success)
    }
  }

  override func linkEnded() {
    running = nil
    stop(&pause)
  }
}
