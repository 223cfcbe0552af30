// The services of every strap: Heart Rate, Battery, and Device Information.

import Bluetooth
import Health
public import Wearable

/// Profiles for the driver of the Heart Rate Service, and for vendor drivers of wearables that also have this service.
public enum HeartRateStrap {
  /// The driver's identity in the registry. Drivers with more features name it as the one that they extend.
  public static let driver = "heart-rate"

  /// The measurement comes first: beats that are missed while texts are read are lost.
  public static let profiles: [ServiceProfile] = [.heartRate, .battery, .deviceInformation]

  /// Sources of all three services.
  public static let liveSources: [LiveSource] = ServiceProfile.sources(of: profiles)

  /// A decoder of these sources.
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
    // A sensor that counts energy has the control point that resets it (section 3.3). No characteristic announces
    // intervals.
    liveSeries: { shown in
      let resets = shown.database.characteristic(StandardGATT.heartRateControlPoint, in: StandardGATT.heartRateService)
      return [.heartRate, .rrInterval] + (resets == nil ? [] : [.energyExpended])
    },
    makeDecoder: { HeartRateDecoder() })
}

/// Stateless except for energy: a full counter is reset, once over a link until it counts again.
final class HeartRateDecoder: LiveDecoder {
  private var resetIsAsked = false

  func decode(_ source: LiveSource, _ value: RawBytes, into sink: any SampleSink) throws(DecodeError) {
    switch source.characteristic {
    case StandardGATT.heartRateMeasurement: try decodeMeasurement(value, into: sink)
    case StandardGATT.bodySensorLocation:
      // The location gives a fact and no sample; only its format is checked here.
      let location = try BodySensorLocation(value)
      if location.trailingBytes != 0 { sink.noteAnomaly("body sensor location: bytes after the code") }
      if location.place == nil { sink.noteAnomaly("body sensor location: a code that is reserved") }
    default: break
    }
  }

  /// Appends the values in the order of the wire: rate, energy, intervals from the oldest on.
  ///
  /// A rate of zero or a sensor off the skin is no measurement. Rate and intervals are then left out, which is ordinary
  /// and no anomaly. Energy is stored even then, as it counts the time before.
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

  /// Resets a full energy counter. All values up to then are stored, and a full counter counts no more. The next energy
  /// shows whether it was reset. If it stays full or refuses, the request is not repeated over this link.
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
