// Facts of a pool: those of its radios, added up.

import Bluetooth
import EventLoop

extension RadioFacts {
  /// Facts of one radio unchanged, or of several as their sum, named after the first in service.
  @LoopActor
  init(of links: PoolLinks) {
    let listener = links.listener
    let all = links.members.map { member in
      AdapterFacts(state: member.radio.state, facts: member.radio.facts, onlyListens: member === listener)
    }
    if let only = all.first, all.count == 1 {
      self = only.facts
      return
    }
    let serving = all.filter { $0.state == .ready }
    let first = serving.first ?? all.first
    self.init(
      adapter: first?.facts.adapter ?? "none", address: first?.facts.address, bus: first?.facts.bus ?? "none",
      links: serving.reduce(0) { $0 + $1.facts.links },
      slots: serving.reduce(0) { $0 + ($1.onlyListens ? $1.facts.links : $1.facts.slots) },
      isScanning: serving.contains { $0.facts.isScanning }, counters: Self.sum(all.map(\.facts.counters)))
    isClimbing = serving.contains { $0.facts.isClimbing && !$0.onlyListens }
    listensInTurn = links.listening.isShared(among: links.members)
    counters.append(("advertisements_repeated", links.repeated))
    // A radio that never had an adapter is waiting for one; that is no fault.
    let known = all.filter { $0.facts.address != nil }
    for warning in known.flatMap(\.facts.warnings) where !warnings.contains(warning) { warnings.append(warning) }
    care = RadioCare(of: serving.isEmpty ? all.map(\.facts.care) : serving.map(\.facts.care))
    adapters = all
  }

  /// Counters of all radios added by name, in the order of the first radio.
  private static func sum(_ lists: [[(name: String, value: UInt64)]]) -> [(name: String, value: UInt64)] {
    var sum: [(name: String, value: UInt64)] = []
    var places: [String: Int] = [:]
    for (name, value) in lists.joined() {
      if let place = places[name] {
        sum[place].value &+= value
      } else {
        places[name] = sum.count
        sum.append((name, value))
      }
    }
    return sum
  }
}

extension RadioCare {
  fileprivate init(of all: [RadioCare]) {
    self.init()
    guard let first = all.first else { return }
    self = first
    for care in all.dropFirst() {
      if care.slotSource == .learned || slotSource == .standard { slotSource = care.slotSource }
      isRecovering = isRecovering || care.isRecovering
      if let latest = care.lastRecovery, lastRecovery.map({ latest > $0 }) ?? true {
        (lastRecovery, rung) = (latest, care.rung)
      }
      if let latest = care.lastHeard, lastHeard.map({ latest > $0 }) ?? true { lastHeard = latest }
      observesLinks = observesLinks && care.observesLinks
      updatesLiveLinks = updatesLiveLinks && care.updatesLiveLinks
      for (place, rung) in care.rungs.enumerated() where rungs.indices.contains(place) {
        rungs[place].count &+= rung.count
      }
    }
  }
}
