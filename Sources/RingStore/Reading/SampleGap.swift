// Rows that a walk cannot return: they distinguish lost data from a pause.

public import Custody
public import Health

/// Rows that should be in an export and are missing.
public struct SampleGap: Sendable, Hashable {
  /// Causes for which they are missing.
  public enum Cause: String, Sendable {
    /// The card returned other bytes than were written.
    case damaged
    /// Evicted, purged or erased before the reader of this cursor had them.
    case gone
  }

  /// Rows of a ring by their ordinals; nil for a chunk of the journal, which may have had rows of several rings.
  public struct Place: Sendable, Hashable {
    /// Wearable of the rows.
    public let wearable: WearableID
    /// Series of the rows.
    public let series: Series
    /// Way of the rows.
    public let way: Way
    /// Ordinals of the rows.
    public let ordinals: ClosedRange<UInt64>
  }

  /// Rows of a ring; nil: a chunk of the journal.
  public let place: Place?
  /// Cause for which they cannot be returned.
  public let cause: Cause

  /// - Returns: nil for a series that this version of the program does not know.
  init?(_ ring: RingID, from: UInt64, below: UInt64, _ cause: Cause) {
    guard let series = ring.series else { return nil }
    let last = max(below, 1) - 1
    place = Place(wearable: ring.wearable, series: series, way: ring.way, ordinals: from...max(from, last))
    self.cause = cause
  }

  init() { (place, cause) = (nil, .damaged) }
}

extension SamplePage {
  mutating func lose(_ ring: RingID, chunk: UInt64, from: UInt64, below: UInt64) {
    corrupt.append(.ring(ring, chunk))
    if let gap = SampleGap(ring, from: max(chunk, from), below: below, .damaged) { gaps.append(gap) }
  }

  mutating func loseJournal(_ sequence: UInt64) {
    corrupt.append(.journal(sequence))
    gaps.append(SampleGap())
  }

  mutating func miss(_ ring: RingID, from: UInt64, below: UInt64) {
    if below > from, let gap = SampleGap(ring, from: from, below: below, .gone) { gaps.append(gap) }
  }
}
