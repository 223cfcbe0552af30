// Clock of a band, which can be set but not read: the time that it must show, and how well the hub knows it.

import Bands
import Bluetooth
import EventLoop
import Health
import StateCodec
import Wearable

/// Record of the last setting, and of the time since when the clock is right.
struct MoyoungClockNote: RememberedState {
  static let name = "moyoung-clock"

  /// Time given to the band, and the hub's wall clock at that moment, whole seconds since 1970.
  var device, wall: Int64
  /// Hub's monotonic clock at that moment, ns, and the id of its boot; empty: unknown.
  var monotonic: Int64
  var boot: String
  /// Time of this hub's first setting, s on the band's clock. Earlier measurements have times of an unknown clock.
  var since: Int64
  /// Number of moves by this hub, modulo 256. Data fetched before a move has times of the clock before it.
  var moves: UInt8 = 0
  /// Time of this hub's last move, s on the band's clock; nil: never moved.
  var movedTo: Int64?
  /// A move is in progress: after a kill it is unknown whether the band received it.
  var isMoving = false

  /// Seconds after that time in which a rate may still be an old one of a clock that was ahead. That is the accepted
  /// time ahead, and five minutes, the resolution of rates.
  static let doubtful: Int64 = 420

  /// Longest stored boot id, characters.
  private static let bootLimit = 64
  /// End of valid times, s: the year 9999.
  private static let bound: Int64 = 253_402_300_800

  init(device: Int64, wall: Int64, monotonic: Int64, boot: String?, since: Int64, after before: Self? = nil) {
    (moves, movedTo) = (before?.moves ?? 0, before?.movedTo)
    (self.device, self.wall, self.monotonic, self.since) = (device, wall, monotonic, since)
    self.boot = boot.map { $0.utf8.count <= Self.bootLimit ? $0 : "" } ?? ""
  }

  /// - Parameter isSince: earlier measurements are unsure.
  func moved(to device: Int64, isSince: Bool = false) -> MoyoungClockNote {
    var moved = self
    (moved.moves, moved.movedTo) = (moves &+ 1, device)
    if isSince { moved.since = device }
    return moved
  }

  /// Record as it is if the band received a move that the hub did not complete.
  func heard(_ move: MoyoungMove) -> MoyoungClockNote {
    var heard = moved(to: move.from + move.by)
    heard.device = max(0, heard.device + move.by)
    heard.isMoving = false
    return heard
  }

  /// Time on the band's clock, µs, if it ran as the hub's did. Within one boot the monotonic clock counts, so that a
  /// correction of the wall clock has no effect.
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

/// Sets the clock at each visit. A clock that shows the expected time is set before any fetch, since drift cannot be
/// detected. A clock that must be moved is moved at the end of the visit. Until then the band's data has times of the
/// clock that measured it, and a day that ends with the move is fetched.
@LoopActor
final class MoyoungClock {
  let link: any WearableLink
  let client: MoyoungClient
  /// The band was already asked a question over this link.
  private var isAwake = false
  /// Whether the clock shows a wrong time, and is moved after all its data was fetched.
  private(set) var isDue = false
  /// Whether the rates of a clock that is due show another day or time than the one set. The days of the band's answers
  /// are then unknown.
  var isStrange = false

  init(_ link: any WearableLink, _ client: MoyoungClient) { (self.link, self.client) = (link, client) }

  var note: MoyoungClockNote? { link.remembered(MoyoungClockNote.self) }

  /// Time on the clock, seconds since 1970: by the last setting if that is not the right time.
  var shown: Int64 {
    let right = BandClock.local(link)
    guard let told = note?.shows(link.hubTime), Self.isOff(told, right) else { return right / 1_000_000 }
    return told / 1_000_000
  }

  var moves: UInt8 { note?.moves ?? 0 }
  var movedTo: Int64? { note?.movedTo }
  var overlap: MoyoungOverlap? { link.remembered(MoyoungOverlap.self) }

  /// Seconds until the band has received a move. Until then it may begin another five minutes.
  static let hearing = MoyoungClient.patience.components.seconds

  private static func isOff(_ shown: Int64, _ right: Int64) -> Bool {
    let (off, isFar) = shown.subtractingReportingOverflow(right)
    return isFar || off.magnitude > UInt64(BandClock.tolerance) * 1_000_000
  }

  /// Begins a visit, before any request.
  ///
  /// - Returns: the clock before, computed from its last setting, and now; nil: this hub has not set it yet, and
  ///   cannot.
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
      // The hub's clock may change while the band answers.
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
      // The clock was off, and is right without a move: the wait of the next move begins again.
      link.forget(RatesWait.self)
      if before.boot != (now.boot ?? "") { try keep(after, before) }
      return DeviceClock(evidence: after)
    }
    // Unknown whether the band received the move: times of data until now may be by either clock.
    try keep(after, before.moved(to: after.device / 1_000_000, isSince: true))
    forgetMove()
    return DeviceClock(evidence: shown ?? after, wasSet: true, afterwards: after)
  }

  /// Moves a clock that is due, at the end of the visit.
  ///
  /// - Parameter rates: newest rate at a place, by the second at which it begins; nil: not read.
  /// - Returns: the clock as it is now; nil: not moved.
  func move(_ rates: (Int64) -> UInt8?) async throws(VisitTrouble) -> DeviceClock? {
    guard isDue, link.hubTime.isTrusted, var before = note else { return nil }
    let from = before.shows(link.hubTime) / 1_000_000
    let to = BandClock.local(link) / 1_000_000
    // The plan is stored first, so that a hub that is killed here knows what it did.
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

  /// Forgets a completed move. The wait before the next move begins again.
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

  /// Sends the time.
  private func set() async throws(VisitTrouble) -> ClockEvidence {
    // Time of the moment of writing, to the nearest second, because the clock counts whole seconds.
    let now = link.hubTime
    let wall = (now.wall.microseconds + 500_000) / 1_000_000
    let device = wall + Int64(link.zone.offset(at: now.wall.microseconds))
    guard let payload = MoyoungClockSetting.payload(device) else {
      throw .unsupported("a time that its clock cannot show")
    }
    try await client.tell(Moyoung.Command.setTime, payload)
    // Evidence for the moment at which the hub's clock shows a whole second. Whole minutes of the band are then whole
    // minutes of the hub.
    let ahead = wall * 1_000_000 - now.wall.microseconds
    return ClockEvidence(
      device: device * 1_000_000, monotonic: now.monotonic + ahead * 1000, wall: wall * 1_000_000, isTrusted: true)
  }

  /// Sends a question first: some bands sleep through the first frame of a link, and a time has no answer. With or
  /// without an answer, the band receives the next frame.
  private func wake() async throws(VisitTrouble) {
    if isAwake { return }
    _ = try await client.askIfKnown(Moyoung.Command.version)
    isAwake = true
  }

  private static func evidence(_ device: Int64, _ now: HubTime) -> ClockEvidence {
    // In whole seconds, as the band counts, with the matching moment of the hub. The reading is a second earlier, and
    // so before the setting.
    let part = device % 1_000_000 + 1_000_000
    return ClockEvidence(
      device: device - part, monotonic: now.monotonic - part * 1000, wall: now.wall.microseconds - part,
      isTrusted: now.isTrusted)
  }
}
