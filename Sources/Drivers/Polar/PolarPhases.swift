// Phases of Polar's sync guideline, which can be ordered separately, and the folders that each of them reads.

import EventLoop
import Health
public import Wearable

/// A phase of a sync, in the order of display. Files are fetched oldest first, whatever their phase.
enum PolarPhase: String, CaseIterable, Sendable {
  case recordings
  case activity
  case automaticSamples = "automatic-samples"
  case sleep
  case nightlyRecharge = "nightly-recharge"
  case skinTemperature = "skin-temperature"
  case oxygenTests = "oxygen-tests"
  case trainings

  /// The phase of a file or a part of a recording; nil for files that no phase reads.
  init?(path: String) {
    if PMD.RecordingName(path: path) != nil {
      self = .recordings
      return
    }
    guard let kind = PolarFile(path: path)?.kind, let phase = Self(kind) else { return nil }
    self = phase
  }

  private init?(_ kind: PolarFile.Kind) {
    switch kind {
    case .activitySamples, .dailySummary: self = .activity
    case .automaticSamples: self = .automaticSamples
    case .sleep, .sleepTemperature, .sleepScore: self = .sleep
    case .nightlyRecharge: self = .nightlyRecharge
    case .skinTemperature, .skinContact: self = .skinTemperature
    case .spo2Test: self = .oxygenTests
    case .trainingSession, .exerciseBase, .exerciseSamples, .exerciseSamples2, .route, .route2: self = .trainings
    case .physicalData, .userIdentifier: return nil
    }
  }

  /// Whether the wearable collects the data by itself: days and nights, but not recordings, trainings and tests.
  private var isAutomatic: Bool {
    switch self {
    case .recordings, .oxygenTests, .trainings: false
    case .activity, .automaticSamples, .sleep, .nightlyRecharge, .skinTemperature: true
    }
  }

  /// Folders of a day that the phase reads. Nightly recharge needs the sleep to know whether the night is over.
  private var folders: [String] {
    switch self {
    case .recordings: ["R/"]
    case .activity: ["ACT/", "DSUM/"]
    case .automaticSamples: []
    case .sleep: ["SLEEP/", "NSTRESUL/", "SLEEPSCO/"]
    case .nightlyRecharge: ["NR/", "SLEEP/"]
    case .skinTemperature: ["SKINTEMP/", "SKINCONT/"]
    case .oxygenTests: ["SPO2TEST/"]
    case .trainings: ["E/"]
    }
  }

  /// A constant, as it is read for every listed item.
  static let domains: [SyncDomain] = allCases.map { phase in
    let kinds = PolarFile.Kind.allCases.filter { Self($0) == phase }
    let decoded = phase == .recordings ? PMD.MeasurementType.allCases.flatMap(\.series) : kinds.flatMap(\.series)
    return SyncDomain(phase.rawValue, Series.all.filter(decoded.contains), isAutomatic: phase.isAutomatic)
  }

  /// Whether a walk over the user's files looks at an entry, because it lies in a folder of these phases.
  static func reads(_ name: String, in directory: String, _ phases: Set<PolarPhase>) -> Bool {
    if directory == PolarPath.user {
      if name == "AUTOS/" { return phases.contains(.automaticSamples) }
      return PolarPath.day(folder: name) != nil && phases != [.automaticSamples]
    }
    let isDay = PolarPath.day(of: directory) != nil && directory.utf8.count == PolarPath.user.utf8.count + 9
    return isDay ? phases.contains { $0.folders.contains(name) } : true
  }
}

extension PolarFiles {
  var syncDomains: [SyncDomain] { PolarPhase.domains }

  func syncDomain(of item: HeldItem) -> String { (PolarPhase(path: item.id) ?? .recordings).rawValue }

  /// A night belongs to the day of waking, and began the evening before.
  func span(of item: HeldItem) -> Range<Int64>? {
    let phase = PolarPhase(path: item.id)
    let isNight = phase == .sleep || phase == .nightlyRecharge
    return item.begins.flatMap { Self.span($0, before: isNight ? 43_200_000_000 : 0) }
  }

  /// Phases that this visit fetches; nil for all.
  var phases: Set<PolarPhase>? {
    link.wish.domains.map { ids in Set(PolarPhase.allCases.filter { ids.contains($0.rawValue) }) }
  }

  /// Walks all of the user's folders, or only those of this visit's phases.
  func walkUser() async throws(VisitTrouble) -> PSFTP.Tree {
    guard let phases, phases.count < PolarPhase.allCases.count else { return try await transfer.walk(PolarPath.user) }
    return try await transfer.walk(PolarPath.user) { name, directory in
      PolarPhase.reads(name, in: directory, phases)
    }
  }
}

extension PolarDriver: SyncedDriver {
  /// Kinds of data, one for each phase.
  public var syncDomains: [SyncDomain] { PolarPhase.domains }
}

extension PolarExercises {
  nonisolated static let domain = SyncDomain("exercises", [.heartRate, .rrInterval], isAutomatic: false)

  var syncDomains: [SyncDomain] { [Self.domain] }
}

extension PolarStrapDriver: SyncedDriver {
  /// The exercise in the strap's memory.
  public var syncDomains: [SyncDomain] { [PolarExercises.domain] }
}
