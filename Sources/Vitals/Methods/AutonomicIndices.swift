// Indices of the parasympathetic and the sympathetic nervous system (method PS-1): means of three z-scores with equal
// weights. Modelled on Kubios, which does not publish its weights, hence named the hub's own.

/// `pns_index_hub` and `sns_index_hub`, in standard deviations from people at rest.
public struct AutonomicIndices: Sendable, Hashable {
  /// Parasympathetic index; nil: not computed.
  public var parasympathetic: Double?
  /// Sympathetic index; nil: not computed.
  public var sympathetic: Double?

  /// Plausible indices, in standard deviations; others are not reported.
  public static let plausible = -5.0...8.0

  /// Mean and deviation of people at rest.
  struct Norm {
    let mean: Double
    let deviation: Double

    func score(_ value: Double) -> Double { (value - mean) / deviation }
  }

  // Nunan and others 2010: short-term norms of healthy adults.
  static let meanInterval = Norm(mean: 926, deviation: 90)
  static let rmssd = Norm(mean: 42, deviation: 15)
  // Derived from RMSSD and SDNN (50 ± 16) of the same study by propagation of errors.
  static let sd1Share = Norm(mean: 31.6, deviation: 11.4)
  /// 60 000 / 926 ms.
  static let rate = Norm(mean: 64.8, deviation: 6.3)
  /// Middle of the range that Kubios calls normal, 7.1 to 12.2.
  static let squareRootOfStress = Norm(mean: 9.5, deviation: 2.5)
  /// 100 % less the share of SD1.
  static let sd2Share = Norm(mean: 68.4, deviation: 11.4)

  /// - Parameters:
  ///   - meanInterval: ms, as `rmssd`, `sd1` and `sd2`.
  ///   - stressIndex: 1/s².
  public init(meanInterval: Double?, rmssd: Double?, sd1: Double?, sd2: Double?, stressIndex: Double?) {
    guard let meanInterval, let sd1, let sd2, sd1 + sd2 > 0, let pulse = PulseRate.mean(ofInterval: meanInterval)
    else { return }
    let across = Self.sd1Share.score(100 * sd1 / (sd1 + sd2))
    let along = Self.sd2Share.score(100 * sd2 / (sd1 + sd2))
    if let rmssd { parasympathetic = mean(Self.meanInterval.score(meanInterval), Self.rmssd.score(rmssd), across) }
    if let stressIndex, stressIndex >= 0 {
      let stress = Self.squareRootOfStress.score(stressIndex.squareRoot())
      sympathetic = mean(Self.rate.score(pulse), stress, along)
    }
  }

  private func mean(_ a: Double, _ b: Double, _ c: Double) -> Double? {
    let mean = (a + b + c) / 3
    return mean.isFinite ? mean : nil
  }

  /// Zones below, within or above one standard deviation.
  public enum Zone: UInt8, Sendable, Hashable, CaseIterable {
    case low
    case normal
    case high

    /// Name in documents: `low`, `normal` or `high`.
    public var name: String {
      switch self {
      case .low: "low"
      case .normal: "normal"
      case .high: "high"
      }
    }

    /// Zone of an index.
    public init(_ index: Double) { self = index < -1 ? .low : index > 1 ? .high : .normal }
  }
}
