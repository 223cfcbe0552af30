// Sliding window with its values in order: quantiles and medians without sorting again.

/// Finite values in ascending order.
struct SortedWindow: Sendable {
  private var values: [Double] = []

  init(capacity: Int) { values.reserveCapacity(capacity) }

  mutating func removeAll() { values.removeAll(keepingCapacity: true) }

  mutating func insert(_ value: Double) { values.insert(value, at: place(of: value)) }

  /// - Parameter value: a value inserted before.
  mutating func remove(_ value: Double) {
    let place = place(of: value)
    if place < values.count { values.remove(at: place) }
  }

  /// Quantile by linear interpolation at `share` · (count − 1); 0 if empty.
  func quantile(_ share: Double) -> Double {
    guard let largest = values.last else { return 0 }
    let position = share * Double(values.count - 1)
    let below = Int(position)
    guard below + 1 < values.count else { return largest }
    return values[below] + (values[below + 1] - values[below]) * (position - Double(below))
  }

  /// The middle value, or the mean of the two in the middle; 0 if empty.
  var median: Double {
    guard !values.isEmpty else { return 0 }
    let middle = values.count / 2
    return values.count.isMultiple(of: 2) ? (values[middle - 1] + values[middle]) / 2 : values[middle]
  }

  /// Replaces each element of a series by a function of the window around it; the window is cut at the ends.
  ///
  /// - Parameter radius: values on each side.
  mutating func slide(
    over series: [Double], radius: Int, into output: inout [Double], _ meaning: (borrowing SortedWindow) -> Double
  ) {
    removeAll()
    output.removeAll(keepingCapacity: true)
    for index in 0..<Swift.min(radius, series.count) { insert(series[index]) }
    for index in series.indices {
      if index + radius < series.count { insert(series[index + radius]) }
      if index > radius { remove(series[index - radius - 1]) }
      output.append(meaning(self))
    }
  }

  /// Index of the first value that is not smaller.
  private func place(of value: Double) -> Int {
    var (low, high) = (0, values.count)
    while low < high {
      let middle = (low + high) / 2
      if values[middle] < value { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
