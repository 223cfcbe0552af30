// Live values of the insole: streams of a live view, and records while an activity runs.

import Bluetooth
import GATTServices
import Health
import Wearable

/// Decodes live values, and holds one value of each stream back. A notification with the same time stamp replaces the
/// one before, so a value is final only when the next time stamp arrives. A sample therefore carries the time of the
/// notification after it. That is about 0.4 s late for pressure, and 0.2 s for orientation. The last value of a stream
/// is not stored.
final class BotzDecoder: LiveDecoder {
  private var pressure: Botz.FootPressure?
  private var orientation: Botz.Orientation?
  private var lastRecord: Botz.ActivityRecord?
  private var hasHeardNewest = false
  private var wasSession = false
  private(set) var announced: WearableCapabilities?

  /// Milliseconds after which a held value is discarded, because its time would be too wrong.
  private static let patience: UInt32 = 2000

  /// Builds differ in their services. The services are the only sign of what an insole measures.
  func begin(_ database: GATTDatabase) {
    func has(_ characteristic: BluetoothUUID, _ service: BluetoothUUID) -> Bool {
      database.characteristic(characteristic, in: service) != nil
    }
    var all = WearableCapabilities()
    if has(Botz.Information.footPressure, Botz.Information.service) { all.insert([.live, .streamed], [.footPressure]) }
    if has(Botz.Information.orientation, Botz.Information.service) { all.insert([.live, .streamed], [.orientation]) }
    if has(Botz.Information.liveRecord, Botz.Information.service) { all.insert(.live, Botz.ActivityRecord.series) }
    if has(Botz.Management.frames, Botz.Management.service) { all.insert(.recorded, Botz.ActivityRecord.series) }
    announced = all
  }

  func decode(_ source: LiveSource, _ value: RawBytes, into sink: any SampleSink) throws(DecodeError) {
    guard source.service == Botz.Information.service else { return }
    switch source.characteristic {
    case Botz.Information.footPressure: try decodePressure(value, into: sink)
    case Botz.Information.orientation: try decodeOrientation(value, into: sink)
    case Botz.Information.liveRecord: try decodeRecord(value, into: sink)
    // State, announcements and the constant charge are no measurements: they are only checked for their format.
    case Botz.Information.status: decodeStatus(try Botz.StatusWord(value), into: sink)
    case Botz.Information.batteryLevels: _ = try Botz.BatteryLevels(value)
    case Botz.Information.newestFile: try decodeNewestFile(value, into: sink)
    default: break
    }
  }

  /// The first announcement on a link, usually read at its begin, is found by the visit itself. Each later one means
  /// that a session ended. The same number is news, too, since numbers repeat after an erase and after 255.
  private func decodeNewestFile(_ value: RawBytes, into sink: any SampleSink) throws(DecodeError) {
    if value.isEmpty { return sink.noteAnomaly("insole: a session ended without a file") }
    let file = try Botz.NewestFile(value)
    if hasHeardNewest, file.number != nil { sink.noteNewItem() }
    hasHeardNewest = true
  }

  /// The end of a session means a new file, even if the announcement is lost.
  private func decodeStatus(_ status: Botz.StatusWord, into sink: any SampleSink) {
    if wasSession, !status.activity.isSession { sink.noteNewItem() }
    wasSession = status.activity.isSession
    sink.noteExercise(wasSession)
  }

  private func decodePressure(_ value: RawBytes, into sink: any SampleSink) throws(DecodeError) {
    let next = try Botz.FootPressure(value)
    if let kept = pressure, Self.follows(next.uptime, kept.uptime) {
      withUnsafeTemporaryAllocation(of: Int64.self, capacity: 16) { numbers in
        for channel in 0..<8 {
          numbers[channel] = Int64(kept.right[channel])
          numbers[8 + channel] = Int64(kept.left[channel])
        }
        sink.append(.footPressure, values: UnsafeBufferPointer(numbers))
      }
    }
    pressure = next
  }

  private func decodeOrientation(_ value: RawBytes, into sink: any SampleSink) throws(DecodeError) {
    let next = try Botz.Orientation(value)
    if let kept = orientation, Self.follows(next.uptime, kept.uptime) {
      withUnsafeTemporaryAllocation(of: Int64.self, capacity: 8) { numbers in
        for component in 0..<4 {
          numbers[component] = Int64(kept.right[component])
          numbers[4 + component] = Int64(kept.left[component])
        }
        sink.append(.orientation, values: UnsafeBufferPointer(numbers))
      }
    }
    orientation = next
  }

  /// Whether a held value is stored now: a newer time stamp has come, soon enough for the time to be right. After a
  /// restart of the insole the time stamps restart too.
  private static func follows(_ next: UInt32, _ kept: UInt32) -> Bool { (1...patience).contains(next &- kept) }

  /// A repeated record counts once: live records are copies of those in the file.
  private func decodeRecord(_ value: RawBytes, into sink: any SampleSink) throws(DecodeError) {
    let record = try Botz.ActivityRecord(value)
    if record == lastRecord { return }
    lastRecord = record
    record.forEachSample { series, values in
      if values.count == 1 {
        sink.append(Sample(series, values[0]))
      } else {
        values.withUnsafeBufferPointer { sink.append(series, values: $0) }
      }
    }
  }

  func fact(_ source: LiveSource, _ value: RawBytes) -> WearableFact? {
    guard source.service == StandardGATT.deviceInformationService else { return nil }
    switch source.characteristic {
    case StandardGATT.manufacturerName: return String(cleaning: value).map { .manufacturer($0) }
    case StandardGATT.modelNumber: return String(cleaning: value).map { .model($0) }
    // The serial number is the same on every insole, so it identifies no insole.
    case StandardGATT.serialNumber:
      return String(cleaning: value).flatMap { $0 == Self.everybodysSerial ? nil : .serialNumber($0) }
    case StandardGATT.firmwareRevision: return String(cleaning: value).map { .firmware($0) }
    case StandardGATT.hardwareRevision: return String(cleaning: value).map { .hardware($0) }
    default: return nil
    }
  }

  private static let everybodysSerial = "12345"
}

extension Botz.ActivityRecord {
  /// Every series that `forEachSample` may yield.
  static let series: [Series] = [
    .cadence, .pace, .speed, .groundTime, .gaitSymmetry, .footStrike, .pronation, .verticalRatio,
  ]

  /// Measured values of a record, in the stored scale of each series. Without walking there is only a cadence of 0.
  func forEachSample(_ body: (Series, [Int64]) -> Void) {
    body(.cadence, [Int64(cadence)])
    if pace != 0 {
      body(.pace, [Int64(pace)])
      body(.speed, [Int64(speed)])
    }
    guard contact != 0 else { return }
    body(.groundTime, [Int64(contact), Int64(flight)])
    body(.gaitSymmetry, [Int64(balance), Int64(contactAsymmetry), Int64(forceAsymmetry), Int64(pronationAsymmetry)])
    body(.footStrike, [Int64(strikeLeft), Int64(strikeRight)])
    body(.pronation, [Int64(pronation)])
    body(.verticalRatio, [Int64(verticalRatio)])
  }
}
