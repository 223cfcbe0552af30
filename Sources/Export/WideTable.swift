// A table with one row for each second or minute, and one column for each series.

internal import CivilTime
public import Health

/// Collects single values of series into a wide table.
///
/// A cell is the mean of its second or minute for measured series. For counters, states and classes a cell is the last
/// value. As in days, values that their wearable doubts and values heard only in advertisements are left out. So are
/// minimum, maximum and resting values that a wearable computed.
public struct WideTable {
  /// Series that have a column: those with one number at a time.
  public static let series = Series.all.filter { $0.layout == .scalar }
  /// Cells of one table; each takes 32 bytes.
  public static let limit = 4_000_000

  /// Key that rows of the same time differ by.
  private struct Subject: Hashable {
    let device: String
    let address: String?
    let wearer: String?
  }

  fileprivate struct Cell {
    /// Begin of the second or minute, in steps since 1970.
    let step: Int64
    /// Time of the last value, microseconds since 1970.
    var time: Int64
    var sum: Double
    var count: Int64

    init(step: Int64, time: Int64, value: Int64) { (self.step, self.time, sum, count) = (step, time, Double(value), 1) }

    mutating func join(_ other: Cell, isMean: Bool) {
      if isMean {
        sum += other.sum
        count += other.count
      } else if other.time >= time {
        sum = other.sum
      }
      time = max(time, other.time)
    }
  }

  /// Microseconds of a row.
  private let length: Int64
  private var columns: [Subject: [Series: [Cell]]] = [:]
  private var cells = 0

  /// - Parameter seconds: of one row, at least 1.
  public init(every seconds: Int) { length = Int64(max(1, seconds)) * 1_000_000 }

  /// Values of a series are averaged; else the last one counts.
  static func isMean(_ series: Series) -> Bool {
    if series.daily == .event || series.unit == "class" { return false }
    return ![.battery, .energyExpended, .exerciseDistance, .totalDistance, .wheelRevolutions].contains(series)
  }

  /// Rows that have no cell are passed over.
  ///
  /// - Returns: false: the table has reached `limit`, and the row is not in it.
  public mutating func take(_ row: ExportRow) -> Bool {
    guard let series = row.known, case .number(let value) = row.value, series.layout == .scalar, row.kind == nil,
      row.quality == nil, row.origin != Origin.advertised.name
    else { return true }
    let subject = Subject(device: row.device, address: row.address, wearer: row.wearer)
    let cell = Cell(step: floorDivide(row.time, length), time: row.time, value: value)
    let isMean = Self.isMean(series)
    let isNew = columns[subject, default: [:]][series, default: []].take(cell, isMean)
    if isNew { cells += 1 }
    return cells <= Self.limit
  }

  /// The table as CSV, piece by piece, wearable by wearable, in the order of time.
  public func write(_ write: ([UInt8]) throws -> Void) rethrows {
    let wanted = Self.series.filter { series in columns.values.contains { $0[series] != nil } }
    var text = Array("time,device,address,wearer".utf8)
    for series in wanted {
      text.append(UInt8(ascii: ","))
      text.append(csv: Self.header(series))
    }
    text.append(UInt8(ascii: "\n"))
    let subjects = columns.keys.sorted {
      ($0.device, $0.address ?? "", $0.wearer ?? "") < ($1.device, $1.address ?? "", $1.wearer ?? "")
    }
    for subject in subjects {
      var sorted = wanted.map { series in
        (series: series, cells: Self.sorted(columns[subject]?[series] ?? [], Self.isMean(series))[...])
      }
      while let step = sorted.compactMap({ $0.cells.first?.step }).min() {
        text.append(moment: step &* length, .orNone)
        for field in [subject.device, subject.address ?? "", subject.wearer ?? ""] {
          text.append(UInt8(ascii: ","))
          text.append(csv: field)
        }
        for index in sorted.indices {
          text.append(UInt8(ascii: ","))
          guard let cell = sorted[index].cells.first, cell.step == step else { continue }
          sorted[index].cells.removeFirst()
          text.append(rounded: sorted[index].series.inUnit(cell.sum / Double(cell.count)))
        }
        text.append(UInt8(ascii: "\n"))
        if text.count > 32 << 10 {
          try write(text)
          text.removeAll(keepingCapacity: true)
        }
      }
    }
    try write(text)
  }

  /// `heart_rate_mean [bpm]`
  static func header(_ series: Series) -> String {
    "\(series.name)_\(isMean(series) ? "mean" : "last")" + (series.unit.isEmpty ? "" : " [\(series.unit)]")
  }

  /// Sorts in the order of time, each step once: two ways bring values of one step.
  private static func sorted(_ cells: [Cell], _ isMean: Bool) -> [Cell] {
    var joined: [Cell] = []
    for cell in cells.sorted(by: { ($0.step, $0.time) < ($1.step, $1.time) }) {
      if let last = joined.indices.last, joined[last].step == cell.step {
        joined[last].join(cell, isMean: isMean)
      } else {
        joined.append(cell)
      }
    }
    return joined
  }
}

extension Array where Element == WideTable.Cell {
  /// False: it joined the last cell.
  fileprivate mutating func take(_ cell: WideTable.Cell, _ isMean: Bool) -> Bool {
    if let last = indices.last, self[last].step == cell.step {
      self[last].join(cell, isMean: isMean)
      return false
    }
    append(cell)
    return true
  }
}

extension Array where Element == UInt8 {
  /// Three places at most, and no zeros at the end.
  fileprivate mutating func append(rounded value: Double) {
    let thousandths = (value * 1000).rounded()
    guard thousandths.magnitude < 9e15 else { return append(contentsOf: "\(value)".utf8) }
    let number = Int64(thousandths)
    if number < 0 { append(UInt8(ascii: "-")) }
    append(digits: number.magnitude / 1000, width: 1)
    var rest = number.magnitude % 1000
    if rest == 0 { return }
    append(UInt8(ascii: "."))
    var width = 3
    while rest % 10 == 0 { (rest, width) = (rest / 10, width - 1) }
    append(digits: rest, width: width)
  }
}
