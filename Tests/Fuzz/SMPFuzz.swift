// libFuzzer harness: what an insole answers, from notifications to files' chunks. Compiled together with
// Sources/Drivers/Botz by ./run.

import Bluetooth

/// The first byte is the size of the pieces; the rest are the notifications of one characteristic.
public func fuzzSMP(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = UnsafeRawBufferPointer(start: start, count: count)
  guard let size = bytes.first.map({ max(1, Int($0)) }) else { return 0 }
  let content = UnsafeRawBufferPointer(rebasing: bytes.dropFirst())
  check(content)
  var reassembler = SMPReassembler()
  var offset = 0
  while offset < content.count {
    let piece = Array(content[offset..<min(offset + size, content.count)])
    offset += size
    switch reassembler.take(piece) {
    case .more, .defective: break
    case .whole(let frame):
      precondition(frame.count <= SMPHeader.size + SMPFrame.payloadLimit)
      frame.withUnsafeBytes { check($0) }
    }
  }
  return 0
}

/// A frame that is read must read the same after it was written, in both forms.
private func check(_ bytes: UnsafeRawBufferPointer) {
  if let value = try? CBORReader.read(bytes) {
    for indefinite in [false, true] {
      let again = value.encode(indefinite: indefinite)
      precondition((try? again.withUnsafeBytes { try CBORReader.read($0) }) == value, "does not read what it wrote")
    }
  }
  guard let frame = try? SMPFrame(bytes) else { return }
  let again = frame.encode()
  precondition(
    (try? again.withUnsafeBytes { try SMPFrame($0) })?.payload == frame.payload, "does not read what it wrote")
  if let failure = FileManagement.Failure(frame.payload) { precondition(!failure.text.isEmpty) }
  if let chunk = frame.payload.flatMap({ FileManagement.Chunk($0) }) {
    precondition(chunk.offset >= 0 && chunk.data.count <= bytes.count)
  }
  if let request = FileManagement.Request(frame) {
    precondition(FileManagement.Request(request.frame(sequence: 1)) == request, "another request than was asked")
  }
}
