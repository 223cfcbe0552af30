// Clock of a band: set at each visit, and never read, since no message of the platform reports it.

import Bands
import EventLoop
import Health
import StateCodec
import TopStepMessages
import Wearable

/// Sets the clock, and stores since when it follows this hub. Without readings there is no clock evidence. Times count
/// as the hub's own from the first setting on, and as unsure before.
@LoopActor
final class TopStepClock {
  private let channel: TopStepChannel
  /// The band confirmed over this link that its clock is set.
  private var isSet = false

  init(_ channel: TopStepChannel) { self.channel = channel }

  private var link: any WearableLink { channel.link }

  /// Hub's time in the zone that the band is to have; nil if the hub does not know the time.
  func time() -> TopStepTime? { time(in: zone) }

  private func time(in zone: Int32) -> TopStepTime? {
    guard link.hubTime.isTrusted else { return nil }
    var time = TopStepTime()
    time.timestamp = now
    time.zoneOffset = zone
    return time
  }

  /// - Throws: `unsupported` if the band refuses, since its times then have no known meaning.
  func set() async throws(VisitTrouble) { try await set(to: zone) }

  private func set(to zone: Int32) async throws(VisitTrouble) {
    guard let time = time(in: zone) else {
      return link.note("its clock was not set: the hub's own is not trusted")
    }
    let answer = try await channel.ask(.time, try channel.bytes(time))
    switch channel.outcome(answer) {
    case .done: break
    case .refused: throw .unsupported("it refuses to have its clock set")
    // The band keeps its former time: the one set before, or that of another host.
    case .unclear: return link.note("its answer to its clock being set cannot be read")
    }
    isSet = true
    if setSince == nil { try link.remember(ClockSetSince(seconds: time.timestamp)) }
    try remember(time.zoneOffset)
  }

  private var now: Int64 { TopStep.seconds(link.hubTime.wall.microseconds) }

  // MARK: Zone

  /// Zone of the hub, s east of UTC.
  private var ownZone: Int32 { Int32(clamping: link.zone.offset(at: link.hubTime.wall.microseconds)) }

  /// Zone to set: the hub's. If the band was given another one, that one is kept until its days are fetched.
  private var zone: Int32 {
    guard let given = link.remembered(ZoneGiven.self), !given.isOverdue(now) else { return ownZone }
    return given.offset
  }

  /// Stores the zone after the band has it. If the hub stops in between, the band gets the former zone again, and its
  /// days are fetched first.
  private func remember(_ offset: Int32) throws(VisitTrouble) {
    let before = link.remembered(ZoneGiven.self)
    let given = ZoneGiven(offset: offset, otherSince: offset == ownZone ? nil : before?.otherSince ?? now)
    if given != before { try link.remember(given) }
  }

  /// Sets the hub's zone after all days of the former zone were fetched. The zone changed by season or by a move of the
  /// hub.
  func followZone() async throws(VisitTrouble) {
    guard isSet, let given = link.remembered(ZoneGiven.self), given.offset != ownZone else { return }
    try await set(to: ownZone)
  }

  // MARK: Since when the clock is right

  /// Moment of the first setting, s since 2000. Earlier times are unsure: the clock was set by another host, or never.
  /// nil: never set.
  private var setSince: Int64? { link.remembered(ClockSetSince.self)?.seconds }

  /// The same; the far future if the clock was never set.
  var sureSince: Int64 { setSince ?? .max }

  /// Marks times before a moment, s since 2000, as unsure, because another host had set the clock ahead.
  func doubt(until seconds: Int64) throws(VisitTrouble) {
    guard let setSince, setSince < seconds else { return }
    // Times further ahead came from a clock that had lost its date.
    try link.remember(ClockSetSince(seconds: min(seconds, now + Self.longestDoubt)))
  }

  /// Seconds by which a wrong zone can put a phone's clock ahead: at most 26 hours.
  nonisolated static let longestDoubt: Int64 = 93_600
}

/// Zone that a band was given last.
struct ZoneGiven: RememberedState, Equatable {
  static let name = "topstep-zone"
  /// s east of UTC.
  let offset: Int32
  /// Time since which the hub's zone differs, s since 2000; nil: the zones are the same.
  let otherSince: Int64?

  /// Seconds for which a band keeps the former zone: a day, in which one visit fetches all that it stores.
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

/// Moment from which a band's times are sure: the hub's first setting, or the end of another host's time ahead.
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
