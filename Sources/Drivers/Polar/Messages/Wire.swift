// Bytes of the wearable as messages, and messages as bytes for it: all that drivers need of protobuf.

public import SwiftProtobuf

/// The bytes are no message: cut, a field that runs over its end, or messages within messages beyond `depthLimit`.
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
    do { try self.init(serializedBytes: bytes.bytes, partial: true, options: options) } catch {
      throw MalformedMessage()
    }
  }

  public init(wire bytes: [UInt8]) throws(MalformedMessage) {
    var options = BinaryDecodingOptions()
    options.messageDepthLimit = depthLimit
    do { try self.init(serializedBytes: bytes, partial: true, options: options) } catch { throw MalformedMessage() }
  }

  /// As it is written: fields in ascending order, unknown ones last.
  ///
  /// - Throws: where a required field is missing.
  public func wire() throws(MalformedMessage) -> [UInt8] {
    do { return try serializedBytes() } catch { throw MalformedMessage() }
  }
}
