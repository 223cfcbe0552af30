// libFuzzer harness: blood pressures. Compiled together with Sources/Drivers/StandardGATT by ./run.

import Bluetooth
import GATTServices

private let profile = FuzzedProfile(.bloodPressure)

public func fuzzCuff(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = RawBytes(start: start, count: count)
  profile.run(bytes)
  guard let measurement = try? BloodPressureMeasurement(RawBytes(rebasing: bytes.dropFirst())) else { return 0 }
  for pressure in [measurement.systolic, measurement.diastolic, measurement.mean] {
    precondition((measurement.hundredths(pressure) == nil) == (pressure.special != nil))
  }
  return 0
}
