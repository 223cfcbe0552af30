// Where samples lie: the name of a ring, as receipts say it.

public import Health

/// How samples come into a ring.
public enum Way: UInt8, Sendable, Hashable, CaseIterable {
  /// Through the journal, as they were streamed.
  case live = 0
  /// Fetched from the wearable's memory, written to the ring at once.
  case fetched = 1

  public var name: String {
    switch self {
    case .live: "live"
    case .fetched: "fetched"
    }
  }
}

/// Names a ring: one wearable, one series, one way in.
public struct RingID: Hashable, Sendable, Comparable {
  public let wearable: WearableID
  /// A number, because a store may hold series that a newer program wrote.
  public let seriesNumber: UInt16
  public let way: Way

  public init(wearable: WearableID, seriesNumber: UInt16, way: Way) {
    self.wearable = wearable
    self.seriesNumber = seriesNumber
    self.way = way
  }

  public var series: Series? { Series(id: seriesNumber) }

  /// In the order of their keys on disk.
  public static func < (a: RingID, b: RingID) -> Bool {
    (a.wearable.number, a.seriesNumber, a.way.rawValue) < (b.wearable.number, b.seriesNumber, b.way.rawValue)
  }
}
