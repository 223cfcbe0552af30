// Orders for visits that the hub makes by itself: their phases and their times.

package import EventLoop
package import StateCodec
import Wearable

/// Phases that visits collect unrequested.
public enum PhaseChoice: Sendable, Hashable {
  case all
  /// Phases by their names.
  case only(Set<String>)
}

/// An operator's choice for one wearable; nil: as configured.
package struct CollectionOrders: RememberedState, Hashable {
  package static let name = "collection"
  /// Limit of phases, more than any wearable has, and of bytes of UTF-8 of a name.
  package static let phaseLimit = 32
  package static let nameLimit = 32
  package static let timeLimit = 8

  package var phases: PhaseChoice?
  /// Minutes after local midnight, ascending; empty: no times, whatever is configured.
  package var visitAt: [Int]?

  package init() {}

  package func write(to fields: inout FieldWriter) {
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

  package init?(_ fields: inout FieldReader, version: UInt16) {
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

/// Phases that visits leave out by order, and since when. Stored so that every change is reported, also a change in a
/// file while the hub did not run.
package struct LeftOutPhases: RememberedState, Hashable {
  package static let name = "left-out"
  package var phases: [String]
  /// Time of the last change of this set.
  package var since: WallTime
  /// Phases that visits collect again, but no visit has fetched since: they are due, also after a restart.
  package var takenAgain: [String] = []
  /// Times since which no visit has fetched a phase, for phases left out before the last change of the set.
  package var earlier: [String: WallTime] = [:]

  package init(_ phases: [String], since: WallTime) { (self.phases, self.since) = (phases, since) }

  /// Returns since when visits leave out a phase.
  package func since(of phase: String) -> WallTime { earlier[phase] ?? since }

  /// The state after a change of the set.
  package func followed(by phases: [String], takenAgain: [String], at time: WallTime) -> LeftOutPhases {
    var next = LeftOutPhases(phases, since: time)
    next.takenAgain = takenAgain
    // A phase that no visit has fetched again is as old as before.
    for phase in phases + takenAgain where self.phases.contains(phase) || self.takenAgain.contains(phase) {
      next.earlier[phase] = since(of: phase)
    }
    return next
  }

  package var isEmpty: Bool { phases.isEmpty && takenAgain.isEmpty }

  package func write(to fields: inout FieldWriter) {
    fields.put(1, since.microseconds)
    for (tag, names) in [(UInt8(2), phases), (3, takenAgain)] {
      for name in names.prefix(CollectionOrders.phaseLimit) {
        fields.put(tag, name.cut(toUTF8: CollectionOrders.nameLimit))
      }
    }
    let all = Set(phases + takenAgain).sorted()
    for name in all.prefix(CollectionOrders.phaseLimit) {
      guard let time = earlier[name] else { continue }
      fields.put(4) { nested in
        nested.put(1, name.cut(toUTF8: CollectionOrders.nameLimit))
        nested.put(2, time.microseconds)
      }
    }
  }

  package init?(_ fields: inout FieldReader, version: UInt16) {
    var since: Int64?
    var names: [UInt8: [String]] = [:]
    var earlier: [String: WallTime] = [:]
    while let tag = fields.next() {
      switch tag {
      case 1: fields.read(&since)
      case 2, 3:
        var name: String?
        fields.read(&name, atMost: CollectionOrders.nameLimit)
        if let name { names[tag, default: []].append(name) }
      case 4:
        guard let (name, time) = Self.earlier(fields.nested) else {
          fields.refuse()
          break
        }
        earlier[name] = time
      default: break
      }
    }
    guard let since, !names.isEmpty, earlier.count <= CollectionOrders.phaseLimit else { return nil }
    self.init(names[2] ?? [], since: WallTime(microseconds: since))
    takenAgain = names[3] ?? []
    self.earlier = earlier
  }

  private static func earlier(_ nested: FieldReader) -> (String, WallTime)? {
    var (nested, name, time) = (nested, String?.none, Int64?.none)
    while let tag = nested.next() {
      switch tag {
      case 1: nested.read(&name, atMost: CollectionOrders.nameLimit)
      case 2: nested.read(&time)
      default: break
      }
    }
    guard nested.isWhole, let name, let time else { return nil }
    return (name, WallTime(microseconds: time))
  }
}

extension CollectionOrders {
  /// Names the phases that are left out, as text to follow the result of a visit; may be empty.
  package static func aside(_ leftOut: [String]) -> String {
    leftOut.isEmpty ? "" : "; not taken, by order: \(leftOut.joined(separator: ", "))"
  }
}

/// The phases that visits collect from one wearable unrequested, and when.
public struct CollectionSnapshot: Sendable, Hashable {
  /// Name of the wearable.
  public var wearable: String
  /// Phases of its kind, in the order in which they are fetched.
  public var phases: [String]
  /// The phases of these that visits leave out unless a person asks.
  public var leftOut: [String]
  /// The order for this wearable; nil: as configured.
  public var phaseChoice: PhaseChoice?
  /// Minutes after local midnight of visits that are made however fresh its data is.
  public var visitAt: [Int]
  /// Whether the times are an order for this wearable.
  public var hasOwnTimes: Bool

  /// Phases and times of one wearable; `visitAt` in minutes after midnight.
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
