// Decoder of the Body Composition Service.

import Bluetooth
import GATTServices
import Health
import Wearable

/// Keeps, for one link, the current measurement and the last weight.
final class BodyCompositionDecoder: CompanionDecoder {
  /// The last measurement; nil before the first.
  private var parts: CompositionParts?
  /// Time of a weight since the last composition: the next composition belongs to the same weighing.
  private var weighed: DateTime?
  /// The wearable also reports its weight as a weight scale.
  private var hasScale = false
  private var quirks = QuirkWatch(.streamedComposition)
  private var weighing = StreamedWeighing()

  func begin(_ database: GATTDatabase, of known: KnownWearable) {
    (parts, weighed) = (nil, nil)
    weighing = StreamedWeighing()
    quirks.begin(database, known)
    hasScale = database.characteristic(Scale.weight, in: Scale.weightService) != nil
  }

  func learned(_ fact: WearableFact) { quirks.learned(fact) }

  func heard(_ source: LiveSource, _ value: RawBytes) {
    if source.characteristic == Scale.weight { weighed = (try? WeightMeasurement(value))?.time }
  }

  func decode(_ source: LiveSource, _ value: RawBytes, into sink: any SampleSink) throws(DecodeError) {
    switch source.characteristic {
    case Scale.composition where quirks.effect == .streamedComposition:
      take(streamed: try MiComposition(value), value, sink)
    case Scale.composition: take(try BodyCompositionMeasurement(value), value, sink)
    case Scale.compositionFeature:
      try ScaleNote.checkFeature(value, reserved: ScaleFeatures.reservedOfComposition, sink)
    default: break
    }
  }

  /// Appends the first settled weight, and the impedance as soon as it is measured; further values repeat the same
  /// weighing.
  private func take(streamed measurement: MiComposition, _ value: RawBytes, _ sink: any SampleSink) {
    if measurement.trailingBytes != 0 { sink.noteAnomaly(ScaleNote.trailing) }
    guard measurement.isSettled else {
      weighing.unsettled()
      return sink.noteAnomaly(ScaleNote.unsettled)
    }
    let isNew = weighing.isNew(measurement.weight)
    let impedance = weighing.hasImpedance ? nil : measurement.impedance
    guard isNew || impedance != nil else { return }
    // Status bits change during a weighing, and an impedance that is not measured has no meaning.
    let identity = Array(value.dropFirst(2).prefix(7)) + Array(value.dropFirst(impedance == nil ? 11 : 9))
    sink.beginReading(Scale.composition, measurement.time, identity)
    if isNew {
      let grams = measurement.weight.grams(isImperial: measurement.isImperial)
      sink.append(.weight, grams, within: ScaleRange.weight, flags: .byHand, ScaleNote.odd)
    }
    guard let impedance else { return }
    weighing.tellsImpedance()
    let ohms = Int64(impedance) * Series.bodyImpedance.denominator
    sink.append(.bodyImpedance, ohms, within: ScaleRange.ohms, flags: .byHand, ScaleNote.odd)
  }

  private func take(_ measurement: BodyCompositionMeasurement, _ value: RawBytes, _ sink: any SampleSink) {
    let isRest = parts?.take(measurement) ?? false
    if !isRest { parts = CompositionParts(measurement, at: measurement.time ?? weighed) }
    weighed = nil
    let time = measurement.time ?? parts?.time
    sink.beginReading(
      Scale.composition, time, isBorrowed: measurement.time == nil, Array(value) + (time?.bytes ?? []))
    if measurement.trailingBytes != 0 { sink.noteAnomaly(ScaleNote.trailing) }
    if measurement.hasReservedFlags { sink.noteAnomaly(ScaleNote.reserved) }
    tell(measurement, isRest: isRest, sink)
  }

  /// 0.1 %
  private static let wholeBody: Int64 = 1000

  /// Appends the values of a measurement. Body fat is in each of its parts with the same value. All other values but
  /// the weight derive from the same source: without body fat there was no measurement, and they are placeholders.
  private func tell(_ measurement: BodyCompositionMeasurement, isRest: Bool, _ sink: any SampleSink) {
    let fat = measurement.bodyFat.value
    // More fat than 100 %: not a measurement of this service.
    if let fat, fat > Self.wholeBody { return sink.noteAnomaly("body scale: more than 100 % of fat, left out") }
    var isKept = false
    func append(_ series: Series, _ value: Int64?, _ range: ClosedRange<Int64>) {
      if sink.append(series, value, within: range, flags: .byHand, ScaleNote.odd) { isKept = true }
    }
    func append(_ series: Series, mass: ScaleNumber?) {
      append(series, mass?.grams(isImperial: measurement.isImperial), ScaleRange.weight)
    }
    if fat != nil || isRest {
      if !isRest { append(.bodyFat, fat, 0...100) }
      append(.basalMetabolism, measurement.basalMetabolism?.value, ScaleRange.energy)
      append(.musclePercentage, measurement.musclePercentage?.value, 0...100)
      append(.muscleMass, mass: measurement.muscleMass)
      append(.fatFreeMass, mass: measurement.fatFreeMass)
      append(.softLeanMass, mass: measurement.softLeanMass)
      append(.bodyWaterMass, mass: measurement.bodyWaterMass)
      append(.bodyImpedance, measurement.impedance?.value, ScaleRange.ohms)
    } else if measurement.hasDerivedValues {
      sink.noteAnomaly("body scale: values of a measurement without a body fat, left out")
    } else if measurement.bodyFat.hasFailed {
      sink.noteAnomaly(ScaleNote.failed)
    }
    if !hasScale { append(.weight, mass: measurement.weight) }
    if isKept, parts?.userIsTold == false { parts?.userIsTold = ScaleNote.tellUser(measurement.user, sink) }
  }

  func fact(_ source: LiveSource, _ value: RawBytes) -> WearableFact? { nil }
}
