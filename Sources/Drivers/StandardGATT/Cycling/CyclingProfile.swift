// The Cycling Speed and Cadence Service as a row of what standard wearables are served in.

import Bluetooth
public import GATTServices
import Health
import Wearable

/// Names of the SIG's assigned numbers.
enum Cycling {
  static let service: BluetoothUUID = 0x1816
  static let measurement: BluetoothUUID = 0x2A5B
  static let features: BluetoothUUID = 0x2A5C
}

extension ServiceProfile {
  /// Cycling Speed and Cadence Service 1.0. Its control point (2A55), which sets the counter, is not written.
  public static let cycling = ServiceProfile(
    service: Cycling.service, kind: "bike sensor",
    sources: [
      LiveSource(service: Cycling.service, characteristic: Cycling.measurement, mode: .subscribe, isRequired: true),
      LiveSource(service: Cycling.service, characteristic: Cycling.features, mode: .read, isRequired: false),
      LiveSource(
        service: Cycling.service, characteristic: SensorLocation.characteristic, mode: .read, isRequired: false),
    ],
    capabilities: [.live(.crankCadence), .live(.wheelRate), .live(.wheelRevolutions)], feature: Cycling.features,
    liveSeries: { shown in
      let told = shown.feature.flatMap { bytes in bytes.withUnsafeBytes { try? CyclingFeatures($0) } }
      let features = told ?? [.wheelRevolutions, .crankRevolutions]
      let crank: [Series] = features.contains(.crankRevolutions) ? [.crankCadence] : []
      let wheel: [Series] = features.contains(.wheelRevolutions) ? [.wheelRate, .wheelRevolutions] : []
      return crank + wheel
    },
    makeDecoder: { CyclingDecoder() })
}

/// Remembers the counters of the value before: a rate is what two of them say.
final class CyclingDecoder: LiveDecoder {
  private var wheel = Track<UInt32>()
  private var crank = Track<UInt16>()
  private static let odd: StaticString = "cycling: a value out of range"

  func decode(_ source: LiveSource, _ value: RawBytes, into sink: any SampleSink) throws(DecodeError) {
    switch source.characteristic {
    case Cycling.measurement: tell(try CyclingSpeedCadence(value), sink)
    case Cycling.features:
      // It gives no sample; what is left to say here is whether it was well formed.
      _ = try CyclingFeatures(value)
      if value.count > 2 { sink.noteAnomaly("cycling: bytes after the features") }
    case SensorLocation.characteristic: try SensorLocation.check(value, sink)
    default: break
    }
  }

  /// Who does not turn gives no samples.
  private func tell(_ measurement: CyclingSpeedCadence, _ sink: any SampleSink) {
    if measurement.trailingBytes != 0 { sink.noteAnomaly("cycling: bytes after the last field") }
    if let turns = measurement.wheel, wheel.isNew(turns) {
      sink.append(.wheelRate, wheel.take(turns), within: Self.wheelRates, Self.odd)
      if turns.count > 0 { sink.append(Sample(.wheelRevolutions, Int64(turns.count))) }
    }
    if let turns = measurement.crank, crank.isNew(turns) {
      sink.append(.crankCadence, crank.take(turns), within: Self.crankRates, Self.odd)
    }
  }

  /// 1/min: 100 km/h on the smallest wheel that is ridden (1.1 m around), and what no legs reach.
  private static let wheelRates: ClosedRange<Int64> = 0...1500
  private static let crankRates: ClosedRange<Int64> = 0...300

  func fact(_ source: LiveSource, _ value: RawBytes) -> WearableFact? { SensorLocation.fact(source, value) }
}

/// One counter over the values of a link.
private struct Track<Count: FixedWidthInteger & UnsignedInteger & Sendable> {
  private var last: Turns<Count>?
  /// Values in a row that said nothing new.
  private var repetitions = 0

  /// After so many values without a turn it stood still for an unknown number of rounds of the time field (64 s each):
  /// the next turn begins anew. Sensors send one to four values a second, and who pedals turns the crank within four.
  private static var restLimit: Int { 16 }

  /// Whether it turned since the value before, or is the first of its link.
  mutating func isNew(_ turns: Turns<Count>) -> Bool {
    if turns != last { return true }
    if repetitions < Self.restLimit { repetitions += 1 }
    return false
  }

  /// Tenths of revolutions a minute since the value before; nil of the first, of the first after a rest, and where the
  /// counter was set.
  mutating func take(_ turns: Turns<Count>) -> Int64? {
    let (before, isRested) = (last, repetitions >= Self.restLimit)
    last = turns
    repetitions = 0
    // Half of all counts ahead is some behind: the wearable was reset.
    guard let before, !isRested, turns.since(before).count <= Count.max / 2 else { return nil }
    return turns.rate(since: before)
  }
}
