// Where damage was found.

internal import Custody

/// Where damage was found.
enum DamagedChunk: Hashable, Sendable {
  case journal(UInt64)
  case ring(RingID, UInt64)
  /// Bytes that are kept of an item.
  case staged(WearableID, String)
}
