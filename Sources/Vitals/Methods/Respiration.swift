// Respiration rate from sinus arrhythmia (method RSA-1): the heart speeds up while breathing in. A weak line gives no
// value; guessing is not allowed.

/// The strongest line of the spectrum within the range of breathing.
public struct Respiration: Sendable, Hashable {
  /// Respiration rate, breaths a minute.
  public var rate: Double
  /// 0 to 1, the share of the density within 0.03 Hz of the line.
  public var quality: Double
  /// Whether the line is at an end of the band: the real rate may be outside.
  public var isAtEdge: Bool

  /// 0.120 to 0.500 Hz: 7.2 to 30 breaths a minute.
  static let band = 120...500
  /// 0.03 Hz: the width of a line in half a minute of signal.
  static let halfWidth = 30
  static let leastQuality = 0.35
  /// Breaths a minute with a line in the high band (0.15 to 0.40 Hz). For other rates HF is not the power of breathing.
  public static let ratesInHighBand = 9.0...24.0

  /// True if the line is strong enough, and not at the edge of the range.
  public var isReportable: Bool { quality >= Self.leastQuality && !isAtEdge }

  /// - Parameter periodogram: an already computed one. Nil without any power in the band.
  public init?(_ periodogram: Periodogram) {
    var (total, peak, strongest) = (0.0, Self.band.lowerBound, -1.0)
    for place in Self.band {
      let density = periodogram.density(place)
      total += density
      if density > strongest { (peak, strongest) = (place, density) }
    }
    guard total > 0, total.isFinite else { return nil }
    var near = 0.0
    for place in Swift.max(
      peak - Self.halfWidth, Self.band.lowerBound)...Swift.min(
        peak + Self.halfWidth, Self.band.upperBound)
    {
      near += periodogram.density(place)
    }
    quality = Swift.min(near / total, 1)
    isAtEdge = peak == Self.band.lowerBound || peak == Self.band.upperBound
    let shift = isAtEdge ? 0 : Self.vertex(periodogram, around: peak)
    rate = 60 * Periodogram.resolution * (Double(peak) + shift)
  }

  /// Offset in grid steps from the strongest point to the top of the parabola through it and its neighbours, −0.5 to
  /// 0.5.
  private static func vertex(_ periodogram: Periodogram, around peak: Int) -> Double {
    let before = periodogram.density(peak - 1)
    let here = periodogram.density(peak)
    let after = periodogram.density(peak + 1)
    let bend = before - 2 * here + after
    guard bend < 0 else { return 0 }
    return Swift.min(Swift.max(0.5 * (before - after) / bend, -0.5), 0.5)
  }
}
