// libFuzzer harness: oxygen saturations. Compiled together with Sources/Drivers/StandardGATT by ./run.

import Bluetooth
import GATTServices

private let profile = FuzzedProfile(.pulseOximeter)

public func fuzzOximeter(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  profile.run(RawBytes(start: start, count: count))
  return 0
}
