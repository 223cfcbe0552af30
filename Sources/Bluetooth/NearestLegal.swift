// Correction of illegal connection parameters to the nearest legal ones.

extension ConnectionParameters {
  /// Smallest interval that is rounded down to whole tens of milliseconds (8 units of 1.25 ms). So logs show 450 ms and
  /// not 453.75 ms.
  private static let coarseFrom: UInt16 = 80

  /// The nearest legal parameters.
  ///
  /// Each number is first brought into its range, and the minimum interval below the maximum. Interval and latency
  /// together make a silence, and the timeout may then be too short for it. Timeout and latency are kept even so: they
  /// say how soon a loss is noticed and how long a wearable may sleep. The intervals are shortened instead, those of
  /// 100 ms and more to whole 10 ms. The latency is lowered only if the shortest interval is still too long. Legal
  /// parameters stay as they are.
  public var nearestLegal: ConnectionParameters {
    if defect == nil { return self }
    let timeout = min(max(self.timeout, 10), 3200)
    var latency = min(self.latency, 499)
    var maximum = min(max(maximumInterval, 6), 3200)
    // timeout × 10 ms > (1 + latency) × interval × 1.25 ms × 2; `bound` is the limit of the product, in units of 2.5
    // ms.
    let bound = Int(timeout) * 4
    if (1 + Int(latency)) * Int(maximum) >= bound {
      let longest = (bound - 1) / (1 + Int(latency))
      if longest >= 6 {
        let exact = UInt16(clamping: longest)
        maximum = exact >= Self.coarseFrom ? exact / 8 * 8 : exact
      } else {
        maximum = 6
        latency = UInt16(clamping: (bound - 1) / 6 - 1)
      }
    }
    let minimum = min(min(max(minimumInterval, 6), 3200), maximum)
    return ConnectionParameters(minimumInterval: minimum, maximumInterval: maximum, latency: latency, timeout: timeout)
  }
}
