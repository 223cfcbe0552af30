// What people order of the visits that the hub makes by itself: which phases they bring, and at which times they are.

import EventLoop
import HubModel
import StateCodec
import Wearable

/// Phases that visits bring unasked.
public enum PhaseChoice: Sendable, Hashable {
  case all
  /// By their names.
  case only(Set<String>)
}

/// An operator's choice for one wearable; nil: as configured.
struct CollectionOrders: RememberedState, Hashable {
  static let name = "collection"
  /// More than any wearable has, and bytes of UTF-8 of a name.
  static let phaseLimit = 32
  static let nameLimit = 32
  static let timeLimit = 8

  var phases: PhaseChoice?
  /// Minutes after local midnight, ascending; empty: none, whatever is configured.
  var visitAt: [Int]?

  init() {}

  func write(to fields: inout FieldWriter) {
    switch phases {
    case nil: break
    case .all: fields.put(1, flag: true)
    case .only(let names):
      fields.put(1, flag: false)
      for name in names.sorted().prefix(Self.phaseLimit) { fields.put(2, name.cut(toUTF8: Self.nameLimit)) }
    }
    guard let visitAt else { return }
    fields.put(3, flag: true)
    for minute in visitAt.prefix(Self.timeLimit) { fields.put(4, UInt16(clamping: minute)) }
  }

  init?(_ fields: inout FieldReader, version: UInt16) {
    var isAll: Bool?
    var hasTimes: Bool?
    var names: Set<String> = []
    var minutes: [Int] = []
    while let tag = fields.next() {
      switch tag {
      case 1: fields.read(&isAll)
      case 2:
        var name: String?
        fields.read(&name, atMost: Self.nameLimit)
        if let name { names.insert(name) }
      case 3: fields.read(&hasTimes)
      case 4:
        var minute: UInt16?
        fields.read(&minute)
        if let minute, minute < 1440 { minutes.append(Int(minute)) }
      default: break
      }
    }
    if let isAll { phases = isAll ? .all : .only(names) }
    if hasTimes == true { visitAt = Set(minutes).sorted() }
  }
}

/// Phases that visits leave out by order, and since when: kept so that a change of it is told, also one that was made
/// in a file while the hub did not run.
struct LeftOutPhases: RememberedState, Hashable {
  static let name = "left-out"
  var phases: [String]
  var since: WallTime
  /// Phases that visits bring again, and that no visit has brought since: they are due, also after a restart.
  var takenAgain: [String] = []

  init(_ phases: [String], since: WallTime) { (self.phases, self.since) = (phases, since) }

  var isEmpty: Bool { phases.isEmpty && takenAgain.isEmpty }

  func write(to fields: inout FieldWriter) {
    fields.put(1, since.microseconds)
    for (tag, names) in [(UInt8(2), phases), (3, takenAgain)] {
      for name in names.prefix(CollectionOrders.phaseLimit) {
        fields.put(tag, name.cut(toUTF8: CollectionOrders.nameLimit))
      }
    }
  }

  init?(_ fields: inout FieldReader, version: UInt16) {
    var since: Int64?
    var names: [UInt8: [String]] = [:]
    while let tag = fields.next() {
      switch tag {
      case 1: fields.read(&since)
      case 2, 3:
        var name: String?
        fields.read(&name, atMost: CollectionOrders.nameLimit)
        if let name { names[tag, default: []].append(name) }
      default: break
      }
    }
    guard let since, !names.isEmpty else { return nil }
    self.init(names[2] ?? [], since: WallTime(microseconds: since))
    takenAgain = names[3] ?? []
  }
}

extension CollectionOrders {
  /// That phases are left out, to be read behind what is told of a visit; empty where none are.
  static func aside(_ leftOut: [String]) -> String {
    leftOut.isEmpty ? "" : "; not taken, by order: \(leftOut.joined(separator: ", "))"
  }
}

/// What visits bring of one wearable unasked, and when.
public struct CollectionSnapshot: Sendable, Hashable {
  public var wearable: String
  /// All that its kind may keep, in the order in which they are fetched.
  public var phases: [String]
  /// Of these, such as visits leave out unless a person asks.
  public var leftOut: [String]
  /// What is ordered of this wearable; nil: as configured.
  public var phaseChoice: PhaseChoice?
  /// Minutes after local midnight of the visits that are made however fresh its data is.
  public var visitAt: [Int]
  /// The times are this wearable's own.
  public var hasOwnTimes: Bool

  public init(
    wearable: String, phases: [String], leftOut: [String], phaseChoice: PhaseChoice?, visitAt: [Int], hasOwnTimes: Bool
  ) {
    self.wearable = wearable
    self.phases = phases
    self.leftOut = leftOut
    self.phaseChoice = phaseChoice
    self.visitAt = visitAt
    self.hasOwnTimes = hasOwnTimes
  }
}

extension EnrolledWearable {
  /// All phases that its kind may keep.
  var phases: [String] { driver?.synced?.syncDomains.map(\.id) ?? [] }

  /// Those that visits bring unasked: its own choice goes before the configured one.
  func collectedPhases(_ options: HearthOptions) -> [String] {
    let configured = options.phases.map { PhaseChoice.only($0) } ?? .all
    guard case .only(let names) = choices.collection.phases ?? configured else { return phases }
    return phases.filter(names.contains)
  }

  func leftOutPhases(_ options: HearthOptions) -> [String] {
    let collected = collectedPhases(options)
    return phases.filter { !collected.contains($0) }
  }

  /// Minutes after local midnight.
  func visitTimes(_ options: HearthOptions) -> [Int] {
    choices.collection.visitAt ?? options.visitAt.map { Int($0.components.seconds / 60) }
  }

  /// When the oldest of what visits bring unasked was fetched; nil: some of it never was.
  func collectedAt(_ options: HearthOptions) -> Instant? {
    if lane.phasesAt.isEmpty, lane.neverFetched.isEmpty { return lane.visitedAt }
    let times = collectedPhases(options).map { phase in
      lane.neverFetched.contains(phase) ? nil : lane.phasesAt[phase] ?? lane.visitedAt
    }
    if times.isEmpty { return lane.visitedAt }
    return times.contains(nil) ? nil : times.compactMap { $0 }.min()
  }

  /// Which of the phases that visits bring again are as old as before they were left out, with what is kept of that.
  ///
  /// - Parameter leftOut: phases that visits leave out from now on.
  func takenAgain(_ kept: LeftOutPhases?, _ leftOut: [String]) -> [String] {
    guard let kept else { return [] }
    return phases.filter { phase in
      if leftOut.contains(phase) { return false }
      let isOld = lane.neverFetched.contains(phase) || lane.phasesAt[phase] != nil
      return kept.takenAgain.contains(phase) || kept.phases.contains(phase) && isOld
    }
  }

  /// A visit ended, which may have brought phases that are taken again.
  ///
  /// - Returns: what is kept of that has changed.
  func settleTakenAgain(_ outcome: VisitOutcome, _ scope: VisitScope) -> Bool {
    guard var kept = remembered(LeftOutPhases.self), !kept.takenAgain.isEmpty else { return false }
    switch scope {
    case .phases(let fetched): kept.takenAgain.removeAll(where: fetched.contains)
    case .allBut(_, let leftOut):
      if outcome != .done { return false }
      kept.takenAgain = kept.takenAgain.filter(leftOut.contains)
    }
    if kept == remembered(LeftOutPhases.self) { return false }
    remember(kept)
    return true
  }

  /// What the log of visits tells of phases that visits leave out, or left out until lately.
  ///
  /// - Parameters:
  ///   - wholeAt: end of the last visit that brought all that it was to bring.
  ///   - fullAt: end of the last one that listed everything; nil: none is known.
  func rememberLeftOut(wholeAt: WallTime?, fullAt: Instant?) {
    guard let kept = remembered(LeftOutPhases.self) else { return }
    let isSince = wholeAt.map { $0 >= kept.since } ?? false
    for phase in kept.takenAgain + (isSince ? kept.phases : []) {
      if let fullAt { lane.phasesAt[phase] = fullAt } else { lane.neverFetched.insert(phase) }
    }
  }
}
