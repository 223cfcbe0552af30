// The clock of a band, which can be set and not read: what it is given, and what it must show because of that.

import Bands
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

  private var memory: FitCloudMemory { link.remembered(FitCloudMemory.self) ?? FitCloudMemory() }

  /// - Returns: nil where it was never set, and this hub does not know the time either.
  func set() async throws(VisitTrouble) -> DeviceClock? {
    var memory = memory
    let before = memory.clockOffset
    guard link.hubTime.isTrusted else {
      let now = ClockExchange(before: link.hubTime, after: link.hubTime)
      link.note("its clock was not set: the hub's own is not trusted")
      seen = before.map { DeviceClock(evidence: shown($0, now)) }
      return seen
    }
    if let before {
      let (now, next) = (ClockExchange(before: link.hubTime, after: link.hubTime), zoneOffset)
      if next != before {
        // Before it is given: whether it arrives and is acknowledged or not, this is what the band shows from now on.
        memory.clockOffset = next
        try link.remember(memory)
        try await link.clockWillMove(from: shown(before, now), to: shown(next, now).device)
      }
    }
    var (given, exchange) = try await give()
    for _ in 0..<2 where exchange.took > Self.quick { (given, exchange) = try await give() }
    // It has it, as it acknowledged.
    let offset = Int32(clamping: link.zone.offset(at: exchange.before.wall.microseconds))
    memory.clockOffset = offset
    if memory.firstGiven == nil { memory.firstGiven = given / 1_000_000 }
    try link.remember(memory)
    // A visit that gives it what it must show anyway begins no new time of its clock.
    let now = shown(offset, exchange)
    if before == offset {
      seen = DeviceClock(evidence: now)
    } else {
      seen = DeviceClock(evidence: shown(before ?? offset, exchange), wasSet: true, afterwards: now)
    }
    return seen
  }

  private var zoneOffset: Int32 { Int32(clamping: link.zone.offset(at: link.hubTime.wall.microseconds)) }

  /// ns within which a frame must have arrived to have brought the time: a third of what a band's clock may be off by.
  private static let quick: Int64 = BandClock.tolerance * 1_000_000_000 / 3

  /// Once, with the time of now.
  private func give() async throws(VisitTrouble) -> (given: Int64, exchange: ClockExchange) {
    let start = link.hubTime
    // To the nearest second: it counts whole ones.
    let near = BandClock.local(start.wall.microseconds, link.zone) + 500_000
    let given = near - Self.part(near)
    guard let bytes = FitCloudTime.bytes(given) else { throw .unsupported("a clock of years from 2000 to 2063") }
    try await client.send(FitCloudItem(.setTime, bytes))
    return (given, ClockExchange(before: start, after: link.hubTime))
  }

  /// What it must show since it was given the time of a zone, at a whole second of the hub's clock. Worked out and not
  /// read, it is exact: whatever two visits fetch of one record then has one time, and is stored once.
  private func shown(_ offset: Int32, _ exchange: ClockExchange) -> ClockEvidence {
    let middle = exchange.evidence(0)
    let into = Self.part(middle.wall)
    let wall = middle.wall - into
    // To the millisecond, so that what is lost where nanoseconds become microseconds makes no drift.
    let monotonic = (middle.monotonic - into * 1000 + 500_000) / 1_000_000 * 1_000_000
    return ClockEvidence(
      device: wall + Int64(offset) * 1_000_000, monotonic: monotonic, wall: wall, isTrusted: middle.isTrusted)
  }

  private static func part(_ microseconds: Int64) -> Int64 { ((microseconds % 1_000_000) + 1_000_000) % 1_000_000 }

  /// s after the first setting in which something may still be of before it, by a clock that was ahead: as much as a
  /// time may lie ahead without being refused, and a minute, in which its records are told.
  private static let doubtful: Int64 = 180

  /// Measured by the clock as it was before this hub ever set it: nobody knows what it showed then.
  ///
  /// - Parameter begins: µs of its wall clock.
  func isUnsure(_ begins: Int64) -> Bool {
    memory.firstGiven.map { begins / 1_000_000 < $0 + Self.doubtful } ?? true
  }

  /// Another zone, or the same one after its clocks were changed: it must be given the time anew.
  var isOfOtherZone: Bool {
    let now = link.hubTime
    guard now.isTrusted, let given = memory.clockOffset else { return false }
    return given != Int32(clamping: link.zone.offset(at: now.wall.microseconds))
  }
}
