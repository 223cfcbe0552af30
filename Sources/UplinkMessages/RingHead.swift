// Position up to which a broker acknowledged a ring: shows the loss of the ring's newest rows.

internal import SwiftProtobuf

/// Acknowledged position of a ring.
public struct RingHead: Sendable, Hashable {
  /// Number of the enrolment.
  public var enrolment: UInt32
  /// Name of the wearable.
  public var device: String
  /// 48 bits, the first printed byte highest.
  public var address: UInt64
  /// Name of the series.
  public var series: String
  /// Unit of the series.
  public var unit: String
  /// True for fetched rows, false for live ones.
  public var isFetched: Bool
  /// Ordinal of the oldest of these rows, and its time, µs since 1970.
  public var first: Int64
  /// Time of the oldest of these rows, µs since 1970.
  public var firstTime: Int64
  /// Ordinal after the newest of these rows.
  public var next: Int64
  /// Time of the newest of them, µs since 1970.
  public var newestTime: Int64

  /// Maximum number of positions in one batch, below the limit of a reader.
  public static let most = 2048

  /// Position of a single row; nil if no reader would accept it.
  public init?(_ row: UplinkRow) {
    guard let first = Int64(exactly: row.ordinal), first < .max, isMoment(row.time) else { return nil }
    (enrolment, series, isFetched) = (row.ring.enrolment, row.ring.series, row.ring.isFetched)
    (device, unit) = (row.likeness.device, row.likeness.unit)
    address = addressNumber(row.likeness.address)
    (self.first, firstTime, next, newestTime) = (first, row.time, first + 1, row.time)
  }

  /// Joins another position of the same ring; names are those of the newer one.
  public mutating func join(_ other: RingHead) {
    let (older, newer) = next < other.next ? (self, other) : (other, self)
    let oldest = older.first < newer.first ? older : newer
    (self, first, firstTime) = (newer, oldest.first, oldest.firstTime)
  }

  /// Whether a batch contains this row: it leaves out rows with numbers beyond 64 bits.
  public static func isSaid(_ row: UplinkRow) -> Bool { NumberColumns([row]) != nil }

  var message: Hearth_Uplink_Head {
    var message = Hearth_Uplink_Head()
    (message.enrolment, message.device, message.address) = (enrolment, device, address)
    (message.series, message.unit, message.way) = (series, unit, isFetched ? .fetched : .live)
    (message.first, message.firstUs) = (UInt64(first), firstTime)
    (message.next, message.newestUs) = (UInt64(next), newestTime)
    return message
  }

  init(reading head: Hearth_Uplink_Head) throws(RowBatchDefect) {
    for text in [head.device, head.series, head.unit] { try require(isPlain(text), "a name is too long, or no text") }
    try require(!head.series.isEmpty, "a head is of no series")
    try require(head.address < 1 << 48, "an address has more than 48 bits")
    switch head.way {
    case .live: isFetched = false
    case .fetched: isFetched = true
    case .UNRECOGNIZED: throw .contradiction("rows came a way that is not known")
    }
    guard let first = Int64(exactly: head.first), let next = Int64(exactly: head.next), first < next else {
      throw .contradiction("a head ends before it begins, or is larger than can be")
    }
    try require(isMoment(head.firstUs) && isMoment(head.newestUs), "a head is of no time that there is")
    (enrolment, device, address, series, unit) = (head.enrolment, head.device, head.address, head.series, head.unit)
    (self.first, firstTime, self.next, newestTime) = (first, head.firstUs, next, head.newestUs)
  }
}
