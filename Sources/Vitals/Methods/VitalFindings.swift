// Values that the methods found in one window, and the decision for each sign: a result, or the reason why there is
// none. Reasons are checked in this order: long enough, good enough, defined, plausible.

/// Values of one window before the decision whether to report them.
struct VitalFindings {
  /// s: a stretch ends with a beat, a window with the clock. The beat and packet in progress are late by at most BT-1's
  /// limit.
  static let beatUnderWay = BeatTimeline.driftLimit

  let request: VitalRequest
  let window: BeatWindow
  var quality: SignalQuality?
  var isCorrected = false
  var intervals = CorrectedSeries()
  var timeDomain: TimeDomain?
  var stress: StressIndex?
  /// Momentary rate, beats a minute.
  var momentaryRate: Double?
  /// Duration of the longest stretch, s.
  var longestSeconds = 0.0
  var powers: SpectralPowers?
  var respiration: Respiration?

  /// Value with its method.
  private struct Found {
    var value: VitalValue
    var method: MethodName
    var flags: [VitalFlag] = []

    init(_ value: VitalValue, _ method: MethodName, _ flags: [VitalFlag] = []) {
      self.value = value
      self.method = method
      self.flags = flags
    }
  }

  func outcome(_ sign: VitalSign) -> Result<ReportedVital, MissingVital> {
    let isMeasured = sign == .pulseRate && request.reading.measuredPulse != nil
    guard isMeasured || window.length >= sign.leastSeconds(request.phase) else { return missing(.windowTooShort) }
    var confidence = request.reading.isDoubtful ? Confidence.low : .unknown
    if let quality {
      guard let found = quality.confidence else {
        if let own = ownPulse(sign) { return .success(own) }
        return missing(quality.isOverfull ? .intervalsOverlap : .insufficientQuality)
      }
      confidence = found
    }
    if needsStretch(sign), longestSeconds < sign.leastSeconds(request.phase) { return missing(.stretchTooShort) }
    let found: Found
    switch value(of: sign) {
    case .success(let value): found = value
    case .failure(let reason): return .failure(reason)
    }
    if let number = found.value.number {
      guard number.isFinite, sign.plausible?.contains(number) ?? true else { return missing(.outOfRange) }
    }
    var flags = found.flags
    if isShort(sign) {
      flags.append(.windowShort)
      confidence = Swift.min(confidence, sign.shortConfidence)
    }
    if isCorrected { flags.append(.corrected) }
    confidence = flags.reduce(confidence) { Swift.min($0, $1.bestConfidence) }
    let order = VitalFlag.allCases.filter(flags.contains)
    return .success(
      ReportedVital(
        sign: sign, value: found.value, confidence: confidence, window: window.length, method: found.method,
        basis: request.sensor.basis, flags: order))
  }

  /// The sensor's own pulse rate, reported as such, if optical intervals are too doubtful: it averages over movement
  /// that spoils single intervals. A strap with electrodes has no better rate than its intervals.
  private func ownPulse(_ sign: VitalSign) -> ReportedVital? {
    guard sign == .pulseRate, isOptical, let rate = request.reading.rate(request.phase) else { return nil }
    return ReportedVital(
      sign: sign, value: .number(rate), confidence: .unknown, window: window.length, method: .sensor, basis: nil,
      flags: [])
  }

  private func needsStretch(_ sign: VitalSign) -> Bool {
    switch sign {
    case .lowFrequency, .highFrequency, .frequencyRatio, .lowFrequencyNormalised, .respirationRate, .quotient: true
    default: false
    }
  }

  private func isShort(_ sign: VitalSign) -> Bool {
    let seconds = needsStretch(sign) ? Swift.min(longestSeconds, window.length) : window.length
    return seconds < sign.usualSeconds
  }

  private func missing<Success>(_ reason: NotReportedReason) -> Result<Success, MissingVital> {
    .failure(MissingVital(reason: reason))
  }

  private func value(of sign: VitalSign) -> Result<Found, MissingVital> {
    switch sign {
    case .pulseRate: number(rate, request.sensor.basis == .rr || isOptical ? .pulseRate : .sensor, or: noRate)
    case .meanInterval: number(timeDomain?.mean, .timeDomain)
    case .intervals: list
    case .sdnn: number(timeDomain?.sdnn, .timeDomain)
    case .rmssd: number(timeDomain?.rmssd, .timeDomain)
    case .pnn50: number(timeDomain?.pnn50, .timeDomain)
    case .sd1: number(timeDomain?.sd1, .timeDomain)
    case .sd2: number(timeDomain?.sd2, .timeDomain)
    case .lowFrequency: number(powers?.low, .spectral)
    case .highFrequency: number(powers?.high, .spectral, flags: bandFlags)
    case .frequencyRatio: number(powers?.ratio, .spectral, flags: bandFlags)
    case .lowFrequencyNormalised: number(powers?.lowNormalised, .spectral, flags: bandFlags)
    case .respirationRate: number(breathing, .respiration, or: .noBreathingLine)
    case .quotient: number(quotient, .quotient, or: .noBreathingLine)
    case .stressIndex: number(stress?.value, .stressIndex)
    case .stressLevel: named(stress?.value.flatMap { StressIndex.Level($0)?.name }, .stressIndex)
    case .parasympatheticIndex: number(indices.parasympathetic, .autonomic)
    case .parasympatheticZone: named(indices.parasympathetic.map { AutonomicIndices.Zone($0).name }, .autonomic)
    case .sympatheticIndex: number(indices.sympathetic, .autonomic)
    case .sympatheticZone: named(indices.sympathetic.map { AutonomicIndices.Zone($0).name }, .autonomic)
    case .energy: energy
    case .heartRateZone: zone
    default: passed(sign)
    }
  }

  // MARK: from beats

  private var isOptical: Bool { request.sensor.basis == .ppi }
  private var hasIntervals: Bool { request.sensor.basis == .rr || isOptical }
  private var noRate: NotReportedReason { hasIntervals ? .undefined : noValue }

  /// Beats a minute: momentary while the measurement runs, the window's at its end.
  private var rate: Double? {
    guard hasIntervals else { return request.reading.measuredPulse ?? request.reading.rate(request.phase) }
    return request.phase == .runtime ? momentaryRate : meanRate
  }

  private var meanRate: Double? { timeDomain?.mean.flatMap(PulseRate.mean(ofInterval:)) }

  private var breathing: Double? {
    guard let respiration, respiration.isReportable else { return nil }
    return respiration.rate
  }

  private var quotient: Double? {
    meanRate.flatMap { PulseRespirationQuotient.value(pulseRate: $0, respirationRate: breathing) }
  }

  private var bandFlags: [VitalFlag] {
    guard let breathing, !Respiration.ratesInHighBand.contains(breathing) else { return [] }
    return [.hfUnreliable]
  }

  private var indices: AutonomicIndices {
    AutonomicIndices(
      meanInterval: timeDomain?.mean, rmssd: timeDomain?.rmssd, sd1: timeDomain?.sd1, sd2: timeDomain?.sd2,
      stressIndex: stress?.value)
  }

  private var list: Result<Found, MissingVital> {
    guard !intervals.series.isEmpty else { return missing(.undefined) }
    let corrected = zip(intervals.series.intervals, intervals.isCorrected)
    return .success(
      Found(
        .intervals(corrected.map { CorrectedInterval(milliseconds: $0, isCorrected: $1) }), .artefacts))
  }

  private func number(
    _ value: Double?, _ method: MethodName, or reason: NotReportedReason = .undefined, flags: [VitalFlag] = []
  ) -> Result<Found, MissingVital> {
    guard let value else { return missing(reason) }
    return .success(Found(.number(value), method, flags))
  }

  private func named(_ value: String?, _ method: MethodName) -> Result<Found, MissingVital> {
    guard let value else { return missing(.undefined) }
    return .success(Found(.named(value), method))
  }

  // MARK: with the person

  private var energy: Result<Found, MissingVital> {
    let person = request.person
    guard person.isWithinLimits else { return missing(.personOutOfLimits) }
    guard person.sex != nil, person.age != nil, person.weight != nil else { return missing(.personUnknown) }
    guard let rate else { return missing(noRate) }
    guard rate >= Energy.leastRate else { return missing(.rateTooLow) }
    guard
      let energy = Energy(
        rate: rate, sex: person.sex, age: person.age, weight: person.weight, maximumRate: person.usedMaximumRate)
    else { return missing(.undefined) }
    let flags: [VitalFlag] = energy.isExtrapolated ? [.extrapolated] : []
    return number(energy.kilojoulesPerMinute, .energy, flags: flags)
  }

  private var zone: Result<Found, MissingVital> {
    guard let rate else { return missing(noRate) }
    guard let maximum = request.person.usedMaximumRate else {
      return missing(request.person.isWithinLimits ? .personUnknown : .personOutOfLimits)
    }
    return number(HeartRateZone.zone(rate: rate, maximumRate: maximum).map(Double.init), .zone)
  }

  // MARK: passed through

  private var noValue: NotReportedReason { request.reading.isUndated ? .timeUnknown : .noValue }

  private func passed(_ sign: VitalSign) -> Result<Found, MissingVital> {
    let reading = request.reading
    let cuff = reading.cuff
    switch sign {
    case .oxygenSaturation: return number(reading.saturation, .sensor, or: noValue)
    case .temperature:
      return number(
        reading.temperature, .sensor, or: noValue, flags: reading.isWristTemperature ? [.wrist] : [])
    case .systolicPressure: return number(cuff?.systolic, .sensor, or: noValue)
    case .diastolicPressure: return number(cuff?.diastolic, .sensor, or: noValue)
    case .meanArterialPressure:
      if let told = cuff?.mean { return number(told, .sensor) }
      return number(cuff?.computedMean, .cuff, or: noValue)
    case .pulsePressure: return number(cuff?.pulsePressure, .cuff, or: noValue)
    case .cardiacWorkload: return number(cuff?.workload, .cuff, or: noValue)
    case .weight: return number(reading.weight, .sensor, or: noValue)
    default: return missing(.undefined)
    }
  }
}
