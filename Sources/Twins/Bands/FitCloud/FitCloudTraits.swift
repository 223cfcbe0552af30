// Differences between FitCloud bands.

import EventLoop
public import Health
import Simulation

/// Traits of a simulated FitCloud band.
public struct FitCloudTraits: Sendable {
  /// Traits of all bands.
  public var band = BandTraits()
  /// Old generation: a binding value of 32 bytes, other keys, confirmed writes, pieces 60 ms apart.
  public var isOldGeneration = false
  /// Automatic measurements besides steps and sleep.
  public var series: [Series] = [
    .heartRate, .spo2, .systolicPressure, .respirationRate, .skinTemperature, .stress,
  ]
  /// Measures pressure with a pump. Without one the band estimates it by light, but sends it all the same.
  public var hasAirPump = false
  /// True if it records sleep.
  public var hasSleep = true
  /// Stores manual measurements apart from automatic ones.
  public var keepsManual = true
  /// A schedule for each kind (0xCB to 0xCD) besides the common one (0x22 to 0x24).
  public var hasTypedMonitors = true
  /// The common schedule contains the interval of measurements.
  public var hasMonitorInterval = true
  /// Notifications as long as the MTU permits; otherwise 20 bytes.
  public var usesMTU = false
  /// Bytes of history in one frame, 1 to 497.
  public var frameBytes = 60
  /// A record may continue in the next frame.
  public var cutsRecords = true
  /// A record ends with its day.
  public var breaksAtMidnight = false
  /// Answers an unknown host with the error form; otherwise not at all.
  public var refusesAloud = false
  /// First frame number of each link.
  public var firstNumber: UInt16 = 1
  /// True if it does not answer requests for a kind that it lacks; otherwise it reports an empty one.
  public var ignoresUnknownTypes = false
  /// A transfer has one record of tomorrow, because of a memory defect.
  public var tellsOfTomorrow = false
  /// Empty slots of steps contain 0xFFFF or similar: an old defect.
  public var hasBrokenSlots = false
  /// Live values end with the extension of newer bands: state of the temperature, two temperatures, stress.
  public var appendsLiveValues = false
  /// Time of a live measurement before its first value.
  public var liveWarmUp: Duration = .seconds(6)
  /// True if it has the Battery service.
  public var hasStandardBattery = true
  /// True if, after an unbinding, it has no data of its former owner.
  public var forgetsWithOwner = true
  /// Stored items of one kind.
  public var capacity = 2000
  /// Maximum number of manual measurements in memory.
  public var manualCapacity = 100
  /// Habits of the wearer.
  public var habits = BandHabits()

  /// A band without faults.
  public init() { band.name = "FitCloud" }

  /// Traits with these quirks. Everything else that differs between models is drawn from a seed.
  public init(seed: UInt64, _ quirks: Set<BandQuirk> = []) {
    var draw = SeededRandom(seed: seed).split(51)
    self.init()
    band = BandTraits(seed: seed, quirks)
    band.name = "FitCloud"
    hasAirPump = draw.chance(0.2)
    hasTypedMonitors = draw.chance(0.7)
    hasMonitorInterval = draw.chance(0.8)
    usesMTU = draw.chance(0.4)
    frameBytes = [20, 60, 200, FitCloudWire.longestValue][draw.below(4)]
    cutsRecords = draw.chance(0.5)
    breaksAtMidnight = draw.chance(0.5)
    refusesAloud = draw.chance(0.3)
    firstNumber = draw.chance(0.1) ? .max - 3 : 1
    ignoresUnknownTypes = draw.chance(0.2)
    tellsOfTomorrow = draw.chance(0.1)
    appendsLiveValues = draw.chance(0.4)
    hasStandardBattery = draw.chance(0.7)
    capacity = [600, 2000, 4000][draw.below(3)]
    if draw.chance(0.15) { becomeOld() }
  }

  /// Converts to the older generation, which has fewer abilities and other encodings.
  public mutating func becomeOld() {
    isOldGeneration = true
    hasTypedMonitors = false
    hasMonitorInterval = false
    keepsManual = false
    series = [.heartRate, .spo2, .systolicPressure, .respirationRate]
    hasBrokenSlots = true
    hasAirPump = false
    appendsLiveValues = false
    (band.takesBytes, band.pace, band.statedPace) = (20, .milliseconds(60), .milliseconds(60))
  }

  /// Behaviour of its recorder.
  var model: BandModel {
    var model = BandModel()
    model.schedules = Dictionary(uniqueKeysWithValues: series.map { ($0, BandSchedule(interval: interval(of: $0))) })
    model.stepSlot = 30
    model.hasSleep = hasSleep
    model.hasTrainings = !isOldGeneration
    model.hasResting = !isOldGeneration
    model.otherCapacity = capacity
    for kind in series { model.capacity[BandBin(kind, isManual: true)] = manualCapacity }
    return model
  }

  private func interval(of series: Series) -> Int { series == .heartRate ? 10 : series == .spo2 ? 30 : 60 }

  var ownHabits: BandHabits {
    var habits = habits
    // The band reports whole minutes.
    habits.manualStep = 60
    habits.sleeps = hasSleep
    habits.manualSeries = keepsManual ? habits.manualSeries.filter(series.contains) : []
    return habits
  }

  /// Feature bits. Old: 0 heart rate, 3 SpO2, 4 pressure, 5 respiration. New: 0 heart rate, 1 SpO2, 2 pressure, 3
  /// respiration, 6 sports, 10 temperature, 13 stress, 21 air pump, 22 manual data, 23 no sleep.
  var features: UInt32 {
    let old: [(Series, UInt32)] = [(.heartRate, 0), (.spo2, 3), (.systolicPressure, 4), (.respirationRate, 5)]
    let new: [(Series, UInt32)] = [
      (.heartRate, 0), (.spo2, 1), (.systolicPressure, 2), (.respirationRate, 3), (.skinTemperature, 10), (.stress, 13),
    ]
    var word = (isOldGeneration ? old : new).reduce(UInt32(0)) { $0 | (series.contains($1.0) ? 1 << $1.1 : 0) }
    if isOldGeneration { return word }
    word |= 1 << 6 | (hasAirPump ? 1 << 21 : 0) | (keepsManual ? 1 << 22 : 0) | (hasSleep ? 0 : 1 << 23)
    return word
  }

  /// Whether a store can have an item: its layout is public, and it is a measurement.
  public func mustBeStored(_ item: BandItem) -> Bool {
    switch item.series {
    case .heartRate, .spo2, .respirationRate, .steps, .sleepStage: true
    case .systolicPressure: hasAirPump
    default: false
    }
  }
}
