// Progress of a day's sums of energy and distance: what is stored, and what was added since.

import Health

/// Stored sums of one day. Each look stores their growth, as a value of the time since the look before. All values of a
/// day therefore add up to what its file says in the end.
struct PolarTotals: Hashable, Sendable {
  /// Time of the last look, µs of the wearable's clock.
  private(set) var until: Int64
  /// Sums in the order of `series`, in stored units, 0 or more; nil if no value is stored.
  private var sums: [Int64?]

  static let series: [Series] = [.calories, .trainingCalories, .basalCalories, .distance]

  private init(until: Int64) {
    self.until = until
    sums = Self.series.map { _ in nil }
  }

  private subscript(series: Series) -> Int64? {
    get { Self.series.firstIndex(of: series).flatMap { sums[$0] } }
    set { if let place = Self.series.firstIndex(of: series) { sums[place] = newValue } }
  }

  // MARK: growth

  /// The growth of one sum from one look to the next.
  struct Growth: Hashable, Sendable {
    let series: Series
    /// µs of the wearable's clock.
    let begins: Int64
    /// µs.
    let length: Int64
    let amount: Int64
  }

  /// The growth of a day's sums.
  ///
  /// A sum that went down was rewritten. Such a sum adds no value until it exceeds the stored one.
  ///
  /// - Parameters:
  ///   - all: the sums as values of the whole day.
  ///   - lookedAt: µs of the wearable's clock; nil if the day is over.
  /// - Returns: `totals` is nil if the file has no sums.
  static func growth(of all: SampleBuffer, after known: PolarTotals?, lookedAt: Int64?)
    -> (totals: PolarTotals?, values: [Growth], isOther: Bool)
  {
    var totals: PolarTotals?
    var values: [Growth] = []
    var isOther = false
    all.forEach { series, numbers, midnight in
      guard Self.series.contains(series), numbers.count == 2, let length = numbers.first, let sum = numbers.last,
        sum >= 0
      else { return }
      let end = midnight &+ length
      let to = min(max(lookedAt ?? end, midnight), end)
      var now = totals ?? known ?? PolarTotals(until: to)
      let stored = now[series]
      now.until = to
      if stored.map({ sum > $0 }) ?? true { now[series] = sum }
      totals = now
      guard let stored else {
        return values.append(Growth(series: series, begins: midnight, length: to - midnight, amount: sum))
      }
      if sum < stored { isOther = true }
      guard sum > stored else { return }
      // A clock that was set back shows an earlier time than at the last look. The rewritten file of a past day does
      // not say when the growth happened.
      var from = min(max(known?.until ?? midnight, midnight), to)
      if from == end { from = midnight }
      values.append(Growth(series: series, begins: from, length: to - from, amount: sum - stored))
    }
    return (totals, values, isOther)
  }

  // MARK: bytes

  /// The time and the sums, eight bytes each; -1 for a sum without a stored value.
  var bytes: [UInt8] { PolarProgress.octets(until) + sums.flatMap { PolarProgress.octets($0 ?? Self.none) } }

  private static let none: Int64 = -1

  /// nil for malformed bytes.
  init?(_ bytes: ArraySlice<UInt8>) {
    guard bytes.count == 8 * (1 + Self.series.count) else { return nil }
    let numbers = (0...Self.series.count).map {
      Int64(bitPattern: PolarProgress.number(bytes.dropFirst(8 * $0).prefix(8)))
    }
    guard numbers.dropFirst().allSatisfy({ $0 >= Self.none }) else { return nil }
    until = numbers[0]
    sums = numbers.dropFirst().map { $0 == Self.none ? nil : $0 }
  }
}
