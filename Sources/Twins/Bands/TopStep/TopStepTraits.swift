// Traits and faults of bands of the new platform, besides those of all bands.

import EventLoop
import Health
import Simulation

/// Framing, as far as the protocol leaves it open, and its faults.
public struct TopStepAirTraits: Sendable {
  /// Length of the pieces that it sends.
  public enum Pieces: Sendable, Hashable {
    case twenty
    /// Length that the MTU permits, from the first login of a link on.
    case wholeMTUOnceKnown
  }
  /// Length of the pieces.
  public var pieces = Pieces.twenty
  /// An answer has the number of its request; otherwise the band counts its own frames.
  public var echoesSequence = true
  /// Shares of its frames that lose a piece, are sent twice, or (answers) are never sent.
  public var lostPiece = 0.0
  /// Share of frames that are sent twice.
  public var doubled = 0.0
  /// Flag of a repeated frame.
  public var repeatFlag: UInt8 = 0x02
  /// Flags of all of its answers: one of the bits marks answers, but no host needs it.
  public var answerFlags: UInt8 = 0
  /// Payload length above which its own frames are sent in fragments of so many bytes, with `fragmentFlag`.
  public var fragmentSize: Int?
  /// Bit that marks a fragmented frame.
  public var fragmentFlag: UInt8 = 0x04
  /// Time from a request to its answer.
  public var delay: ClosedRange<Duration> = .milliseconds(20) ... .milliseconds(120)

  /// An air without faults.
  public init() {}
}

/// Owner of a band, and its reactions to a binding.
public struct TopStepOwnerTraits: Sendable {
  /// Asks its wearer to confirm by a button.
  public var asksWearer = true
  /// User to which it is bound from the beginning.
  public var user: String?
  /// Result for every host, whatever it sends.
  public var result: TopStepAuthResult?
  /// True if it can be bound again only after a reset.
  public var needsResetToRebind = false
  /// Accepts the binding, and reports that its classic link does not work.
  public var lacksClassicLink = false
  /// Reveals no more than its identity to an unknown host.
  public var refusesStrangers = true
  /// Battery percentage below which it refuses a binding.
  public var leastBattery = 10

  /// An owner without oddities.
  public init() {}
}

/// Form of the days that a band sends.
public struct TopStepDayTraits: Sendable {
  /// Part of a day that the band sends.
  public enum CutTo: Sendable, Hashable {
    /// Complete days with any newer item.
    case days
    /// Data of only the requested range: the slots of the first day begin at its start.
    case range
  }
  /// Part of the first day that the band sends.
  public var cutTo = CutTo.days
  /// Days are filled up to midnight with empty slots.
  public var isPadded = true
  /// Order of a day's marked extremes: true, the highest comes first.
  public var tellsHighestFirst = true
  /// Value in the future slots of today, if days are padded; it was never measured.
  public var fillsFuture: UInt8 = 0
  /// Sleep durations in minutes, not seconds.
  public var sleepInMinutes = false
  /// Reports blood pressure derived from light, which is no measurement.
  public var hasOpticalPressure = false
  /// Number of days after which a sync stalls for ever.
  public var stallsAfter: Int?
  /// Share of sync starts that are answered with `failed`.
  public var failedStart = 0.0

  /// Days without oddities.
  public init() {}
}

/// Handling of settings.
public struct TopStepSettingTraits: Sendable {
  /// Settings that it lacks.
  public var missing: Set<TopStepSetting> = [.femaleHealth]
  /// Settings have undocumented fields.
  public var hasUnknownFields = true
  /// Acknowledges a write without applying it.
  public var ignoresWrites = false
  /// Supported intervals, minutes, ascending; other values become the next longer one.
  public var intervals = [5, 10, 15, 30, 60]
  /// Reports a change without its content.
  public var announcesEmpty = false

  /// Settings without oddities.
  public init() {}
}

/// Traits of a band of the new platform.
public struct TopStepTraits: Sendable {
  /// Traits of all bands.
  public var band = BandTraits()
  /// Frames and pieces.
  public var air = TopStepAirTraits()
  /// Owner and bindings.
  public var owner = TopStepOwnerTraits()
  /// Days in memory.
  public var days = TopStepDayTraits()
  /// Handling of settings.
  public var settings = TopStepSettingTraits()
  /// Habits of the wearer.
  public var habits = BandHabits()
  /// Days that it stores, including today; the oldest is deleted first.
  public var daysKept = 7
  /// Stored items of each kind at most.
  public var capacity = 4000
  /// Project number.
  public var project = "TPB100"
  /// Firmware version.
  public var version = "1.2.3"
  /// Serial number.
  public var serial = "TP00000001"
  /// Time after which it ends a live measurement by itself, because it is not worn.
  public var stopsLiveAfter: Duration?
  /// First live values without a result.
  public var emptyLiveValues = 3
  /// Announces changes of its battery, and new data.
  public var announces = true

  /// Traits without faults.
  public init() {}

  /// Traits with these quirks of any band. Differences between models are drawn from a seed. Faults of this platform
  /// occur with this probability, and with a strength drawn from the seed.
  public init(seed: UInt64, _ quirks: Set<BandQuirk> = [], each probability: Double = 0) {
    band = BandTraits(seed: seed, quirks)
    var draw = SeededRandom(seed: seed).split(100)
    // Differences between models.
    air.echoesSequence = draw.chance(0.5)
    air.pieces = draw.chance(0.5) ? .twenty : .wholeMTUOnceKnown
    air.answerFlags = draw.chance(0.2) ? 0x80 : 0
    days.cutTo = draw.chance(0.5) ? .days : .range
    days.isPadded = draw.chance(0.5)
    days.tellsHighestFirst = draw.chance(0.5)
    days.hasOpticalPressure = draw.chance(0.3)
    owner.asksWearer = draw.chance(0.8)
    owner.lacksClassicLink = draw.chance(0.2)
    settings.announcesEmpty = draw.chance(0.3)
    settings.hasUnknownFields = draw.chance(0.8)
    daysKept = draw.integer(in: 3...10)
    serial = "TP" + String(draw.below(100_000_000))
    func happens() -> Bool { draw.chance(probability) }
    if happens() { air.lostPiece = 0.002 + 0.01 * draw.fraction() }
    if happens() { air.doubled = 0.02 + 0.1 * draw.fraction() }
    if happens() { days.sleepInMinutes = true }
    if happens() { days.failedStart = 0.1 }
    if happens() { days.fillsFuture = draw.chance(0.5) ? 0xFF : 75 }
    if happens() { stopsLiveAfter = .seconds(draw.integer(in: 3...40)) }
  }

  /// Automatic measurements.
  var model: BandModel {
    var model = BandModel()
    model.schedules = [
      .heartRate: BandSchedule(interval: 5), .spo2: BandSchedule(interval: 30), .stress: BandSchedule(interval: 30),
    ]
    if days.hasOpticalPressure { model.schedules[.systolicPressure] = BandSchedule(interval: 30) }
    model.stepSlot = 30
    model.hasDistance = true
    model.hasCalories = true
    model.hasExtremes = true
    model.otherCapacity = capacity
    model.daysKept = daysKept
    return model
  }

  /// Capability bits, lowest byte first. Measurements: steps 0, distance 1, calories 2, heart rate 3, pressure 4, SpO2
  /// 5, stress 6, sleep 7. Others: daily activity 12, set time 47, set user 49.
  var capabilities: [UInt8] {
    [days.hasOpticalPressure ? 0xFF : 0xEF, 0x10, 0, 0, 0, 0x80, 0x02, 0]
  }
}
