// A command that the hub never reads: its layout beside the vectors that hold it.

@testable import Bluetooth

/// `D2` — Signed Write Command. This hub has no signing keys; it neither sends nor obeys them.
///
/// | offset | size | field |
/// |---|---|---|
/// | 1 | 2 | handle |
/// | 3 | n | value |
/// | 3 + n | 12 | signature |
struct ATTSignedWriteCommand: ATTPDU {
  static let opcode = ATTOpcode.signedWriteCommand
  let handle: UInt16
  let value: RawBytes
  let signature: RawBytes

  init(handle: UInt16, value: RawBytes, signature: RawBytes) {
    self.handle = handle
    self.value = value
    self.signature = signature
  }

  init?(parameters reader: inout ByteReader) {
    guard let handle = reader.u16(), let value = reader.take(reader.remaining - 12), let signature = reader.take(12)
    else { return nil }
    self.init(handle: handle, value: value, signature: signature)
  }

  func appendParameters(to bytes: inout [UInt8]) {
    bytes.append(littleEndian: handle)
    bytes.append(contentsOf: value)
    bytes.append(contentsOf: signature)
  }
}
