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
  /// How often this hub moved it, modulo 256: what was told before a move was told by another clock.
  var moves: UInt8 = 0
  /// What it was told to show when this hub moved it last, seconds; nil: it never did.
  var movedTo: Int64?
  /// It is being moved: after a kill nobody knows whether it heard that.
  var isMoving = false

  /// s after that in which a rate may still be of before it, by a clock that was ahead: as much as a time may lie ahead
  /// without being refused, and five minutes, in which rates are told.
  static let doubtful: Int64 = 420

  /// Characters of a boot's name that are kept.
  private static let bootLimit = 64
  /// Seconds beyond which a time is none: the year 9999.
  private static let bound: Int64 = 253_402_300_800

  init(device: Int64, wall: Int64, monotonic: Int64, boot: String?, since: Int64, after before: Self? = nil) {
    (moves, movedTo) = (before?.moves ?? 0, before?.movedTo)
    (self.device, self.wall, self.monotonic, self.since) = (device, wall, monotonic, since)
    self.boot = boot.map { $0.utf8.count <= Self.bootLimit ? $0 : "" } ?? ""
  }

  /// - Parameter isSince: what it measured before is not sure.
  func moved(to device: Int64, isSince: Bool = false) -> MoyoungClockNote {
    var moved = self
    (moved.moves, moved.movedTo) = (moves &+ 1, device)
    if isSince { moved.since = device }
    return moved
  }

  /// As it is if the band heard a move that the hub did not see through.
  func heard(_ move: MoyoungMove) -> MoyoungClockNote {
    var heard = moved(to: move.from + move.by)
    heard.device = max(0, heard.device + move.by)
    heard.isMoving = false
    return heard
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
    if moves != 0 { fields.put(6, moves) }
    if let movedTo { fields.put(7, movedTo) }
    if isMoving { fields.put(8, flag: true) }
  }

  init?(_ fields: inout FieldReader, version: UInt16) {
    var (device, wall, monotonic, since): (Int64?, Int64?, Int64?, Int64?) = (nil, nil, nil, nil)
    var boot: String?
    var moves: UInt8?
    var movedTo: Int64?
    var isMoving: Bool?
    while let tag = fields.next() {
      switch tag {
      case 1: fields.read(&device)
      case 2: fields.read(&wall)
      case 3: fields.read(&monotonic)
      case 4: fields.read(&boot, atMost: Self.bootLimit)
      case 5: fields.read(&since)
      case 6: fields.read(&moves)
      case 7: fields.read(&movedTo)
      case 8: fields.read(&isMoving)
      default: break
      }
    }
    guard let device, let wall, let monotonic, let since,
      [device, wall, since, movedTo ?? 0].allSatisfy({ (0..<Self.bound).contains($0) }), monotonic >= 0
    else { return nil }
    self.init(device: device, wall: wall, monotonic: monotonic, boot: boot, since: since)
    (self.moves, self.movedTo, self.isMoving) = (moves ?? 0, movedTo, isMoving ?? false)
  }
}

/// Sets the clock at each visit. One that this hub knows to be right is set before anything is fetched, as nothing
/// tells whether it went wrong meanwhile. One that has to be moved is moved behind everything else: until then all that
/// the band has is told by the clock that measured it, and a day that ends with the move is fetched.
@LoopActor
final class MoyoungClock {
  let link: any WearableLink
  let client: MoyoungClient
  /// It was asked something on this link.
  private var isAwake = false
  /// It shows another time than it should, and is moved when all that it has by that time was fetched.
  private(set) var isDue = false
  /// It is due, and the band's rates say that it shows another day or time than it was set to: nobody knows which days
  /// the band tells.
  var isStrange = false

  init(_ link: any WearableLink, _ client: MoyoungClient) { (self.link, self.client) = (link, client) }

  var note: MoyoungClockNote? { link.remembered(MoyoungClockNote.self) }

  /// What it shows, seconds since 1970: as it was set last where that is not what it should show.
  var shown: Int64 {
    let right = BandClock.local(link)
    guard let told = note?.shows(link.hubTime), Self.isOff(told, right) else { return right / 1_000_000 }
    return told / 1_000_000
  }

  var moves: UInt8 { note?.moves ?? 0 }
  var movedTo: Int64? { note?.movedTo }
  var overlap: MoyoungOverlap? { link.remembered(MoyoungOverlap.self) }

  /// s in which a band has heard that its clock is moved: until then it may begin another five minutes.
  static let hearing = MoyoungClient.patience.components.seconds

  private static func isOff(_ shown: Int64, _ right: Int64) -> Bool {
    let (off, isFar) = shown.subtractingReportingOverflow(right)
    return isFar || off.magnitude > UInt64(BandClock.tolerance) * 1_000_000
  }

  /// Before anything is asked.
  ///
  /// - Returns: the clock as it must have stood before, told from how it was set last, and as it stands now. nil: this
  ///   hub has not set it yet, and cannot.
  func begin() async throws(VisitTrouble) -> DeviceClock? {
    (isDue, isStrange) = (false, false)
    guard link.hubTime.isTrusted else {
      link.note("its clock was not set: the hub's own is not trusted")
      let now = link.hubTime
      return note.map { DeviceClock(evidence: Self.evidence($0.shows(now), now)) }
    }
    try await wake()
    let rates = try await settleMove()
    if let before = note, !before.isMoving {
      let isOff = { [link] in Self.isOff(before.shows(link.hubTime), BandClock.local(link)) }
      if !isOff() { try await lookAhead() }
      // The hub's clock may be changed while the band answers.
      if isOff() {
        isDue = true
        let now = link.hubTime
        return DeviceClock(evidence: Self.evidence(before.shows(now), now))
      }
    }
    let (before, now) = (note, link.hubTime)
    let shown = before.map { Self.evidence($0.shows(now), now) }
    if let before, before.isMoving { try keepOverlap(until: before.shows(now) / 1_000_000, rates) }
    let after = try await set()
    guard let before else {
      try keep(after, nil)
      return DeviceClock(evidence: after, wasSet: true, afterwards: after)
    }
    guard before.isMoving else {
      // It was off, and is right by itself: the next move waits anew.
      link.forget(RatesWait.self)
      if before.boot != (now.boot ?? "") { try keep(after, before) }
      return DeviceClock(evidence: after)
    }
    // Nobody knows whether it heard that it was to move: what it measured until now has times of either clock.
    try keep(after, before.moved(to: after.device / 1_000_000, isSince: true))
    forgetMove()
    return DeviceClock(evidence: shown ?? after, wasSet: true, afterwards: after)
  }

  /// Behind everything else: moves a clock that is due.
  ///
  /// - Parameter rates: the newest that were read at a place, by the second at which it begins; nil: it was not read.
  /// - Returns: as it stands from now on; nil: it was not moved.
  func move(_ rates: (Int64) -> UInt8?) async throws(VisitTrouble) -> DeviceClock? {
    guard isDue, link.hubTime.isTrusted, var before = note else { return nil }
    let from = before.shows(link.hubTime) / 1_000_000
    let to = BandClock.local(link) / 1_000_000
    // All that is known of it first: a hub that is killed here knows what it did.
    let until = from + Self.hearing
    if to < from, let overlap = MoyoungOverlap(from: to, until: until, isKnown: true, after: overlap, rates) {
      try link.remember(overlap)
    }
    try link.remember(MoyoungMove(from: from, to: to, rates))
    before.isMoving = true
    try link.remember(before)
    let now = link.hubTime
    try await link.clockWillMove(from: Self.evidence(before.shows(now), now), to: BandClock.local(link))
    let after = try await set()
    try keep(after, before.moved(to: after.device / 1_000_000))
    forgetMove()
    isDue = false
    return DeviceClock(evidence: after)
  }

  /// The clock was moved, and what waited for that begins anew with the next move.
  func forgetMove() {
    link.forget(MoyoungMove.self)
    link.forget(RatesWait.self)
  }

  private func keep(_ after: ClockEvidence, _ before: MoyoungClockNote?) throws(VisitTrouble) {
    let device = after.device / 1_000_000
    try link.remember(
      MoyoungClockNote(
        device: device, wall: after.wall / 1_000_000, monotonic: max(0, after.monotonic), boot: link.hubTime.boot,
        since: before?.since ?? device, after: before))
  }

  /// Tells it the time.
  private func set() async throws(VisitTrouble) -> ClockEvidence {
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
    return ClockEvidence(
      device: device * 1_000_000, monotonic: now.monotonic + ahead * 1000, wall: wall * 1_000_000, isTrusted: true)
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
