// Where damage was found.

/// Where damage was found.
enum DamagedChunk: Hashable, Sendable {
  case journal(UInt64)
  case ring(RingID, UInt64)
}
