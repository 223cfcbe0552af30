// Messages as bytes: all that the room needs of protobuf.

internal import FoundationEssentials
internal import SwiftProtobuf

/// As it is written: fields in ascending order, values that are the default left out. Empty only for what no message
/// here has: required fields, or more than 2 GiB.
func serialized(_ message: some SwiftProtobuf.Message) -> [UInt8] { (try? message.serializedBytes()) ?? [] }

/// The type of a field of bytes.
func foundationBytes(_ bytes: [UInt8]) -> Data { Data(bytes) }
