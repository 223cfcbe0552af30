// The place of damage.

internal import Custody

/// The place of damage.
enum DamagedChunk: Hashable, Sendable {
  case journal(UInt64)
  case ring(RingID, UInt64)
  /// Staged bytes of an item.
  case staged(WearableID, String)
}
