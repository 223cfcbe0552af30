// Names of methods. A change of any constant or step makes a new version here; stored results keep the name of their
// method.

/// Method that computed a value.
public enum MethodName: String, Sendable, Hashable, CaseIterable {
  /// Packets to beats: `BeatTimeline`.
  case beatTimeline = "BT-1"
  /// Artefacts and their correction: `ArtefactClassifier`.
  case artefacts = "LT-1"
  /// Pulse rate, momentary and of a window: `PulseRate`.
  case pulseRate = "PR-1"
  /// Time domain and Poincaré plot: `TimeDomain`.
  case timeDomain = "TD-1"
  /// Lomb–Scargle powers: `SpectralPowers`.
  case spectral = "LS-1"
  /// Respiration from sinus arrhythmia: `Respiration`.
  case respiration = "RSA-1"
  /// Pulse–respiration quotient: `PulseRespirationQuotient`.
  case quotient = "PQ-1"
  /// Baevsky's stress index: `StressIndex`.
  case stressIndex = "BI-1"
  /// Parasympathetic and sympathetic index: `AutonomicIndices`.
  case autonomic = "PS-1"
  /// Keytel's regression: `Energy`.
  case energy = "KE-1"
  /// Share of the maximum rate: `HeartRateZone`.
  case zone = "HZ-1"
  /// Arithmetic on a cuff's reading: `CuffReading`.
  case cuff = "CU-1"
  /// Value as the sensor reported it.
  case sensor = "sensor"
}
