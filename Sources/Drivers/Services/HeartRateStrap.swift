// What every strap serves: the Heart Rate Service, its battery, and who made it.

import Bluetooth
import Health
public import Wearable

/// For the driver of whatever keeps to the Heart Rate Service, and for those of vendors whose wearables do that too.
public enum HeartRateStrap {
  /// The driver's identity in the registry, which those that do more name as the one they extend.
  public static let driver = "heart-rate"

  /// The measurement first: a beat that is missed while texts are read is a beat lost.
  public static let profiles: [ServiceProfile] = [.heartRate, .battery, .deviceInformation]

  public static let liveSources: [LiveSource] = ServiceProfile.sources(of: profiles)

  /// Of these sources.
  public static func makeDecoder() -> ProfileDecoder { ProfileDecoder(profiles) }
}

extension ServiceProfile {
  /// Heart Rate Service 1.0.
  public static let heartRate = ServiceProfile(
    service: StandardGATT.heartRateService, kind: "HR strap",
    sources: [
      LiveSource(
        service: StandardGATT.heartRateService, characteristic: StandardGATT.heartRateMeasurement, mode: .subscribe,
        isRequired: true),
      LiveSource(
        service: StandardGATT.heartRateService, characteristic: StandardGATT.bodySensorLocation, mode: .read,
        isRequired: false),
    ],
    capabilities: [.live(.heartRate), .live(.rrInterval), .live(.energyExpended)],
    // Who counts energy has the point that resets it (section 3.3); intervals are announced nowhere.
    liveSeries: { shown in
      let resets = shown.database.characteristic(StandardGATT.heartRateControlPoint, in: StandardGATT.heartRateService)
      return [.heartRate, .rrInterval] + (resets == nil ? [] : [.energyExpended])
    },
    makeDecoder: { HeartRateDecoder() })
}

/// Every value of the service stands for itself, but for the energy: a counter that is full is reset, once over a link
/// until it counts again.
final class HeartRateDecoder: LiveDecoder {
  private var resetIsAsked = false

  func decode(_ source: LiveSource, _ value: RawBytes, into sink: any SampleSink) throws(DecodeError) {
    switch source.characteristic {
    case StandardGATT.heartRateMeasurement: try decodeMeasurement(value, into: sink)
    case StandardGATT.bodySensorLocation:
      // It gives a fact and no sample; here it is said what is odd about it.
      let location = try BodySensorLocation(value)
      if location.trailingBytes != 0 { sink.noteAnomaly("body sensor location: bytes after the code") }
      if location.place == nil { sink.noteAnomaly("body sensor location: a code that is reserved") }
    default: break
    }
  }

  /// In the order of the wire: rate, energy, intervals from the oldest on.
  ///
  /// A rate of zero or a sensor off the skin is no measurement: rate and intervals are left out, which is normal life
  /// and no anomaly. The energy counter is kept even then, because it tells of the time before.
  private func decodeMeasurement(_ value: RawBytes, into sink: any SampleSink) throws(DecodeError) {
    let measurement = try HeartRateMeasurement(value)
    if let anomaly = measurement.anomaly { sink.noteAnomaly(anomaly.text) }
    if measurement.hasReservedFlags { sink.noteAnomaly("heart rate: flags that are reserved") }
    if measurement.contact != .notSupported { sink.noteContact(measurement.contact == .detected) }
    if measurement.isMeasurement { sink.append(Sample(.heartRate, Int64(measurement.beatsPerMinute))) }
    if let energy = measurement.energyKilojoules {
      if energy == HeartRateMeasurement.energyFull {
        sink.noteAnomaly("heart rate: energy counter is full")
        resetEnergy(sink)
      } else {
        resetIsAsked = false
        sink.append(Sample(.energyExpended, Int64(energy)))
      }
    }
    if measurement.isMeasurement {
      for interval in measurement.intervals { sink.append(Sample(.rrInterval, Int64(interval))) }
    }
  }

  /// What it counted until then is in the store, value by value, and a full counter counts no more. Whether it was
  /// reset is seen in the energy that comes next; one that stays full, or refuses, is not asked again over this link.
  private func resetEnergy(_ sink: any SampleSink) {
    if resetIsAsked { return }
    resetIsAsked = true
    sink.ask(
      LiveWrite(
        service: StandardGATT.heartRateService, characteristic: StandardGATT.heartRateControlPoint,
        value: HeartRateControlPoint.resetEnergyExpended.bytes))
  }

  func fact(_ source: LiveSource, _ value: RawBytes) -> WearableFact? {
    guard source.characteristic == StandardGATT.bodySensorLocation else { return nil }
    return (try? BodySensorLocation(value))?.place.map { .bodyLocation($0.name) }
  }
}
