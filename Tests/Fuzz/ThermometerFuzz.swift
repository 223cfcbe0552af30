// libFuzzer harness: temperatures. Compiled together with Sources/Drivers/StandardGATT by ./run.

import Bluetooth
import GATTServices

private let profile = FuzzedProfile(.thermometer)

public func fuzzThermometer(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = RawBytes(start: start, count: count)
  profile.run(bytes)
  guard let measurement = try? TemperatureMeasurement(RawBytes(rebasing: bytes.dropFirst())) else { return 0 }
  // A special number stays special in every unit.
  precondition((measurement.celsius(times: 1000) == nil) == (measurement.temperature.special != nil))
  return 0
}
