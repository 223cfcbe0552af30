// Plan of one trial of the hostile population: the good straps and their opponents.

import EventLoop
import HostileTwin
import Simulation

/// A siege: good straps, the hostile peers, and its length.
struct SiegePlan: Sendable {
  /// Straps that stream before it begins; one of them may be one of Polar's.
  var straps = 2
  var hasPolar = false
  /// Whether one more strap, never there before, comes in the middle.
  var hasNewcomer = true
  /// Number of times that a strap goes away for minutes and returns.
  var returns = 1
  var hostile: [Foe] = []
  /// Links that the controller carries.
  var slots = 5
  /// Time before it, in which the good straps stream alone.
  var warmUp: Duration = .seconds(240)
  /// Time in which the hostile peers arrive.
  var arrival: Duration = .seconds(60)
  /// The siege ends after this many lost and regained links, or after `limit`.
  var losses = 100
  var limit: Duration = .seconds(3600)
  /// Time for which a good strap has its link until it loses it again.
  var peace: ClosedRange<Duration> = .seconds(30)...(.seconds(90))
  /// Number of times that the hub is killed, or stopped.
  var restarts = 0
  /// Whether any wearable may pair.
  var pairsAlways = true

  struct Foe: Sendable, Hashable {
    var trick: HostileTrick
    var guise: HostileGuise
    var isLoud: Bool
  }

  /// Number of good straps.
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
    // Every eighth plan has peers of only one kind.
    let only = draw.chance(0.125) ? HostileTrick.allCases[draw.below(HostileTrick.allCases.count)] : nil
    var tricks = HostileTrick.allCases
    tricks.shuffle(using: &draw)
    for number in 0..<count {
      let trick = only ?? (number < tricks.count ? tricks[number] : tricks[draw.below(tricks.count)])
      let guises = HostileGuise.allCases.filter(trick.suits)
      plan.hostile.append(
        Foe(trick: trick, guise: guises[draw.below(guises.count)], isLoud: draw.chance(0.5)))
    }
    // In one of four, the links of good straps break as soon as they are made, as with a jammer.
    if draw.chance(0.25) { plan.peace = .seconds(10)...(.seconds(40)) }
    // Each strap has a loss every minute and a quarter; the newcomer comes on top.
    let cycle = 15 + Int(plan.peace.upperBound.inSeconds + plan.peace.lowerBound.inSeconds) / 2
    plan.limit = .seconds(plan.losses * cycle / max(1, good - (plan.hasNewcomer ? 1 : 0)) + 600)
    return plan
  }
}
