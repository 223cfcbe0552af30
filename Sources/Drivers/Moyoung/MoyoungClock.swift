// The clock of a band, which can be set and not read: what it must show now, and what this hub knows of it.

import Bands
import Bluetooth
import EventLoop
import Health
import StateCodec
import Wearable

/// How the clock was set last, and since when it has been right.
struct MoyoungClockNote: RememberedState {
  static let name = "moyoung-clock"

  /// What it was told to show, and the hub's wall clock then, whole seconds since 1970.
  var device, wall: Int64
  /// The hub's monotonic clock at that moment, ns, and the boot that it belongs to; empty: nobody knows.
  var monotonic: Int64
  var boot: String
  /// What it was told to show when this hub set it first, seconds: what it measured before has times of a clock that
  /// nobody knows.
  var since: Int64

  /// s after that in which a rate may still be of before it, by a clock that was ahead: as much as a time may lie ahead
  /// without being refused, and five minutes, in which rates are told.
  static let doubtful: Int64 = 420

  /// Characters of a boot's name that are kept.
  private static let bootLimit = 64
  /// Seconds beyond which a time is none: the year 9999.
  private static let bound: Int64 = 253_402_300_800

  init(device: Int64, wall: Int64, monotonic: Int64, boot: String?, since: Int64) {
    (self.device, self.wall, self.monotonic, self.since) = (device, wall, monotonic, since)
    self.boot = boot.map { $0.utf8.count <= Self.bootLimit ? $0 : "" } ?? ""
  }

  /// What it shows if it went on as the hub's clocks did, µs: by the monotonic clock within one boot, so that a wall
  /// clock that was put right meanwhile changes nothing.
  func shows(_ now: HubTime) -> Int64 {
    let isOneBoot = !boot.isEmpty && boot == now.boot && now.monotonic >= monotonic
    let passed =
      isOneBoot
      ? (now.monotonic - max(0, monotonic)) / 1000
      : now.wall.microseconds.subtractingReportingOverflow(wall * 1_000_000).partialValue
    return (device * 1_000_000).addingReportingOverflow(passed).partialValue
  }

  func write(to fields: inout FieldWriter) {
    fields.put(1, device)
    fields.put(2, wall)
    fields.put(3, monotonic)
    fields.put(4, boot)
    fields.put(5, since)
  }

  init?(_ fields: inout FieldReader, version: UInt16) {
    var (device, wall, monotonic, since): (Int64?, Int64?, Int64?, Int64?) = (nil, nil, nil, nil)
    var boot: String?
    while let tag = fields.next() {
      switch tag {
      case 1: fields.read(&device)
      case 2: fields.read(&wall)
      case 3: fields.read(&monotonic)
      case 4: fields.read(&boot, atMost: Self.bootLimit)
      case 5: fields.read(&since)
      default: break
      }
    }
    guard let device, let wall, let monotonic, let since,
      [device, wall, since].allSatisfy({ (0..<Self.bound).contains($0) }), monotonic >= 0
    else { return nil }
    self.init(device: device, wall: wall, monotonic: monotonic, boot: boot, since: since)
  }
}

extension MoyoungClockNote {
  /// It has something of a time that has not come: somebody else had set the clock ahead. Up to then nobody can tell
  /// what was measured when.
  @LoopActor
  static func noteFuture(until seconds: Int64, _ link: any WearableLink) throws(VisitTrouble) {
    guard var note = link.remembered(Self.self), seconds > note.since else { return }
    // No zone is further from another than 26 hours: what lies beyond is never stored.
    note.since = min(seconds, BandClock.local(link) / 1_000_000 + 26 * 3600)
    try link.remember(note)
  }
}

/// Sets the clock at each visit, before anything is fetched: nothing tells whether it went wrong meanwhile.
@LoopActor
final class MoyoungClock {
  private let link: any WearableLink
  private let client: MoyoungClient
  /// It was asked something on this link.
  private var isAwake = false

  init(_ link: any WearableLink, _ client: MoyoungClient) { (self.link, self.client) = (link, client) }

  /// - Returns: the clock as it must have stood before, told from how it was set last, and as it stands now. nil: this
  ///   hub has not set it yet, and cannot.
  func set() async throws(VisitTrouble) -> DeviceClock? {
    let before = link.remembered(MoyoungClockNote.self)
    guard link.hubTime.isTrusted else {
      link.note("its clock was not set: the hub's own is not trusted")
      let now = link.hubTime
      return before.map { DeviceClock(evidence: Self.evidence($0.shows(now), now)) }
    }
    try await wake()
    if let before { try await keep(before) }
    // Made of the moment in which it is written. The clock counts whole seconds: the nearest one.
    let now = link.hubTime
    let wall = (now.wall.microseconds + 500_000) / 1_000_000
    let device = wall + Int64(link.zone.offset(at: now.wall.microseconds))
    guard let payload = MoyoungClockSetting.payload(device) else {
      throw .unsupported("a time that its clock cannot show")
    }
    try await client.tell(Moyoung.Command.setTime, payload)
    // Of the moment at which the hub's clock shows a whole second too: so whole minutes of the band are whole minutes
    // of the hub.
    let ahead = wall * 1_000_000 - now.wall.microseconds
    let after = ClockEvidence(
      device: device * 1_000_000, monotonic: now.monotonic + ahead * 1000, wall: wall * 1_000_000, isTrusted: true)
    let shown = before?.shows(now)
    let off = shown.map { ($0 - device * 1_000_000 + ahead).magnitude }
    let wasOff = off.map { $0 > UInt64(BandClock.tolerance) * 1_000_000 } ?? true
    if wasOff || before?.boot != (now.boot ?? "") {
      try link.remember(
        MoyoungClockNote(
          device: device, wall: wall, monotonic: max(0, after.monotonic), boot: now.boot,
          since: before?.since ?? device))
    }
    guard wasOff else { return DeviceClock(evidence: after) }
    return DeviceClock(
      evidence: shown.map { Self.evidence($0, now) } ?? after, wasSet: true, afterwards: after)
  }

  /// What it shows is durable before it is told another time, and so is what it is told: nothing answers whether that
  /// was heard.
  private func keep(_ before: MoyoungClockNote) async throws(VisitTrouble) {
    let now = link.hubTime
    let (shown, right) = (before.shows(now), BandClock.local(link))
    let (by, overflow) = right.subtractingReportingOverflow(shown)
    guard overflow || by.magnitude > UInt64(BandClock.tolerance) * 1_000_000 else { return }
    let device = right / 1_000_000
    try link.remember(
      MoyoungClockNote(
        device: device, wall: device - Int64(link.zone.offset(at: now.wall.microseconds)),
        monotonic: max(0, now.monotonic), boot: now.boot, since: before.since))
    try await link.clockWillMove(from: Self.evidence(shown, now), to: right)
  }

  /// Some bands sleep through the first frame of a link, and no answer tells whether a time was heard: so a question
  /// goes first, and whatever becomes of it the next frame is heard.
  private func wake() async throws(VisitTrouble) {
    if isAwake { return }
    _ = try await client.askIfKnown(Moyoung.Command.version)
    isAwake = true
  }

  private static func evidence(_ device: Int64, _ now: HubTime) -> ClockEvidence {
    // In whole seconds, as it counts them, at the moment of the hub that belongs to them; a second before, so that it
    // lies before what it was set to.
    let part = device % 1_000_000 + 1_000_000
    return ClockEvidence(
      device: device - part, monotonic: now.monotonic - part * 1000, wall: now.wall.microseconds - part,
      isTrusted: now.isTrusted)
  }
}
