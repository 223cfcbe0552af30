// The Cycling Speed and Cadence Service as a profile of the standard driver.

import Bluetooth
public import GATTServices
import Health
import Wearable

/// The SIG's assigned numbers.
enum CyclingService {
  static let service: BluetoothUUID = 0x1816
  static let measurement: BluetoothUUID = 0x2A5B
  static let features: BluetoothUUID = 0x2A5C
}

extension ServiceProfile {
  /// Cycling Speed and Cadence Service 1.0. The control point (2A55), which sets the counter, is not written.
  public static let cycling = ServiceProfile(
    service: CyclingService.service, kind: "bike sensor",
    sources: [
      LiveSource(
        service: CyclingService.service, characteristic: CyclingService.measurement, mode: .subscribe,
        isRequired: true),
      LiveSource(
        service: CyclingService.service, characteristic: CyclingService.features, mode: .read, isRequired: false),
      LiveSource(
        service: CyclingService.service, characteristic: SensorLocation.characteristic, mode: .read, isRequired: false),
    ],
    capabilities: [.live(.crankCadence), .live(.wheelRate), .live(.wheelRevolutions)], feature: CyclingService.features,
    liveSeries: { shown in
      let told = shown.feature.flatMap { bytes in bytes.withUnsafeBytes { try? CyclingFeatures($0) } }
      // Features without any counter do not show which values will come.
      let features = told.flatMap { $0.isDisjoint(with: .counters) ? nil : $0 } ?? .counters
      let crank: [Series] = features.contains(.crankRevolutions) ? [.crankCadence] : []
      let wheel: [Series] = features.contains(.wheelRevolutions) ? [.wheelRate, .wheelRevolutions] : []
      return crank + wheel
    },
    makeDecoder: { CyclingDecoder() })
}

/// Keeps the counters of the last value, as a rate follows from two values.
final class CyclingDecoder: LiveDecoder {
  private var wheel = Track<UInt32>()
  private var crank = Track<UInt16>()
  private static let odd: StaticString = "cycling: a value out of range"

  func decode(_ source: LiveSource, _ value: RawBytes, into sink: any SampleSink) throws(DecodeError) {
    switch source.characteristic {
    case CyclingService.measurement: tell(try CyclingSpeedCadence(value), sink)
    case CyclingService.features:
      // Features give no sample; only their format is checked.
      let features = try CyclingFeatures(value)
      if features.hasReservedBits { sink.noteAnomaly("cycling: features that are reserved") }
      if features.isDisjoint(with: .counters) { sink.noteAnomaly("cycling: features without a counter") }
      if value.count > 2 { sink.noteAnomaly("cycling: bytes after the features") }
    case SensorLocation.characteristic: try SensorLocation.check(value, sink)
    default: break
    }
  }

  /// Reports samples; without a new revolution there are none.
  private func tell(_ measurement: CyclingSpeedCadence, _ sink: any SampleSink) {
    if measurement.trailingBytes != 0 { sink.noteAnomaly("cycling: bytes after the last field") }
    if measurement.hasReservedFlags { sink.noteAnomaly("cycling: flags that are reserved") }
    if let turns = measurement.wheel, wheel.isNew(turns) {
      tell(.wheelRate, wheel.take(turns, at: sink.arrivedAt), within: Self.wheelRates, sink)
      if turns.count > 0 { sink.append(Sample(.wheelRevolutions, Int64(turns.count))) }
    }
    if let turns = measurement.crank, crank.isNew(turns) {
      tell(.crankCadence, crank.take(turns, at: sink.arrivedAt), within: Self.crankRates, sink)
    }
  }

  private func tell(_ series: Series, _ step: TurnStep, within range: ClosedRange<Int64>, _ sink: any SampleSink) {
    switch step {
    case .rate(let rate): sink.append(series, rate, within: range, Self.odd)
    case .anew: break
    case .timeWentBack: sink.noteAnomaly("cycling: the time of a turn that lies before the turn before it")
    }
  }

  /// 1/min: 100 km/h on the smallest wheel in use (1.1 m around), and more than legs can reach.
  private static let wheelRates: ClosedRange<Int64> = 0...1500
  private static let crankRates: ClosedRange<Int64> = 0...300

  func fact(_ source: LiveSource, _ value: RawBytes) -> WearableFact? { SensorLocation.fact(source, value) }
}

/// The difference between a value and the one before.
private enum TurnStep {
  /// Tenths of revolutions a minute.
  case rate(Int64)
  /// Result without a rate: the first value of a link or after a rest, the counter was set, or its time is missing.
  case anew
  case timeWentBack
}

/// A counter over the values of a link.
private struct Track<Count: FixedWidthInteger & UnsignedInteger & Sendable> {
  /// The last value with a revolution and a later time. Some sensors advance the time without a revolution, or the
  /// counter before the time: a rate counts from here, over both.
  private var last: Turns<Count>?
  /// ns, monotonic, of the last value; nil if unknown.
  private var arrived: Int64?
  /// Consecutive values without a revolution.
  private var repetitions = 0

  /// Number of values without a revolution after which the time field (64 s) may have wrapped any number of times: the
  /// next one starts again. Sensors send one to four values a second, and a cyclist turns the crank within four.
  private static var restLimit: Int { 16 }
  /// ns: half the range of the time field. A greater difference is a negative one, or a wrap.
  private static var halfRound: Int64 { 32_000_000_000 }

  /// Whether there was a revolution since the last value, or this is the first of its link.
  mutating func isNew(_ turns: Turns<Count>) -> Bool {
    if turns.count != last?.count { return true }
    if repetitions < Self.restLimit { repetitions += 1 }
    return false
  }

  /// - Parameter now: ns, monotonic, of arrival. A sensor that sends no values during a rest may be silent for several
  ///   rounds of the time field.
  mutating func take(_ turns: Turns<Count>, at now: Int64?) -> TurnStep {
    let passed = now.flatMap { now in arrived.map { now &- $0 } } ?? 0
    let isRested = repetitions >= Self.restLimit || passed >= Self.halfRound
    guard let before = last, !isRested else { return begin(turns, at: now) }
    let (count, ticks) = turns.since(before)
    // An increase by more than half of the range is a decrease: the wearable was reset.
    guard count <= Count.max / 2 else { return begin(turns, at: now) }
    // The time of these revolutions is still to come.
    if ticks == 0 { return .anew }
    (last, arrived, repetitions) = (turns, now, 0)
    if ticks > UInt16.max / 2 { return .timeWentBack }
    return turns.rate(since: before).map { .rate($0) } ?? .anew
  }

  private mutating func begin(_ turns: Turns<Count>, at now: Int64?) -> TurnStep {
    (last, arrived, repetitions) = (turns, now, 0)
    return .anew
  }
}
