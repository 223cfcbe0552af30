// The clock of a band, which can be set and not read: what it is given, and what it must show because of that.

import Bands
import Bluetooth
import CivilTime
import EventLoop
import Health
import Wearable

/// A band shows the time of a wall, without a zone, and no key is known that reads it. So it is set at each visit,
/// before anything is fetched, and what stands in for a reading is worked out: before, it must show what this hub gave
/// it last, and after, what it was given now.
@LoopActor
final class FitCloudClock {
  private let link: any WearableLink
  private let client: FitCloudClient
  /// As of this link; nil: nothing is known of it.
  private(set) var seen: DeviceClock?

  init(_ client: FitCloudClient) { (self.client, link) = (client, client.link) }

  /// µs of the hub's clock: from when to when it was set over this link; nil: it was not.
  private var setWithin: ClosedRange<Int64>?
  /// How far transfers reached, by the code of their kind, not remembered yet.
  private var reached: [UInt8: HistoryReach] = [:]

  private var memory: FitCloudMemory { link.remembered(FitCloudMemory.self) ?? FitCloudMemory() }

  /// What its clock showed, from when to when.
  var eras: ClockEras {
    let known = memory.eras
    if !known.all.isEmpty { return known }
    // This hub never set it: it is taken to show the time of the hub's zone.
    return ClockEras(offset: offset(at: link.hubTime.wall.microseconds), firstGiven: nil)
  }

  /// s by which the hub's zone is ahead of Greenwich.
  private func offset(at wall: Int64) -> Int32 { Int32(clamping: link.zone.offset(at: wall)) }

  private func remember(_ eras: ClockEras) throws(VisitTrouble) {
    var memory = memory
    memory.eras = eras
    try link.remember(memory)
  }

  /// - Returns: nil where it was never set, and this hub does not know the time either.
  func set() async throws(VisitTrouble) -> DeviceClock? {
    let before = memory.eras.acknowledged.map { Int32(clamping: $0.ahead / 1_000_000) }
    guard link.hubTime.isTrusted else {
      let now = ClockExchange(before: link.hubTime, after: link.hubTime)
      link.note("its clock was not set: the hub's own is not trusted")
      seen = before.map { DeviceClock(evidence: shown($0, now)) }
      return seen
    }
    let start = link.hubTime.wall.microseconds
    let next = offset(at: start)
    var eras = memory.eras
    eras.begin(ahead: Int64(next) * 1_000_000, at: start)
    // Before the clock is changed: a hub that ends in between must know that it may have been.
    try remember(eras)
    if let before, next != before {
      let now = ClockExchange(before: link.hubTime, after: link.hubTime)
      try await link.clockWillMove(from: shown(before, now), to: shown(next, now).device)
    }
    var exchange = try await give()
    for _ in 0..<2 where exchange.took > Self.quick { exchange = try await give() }
    // It has it, as it acknowledged.
    let now = link.hubTime.wall.microseconds
    setWithin = min(start, now)...now
    eras.taken(at: now)
    try remember(eras)
    let given = offset(at: exchange.before.wall.microseconds)
    // A visit that gives it what it must show anyway begins no new time of its clock.
    let after = shown(given, exchange)
    if before == given {
      seen = DeviceClock(evidence: after)
    } else {
      seen = DeviceClock(evidence: shown(before ?? given, exchange), wasSet: true, afterwards: after)
    }
    return seen
  }

  /// ns within which a frame must have arrived to have brought the time: a third of what a band's clock may be off by.
  private static let quick: Int64 = BandClock.tolerance * 1_000_000_000 / 3

  /// Once, with the time of now.
  private func give() async throws(VisitTrouble) -> ClockExchange {
    let start = link.hubTime
    // To the nearest second: it counts whole ones.
    let near = BandClock.local(start.wall.microseconds, link.zone) + 500_000
    let given = near - floorRemainder(near, 1_000_000)
    guard let bytes = FitCloudTime.bytes(given) else { throw .unsupported("a clock of years from 2000 to 2063") }
    try await client.send(FitCloudItem(.setTime, bytes))
    return ClockExchange(before: start, after: link.hubTime)
  }

  /// What it must show since it was given the time of a zone, at a whole second of the hub's clock. Worked out and not
  /// read, it is exact: whatever two visits fetch of one record then has one time, and is stored once.
  private func shown(_ offset: Int32, _ exchange: ClockExchange) -> ClockEvidence {
    let middle = exchange.evidence(0)
    let into = floorRemainder(middle.wall, 1_000_000)
    let wall = middle.wall - into
    // To the millisecond, so that what is lost where nanoseconds become microseconds makes no drift.
    let monotonic = (middle.monotonic - into * 1000 + 500_000) / 1_000_000 * 1_000_000
    return ClockEvidence(
      device: wall + Int64(offset) * 1_000_000, monotonic: monotonic, wall: wall, isTrusted: middle.isTrusted)
  }

  // MARK: What its records say of it

  /// Looks whether records contradict what this hub knows of the clock, and remembers what follows from that.
  ///
  /// - Parameter bytes: of a transfer that was fetched now: head and records.
  /// - Returns: somebody else had set the clock.
  func learn(_ bytes: RawBytes, _ kind: HistoryKind, code: UInt8, fetched: Int64) throws(VisitTrouble) -> Bool {
    guard let setWithin else { return false }
    let known = memory.eras
    var eras = HistoryEvidence.eras(known, in: bytes, kind, code: code, fetched: fetched, set: setWithin)
    let isMoved = eras != known
    if eras.isUndecided, let narrower = HistoryEvidence.narrowed(eras, by: bytes, kind, code: code, fetched: fetched) {
      eras = narrower
    }
    if eras != known { try remember(eras) }
    return isMoved
  }

  /// A transfer reached so far: kept with the next thing that is remembered of the clock.
  func note(_ reach: HistoryReach, of code: UInt8) { if setWithin != nil { reached[code] = reach } }

  /// The band has forgotten all of a kind that it had recorded until a moment, µs of the hub's clock.
  ///
  /// - Parameter newest: as `ClockEras.emptied` takes it.
  func emptied(_ code: UInt8, at wall: Int64, newest: (shown: Int64, time: Int64)?) throws(VisitTrouble) {
    guard setWithin != nil else { return }
    reached[code] = nil
    var eras = memory.eras
    eras.emptied(code, at: wall, newest: newest)
    try remember(eras)
  }

  func keep() throws(VisitTrouble) {
    var eras = memory.eras
    var isNews = false
    for (code, reach) in reached.sorted(by: { $0.key < $1.key }) where eras.note(reach, of: code) { isNews = true }
    if isNews { try remember(eras) }
    reached = [:]
  }

  /// Another zone, or the same one after its clocks were changed: it must be given the time anew.
  var isOfOtherZone: Bool {
    let now = link.hubTime
    guard now.isTrusted, let given = memory.eras.inForce else { return false }
    return given.ahead != Int64(offset(at: now.wall.microseconds)) * 1_000_000
  }
}
