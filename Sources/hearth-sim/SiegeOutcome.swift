// Results of a siege: waits of good straps by cause, and which wearables held the lane and links meanwhile.

import EventLoop
import HostileTwin

/// Waits of good straps, net of what the air takes.
struct SiegeOutcome: Sendable {
  /// Waits by kind, ms, in the order in which they ended.
  private(set) var waits: [SiegeGuest.Kind: [Int]] = [:]
  /// Number of waits that were cut short within their bound, and do not count.
  private(set) var cut = 0
  /// Holders of the lane, and of links, while a good strap waited for more than two seconds: ms of each.
  private(set) var lane: [String: Int] = [:]
  private(set) var links: [String: Int] = [:]
  var slots = 0
  var good = 0
  var foes = 0
  /// Links that hostile peers had.
  var hostileLinks = 0

  /// A good strap regains its link within 5 s, in 95 of 100 losses.
  static let regain = 5_000
  static let share = 95
  /// Number of losses that a share of one trial needs.
  static let enough = 40
  /// A new or returning strap is heard within 15 s.
  static let join = 15_000
  /// Limit of any wait.
  static let worst = 60_000

  mutating func note(_ kind: SiegeGuest.Kind, _ waited: Int, isOver: Bool) {
    let bound = kind.isLoss ? Self.regain : kind.isJoining ? Self.join : Self.worst
    if !isOver, waited <= bound {
      cut += 1
    } else {
      waits[kind, default: []].append(waited)
    }
  }

  mutating func noteHeld(lane holder: String?, links held: [String], _ milliseconds: Int) {
    lane[holder ?? "free", default: 0] += milliseconds
    for trick in held { links[trick, default: 0] += milliseconds }
  }

  /// Losses, whatever ended the link.
  var losses: [Int] { SiegeGuest.Kind.allCases.filter(\.isLoss).flatMap { waits[$0] ?? [] } }

  /// The results of several trials together.
  func with(_ other: SiegeOutcome) -> SiegeOutcome {
    var sum = self
    sum.add(other)
    return sum
  }

  func sum(_ runs: Int) -> String {
    var text = "all \(runs) trials:"
    for kind in SiegeGuest.Kind.allCases {
      if let all = waits[kind], !all.isEmpty { text += "\n  \(kind.rawValue): \(Self.distribution(all))" }
    }
    return text + "\n  all losses: \(Self.distribution(losses))"
  }

  private mutating func add(_ other: SiegeOutcome) {
    for kind in SiegeGuest.Kind.allCases { waits[kind, default: []] += other.waits[kind] ?? [] }
    cut += other.cut
    for (name, time) in other.lane.sorted(by: { $0.key < $1.key }) { lane[name, default: 0] += time }
    for (name, time) in other.links.sorted(by: { $0.key < $1.key }) { links[name, default: 0] += time }
    hostileLinks += other.hostileLinks
  }

  /// The least value that this many of a hundred do not exceed.
  static func percentile(_ share: Int, of values: [Int]) -> Int {
    if values.isEmpty { return 0 }
    let sorted = values.sorted()
    return sorted[max(0, (sorted.count * share + 99) / 100 - 1)]
  }

  /// Broken promises.
  ///
  /// - Parameter isWhole: for all trials of a run: a share is reported even if there are few.
  func violations(isWhole: Bool = false) -> [String] {
    var found: [String] = []
    let losses = losses
    if losses.count >= (isWhole ? 1 : Self.enough) {
      let reached = Self.percentile(Self.share, of: losses)
      if reached > Self.regain {
        let late = losses.count { $0 > Self.regain }
        found.append(
          """
          \(late) of \(losses.count) links were not regained within 5 s; \(Self.share) of 100 within \
          \(Self.seconds(reached))
          """)
      }
    }
    if isWhole { return found }
    for kind in SiegeGuest.Kind.allCases {
      let bound = kind.isJoining ? Self.join : Self.worst
      for waited in (waits[kind] ?? []).filter({ $0 > bound }).sorted(by: >).prefix(3) {
        found.append("\(kind.rawValue): \(Self.seconds(waited)), \(bound / 1000) s is the bound")
      }
    }
    return found
  }

  static func seconds(_ milliseconds: Int) -> String { "\(milliseconds / 1000).\(milliseconds / 100 % 10) s" }

  var text: String {
    var text = "\n  \(good) good straps, \(foes) hostile peers, \(slots) slots; \(hostileLinks) hostile links"
    for kind in SiegeGuest.Kind.allCases {
      guard let all = waits[kind], !all.isEmpty else { continue }
      text += "\n    \(kind.rawValue): \(Self.distribution(all))"
    }
    if !losses.isEmpty { text += "\n    all losses: \(Self.distribution(losses))" }
    if cut > 0 { text += "\n    \(cut) were cut short within their bound" }
    text += Self.holders("had the lane", lane) + Self.holders("had links", links)
    return text
  }

  static func distribution(_ values: [Int]) -> String {
    """
    \(values.count), median \(seconds(percentile(50, of: values))), 95 % \(seconds(percentile(95, of: values))), \
    worst \(seconds(values.max() ?? 0))
    """
  }

  private static func holders(_ what: String, _ times: [String: Int]) -> String {
    let most = times.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(8)
    if most.isEmpty { return "" }
    return "\n    while they waited \(what): " + most.map { "\($0.key) \(seconds($0.value))" }.joined(separator: ", ")
  }

  var brief: String { "links regained: \(Self.distribution(losses))" }

  var fields: [(String, String)] {
    let losses = losses
    let joins = SiegeGuest.Kind.allCases.filter(\.isJoining).flatMap { waits[$0] ?? [] }
    return [
      ("losses", "\(losses.count)"), ("regain_median_ms", "\(Self.percentile(50, of: losses))"),
      ("regain_95_ms", "\(Self.percentile(95, of: losses))"), ("regain_worst_ms", "\(losses.max() ?? 0)"),
      ("joins", "\(joins.count)"), ("join_worst_ms", "\(joins.max() ?? 0)"), ("hostile_links", "\(hostileLinks)"),
    ]
  }
}
