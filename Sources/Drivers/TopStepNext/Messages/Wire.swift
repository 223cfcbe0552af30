// Conversion between bytes and messages: the driver's whole use of protobuf.

import MessageReading
public import SwiftProtobuf

/// Error for bytes that are no message. Causes are a truncated message, a field beyond its end, nesting beyond
/// `depthLimit`, or more than a band's day has. `PlainMessage` limits a message to 16 KiB and 2,048 fields; a day has
/// 288 values and some dozens by hand.
public struct MalformedMessage: Error, Hashable {
  /// Makes the error.
  public init() {}
}

/// Deepest accepted nesting of messages. No definition goes deeper than 2.
private let depthLimit = 8

extension SwiftProtobuf.Message {
  /// Reads a message from all of the bytes. Unknown fields and unnamed enumeration values are preserved.
  ///
  /// - Throws: if the bytes are not this message, exceed the bounds of `PlainMessage`, or are nested deeper than 8.
  public init(wire bytes: [UInt8]) throws(MalformedMessage) {
    var options = BinaryDecodingOptions()
    options.messageDepthLimit = depthLimit
    do {
      try bytes.withUnsafeBytes { try PlainMessage.check($0) }
      try self.init(serializedBytes: bytes, options: options)
    } catch { throw MalformedMessage() }
  }

  /// Serialised bytes: fields in ascending order, unknown ones last, default values left out.
  ///
  /// - Throws: if SwiftProtobuf cannot serialise the message.
  public func wire() throws(MalformedMessage) -> [UInt8] {
    do { return try serializedBytes() } catch { throw MalformedMessage() }
  }
}
