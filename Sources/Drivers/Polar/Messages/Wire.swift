// Decoding and encoding of the vendor's messages: all that drivers need of protobuf.

import MessageReading
public import SwiftProtobuf

/// The bytes are not a message: truncated, a field beyond the end, or nested deeper than `depthLimit`. Also bytes
/// beyond the size of an answer, a notification or a small file (`PlainMessage`). `MessageReader` reads files of
/// samples.
public struct MalformedMessage: Error, Hashable {
  /// Makes the error.
  public init() {}
}

/// Deepest nesting of messages. Definitions go 5 levels deep, but the collectors of a source device may contain
/// collectors.
private let depthLimit = 16

extension SwiftProtobuf.Message {
  /// Decodes a complete message. Missing required fields stay missing, and unknown fields are preserved.
  ///
  /// - Throws: if the bytes are not this message, exceed the bounds of `PlainMessage`, or are nested deeper than 16.
  public init(wire bytes: UnsafeRawBufferPointer) throws(MalformedMessage) {
    var options = BinaryDecodingOptions()
    options.messageDepthLimit = depthLimit
    do {
      try PlainMessage.check(bytes)
      try self.init(serializedBytes: bytes.bytes, partial: true, options: options)
    } catch { throw MalformedMessage() }
  }

  /// Decodes a message.
  ///
  /// - Throws: for bytes that are not one.
  public init(wire bytes: [UInt8]) throws(MalformedMessage) {
    let read: Result<Self, MalformedMessage> = bytes.withUnsafeBytes { bytes in
      do throws(MalformedMessage) { return .success(try Self(wire: bytes)) } catch { return .failure(error) }
    }
    self = try read.get()
  }

  /// Encodes the message: fields in ascending order, unknown ones last.
  ///
  /// - Throws: if a required field is missing.
  public func wire() throws(MalformedMessage) -> [UInt8] {
    do { return try serializedBytes() } catch { throw MalformedMessage() }
  }
}
