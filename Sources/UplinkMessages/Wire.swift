// Encoding of protobuf messages: all uses of protobuf in this module.

internal import FoundationEssentials
internal import SwiftProtobuf

/// Encoded message: fields in ascending order, default values left out. Empty only for errors that cannot occur here:
/// missing required fields, or more than 2 GiB.
func serialized(_ message: some SwiftProtobuf.Message) -> [UInt8] { (try? message.serializedBytes()) ?? [] }

/// Conversion to the type of a bytes field.
func foundationBytes(_ bytes: [UInt8]) -> Data { Data(bytes) }
