// An item of any layout that the hub itself made, on its way to the journal.

import EventLoop
import Health
import Reasons
import RingStore

extension Store {
  /// Appends like `append` for buffers; for rare items. Values that the hub derives must keep the bounds of their
  /// series too.
  ///
  /// - Throws: `gattValueMalformed` for impossible values; then the item is not taken.
  func append(
    _ series: Series, _ values: [Int64], _ bytes: [UInt8] = [], of wearable: WearableID, flags: SampleFlags,
    at time: Instant
  ) throws(HearthError) {
    if !series.canBe(values) { throw HearthError(.gattValueMalformed, "an impossible derived \(series.name)") }
    let result: Result<Void, HearthError> = values.withUnsafeBufferPointer { values in
      bytes.withUnsafeBytes { bytes in
        Result { () throws(HearthError) in
          try append(wearable, series, values: values, bytes: bytes, flags: flags, at: time)
        }
      }
    }
    try result.get()
  }
}
