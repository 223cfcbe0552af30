// libFuzzer harness: heart rates, batteries and makers of wearables, as a decoder of a link has them. Compiled together
// with Sources/Drivers/Services by ./run.

import Bluetooth

private let profiles = HeartRateStrap.profiles.map { FuzzedProfile($0) }

/// The first byte chooses the service.
public func fuzzStrap(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = RawBytes(start: start, count: count)
  guard let choice = bytes.first else { return 0 }
  profiles[Int(choice) % profiles.count].run(RawBytes(rebasing: bytes.dropFirst()))
  return 0
}
