// The classic Lomb–Scargle periodogram on the grid of method LS-1: a spectrum of intervals at the times of their beats,
// without resampling. The respiration rate is read from the same density.

internal import Glibc

/// Spectral density of one stretch on the grid k × 0.001 Hz.
public struct Periodogram: Sendable {
  /// Distance between two frequencies of the grid, Hz.
  public static let resolution = 0.001
  /// Frequencies from the low end of LF to the high end of the respiration band.
  public static let grid = 40...500
  /// Fewest intervals: with fewer, nothing usable remains after their line is subtracted.
  static let fewest = 4

  /// ms²/Hz, one-sided, for each frequency of `grid`.
  private var densities: [Double] = []
  private var times: [Double] = []
  private var values: [Double] = []
  /// cos and sin of ωt, and of the rotation from one frequency to the next.
  private var waves: [SIMD4<Double>] = []

  /// A periodogram with empty buffers.
  public init() {}

  /// Density at k × 0.001 Hz; 0 outside of the grid.
  public func density(_ place: Int) -> Double {
    let index = place - Self.grid.lowerBound
    return densities.indices.contains(index) ? densities[index] : 0
  }

  /// Computes the density of one stretch.
  ///
  /// - Parameter stretch: ms, corrected.
  /// - Returns: False if there is no spectrum: too few intervals, or no time between them.
  public mutating func compute(_ stretch: ArraySlice<Double>) -> Bool {
    densities.removeAll(keepingCapacity: true)
    guard stretch.count >= Self.fewest, lay(stretch), let last = times.last, last > 0 else { return false }
    // Mean sampling rate of the n − 1 steps.
    let rate = Double(times.count - 1) / last
    turnToFirst()
    for _ in Self.grid {
      densities.append(2 * power() / rate)
      turn()
    }
    return densities.allSatisfy(\.isFinite)
  }

  /// Sets the times of beats from the first on, and the intervals minus their least-squares line.
  private mutating func lay(_ stretch: ArraySlice<Double>) -> Bool {
    times.removeAll(keepingCapacity: true)
    values.removeAll(keepingCapacity: true)
    var time = 0.0
    for interval in stretch {
      guard interval.isFinite else { return false }
      if !values.isEmpty { time += interval / 1000 }
      times.append(time)
      values.append(interval)
    }
    let count = Double(values.count)
    var (timeSum, valueSum) = (0.0, 0.0)
    for index in values.indices {
      timeSum += times[index]
      valueSum += values[index]
    }
    let (timeMean, valueMean) = (timeSum / count, valueSum / count)
    var (spread, common) = (0.0, 0.0)
    for index in values.indices {
      let distance = times[index] - timeMean
      spread += distance * distance
      common += distance * (values[index] - valueMean)
    }
    guard spread > 0 else { return false }
    let slope = common / spread
    for index in values.indices { values[index] -= valueMean + slope * (times[index] - timeMean) }
    return true
  }

  private mutating func turnToFirst() {
    waves.removeAll(keepingCapacity: true)
    let step = 2 * Double.pi * Self.resolution
    let first = step * Double(Self.grid.lowerBound)
    for time in times {
      waves.append(SIMD4(cos(first * time), sin(first * time), cos(step * time), sin(step * time)))
    }
  }

  /// Rotates to the next frequency by the same angle each time, instead of a sine and a cosine. 460 rotations add up to
  /// 460 · 2⁻⁵² of rounding, 1e-13.
  private mutating func turn() {
    for index in waves.indices {
      let wave = waves[index]
      waves[index].x = wave.x * wave.z - wave.y * wave.w
      waves[index].y = wave.y * wave.z + wave.x * wave.w
    }
  }

  /// P of the definition, with τ eliminated by the addition theorems: one pass over the beats.
  private func power() -> Double {
    var (valueCos, valueSin) = (0.0, 0.0)
    var (cosCos, sinSin, cosSin) = (0.0, 0.0, 0.0)
    for index in waves.indices {
      let (c, s, x) = (waves[index].x, waves[index].y, values[index])
      valueCos += x * c
      valueSin += x * s
      cosCos += c * c
      sinSin += s * s
      cosSin += c * s
    }
    // tan 2ωτ = Σ sin 2ωt / Σ cos 2ωt
    let phase = 0.5 * atan2(2 * cosSin, cosCos - sinSin)
    let (c, s) = (cos(phase), sin(phase))
    let evenPart = c * valueCos + s * valueSin
    let oddPart = c * valueSin - s * valueCos
    let even = c * c * cosCos + 2 * c * s * cosSin + s * s * sinSin
    let odd = c * c * sinSin - 2 * c * s * cosSin + s * s * cosCos
    return 0.5 * (term(evenPart, even) + term(oddPart, odd))
  }

  /// A term without weight, such as the sine of beats that all lie at its zeros, contributes 0.
  private func term(_ sum: Double, _ weight: Double) -> Double { weight > 1e-9 ? sum * sum / weight : 0 }
}

/// Powers of the low and the high band. Method LS-1.
public struct SpectralPowers: Sendable, Hashable {
  /// ms², 0.04 to 0.15 Hz.
  public var low: Double
  /// ms², 0.15 to 0.40 Hz.
  public var high: Double
  /// Hz, the strongest frequency of the low band.
  public var lowPeak: Double
  /// Strongest frequency of the high band, Hz.
  public var highPeak: Double

  static let lowBand = 40...150
  static let highBand = 150...400

  /// - Parameter periodogram: an already computed one.
  public init(_ periodogram: Periodogram) {
    (low, lowPeak) = Self.band(Self.lowBand, of: periodogram)
    (high, highPeak) = Self.band(Self.highBand, of: periodogram)
  }

  /// LF divided by HF; nil without power in the high band.
  public var ratio: Double? { high > 0 ? low / high : nil }
  /// LF in % of LF plus HF; nil without any power.
  public var lowNormalised: Double? { low + high > 0 ? 100 * low / (low + high) : nil }
  /// HF in % of LF plus HF; nil without any power.
  public var highNormalised: Double? { low + high > 0 ? 100 * high / (low + high) : nil }

  /// Trapezoid sum including both ends, and the strongest frequency.
  private static func band(_ band: ClosedRange<Int>, of periodogram: Periodogram) -> (Double, Double) {
    var (sum, peak, strongest) = (0.0, band.lowerBound, -1.0)
    for place in band {
      let density = periodogram.density(place)
      sum += place == band.lowerBound || place == band.upperBound ? density / 2 : density
      if density > strongest { (peak, strongest) = (place, density) }
    }
    return (sum * Periodogram.resolution, Double(peak) * Periodogram.resolution)
  }
}
