// From a window to its vital signs: the only entry point for callers. Corrects the intervals, runs each method once,
// and decides for each enabled sign whether window, quality and value allow a result.

/// Input of a report.
public struct VitalRequest: Sendable, Hashable {
  /// Type of data that the sensor delivers: decides which signs are enabled.
  public var sensor: SensorClass
  /// Phase: while the measurement runs, or at its end.
  public var phase: MeasurementPhase
  /// Facts of the person.
  public var person: VitalPerson
  /// Values that the sensor measures itself.
  public var reading: SensorReading

  /// A request for one window.
  public init(
    sensor: SensorClass, phase: MeasurementPhase, person: VitalPerson = VitalPerson(),
    reading: SensorReading = SensorReading()
  ) {
    self.sensor = sensor
    self.phase = phase
    self.person = person
    self.reading = reading
  }
}

/// Computes vital signs, with reusable buffers: one instance for all sensors of a hub.
public struct VitalSigns: Sendable {
  private var classifier = ArtefactClassifier()
  private var periodogram = Periodogram()
  private var corrected = CorrectedSeries()

  /// Methods with empty buffers.
  public init() {}

  /// - Parameter window: the whole measurement, or its part so far.
  public mutating func report(_ request: VitalRequest, of window: BeatWindow) -> VitalReport {
    var report = VitalReport()
    var findings = VitalFindings(request: request, window: window)
    if request.sensor.basis == .rr || request.sensor.basis == .ppi {
      report.reported = classifier.correct(window.series, into: &corrected)
      report.correctedCount = corrected.isCorrected.count { $0 }
      report.quality = SignalQuality(window: window, reported: report.reported)
      findings.quality = report.quality
      findings.isCorrected = report.correctedCount > 0
      findings.intervals = corrected
      examine(&findings)
    }
    for sign in VitalSign.allCases where sign.notEnabled(for: request.sensor) == nil {
      switch findings.outcome(sign) {
      case .success(let result): report.results.append(result)
      case .failure(let missing): report.notReported.append(UnreportedVital(sign: sign, reason: missing.reason))
      }
    }
    return report
  }

  private mutating func examine(_ findings: inout VitalFindings) {
    let series = corrected.series
    findings.timeDomain = TimeDomain(series)
    findings.stress = StressIndex(series)
    findings.momentaryRate = PulseRate.instantaneous(series)
    // Most calls at the start of a measurement need no spectrum yet.
    guard findings.window.length >= VitalSign.respirationRate.leastSeconds(.runtime), let longest = series.longest
    else { return }
    findings.longestSeconds = series.duration(longest) + VitalFindings.beatUnderWay
    guard periodogram.compute(series.intervals[longest]) else { return }
    findings.powers = SpectralPowers(periodogram)
    findings.respiration = Respiration(periodogram)
  }
}

/// Reason for a missing result, as an error of `Result`.
struct MissingVital: Error, Hashable {
  var reason: NotReportedReason
}
