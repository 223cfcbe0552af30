// Faults of bands, each with a switch of its own, so that a test can turn exactly one on.

import EventLoop
import Simulation

/// Deviation of a band from correct behaviour.
public enum BandQuirk: Int, CaseIterable, Sendable, Hashable {
  /// Accepts at most 20 bytes in one write, whatever the MTU.
  case smallPieces
  /// Loses pieces that follow each other too fast.
  case slowPace
  /// Does not hear the first frame after a connection.
  case ignoresFirstFrame
  /// Occasionally sends a frame with a wrong checksum.
  case wrongChecksums
  /// Occasionally sends no acknowledgement.
  case losesAcknowledgements
  /// Is reset in the middle of its life.
  case isReset
  /// Is bound by a phone in the middle of its life.
  case isBoundByPhone
  /// The wearer refuses to confirm a binding.
  case cancelsBinding
  /// The wearer does not react to a binding.
  case ignoresBinding
  /// Refuses a binding because of a low battery.
  case isLow
  /// The clock runs fast or slow.
  case drifts
  /// The clock loses the time in the middle of the band's life.
  case losesTime
  /// The clock shows another zone's time until it is set.
  case isFromElsewhere
  /// A phone sets its clock in the middle of its life, ahead or back, to another zone or by some minutes.
  case isSetByPhone
}

/// Behaviour of one band.
public struct BandTraits: Sendable {
  /// Advertised name.
  public var name = "Band"
  /// Longest value in one write, and the MTU that it reports.
  public var takesBytes = 244
  /// ATT MTU that it reports.
  public var ownMTU = 247
  /// Time between two pieces of one frame below which the second is lost; zero: any pace is accepted.
  public var pace: Duration = .zero
  /// Pause of any host without better knowledge: 15 ms, or 60 with confirmed writes.
  public var statedPace: Duration = .milliseconds(15)
  /// True if the first frame of a link is lost.
  public var ignoresFirstFrame = false
  /// Share of its own frames with a wrong checksum, 0 to 1.
  public var wrongChecksums = 0.0
  /// Share of acknowledgements that are lost, 0 to 1.
  public var lostAcknowledgements = 0.0
  /// Time since its creation after which its wearer resets it; nil: never.
  public var isResetAfter: Duration?
  /// Time after which a phone binds it; nil: never.
  public var isBoundByPhoneAfter: Duration?
  /// Time after which it loses its time; nil: never.
  public var losesTimeAfter: Duration?
  /// Time at which a phone sets its clock, and the resulting error.
  public var isSetByPhone: (after: Duration, by: Duration)?
  /// Number of refused bindings before the first accepted one.
  public var cancelsBindings = 0
  /// Number of bindings that it ignores first.
  public var ignoresBindings = 0
  /// Time that it waits for its wearer.
  public var asksFor: Duration = .seconds(30)
  /// Time that the wearer takes to confirm.
  public var wearerTakes: Duration = .seconds(4)
  /// Battery level in percent when it is created; falls each hour.
  public var battery = 80.0
  /// Percent of the battery that an hour takes.
  public var batteryPerHour = 0.4
  /// Drift of its clock in parts per million.
  public var clockDrift = 0
  /// Minutes east of UTC of its initial time.
  public var zone = 60
  /// Initial error of its clock; nil: it has no time at first.
  public var clockError: Duration? = .seconds(2)
  /// Time between two advertisements.
  public var advertisingInterval: Duration = .milliseconds(500)
  /// Signal strength in dBm.
  public var rssi = -62
  /// Faults that are switched on.
  public private(set) var quirks: Set<BandQuirk> = []

  /// A band without faults.
  public init() {}

  /// A band with exactly these quirks, each with a strength drawn from the seed.
  public init(seed: UInt64, _ quirks: Set<BandQuirk>) {
    for quirk in BandQuirk.allCases where quirks.contains(quirk) { turnOn(quirk, seed: seed) }
  }

  /// A band with each quirk at this probability.
  public init(seed: UInt64, each probability: Double) {
    var draw = SeededRandom(seed: seed).split(99)
    self.init(seed: seed, Set(BandQuirk.allCases.filter { _ in draw.chance(probability) }))
  }

  /// Turns on a quirk, with a strength that depends only on the seed.
  public mutating func turnOn(_ quirk: BandQuirk, seed: UInt64) {
    var draw = SeededRandom(seed: seed).split(UInt64(quirk.rawValue))
    quirks.insert(quirk)
    // Within the first two days, so that the shortest tests include it.
    let moment = Duration.seconds(draw.integer(in: 3600...172_800))
    switch quirk {
    case .smallPieces: (takesBytes, ownMTU) = (20, draw.chance(0.5) ? 23 : 247)
    case .slowPace: pace = .milliseconds(draw.chance(0.5) ? 15 : 60)
    case .ignoresFirstFrame: ignoresFirstFrame = true
    case .wrongChecksums: wrongChecksums = 0.01 + 0.04 * draw.fraction()
    case .losesAcknowledgements: lostAcknowledgements = 0.01 + 0.04 * draw.fraction()
    case .isReset: isResetAfter = moment
    case .isBoundByPhone: isBoundByPhoneAfter = moment
    case .cancelsBinding: cancelsBindings = draw.integer(in: 1...2)
    case .ignoresBinding: ignoresBindings = draw.integer(in: 1...2)
    case .isLow: battery = Double(draw.integer(in: 2...9))
    case .drifts: clockDrift = draw.chance(0.5) ? draw.integer(in: 20...120) : -draw.integer(in: 20...120)
    case .losesTime: losesTimeAfter = moment
    case .isFromElsewhere: zone = [-480, -300, 0, 330, 540][draw.below(5)]
    case .isSetByPhone:
      let minutes = [60, 120, 300, 330, 540, draw.integer(in: 5...55)][draw.below(6)]
      isSetByPhone = (moment, .seconds(draw.chance(0.5) ? minutes * 60 : -minutes * 60))
    }
  }
}
