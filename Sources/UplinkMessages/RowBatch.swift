// Batch of rows after decoding: complete columns, exact numbers.

/// Validated content of one message with rows.
public struct RowBatch: Sendable, Equatable {
  /// Identity of the store; a restored backup gets another.
  public var store: UInt64
  /// Name of the hub.
  public var hub: String
  /// ms since 1970, by the hub's clock.
  public var sentMs: Int64
  /// 0, or the number of the resend order.
  public var resend: UInt64
  /// Rows, one run for each ring.
  public var runs: [RowRun]
  /// Changed wearers of rows, by wearable and period.
  public var corrections: [RowCorrection]
  /// Positions of the rings' oldest and newest rows.
  public var heads: [RingHead]

  /// Number of rows in all runs.
  public var rows: Int { runs.reduce(0) { $0 + $1.count } }
}

/// Changed wearer for the rows of one wearable in a period.
public struct RowCorrection: Sendable, Equatable {
  /// Number of the enrolment.
  public var enrolment: UInt32
  /// µs since 1970; start inclusive, end exclusive.
  public var times: Range<Int64>
  /// Empty: no wearer.
  public var wearer: String
}

/// Rows of one ring that differ only in numbers.
public struct RowRun: Sendable, Equatable {
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
  /// Number of ordinals directly before the first that the hub read and does not have.
  public var skipped: Int64
  /// Ordinals of the rows in their ring, ascending.
  public var ordinals: [Int64]
  /// Times of the rows, µs since 1970.
  public var times: [Int64]
  /// Integers of all rows, one row after the other; `decimal` converts them to values.
  public var numbers: [Int64]
  /// End of each row's numbers in `numbers`; empty if every row has `width` of them.
  public var numberEnds: [Int]
  /// Numbers of each row.
  public var width: Int
  /// Number of digits after the decimal point.
  public var exponent: Int
  /// Ends of the rows, µs after their time; empty, or one for each row.
  public var ends: [Int64]
  /// Bytes of the rows; empty, or one for each row.
  public var data: [[UInt8]]
  /// Numbers of samples in the bytes; empty, or one for each row.
  public var counts: [UInt32]
  /// Properties of all rows.
  public var traits: RowTraits
  /// Whether its times were corrected after they were stored. Each row then replaces the row of its ring and ordinal
  /// without this flag.
  public var isRetimed: Bool
  /// Empty: no wearer, or not published.
  public var wearer: String

  /// Number of rows.
  public var count: Int { ordinals.count }

  /// Index range of a row's numbers.
  public func numbers(of row: Int) -> Range<Int> {
    if numberEnds.isEmpty { return row * width..<(row + 1) * width }
    return (row == 0 ? 0 : numberEnds[row - 1])..<numberEnds[row]
  }

  /// Value of a number as text.
  public func decimal(_ number: Int64) -> String {
    var bytes: [UInt8] = []
    appendDecimal(number, exponent, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }
}

/// Properties that all rows of a run share, besides wearable and series.
public struct RowTraits: Sendable, Hashable {
  /// `live`, `fetched`, `replayed` or `advertised`.
  public var origin = ""
  /// Kind of the values; empty: normal.
  public var kind = ""
  /// True if the user started them.
  public var isManual = false
  /// True if their times rest on no trusted clock.
  public var isClockUnsure = false
  /// True if the wearable doubts them.
  public var isLowQuality = false
  /// Encoding of a waveform; 0: numbers.
  public var encoding: UInt32 = 0
  /// Time between two values of a waveform; 0: no waveform.
  public var periodNs: Int64 = 0
  /// Kind of a record; 0: none.
  public var record: UInt32 = 0

  /// Properties of usual rows.
  public init() {}
}

/// Appends `number` ÷ 10^`exponent` with all significant digits.
public func appendDecimal(_ number: Int64, _ exponent: Int, to bytes: inout [UInt8]) {
  if number == 0 { return bytes.append(UInt8(ascii: "0")) }
  if number < 0 { bytes.append(UInt8(ascii: "-")) }
  var (rest, places) = (number.magnitude, exponent)
  while places > 0 {
    let (tenth, digit) = rest.quotientAndRemainder(dividingBy: 10)
    if digit != 0 { break }
    (rest, places) = (tenth, places - 1)
  }
  // At most 20 digits, or all decimals and one digit before the point.
  var digits: [20 of UInt8] = .init(repeating: UInt8(ascii: "0"))
  var count = 0
  while rest > 0 {
    let (tenth, digit) = rest.quotientAndRemainder(dividingBy: 10)
    digits[count] = UInt8(ascii: "0") + UInt8(digit)
    (rest, count) = (tenth, count + 1)
  }
  if places >= count {
    bytes.append(UInt8(ascii: "0"))
    bytes.append(UInt8(ascii: "."))
    for _ in count..<places { bytes.append(UInt8(ascii: "0")) }
  }
  while count > 0 {
    count -= 1
    bytes.append(digits[count])
    if count == places, places > 0 { bytes.append(UInt8(ascii: ".")) }
  }
}
