// libFuzzer harness: what a wearable says of its links (Reconnection Configuration). Compiled together with
// Sources/Drivers/StandardGATT by ./run.

import Bluetooth
import GATTServices

private let reconnection = FuzzedProfile(.reconnection)

public func fuzzReconnection(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = RawBytes(start: start, count: count)
  reconnection.run(bytes)
  if let features = try? ReconnectionFeatures(bytes) {
    precondition(features.trailingBytes == bytes.count - 5 && features.supported.rawValue < 1 << 24)
    precondition(features.check != 0xFFFF)
  }
  if let settings = try? ReconnectionSettings(bytes) { precondition(settings.advertising < 4 && bytes.count > 2) }
  return 0
}
