// How far a broker acknowledged a ring: what makes a loss behind its newest row visible.

internal import SwiftProtobuf

/// A ring of which an uplink gave rows, and the broker acknowledged them.
public struct RingHead: Sendable, Hashable {
  public var enrolment: UInt32
  public var device: String
  /// 48 bits, the byte that is printed first on top.
  public var address: UInt64
  public var series: String
  public var unit: String
  public var isFetched: Bool
  /// Ordinal of the oldest of these rows, and its time, µs since 1970.
  public var first: Int64
  public var firstTime: Int64
  /// The ordinal behind the newest of them, and the time of the newest.
  public var next: Int64
  public var newestTime: Int64

  /// Heads that one batch carries, below what a reader takes.
  public static let most = 2048

  /// Of one row; nil where no reader would take it.
  public init?(_ row: UplinkRow) {
    guard let first = Int64(exactly: row.ordinal), first < .max, isMoment(row.time) else { return nil }
    (enrolment, series, isFetched) = (row.ring.enrolment, row.ring.series, row.ring.isFetched)
    (device, unit) = (row.likeness.device, row.likeness.unit)
    address = addressNumber(row.likeness.address)
    (self.first, firstTime, next, newestTime) = (first, row.time, first + 1, row.time)
  }

  /// Together with another one of the same ring: names are those of the newer.
  public mutating func join(_ other: RingHead) {
    let (older, newer) = next < other.next ? (self, other) : (other, self)
    let oldest = older.first < newer.first ? older : newer
    (self, first, firstTime) = (newer, oldest.first, oldest.firstTime)
  }

  /// Whether a batch says this row: numbers that 64 bits do not hold it leaves out.
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
