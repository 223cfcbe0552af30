// Grouping of exported rows into runs: rows of one ring that differ only in numbers.

/// Consecutive rows of one ring, at least one.
public struct RowGroup: Sendable, Hashable {
  /// Rows in order.
  public var rows: [UplinkRow]
  /// Ordinals directly before the first row that belong to its parts, or that the hub read but does not have. 0: no
  /// such ordinals, or unknown.
  public var skipped: UInt64
  /// First row of the group, which has at least one.
  public var first: UplinkRow { rows[0] }

  /// Rows, with the ordinals skipped before them.
  public init(rows: [UplinkRow], skipped: UInt64) { (self.rows, self.skipped) = (rows, skipped) }
}

/// Last ordinal of each ring in one pass through a store. The hub does not have ordinals between two rows of a pass.
public struct RingPlaces: Sendable {
  private var last: [RingName: UInt64] = [:]

  /// Creates groups without rings.
  public init() {}

  /// Limit: more rings than any hub has; further rings are not remembered, which means "unknown".
  private static let limit = 32_768
  /// Maximum number of rows of one run.
  public static let runLimit = 4096

  /// Drops rings of wearables that are gone.
  public mutating func forget(_ enrolments: Set<UInt32>) {
    if !enrolments.isEmpty { last = last.filter { !enrolments.contains($0.key.enrolment) } }
  }

  /// Number of rings remembered.
  public var count: Int { last.count }

  /// Runs of rows that belong to no pass. Gaps between runs are unknown, so only the parts of a row count as skipped.
  public static func whole(_ rows: [UplinkRow]) -> [RowGroup] {
    var runs: [RowGroup] = []
    for row in rows {
      let parts = UInt64(max(row.parts, 1))
      if let last = runs.last?.rows.last, last.ring == row.ring, last.ordinal &+ parts == row.ordinal,
        continues(last, row), runs[runs.count - 1].rows.count < runLimit
      {
        runs[runs.count - 1].rows.append(row)
      } else {
        runs.append(RowGroup(rows: [row], skipped: parts - 1))
      }
    }
    return runs
  }

  /// Runs of rows in the order of the pass. Rows that are not in a ring yet come in the order of arrival, with all
  /// wearables mixed. Rows of one ring are gathered, in their order. A run ends if its properties change, if ordinals
  /// do not grow, or at `limit` rows.
  public mutating func runs(_ rows: [UplinkRow], limit: Int = runLimit) -> [RowGroup] {
    var runs: [RowGroup] = []
    var open: [RingName: Int] = [:]
    for row in rows {
      let before = last[row.ring]
      if before != nil || last.count < Self.limit { last[row.ring] = row.ordinal }
      if let place = open[row.ring], let previous = runs[place].rows.last, runs[place].rows.count < limit,
        Self.continues(previous, row)
      {
        runs[place].rows.append(row)
        continue
      }
      // For a ring's first row in a pass, only its own parts are known to be before it.
      let skipped = before.flatMap { $0 < row.ordinal ? row.ordinal - $0 - 1 : nil } ?? UInt64(max(row.parts, 1) - 1)
      open[row.ring] = runs.count
      runs.append(RowGroup(rows: [row], skipped: skipped))
    }
    return runs
  }

  private static func continues(_ previous: UplinkRow, _ row: UplinkRow) -> Bool {
    previous.likeness == row.likeness && previous.ordinal < row.ordinal
      // A day or more between two rows is possible, or year 1 to 9999: second differences must fit.
      && row.time.magnitude < 1 << 60 && previous.time.magnitude < 1 << 60
  }
}

extension RowGroup {
  /// Splits the run so that each part's numbers fit one exponent, and their differences 64 bits. Almost always the run
  /// itself.
  func exactParts() -> [(run: RowGroup, columns: NumberColumns)] {
    if let columns = NumberColumns(rows) { return [(self, columns)] }
    if rows.count == 1 { return [] }
    let middle = rows.count / 2
    // The second part follows the first directly, apart from gaps in the ordinals.
    let between = rows[middle].ordinal - rows[middle - 1].ordinal - 1
    return RowGroup(rows: Array(rows[..<middle]), skipped: skipped).exactParts()
      + RowGroup(rows: Array(rows[middle...]), skipped: between).exactParts()
  }
}

/// Numbers of rows as integers with a common exponent and multiple.
struct NumberColumns {
  var exponent: UInt32 = 0
  var multiple: UInt64 = 1
  var width: UInt32 = 0
  var widths: [UInt32] = []
  var numbers: [Int64] = []

  /// nil if 64 bits do not hold them.
  init?(_ rows: [UplinkRow]) {
    let scale = rows.reduce(0) { most, row in row.numbers.reduce(most) { max($0, $1.scale) } }
    var divisor: UInt64 = 0
    var whole: [[Int64]] = []
    whole.reserveCapacity(rows.count)
    for row in rows {
      var values: [Int64] = []
      values.reserveCapacity(row.numbers.count)
      for number in row.numbers {
        guard let value = number.mantissa(at: scale) else { return nil }
        divisor = greatestCommonDivisor(divisor, value.magnitude)
        values.append(value)
      }
      whole.append(values)
    }
    exponent = UInt32(scale)
    // The magnitude of the smallest 64-bit number has no positive counterpart; the multiple is then 1.
    multiple = max(1, divisor)
    if multiple > UInt64(Int64.max) { multiple = 1 }
    let step = Int64(multiple)
    let counts = Set(whole.map(\.count))
    if counts.count == 1, let only = counts.first { width = UInt32(clamping: only) }
    if counts.count > 1 { widths = whole.map { UInt32(clamping: $0.count) } }
    var before: [Int64] = []
    for values in whole {
      let reduced = values.map { $0 / step }
      for (place, value) in reduced.enumerated() {
        let (difference, overflow) = value.subtractingReportingOverflow(place < before.count ? before[place] : 0)
        if overflow { return nil }
        numbers.append(difference)
      }
      before = reduced
    }
  }
}

func greatestCommonDivisor(_ first: UInt64, _ second: UInt64) -> UInt64 {
  var (a, b) = (first, second)
  while b != 0 { (a, b) = (b, a % b) }
  return a
}
