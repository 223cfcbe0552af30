// libFuzzer harness: observations of generic health sensors, whole and in segments. Compiled together with
// Sources/Drivers/StandardGATT by ./run.

import Bluetooth
import GATTServices
import Health
import Wearable

private let profile = FuzzedProfile(.genericHealthSensor)

/// The first byte chooses. 0: the body of an observation. 1: segments for the machine alone, each behind two bytes of
/// length. 2: features. Other values: content of a link.
public func fuzzHealthSensor(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = RawBytes(start: start, count: count)
  guard let choice = bytes.first else { return 0 }
  let rest = RawBytes(rebasing: bytes.dropFirst())
  switch choice {
  case 0: body(rest)
  case 1: segments(rest)
  case 2: features(rest)
  default: profile.run(rest)
  }
  return 0
}

/// Every observation has bytes of its own: three at least.
private func body(_ bytes: RawBytes) {
  let stamps = HealthObservation.stamps(in: bytes)
  guard let (observations, trailing) = try? HealthObservation.read(bytes) else {
    return precondition(stamps.isEmpty)
  }
  precondition(observations.count * 3 <= bytes.count && (0..<bytes.count).contains(trailing))
  // Each has its own nine bytes.
  var free = 0
  for stamp in stamps {
    precondition(stamp >= free && stamp + ElapsedTime.size <= bytes.count, "\(stamps) of \(bytes.count)")
    free = stamp + ElapsedTime.size
  }
  for observation in observations {
    for meaning in observation.meanings {
      if case .value(let series, let value) = meaning { precondition(value > 0 && value <= 300 * series.denominator) }
    }
    if case .text(let text) = observation.value { precondition(text.count <= bytes.count) }
  }
}

private func segments(_ bytes: RawBytes) {
  var reader = ByteReader(bytes)
  var segments = ObservationSegments()
  while let length = reader.u16(), let value = reader.take(min(Int(length & 0x3FF), reader.remaining)) {
    let begun = segments.isUnfinished
    do throws(DecodeError) {
      let body = try segments.take(Array(value))
      precondition((body == nil) == segments.isUnfinished)
      precondition(body.map { $0.count <= ObservationSegments.limit } ?? true)
    } catch {
      precondition(!segments.isUnfinished || error == .empty && begun, "what was begun is not dropped")
    }
  }
}

private func features(_ bytes: RawBytes) {
  let series = HealthSensorFeatures.series(Array(bytes))
  precondition(Set(series).count == series.count && series.allSatisfy(ObservationSeries.series.contains))
  guard let features = try? HealthSensorFeatures(bytes) else { return precondition(series == ObservationSeries.series) }
  precondition(features.types.count * 4 + 2 <= bytes.count)
}
