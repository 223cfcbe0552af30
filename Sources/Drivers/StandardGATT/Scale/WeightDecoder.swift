// Decoder of the Weight Scale Service.

import Bluetooth
import GATTServices
import Health
import Wearable

/// Stateless, except for scales that send a weighing repeatedly (`Quirk`).
final class WeightDecoder: CompanionDecoder {
  private var quirks = QuirkWatch(.streamedWeight)
  private var weighing = StreamedWeighing()

  func begin(_ database: GATTDatabase, of known: KnownWearable) {
    quirks.begin(database, known)
    weighing = StreamedWeighing()
  }

  func learned(_ fact: WearableFact) { quirks.learned(fact) }

  func decode(_ source: LiveSource, _ value: RawBytes, into sink: any SampleSink) throws(DecodeError) {
    switch source.characteristic {
    case Scale.weight:
      let measurement = try WeightMeasurement(value)
      if quirks.effect == .streamedWeight { return take(streamed: measurement, value, sink) }
      sink.beginReading(source.characteristic, measurement.time, value)
      if measurement.reservedFlags != 0 { sink.noteAnomaly(ScaleNote.reserved) }
      tell(measurement, sink)
    case Scale.weightFeature: try ScaleNote.checkFeature(value, reserved: ScaleFeatures.reservedOfWeight, sink)
    default: break
    }
  }

  /// Appends the first settled weight of a weighing, whether or not the person has stepped off. Further values repeat
  /// it with other flags.
  private func take(streamed measurement: WeightMeasurement, _ value: RawBytes, _ sink: any SampleSink) {
    guard measurement.flags & MiWeightFlags.settled != 0 else {
      weighing.unsettled()
      return sink.noteAnomaly(ScaleNote.unsettled)
    }
    guard weighing.isNew(measurement.weight) else { return }
    sink.beginReading(Scale.weight, measurement.time, value.dropFirst())
    tell(measurement, sink)
  }

  private func tell(_ measurement: WeightMeasurement, _ sink: any SampleSink) {
    if measurement.trailingBytes != 0 { sink.noteAnomaly(ScaleNote.trailing) }
    if measurement.weight.hasFailed { sink.noteAnomaly(ScaleNote.failed) }
    let grams = measurement.weight.grams(isImperial: measurement.isImperial)
    guard sink.append(.weight, grams, within: ScaleRange.weight, flags: .byHand, ScaleNote.odd) else { return }
    sink.append(.bodyMassIndex, measurement.bodyMassIndex?.value, within: 1...200, flags: .byHand, ScaleNote.odd)
    ScaleNote.tellUser(measurement.user, sink)
  }

  func fact(_ source: LiveSource, _ value: RawBytes) -> WearableFact? { nil }
}
