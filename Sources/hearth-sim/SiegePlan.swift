// Who stands against whom: what one trial of the hostile population is made of.

import EventLoop
import HostileTwin
import Simulation

/// One siege: good straps, the peers that want their time, and how long.
struct SiegePlan: Sendable {
  /// Straps that stream before it begins; one of them may be one of Polar's.
  var straps = 2
  var hasPolar = false
  /// One more that was never there before comes in the middle.
  var hasNewcomer = true
  /// One that was there goes for minutes and returns, so often.
  var returns = 1
  var hostile: [Foe] = []
  /// Links that the controller carries.
  var slots = 5
  /// Before it the good ones stream alone.
  var warmUp: Duration = .seconds(240)
  /// In which the hostile ones arrive.
  var arrival: Duration = .seconds(60)
  /// It ends when so many links were lost and regained, or after `limit`.
  var losses = 100
  var limit: Duration = .seconds(3600)
  /// How long a good strap has its link until it loses it again.
  var peace: ClosedRange<Duration> = .seconds(30)...(.seconds(90))
  /// The hub is killed so often, or stopped.
  var restarts = 0
  /// Whoever wants to pair may.
  var pairsAlways = true

  struct Foe: Sendable, Hashable {
    var trick: HostileTrick
    var guise: HostileGuise
    var isLoud: Bool
  }

  /// All that good and hostile ones are.
  var good: Int { straps + (hasPolar ? 1 : 0) + (hasNewcomer ? 1 : 0) }

  /// Every trick once, and more of them by chance, up to `count`; good straps that have room beside one visit.
  static func draw(_ seed: UInt64, foes count: Int) -> SiegePlan {
    var draw = SeededRandom(seed: seed).split(0x51_E6_E)
    var plan = SiegePlan()
    plan.slots = draw.integer(in: 3...8)
    let good = draw.integer(in: 2...min(6, plan.slots - 1))
    plan.hasPolar = good > 2 && draw.chance(0.6)
    plan.hasNewcomer = good > 2 || draw.chance(0.5)
    plan.straps = good - (plan.hasPolar ? 1 : 0) - (plan.hasNewcomer ? 1 : 0)
    plan.returns = draw.integer(in: 1...2)
    plan.restarts = draw.chance(0.4) ? draw.integer(in: 1...2) : 0
    plan.pairsAlways = draw.chance(0.5)
    // One in eight is all of one kind.
    let only = draw.chance(0.125) ? HostileTrick.allCases[draw.below(HostileTrick.allCases.count)] : nil
    var tricks = HostileTrick.allCases
    tricks.shuffle(using: &draw)
    for number in 0..<count {
      let trick = only ?? (number < tricks.count ? tricks[number] : tricks[draw.below(tricks.count)])
      let guises = HostileGuise.allCases.filter(trick.suits)
      plan.hostile.append(
        Foe(trick: trick, guise: guises[draw.below(guises.count)], isLoud: draw.chance(0.5)))
    }
    // In one of four the links of good ones are broken as soon as they are there, as somebody who jams does.
    if draw.chance(0.25) { plan.peace = .seconds(10)...(.seconds(40)) }
    // A loss of each every minute and a quarter, the newcomer's beside.
    let cycle = 15 + Int(plan.peace.upperBound.inSeconds + plan.peace.lowerBound.inSeconds) / 2
    plan.limit = .seconds(plan.losses * cycle / max(1, good - (plan.hasNewcomer ? 1 : 0)) + 600)
    return plan
  }
}
