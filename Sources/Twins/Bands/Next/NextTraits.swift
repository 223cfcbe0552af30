// What one band of the new platform is like beside what all bands are, and what goes wrong with it alone.

import EventLoop
import Health
import Simulation

/// How a band frames what it sends, where the protocol leaves it open or goes wrong.
public struct NextAirTraits: Sendable {
  /// How long the pieces are in which it sends.
  public enum Pieces: Sendable, Hashable {
    case twenty
    /// As long as the MTU allows, from the first login of a link on.
    case wholeMTUOnceKnown
  }
  public var pieces = Pieces.twenty
  /// An answer has the number of its request; else the band counts its own frames.
  public var echoesSequence = true
  /// Of its frames: so many lose a piece, go out twice, or (of answers) never go out.
  public var lostPiece = 0.0
  public var doubled = 0.0
  /// The flag that a doubled frame has.
  public var repeatFlag: UInt8 = 0x02
  /// Flags of all of its answers: one of the bits says that, and nobody needs it.
  public var answerFlags: UInt8 = 0
  /// A frame of its own whose payload is longer goes out in fragments of so many bytes, with `fragmentFlag`.
  public var fragmentSize: Int?
  public var fragmentFlag: UInt8 = 0x04
  /// From a request to its answer.
  public var delay: ClosedRange<Duration> = .milliseconds(20) ... .milliseconds(120)

  public init() {}
}

/// To whom a band belongs, and how it takes somebody who wants it.
public struct NextOwnerTraits: Sendable {
  /// It asks its wearer, who presses a button, or does not.
  public var asksWearer = true
  /// Bound to this user before anybody comes.
  public var user: String?
  /// Says this to whoever comes, whatever they say.
  public var result: NextAuthResult?
  /// It is bound again only after a reset.
  public var needsResetToRebind = false
  /// Binds and says that its classic link does not work.
  public var lacksClassicLink = false
  /// It does not say more than what it is to whom it does not know.
  public var refusesStrangers = true
  /// Below this percentage it is not bound.
  public var leastBattery = 10

  public init() {}
}

/// What a band makes of the days that it keeps.
public struct NextDayTraits: Sendable {
  public enum CutTo: Sendable, Hashable {
    /// Each day that has something newer, whole.
    case days
    /// Nothing older than what was asked for: the slots of the first day begin where the range does.
    case range
  }
  public var cutTo = CutTo.days
  /// Days are filled up to midnight with empty slots.
  public var isPadded = true
  public var tellsHighestFirst = true
  /// What stands in the slots of today that are still to come, where days are padded: none of it was measured.
  public var fillsFuture: UInt8 = 0
  /// Sleep lasts so many minutes, not seconds.
  public var sleepInMinutes = false
  /// It tells blood pressure that it made up of light: no measurement.
  public var hasOpticalPressure = false
  /// A sync stops after so many days and never comes to its end.
  public var stallsAfter: Int?
  /// Of sync starts: so many are answered with `failed`.
  public var failedStart = 0.0

  public init() {}
}

/// What a band does with what it is told to be.
public struct NextSettingTraits: Sendable {
  /// Settings that it does not have.
  public var missing: Set<NextSetting> = [.femaleHealth]
  /// Its settings have fields that no description names.
  public var hasUnknownFields = true
  /// It says yes and stays as it was.
  public var ignoresWrites = false
  /// Intervals that it knows, minutes, ascending; a wish becomes the next longer one.
  public var intervals = [5, 10, 15, 30, 60]
  /// It says that something changed, and not what.
  public var announcesEmpty = false

  public init() {}
}

/// One band of the new platform.
public struct NextTraits: Sendable {
  public var band = BandTraits()
  public var air = NextAirTraits()
  public var owner = NextOwnerTraits()
  public var days = NextDayTraits()
  public var settings = NextSettingTraits()
  public var habits = BandHabits()
  /// Days that it keeps, today among them; the oldest goes first.
  public var daysKept = 7
  /// Items of each kind that it keeps at most.
  public var capacity = 4000
  public var project = "TPB100"
  public var version = "1.2.3"
  public var serial = "TP00000001"
  /// It is not on the wrist: it ends a live measurement by itself after so long.
  public var stopsLiveAfter: Duration?
  /// Live values at the beginning that have no value yet.
  public var emptyLiveValues = 3
  /// It says when its battery changed, and that it has new data.
  public var announces = true

  /// One that behaves.
  public init() {}

  /// One with these of the accidents that any band may have, with everything that differs between models drawn from a
  /// seed, and with its own accidents, each there with this probability and as strong as the seed says.
  public init(seed: UInt64, _ quirks: Set<BandQuirk> = [], each probability: Double = 0) {
    band = BandTraits(seed: seed, quirks)
    var draw = SeededRandom(seed: seed).split(100)
    // Models differ in these.
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

  /// What it measures by itself.
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

  /// Bit by bit what it can do, lowest byte first: steps 0, distance 1, calories 2, heart rate 3, pressure 4,
  /// SpO2 5, stress 6, sleep 7, daily activity 12, set time 47, set user 49.
  var capabilities: [UInt8] {
    [days.hasOpticalPressure ? 0xFF : 0xEF, 0x10, 0, 0, 0, 0x80, 0x02, 0]
  }
}
