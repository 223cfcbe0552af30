// Bytes of the band as messages, and messages as bytes for it: all that the driver needs of protobuf.

import MessageReading
public import SwiftProtobuf

/// The bytes are no message: cut, a field that runs over its end, messages within messages beyond `depthLimit`, or more
/// than a day of a band has (`PlainMessage`: 16 KiB and 2,048 fields; a day has 288 values and some dozens by hand).
public struct MalformedMessage: Error, Hashable {
  public init() {}
}

/// Messages within messages that are followed. No definition goes deeper than 2.
private let depthLimit = 8

extension SwiftProtobuf.Message {
  /// Of whole bytes. Unknown fields are kept, and so are numbers that no enumeration names.
  public init(wire bytes: [UInt8]) throws(MalformedMessage) {
    var options = BinaryDecodingOptions()
    options.messageDepthLimit = depthLimit
    do {
      try bytes.withUnsafeBytes { try PlainMessage.check($0) }
      try self.init(serializedBytes: bytes, options: options)
    } catch { throw MalformedMessage() }
  }

  /// As it is written: fields in ascending order, unknown ones last, values that are the default left out.
  public func wire() throws(MalformedMessage) -> [UInt8] {
    do { return try serializedBytes() } catch { throw MalformedMessage() }
  }
}
