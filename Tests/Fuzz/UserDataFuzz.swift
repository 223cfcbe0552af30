// libFuzzer harness: what a wearable knows of its wearer's body. Compiled together with
// Sources/Drivers/StandardGATT by ./run.

import Bluetooth

/// The first byte chooses the field, or a control point's answer. What is read is the same after it was written.
public func fuzzUserData(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = RawBytes(start: start, count: count)
  guard let choice = bytes.first else { return 0 }
  let rest = RawBytes(rebasing: bytes.dropFirst())
  let fields = UserData.Field.allCases
  let place = Int(choice) % (fields.count + 1)
  guard place < fields.count else {
    if let response = try? UserData.Response(rest) { precondition((response.index == nil) == (rest.count < 4)) }
    return 0
  }
  guard let content = try? UserData.Content(fields[place], rest) else { return 0 }
  precondition(content.bytes == Array(rest.prefix(content.bytes.count)), "does not write what it read")
  precondition(content.bytes.count + content.trailingBytes == rest.count)
  return 0
}
