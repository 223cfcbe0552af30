// A batch of rows as a reader has it: every column whole, every number exact.

/// What one message of a hub's rows says, checked.
public struct RowBatch: Sendable, Equatable {
  /// The identity of the store, which a restored backup does not share.
  public var store: UInt64
  public var hub: String
  /// ms since 1970, by the hub's clock.
  public var sentMs: Int64
  /// 0, or the number of the order that it answers.
  public var resend: UInt64
  public var runs: [RowRun]
  public var corrections: [RowCorrection]
  public var heads: [RingHead]

  public var rows: Int { runs.reduce(0) { $0 + $1.count } }
}

/// Another wearer for what one wearable measured from one moment to another.
public struct RowCorrection: Sendable, Equatable {
  public var enrolment: UInt32
  /// µs since 1970; the first belongs to it, the last does not.
  public var times: Range<Int64>
  /// Empty: nobody.
  public var wearer: String
}

/// Rows of one ring that differ in numbers alone.
public struct RowRun: Sendable, Equatable {
  public var enrolment: UInt32
  public var device: String
  /// 48 bits, the byte that is printed first on top.
  public var address: UInt64
  public var series: String
  public var unit: String
  public var isFetched: Bool
  /// Ordinals directly before the first that the hub looked at and does not have.
  public var skipped: Int64
  /// Rising.
  public var ordinals: [Int64]
  /// µs since 1970.
  public var times: [Int64]
  /// Whole numbers of all rows, one row behind the other; `decimal` makes values of them.
  public var numbers: [Int64]
  /// Where the numbers of each row end in `numbers`; empty where every row has `width` of them.
  public var numberEnds: [Int]
  public var width: Int
  /// Digits behind the point.
  public var exponent: Int
  /// µs after the time; empty, or one for each row.
  public var ends: [Int64]
  /// Empty, or one for each row.
  public var data: [[UInt8]]
  /// Empty, or one for each row.
  public var counts: [UInt32]
  public var traits: RowTraits
  /// Its times were corrected after they were stored: each row holds against one of its ring and ordinal without this.
  public var isRetimed: Bool
  /// Empty: nobody, or nobody is told.
  public var wearer: String

  public var count: Int { ordinals.count }

  /// Where the numbers of a row stand.
  public func numbers(of row: Int) -> Range<Int> {
    if numberEnds.isEmpty { return row * width..<(row + 1) * width }
    return (row == 0 ? 0 : numberEnds[row - 1])..<numberEnds[row]
  }

  /// The value of a number as text.
  public func decimal(_ number: Int64) -> String {
    var bytes: [UInt8] = []
    appendDecimal(number, exponent, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }
}

/// What rows have in common beside wearable and series.
public struct RowTraits: Sendable, Hashable {
  /// `live`, `fetched`, `replayed` or `advertised`.
  public var origin = ""
  public var kind = ""
  public var isManual = false
  public var isClockUnsure = false
  public var isLowQuality = false
  public var encoding: UInt32 = 0
  /// Between two values of a waveform; 0: none.
  public var periodNs: Int64 = 0
  public var record: UInt32 = 0

  public init() {}
}

/// Appends `number` ÷ 10^`exponent`: all digits, none that says nothing.
public func appendDecimal(_ number: Int64, _ exponent: Int, to bytes: inout [UInt8]) {
  if number == 0 { return bytes.append(UInt8(ascii: "0")) }
  if number < 0 { bytes.append(UInt8(ascii: "-")) }
  var (rest, places) = (number.magnitude, exponent)
  while places > 0 {
    let (tenth, digit) = rest.quotientAndRemainder(dividingBy: 10)
    if digit != 0 { break }
    (rest, places) = (tenth, places - 1)
  }
  // 20 digits at most, or as many places and one digit before the point.
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
