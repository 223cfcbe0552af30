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
  /// s east of UTC, as it was set last over this link.
  private var offset: Int32?

  init(_ channel: TopStepChannel) { self.channel = channel }

  /// What the hub's clock shows now.
  func time() -> TopStepTime {
    let wall = channel.link.hubTime.wall.microseconds
    var time = TopStepTime()
    time.timestamp = TopStep.seconds(wall)
    time.zoneOffset = Self.offset(channel.link, wall)
    return time
  }

  /// - Throws: `unsupported` where the band refuses: then nobody knows what its times mean.
  func set() async throws(VisitTrouble) {
    let time = time()
    let answer = try await channel.ask(.time, try channel.bytes(time))
    guard channel.isDone(answer) else { throw .unsupported("it refuses to have its clock set") }
    offset = time.zoneOffset
    if setSince == nil { try channel.link.remember(ClockSetSince(seconds: time.timestamp)) }
  }

  /// Clocks changed in the hub's zone, or it was moved to another one.
  func followZone() async throws(VisitTrouble) {
    guard let offset, offset != Self.offset(channel.link, channel.link.hubTime.wall.microseconds) else { return }
    try await set()
  }

  /// s since 2000: what is dated before may be by a clock that somebody else set, or nobody. nil: it was never set.
  var setSince: Int64? { channel.link.remembered(ClockSetSince.self)?.seconds }

  /// Somebody else had set it ahead: what is dated before a moment, s since 2000, may be by that clock.
  func doubt(until seconds: Int64) throws(VisitTrouble) {
    if let setSince, setSince >= seconds { return }
    // What lies further ahead was by a clock that lost its date.
    let latest = TopStep.seconds(channel.link.hubTime.wall.microseconds) + Self.longestDoubt
    try channel.link.remember(ClockSetSince(seconds: min(seconds, latest)))
  }

  /// s: no telephone is further ahead than by a zone that it took for another, 26 hours.
  private static let longestDoubt: Int64 = 93_600

  private static func offset(_ link: any WearableLink, _ wall: Int64) -> Int32 {
    Int32(clamping: link.zone.offset(at: wall))
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
