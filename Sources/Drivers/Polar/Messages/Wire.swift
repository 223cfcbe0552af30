// Bytes of the wearable as messages, and messages as bytes for it: all that drivers need of protobuf.

import MessageReading
public import SwiftProtobuf

/// The bytes are no message: cut, a field that runs over its end, messages within messages beyond `depthLimit`, or more
/// than an answer, a notification or a small file has (`PlainMessage`). Files of samples are read by a `MessageReader`.
public struct MalformedMessage: Error, Hashable {
  public init() {}
}

/// Messages within messages that are followed. No definition goes deeper than 5, but a source device may have
/// collectors that have collectors.
private let depthLimit = 16

extension SwiftProtobuf.Message {
  /// Of whole bytes. Missing required fields are left missing, unknown ones are kept.
  public init(wire bytes: UnsafeRawBufferPointer) throws(MalformedMessage) {
    var options = BinaryDecodingOptions()
    options.messageDepthLimit = depthLimit
    do {
      try PlainMessage.check(bytes)
      try self.init(serializedBytes: bytes.bytes, partial: true, options: options)
    } catch { throw MalformedMessage() }
  }

  public init(wire bytes: [UInt8]) throws(MalformedMessage) {
    let read: Result<Self, MalformedMessage> = bytes.withUnsafeBytes { bytes in
      do throws(MalformedMessage) { return .success(try Self(wire: bytes)) } catch { return .failure(error) }
    }
    self = try read.get()
  }

  /// As it is written: fields in ascending order, unknown ones last.
  ///
  /// - Throws: where a required field is missing.
  public func wire() throws(MalformedMessage) -> [UInt8] {
    do { return try serializedBytes() } catch { throw MalformedMessage() }
  }
}
