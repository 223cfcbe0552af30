// What makes one FitCloud band differ from the next.

import EventLoop
public import Health
import Simulation

/// The make of a simulated FitCloud band.
public struct FitCloudTraits: Sendable {
  public var band = BandTraits()
  /// 32 bytes to be bound with, other keys, writes with an answer, pieces 60 ms apart.
  public var isOldGeneration = false
  /// What it measures by itself, beside steps and sleep.
  public var series: [Series] = [
    .heartRate, .spo2, .systolicPressure, .respirationRate, .skinTemperature, .stress,
  ]
  /// Its pressure is a measurement. Without it the band estimates one from light, and sends that all the same.
  public var hasAirPump = false
  public var hasSleep = true
  /// It keeps what the wearer pressed the button for apart from what it measured by itself.
  public var keepsManual = true
  /// One schedule for each kind (0xCB to 0xCD) beside the common one (0x22 to 0x24).
  public var hasTypedMonitors = true
  /// Minutes between measurements stand in the common schedule.
  public var hasMonitorInterval = true
  /// It notifies as many bytes at once as the MTU allows; else 20.
  public var usesMTU = false
  /// Bytes of history in one frame, 1 to 497.
  public var frameBytes = 60
  /// A record may end in the next frame.
  public var cutsRecords = true
  /// A record ends with its day.
  public var breaksAtMidnight = false
  /// Whom it does not know it answers with the error form; else not at all.
  public var refusesAloud = false
  /// It begins to count its frames here on each link.
  public var firstNumber: UInt16 = 1
  /// It says nothing when it is asked for a kind that it does not have; else that there is nothing.
  public var ignoresUnknownTypes = false
  /// A transfer has one record of tomorrow: its memory has a defect.
  public var tellsOfTomorrow = false
  /// Empty slots of steps are 0xFFFF or so: an old defect.
  public var hasBrokenSlots = false
  /// Live values end with what newer bands append: state of the temperature, two temperatures, stress.
  public var appendsLiveValues = false
  /// How long a live measurement has no value yet.
  public var liveWarmUp: Duration = .seconds(6)
  public var hasStandardBattery = true
  /// Who unbinds it takes nothing along that is left on it.
  public var forgetsWithOwner = true
  /// Items of one kind that it keeps.
  public var capacity = 2000
  public var manualCapacity = 100
  public var habits = BandHabits()

  public init() { band.name = "FitCloud" }

  /// One with these quirks, and everything that differs between models drawn from a seed.
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

  /// The older generation knows less and writes otherwise.
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

  /// Seconds between steps' slots and so on: what its body does.
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
    // It tells whole minutes.
    habits.manualStep = 60
    habits.sleeps = hasSleep
    habits.manualSeries = keepsManual ? habits.manualSeries.filter(series.contains) : []
    return habits
  }

  /// What it says that it can do. Old: 0 heart rate, 3 SpO2, 4 pressure, 5 respiration. New: 0 heart rate, 1 SpO2, 2
  /// pressure, 3 respiration, 6 sports, 10 temperature, 13 stress, 21 air pump, 22 manual data, 23 no sleep.
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

  /// A store can have it: its layout is public, and it is a measurement.
  public func isOwed(_ item: BandItem) -> Bool {
    switch item.series {
    case .heartRate, .spo2, .respirationRate, .steps, .sleepStage: true
    case .systolicPressure: hasAirPump
    default: false
    }
  }
}
