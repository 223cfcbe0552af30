// Identity of a ring, the storage of samples, as used in receipts.

public import Health

/// Way by which samples enter a ring.
public enum Way: UInt8, Sendable, Hashable, CaseIterable {
  /// Way through the journal, as they were streamed.
  case live = 0
  /// Fetched from the wearable's memory, written to the ring directly.
  case fetched = 1

  /// Name in documents and logs.
  public var name: String {
    switch self {
    case .live: "live"
    case .fetched: "fetched"
    }
  }
}

/// Ring: one wearable, one series, one way.
public struct RingID: Hashable, Sendable, Comparable {
  /// Wearable that the samples came from.
  public let wearable: WearableID
  /// A number, because a store may contain series of a newer program.
  public let seriesNumber: UInt16
  /// Way by which they came.
  public let way: Way

  /// The ring of a series, by its number in the store.
  public init(wearable: WearableID, seriesNumber: UInt16, way: Way) {
    self.wearable = wearable
    self.seriesNumber = seriesNumber
    self.way = way
  }

  /// Series of the ring; nil: a number that this version does not know.
  public var series: Series? { Series(id: seriesNumber) }

  /// Compares in the order of their keys on disk.
  public static func < (a: RingID, b: RingID) -> Bool {
    (a.wearable.number, a.seriesNumber, a.way.rawValue) < (b.wearable.number, b.seriesNumber, b.way.rawValue)
  }
}
