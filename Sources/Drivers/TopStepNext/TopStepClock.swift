// The clock of a band: set at each visit, and never read, since no message of the platform tells it.

import Bands
import EventLoop
import Health
import StateCodec
import TopStepMessages
import Wearable

/// Sets the clock and says since when it has been this hub's. There is no reading and so no evidence: times are taken
/// for the hub's own from the first setting on, and for a guess before.
@LoopActor
final class TopStepClock {
  private let channel: TopStepChannel
  /// The band said over this link that its clock is set.
  private var isSet = false

  init(_ channel: TopStepChannel) { self.channel = channel }

  private var link: any WearableLink { channel.link }

  /// What the hub's clock shows now, in the zone that the band is to have; nil if the hub does not know the time.
  func time() -> TopStepTime? { time(in: zone) }

  private func time(in zone: Int32) -> TopStepTime? {
    guard link.hubTime.isTrusted else { return nil }
    var time = TopStepTime()
    time.timestamp = now
    time.zoneOffset = zone
    return time
  }

  /// - Throws: `unsupported` where the band refuses: then nobody knows what its times mean.
  func set() async throws(VisitTrouble) { try await set(to: zone) }

  private func set(to zone: Int32) async throws(VisitTrouble) {
    guard let time = time(in: zone) else {
      return link.note("its clock was not set: the hub's own is not trusted")
    }
    let answer = try await channel.ask(.time, try channel.bytes(time))
    switch channel.outcome(answer) {
    case .done: break
    case .refused: throw .unsupported("it refuses to have its clock set")
    // It has the time that it had: the one that was set before, or that of somebody else.
    case .unclear: return link.note("its answer to its clock being set cannot be read")
    }
    isSet = true
    if setSince == nil { try link.remember(ClockSetSince(seconds: time.timestamp)) }
    try remember(time.zoneOffset)
  }

  private var now: Int64 { TopStep.seconds(link.hubTime.wall.microseconds) }

  // MARK: Its zone

  /// s east of Greenwich, of the hub.
  private var ownZone: Int32 { Int32(clamping: link.zone.offset(at: link.hubTime.wall.microseconds)) }

  /// That of the hub; of a band that was given another one, that one until its days are fetched.
  private var zone: Int32 {
    guard let given = link.remembered(ZoneGiven.self), !given.isOverdue(now) else { return ownZone }
    return given.offset
  }

  /// After the band has it: a hub that ends in between gives it the former one again, and fetches first.
  private func remember(_ offset: Int32) throws(VisitTrouble) {
    let before = link.remembered(ZoneGiven.self)
    let given = ZoneGiven(offset: offset, otherSince: offset == ownZone ? nil : before?.otherSince ?? now)
    if given != before { try link.remember(given) }
  }

  /// Clocks changed in the hub's zone, or it was moved to another one, and all days of the former zone are fetched.
  func followZone() async throws(VisitTrouble) {
    guard isSet, let given = link.remembered(ZoneGiven.self), given.offset != ownZone else { return }
    try await set(to: ownZone)
  }

  // MARK: Since when it is right

  /// s since 2000: what is dated before may be by a clock that somebody else set, or nobody. nil: it was never set.
  private var setSince: Int64? { link.remembered(ClockSetSince.self)?.seconds }

  /// The same; never, of a clock that was never set.
  var sureSince: Int64 { setSince ?? .max }

  /// Somebody else had set it ahead: what is dated before a moment, s since 2000, may be by that clock.
  func doubt(until seconds: Int64) throws(VisitTrouble) {
    guard let setSince, setSince < seconds else { return }
    // What lies further ahead was by a clock that lost its date.
    try link.remember(ClockSetSince(seconds: min(seconds, now + Self.longestDoubt)))
  }

  /// s: no telephone is further ahead than by a zone that it took for another, 26 hours.
  nonisolated static let longestDoubt: Int64 = 93_600
}

/// The zone that a band was given last.
struct ZoneGiven: RememberedState, Equatable {
  static let name = "topstep-zone"
  /// s east of Greenwich.
  let offset: Int32
  /// s since 2000: since when the hub has another one; nil: it has the same.
  let otherSince: Int64?

  /// s for which a band keeps a zone that is not the hub's any more: a day, in which a visit brings all that it keeps.
  private static let patience: Int64 = 86_400

  init(offset: Int32, otherSince: Int64?) { (self.offset, self.otherSince) = (offset, otherSince) }

  func isOverdue(_ now: Int64) -> Bool {
    guard let otherSince else { return false }
    let (passed, isFar) = now.subtractingReportingOverflow(otherSince)
    return isFar || !(0...Self.patience).contains(passed)
  }

  func write(to fields: inout FieldWriter) {
    fields.put(1, offset)
    if let otherSince { fields.put(2, otherSince) }
  }

  init?(_ fields: inout FieldReader, version: UInt16) {
    var (offset, otherSince): (Int32?, Int64?) = (nil, nil)
    while let tag = fields.next() {
      switch tag {
      case 1: fields.read(&offset)
      case 2: fields.read(&otherSince)
      default: break
      }
    }
    guard let offset else { return nil }
    (self.offset, self.otherSince) = (offset, otherSince)
  }
}

/// When this hub set the clock of a band for the first time, or until when somebody else's was ahead.
struct ClockSetSince: RememberedState {
  static let name = "topstep-clock"
  /// s since 2000.
  let seconds: Int64

  init(seconds: Int64) { self.seconds = seconds }

  func write(to fields: inout FieldWriter) { fields.put(1, seconds) }

  init?(_ fields: inout FieldReader, version: UInt16) {
    var seconds: Int64?
    while let tag = fields.next() { if tag == 1 { fields.read(&seconds) } }
    guard let seconds else { return nil }
    self.seconds = seconds
  }
}
