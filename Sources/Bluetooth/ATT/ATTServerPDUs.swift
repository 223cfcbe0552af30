// PDUs that a server sends without a request.

/// `1B` — Handle Value Notification.
///
/// | offset | size | field |
/// |---|---|---|
/// | 1 | 2 | handle of the characteristic value |
/// | 3 | n | value, at most MTU − 3 |
struct ATTNotification: ATTPDU {
  static let opcode = ATTOpcode.notification
  let handle: UInt16
  let value: RawBytes

  init(handle: UInt16, value: RawBytes) {
    self.handle = handle
    self.value = value
  }

  @inline(__always)
  init?(parameters reader: inout ByteReader) {
    guard let handle = reader.u16() else { return nil }
    self.init(handle: handle, value: reader.rest())
  }

  func appendParameters(to bytes: inout [UInt8]) {
    bytes.append(littleEndian: handle)
    bytes.append(contentsOf: value)
  }
}

/// `1D` — Handle Value Indication. Layout as the notification; the client must confirm it before the next one.
struct ATTIndication: ATTPDU {
  static let opcode = ATTOpcode.indication
  let handle: UInt16
  let value: RawBytes

  init(handle: UInt16, value: RawBytes) {
    self.handle = handle
    self.value = value
  }

  init?(parameters reader: inout ByteReader) {
    guard let handle = reader.u16() else { return nil }
    self.init(handle: handle, value: reader.rest())
  }

  func appendParameters(to bytes: inout [UInt8]) {
    bytes.append(littleEndian: handle)
    bytes.append(contentsOf: value)
  }
}

/// `1E` — Handle Value Confirmation: only the opcode.
struct ATTConfirmation: ATTPDU {
  static let opcode = ATTOpcode.confirmation
  init() {}
  init?(parameters reader: inout ByteReader) {}
  func appendParameters(to bytes: inout [UInt8]) {}
}

/// `23` — Multiple Handle Value Notification (since 5.2; sent only to clients that enabled it).
///
/// | offset | size | field |
/// |---|---|---|
/// | 1 | … | handle u16, length u16, value; two or more of them |
struct ATTMultipleNotification: ATTPDU {
  static let opcode = ATTOpcode.multipleNotification
  /// Checked: the lengths inside fill it exactly.
  let list: RawBytes

  /// Nil unless `list` is one whole tuple or more. (The specification wants two; one is harmless.)
  init?(list: RawBytes) {
    var reader = ByteReader(list)
    repeat {
      guard reader.skip(2), let length = reader.u16(), reader.skip(Int(length)) else { return nil }
    } while !reader.isAtEnd
    self.list = list
  }

  init?(parameters reader: inout ByteReader) { self.init(list: reader.rest()) }

  func appendParameters(to bytes: inout [UInt8]) { bytes.append(contentsOf: list) }

  func forEach(_ body: (_ handle: UInt16, _ value: RawBytes) -> Void) {
    var reader = ByteReader(list)
    while let handle = reader.u16(), let length = reader.u16(), let value = reader.take(Int(length)) {
      body(handle, value)
    }
  }
}
