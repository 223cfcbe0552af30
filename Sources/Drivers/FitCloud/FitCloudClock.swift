// Clock of a band, which can be set but not read: the time that it was given, and the time that it must therefore show.

import Bands
import Bluetooth
import CivilTime
import EventLoop
import Health
import Wearable

/// Sets the clock of a band, and computes what it shows. A band shows local time without a zone, and no known key reads
/// it. The hub therefore sets it at each visit, before any fetch. Computed clock evidence replaces the reading: before
/// the setting, the time of the last setting applies, and after it the new one.
@LoopActor
final class FitCloudClock {
  private let link: any WearableLink
  private let client: FitCloudClient
  /// Clock as seen over this link; nil: unknown.
  private(set) var seen: DeviceClock?

  init(_ client: FitCloudClient) { (self.client, link) = (client, client.link) }

  /// Period in which the clock was set over this link, µs of the hub's clock; nil: it was not set.
  private var setWithin: ClosedRange<Int64>?
  /// Reach of each kind's transfers, by code, that is not stored yet.
  private var reached: [UInt8: HistoryReach] = [:]

  private var memory: FitCloudMemory { link.remembered(FitCloudMemory.self) ?? FitCloudMemory() }

  /// Eras of the clock: what it showed, and when.
  var eras: ClockEras {
    let known = memory.eras
    if !known.all.isEmpty { return known }
    // This hub never set the clock, so it is assumed to show local time in the hub's zone.
    return ClockEras(offset: offset(at: link.hubTime.wall.microseconds), firstGiven: nil)
  }

  /// Seconds by which the hub's zone is ahead of UTC.
  private func offset(at wall: Int64) -> Int32 { Int32(clamping: link.zone.offset(at: wall)) }

  private func remember(_ eras: ClockEras) throws(VisitTrouble) {
    var memory = memory
    memory.eras = eras
    try link.remember(memory)
  }

  /// - Returns: nil if the clock was never set, and this hub does not know the time either.
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
    // Stored before the clock is changed. If the hub stops in between, it knows that the clock may have been changed.
    try remember(eras)
    if let before, next != before {
      let now = ClockExchange(before: link.hubTime, after: link.hubTime)
      try await link.clockWillMove(from: shown(before, now), to: shown(next, now).device)
    }
    var exchange = try await give()
    for _ in 0..<2 where exchange.took > Self.quick { exchange = try await give() }
    // The band has acknowledged the time.
    let now = link.hubTime.wall.microseconds
    setWithin = min(start, now)...now
    eras.taken(at: now)
    try remember(eras)
    let given = offset(at: exchange.before.wall.microseconds)
    // Setting the time that the clock shows anyway does not begin a new era.
    let after = shown(given, exchange)
    if before == given {
      seen = DeviceClock(evidence: after)
    } else {
      seen = DeviceClock(evidence: shown(before ?? given, exchange), wasSet: true, afterwards: after)
    }
    return seen
  }

  /// Time within which a setting must be acknowledged, ns: a third of the error that a band's clock may have.
  private static let quick: Int64 = BandClock.tolerance * 1_000_000_000 / 3

  /// Sets the current time, once.
  private func give() async throws(VisitTrouble) -> ClockExchange {
    let start = link.hubTime
    // Rounded to the nearest second, since the band counts whole seconds.
    let near = BandClock.local(start.wall.microseconds, link.zone) + 500_000
    let given = near - floorRemainder(near, 1_000_000)
    guard let bytes = FitCloudTime.bytes(given) else { throw .unsupported("a clock of years from 2000 to 2063") }
    try await client.send(FitCloudItem(.setTime, bytes))
    return ClockExchange(before: start, after: link.hubTime)
  }

  /// Evidence of the clock after it was given a zone's time at a whole second of the hub's clock. Computed evidence is
  /// exact. A record that two visits fetch thus gets the same time, and is stored once.
  private func shown(_ offset: Int32, _ exchange: ClockExchange) -> ClockEvidence {
    let middle = exchange.evidence(0)
    let into = floorRemainder(middle.wall, 1_000_000)
    let wall = middle.wall - into
    // Rounded to milliseconds, so that the conversion from ns to µs does not look like drift.
    let monotonic = (middle.monotonic - into * 1000 + 500_000) / 1_000_000 * 1_000_000
    return ClockEvidence(
      device: wall + Int64(offset) * 1_000_000, monotonic: monotonic, wall: wall, isTrusted: middle.isTrusted)
  }

  // MARK: Conclusions from records

  /// Compares records with the known eras, and stores corrections of the eras.
  ///
  /// - Parameter bytes: head and records of a transfer that was fetched just now.
  /// - Returns: whether another program had set the clock.
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

  /// Notes the reach of a transfer. Stored together with the next change of the eras.
  func note(_ reach: HistoryReach, of code: UInt8) { if setWithin != nil { reached[code] = reach } }

  /// Notes that the band has erased all records of a kind until a moment, µs of the hub's clock.
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

  /// Whether the offset of the zone has changed, by a move or by season: the clock must be set again.
  var isOfOtherZone: Bool {
    let now = link.hubTime
    guard now.isTrusted, let given = memory.eras.inForce else { return false }
    return given.ahead != Int64(offset(at: now.wall.microseconds)) * 1_000_000
  }
}
