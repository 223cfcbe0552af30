// libFuzzer harness: weights and what scales make of a body. Compiled together with Sources/Drivers/StandardGATT by
// ./run.

import Bluetooth
import GATTServices

private let profiles = [FuzzedProfile(.weightScale), FuzzedProfile(.bodyComposition)]

/// The first byte chooses the service.
public func fuzzScale(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = RawBytes(start: start, count: count)
  guard let choice = bytes.first else { return 0 }
  profiles[Int(choice & 1)].run(RawBytes(rebasing: bytes.dropFirst()))
  return 0
}
