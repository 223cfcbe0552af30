// What can go wrong with a band, each thing behind a switch of its own, so that a test can turn exactly one on.

import EventLoop
import Simulation

/// One thing in which a band differs from one that behaves.
public enum BandQuirk: Int, CaseIterable, Sendable, Hashable {
  /// It takes 20 bytes in one write and no more, whatever the MTU.
  case smallPieces
  /// Pieces that follow each other faster than it likes are lost.
  case slowPace
  /// It does not hear the first frame after a connection.
  case ignoresFirstFrame
  /// Now and then a frame of its own has a checksum that does not fit.
  case wrongChecksums
  /// Now and then it acknowledges nothing.
  case losesAcknowledgements
  /// Somebody resets it in the middle of its life.
  case isReset
  /// A phone binds it in the middle of its life.
  case isBoundByPhone
  /// Its wearer says no when it asks whether it may be bound.
  case cancelsBinding
  /// Nobody touches it when it asks.
  case ignoresBinding
  /// Its battery is low: it refuses to be bound.
  case isLow
  /// Its clock runs fast or slow.
  case drifts
  /// Its clock forgets the time in the middle of its life.
  case losesTime
  /// Its clock shows another zone's time until somebody sets it.
  case isFromElsewhere
  /// A telephone sets its clock in the middle of its life, ahead or back, to another zone or by some minutes.
  case isSetByPhone
}

/// How one band behaves.
public struct BandTraits: Sendable {
  public var name = "Band"
  /// The longest value that it takes in one write, and what it states in an exchange of MTU.
  public var takesBytes = 244
  public var ownMTU = 247
  /// Pieces of one frame that come sooner than this after the one before are lost; zero: none are.
  public var pace: Duration = .zero
  /// What any host leaves between two pieces that knows no better: 15 ms, or 60 where writes are confirmed.
  public var statedPace: Duration = .milliseconds(15)
  public var ignoresFirstFrame = false
  /// Of its own frames.
  public var wrongChecksums = 0.0
  public var lostAcknowledgements = 0.0
  /// From its making on.
  public var isResetAfter: Duration?
  public var isBoundByPhoneAfter: Duration?
  public var losesTimeAfter: Duration?
  /// When a telephone sets its clock, and by how much it then goes wrong.
  public var isSetByPhone: (after: Duration, by: Duration)?
  /// How often in a row it is not let be bound before it is.
  public var cancelsBindings = 0
  public var ignoresBindings = 0
  /// How long it asks its wearer, and how long the wearer takes.
  public var asksFor: Duration = .seconds(30)
  public var wearerTakes: Duration = .seconds(4)
  /// Percent; it loses some each hour.
  public var battery = 80.0
  public var batteryPerHour = 0.4
  /// Parts per million.
  public var clockDrift = 0
  /// Minutes east of UTC of the time that it shows at first.
  public var zone = 60
  /// By how much that is wrong; nil: it has no time at first.
  public var clockError: Duration? = .seconds(2)
  public var advertisingInterval: Duration = .milliseconds(500)
  public var rssi = -62
  public private(set) var quirks: Set<BandQuirk> = []

  /// One that behaves.
  public init() {}

  /// One with exactly these quirks, each as strong as the seed says.
  public init(seed: UInt64, _ quirks: Set<BandQuirk>) {
    for quirk in BandQuirk.allCases where quirks.contains(quirk) { turnOn(quirk, seed: seed) }
  }

  /// One in which each quirk is there with this probability.
  public init(seed: UInt64, each probability: Double) {
    var draw = SeededRandom(seed: seed).split(99)
    self.init(seed: seed, Set(BandQuirk.allCases.filter { _ in draw.chance(probability) }))
  }

  /// Turns one thing on. Its strength depends on the seed and on no other quirk.
  public mutating func turnOn(_ quirk: BandQuirk, seed: UInt64) {
    var draw = SeededRandom(seed: seed).split(UInt64(quirk.rawValue))
    quirks.insert(quirk)
    // Within the first two days, which the shortest tests live through.
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
