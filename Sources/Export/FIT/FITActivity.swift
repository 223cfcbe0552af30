// Rows as one FIT activity file.
//
// - Each training of the selection is a session, from its begin for its active time. Its exercises are laps. Values of
//   other times are left out. Of trainings that overlap the longest is a session.
// - Without a training, all values are one session, from the first to the last.
// - A record has the values of one second, the last of each. A second without a value has no record.
// - Wearables can measure the same quantity at once. The source with most values in a session comes first; others fill
//   seconds in which it has none. Intervals between beats are of one source, as they would interleave.

public import CivilTime
public import Health

/// An activity of one person or one wearable.
public struct FITActivity: Sendable {
  /// The reason why rows make no file.
  public enum Problem: Error, Sendable, Hashable {
    /// Fault that no value is there.
    case empty
    /// Fault: more values than `limit`, or thousands of trainings.
    case tooMany
    /// A time that FIT cannot write, seconds since 1970.
    case time(Int64)
  }

  /// Series that a file can have.
  public static let series: [Series] = [
    .heartRate, .rrInterval, .ppi, .location, .cadence, .speed, .altitude, .exerciseDistance, .leftPower, .rightPower,
    .training, .totalDistance, .crankCadence,
  ]
  /// Values; each takes 24 bytes.
  public static let limit = 2_000_000
  /// Trainings and their exercises.
  static let trainingLimit = 5000

  struct Value: Sendable {
    /// Microseconds since 1970.
    let time: Int64
    let number: Int64
    let quantity: FITQuantity
    let source: UInt16
  }

  /// Wearable, origin and series that values come from.
  struct Source: Hashable, Sendable {
    let device: String
    let origin: String
    let series: Series
  }

  struct Training: Sendable, Hashable {
    /// Microseconds since 1970.
    let time: Int64
    /// Values as the series has them: part, sport, seconds, metres, kilocalories, mean and highest heart rate.
    let values: [Int64]
    let device: String
    let origin: String

    var part: Int64 { values[0] }
    /// Seconds since 1970.
    var begin: Int64 { floorDivide(time, 1_000_000) }
    var end: Int64 { begin + min(max(values[2], 0), 400 * 86_400) }
    var length: Int64 { end - begin }

    func overlaps(_ other: Training) -> Bool {
      begin < max(other.end, other.begin + 1) && other.begin < max(end, begin + 1)
    }

    /// nil: not reported.
    func known(_ place: Int) -> Int64? { values[place] > 0 ? values[place] : nil }
  }

  let equipment: String
  let zone: TimeZoneRules
  let sport: FITSport
  private(set) var values: [Value] = []
  private(set) var sources: [Source] = []
  private(set) var trainings: [Training] = []
  /// Values that no field can hold, or that the wearable itself doubts.
  private(set) var unfit = 0
  private var places: [Source: UInt16] = [:]

  /// - Parameters:
  ///   - equipment: the program, with its version.
  ///   - zone: of the hub.
  public init(equipment: String, zone: TimeZoneRules, sport: FITSport = .generic) {
    (self.equipment, self.zone, self.sport) = (equipment, zone, sport)
  }

  /// Takes a row, in any order.
  ///
  /// - Parameter interval: for a row of intervals between beats, a valid one in the stored scale of its series.
  /// - Throws: `tooMany` beyond `limit` values or 5,000 trainings.
  public mutating func take(_ row: ExportRow, interval: Int64? = nil) throws(Problem) {
    guard let series = row.known, row.kind == nil else { return }
    if series == .training {
      guard case .vector(let values) = row.value, values.count == 7 else { return }
      if trainings.count >= Self.trainingLimit { throw .tooMany }
      trainings.append(Training(time: row.time, values: values, device: row.device, origin: row.origin))
      return
    }
    if series == .rrInterval || series == .ppi {
      guard let interval else {
        unfit += 1
        return
      }
      let milliseconds = Int64(exactly: series.inUnit(Double(interval)).rounded())
      let fitting = milliseconds.flatMap { FITType.uint16.range.contains($0) ? $0 : nil }
      return try add(row, .interval, fitting, series)
    }
    for (quantity, number) in FITQuantity.all(row) {
      // A total may be far above its limit, and its difference not.
      let fits = quantity == .totalDistance || quantity.measure?.range.contains(number) ?? false
      try add(row, quantity, fits && row.quality == nil ? number : nil, series)
    }
  }

  private mutating func add(_ row: ExportRow, _ quantity: FITQuantity, _ number: Int64?, _ series: Series)
    throws(Problem)
  {
    let source = Source(device: row.device, origin: row.origin, series: series)
    let known = places[source] ?? UInt16(exactly: sources.count)
    guard let number, let place = known else {
      unfit += 1
      return
    }
    if values.count >= Self.limit { throw .tooMany }
    if places[source] == nil {
      places[source] = place
      sources.append(source)
    }
    values.append(Value(time: row.time, number: number, quantity: quantity, source: place))
  }
}
