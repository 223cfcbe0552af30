// The store's rows to the broker: what this cursor's reader has not confirmed, page after page, confirmed when the
// broker has all of it and never before.

internal import EventLoop
internal import HubProtocol
internal import JSONText
internal import Reasons
internal import UplinkMessages

/// The stream of history.
///
/// A round begins behind what was confirmed and ends with the last page. While it lasts it confirms at most every half
/// minute, each time after everything before is acknowledged; at its end the same once more.
@LoopActor
final class HistoryStream {
  /// Each confirmation is a commit of the store, on a card that wears.
  static let confirmEvery: Duration = .seconds(30)
  private static let firstPause: Duration = .seconds(2)
  private static let longestPause: Duration = .seconds(30)

  struct Counts {
    var rowsConfirmed = 0
    var corruptChunks = 0
    /// Rows of which no message can say the numbers.
    var unsaid = 0
  }

  private let loop: any Loop
  private let outbox: Outbox
  private let settings: UplinkSettings
  /// Of the daemon's exports: each form in which rows go has its own.
  private let cursor: String
  private let sender: PageSender
  private let persons: PersonNames
  private let connect: @LoopActor () throws(HearthError) -> any HubCalling
  /// Bytes a row took lately, for the size of a page on a slow link.
  private var bytesPerRow = 8.0
  private(set) var counts = Counts()
  private(set) var trouble: HearthError?
  private(set) var store: UInt64?
  private var heads: RingHeads
  private let heritage: UplinkHeritage
  /// Where each ring is. A round goes on where the one before ended, so what lies between two rows of different rounds
  /// the hub does not have either: above all parts of a row that is the first of its round.
  private var places = RingPlaces()

  init(
    _ loop: any Loop, _ settings: UplinkSettings, cursor: String, _ sender: PageSender, _ persons: PersonNames,
    _ heritage: UplinkHeritage, connect: @escaping @LoopActor () throws(HearthError) -> any HubCalling
  ) {
    (self.loop, outbox, self.settings, self.cursor, self.sender) = (loop, sender.outbox, settings, cursor, sender)
    (self.persons, self.connect) = (persons, connect)
    self.heritage = heritage
    heads = RingHeads()
    let legacy = heritage.legacy
    if !legacy.heads.isEmpty { heads.remember(legacy.heads, store: legacy.store, loop.now) }
  }

  /// Until the outbox is stopped.
  func run() async {
    var pause = Self.firstPause
    while await outbox.room() {
      do throws(HearthError) {
        outbox.packets.oversized = nil
        try await round()
        trouble = outbox.packets.oversized
        pause = Self.firstPause
        if await !sayHeads() { return }
        let every = settings.history.every
        try? await loop.sleep(for: heads.hasNews ? min(every, RingHeads.rest) : every)
      } catch {
        trouble = error
        try? await loop.sleep(for: pause)
        pause = min(pause * 2, Self.longestPause)
      }
    }
  }

  /// False: it is over.
  private func sayHeads() async -> Bool {
    guard heads.isDue(loop.now), let (heads, store) = heads.take(loop.now) else { return true }
    return await sender.send(heads, store: store)
  }

  /// What is said before it ends in order: how far the broker acknowledged rings, where that is new.
  func farewell() -> [BrokerMessage] {
    heads.take(loop.now, inTime: false).map { sender.messages($0.heads, store: $0.store) } ?? []
  }

  /// A connection that begins may be to a broker that has lost what it kept.
  func connected() { heads.doubt() }

  private func round() async throws(HearthError) {
    let hub = try connect()
    defer { hub.close() }
    try await persons.learn(hub)
    var places = places
    defer { self.places = places }
    var (given, confirmed) = (0, loop.now)
    let forgotten = outbox.packets.forgotten
    // Corrections alone have to be confirmed too.
    var (isOver, hasGiven) = (false, false)
    while true {
      var confirms = false
      if hasGiven, isOver || loop.now - confirmed >= Self.confirmEvery {
        if await !outbox.settled() { return }
        // What was given is gone: begin anew behind what was confirmed.
        if outbox.packets.forgotten != forgotten { return }
        heads.settled()
        places.forget(heads.prune(loop.now))
        if let store = heads.store { heritage.keep(heads.all, store: store) }
        confirms = true
      }
      let reply = try await hub.call("ExportNext", parameters(confirms))
      if confirms {
        counts.rowsConfirmed += given
        (given, confirmed, hasGiven) = (0, loop.now, false)
        if isOver { return }
        if await !sayHeads() { return }
      }
      let page = try ExportedPage(reply, persons: persons)
      if store != nil, page.store != nil, page.store != store { places = RingPlaces() }
      store = page.store ?? store
      counts.corruptChunks += page.corruptChunks
      counts.unsaid += page.unsaid
      let before = outbox.figures.bytes
      heads.gave(page.rows, store: page.store, loop.now)
      if await !sender.send(page, &places) { return }
      note(page.rows.count, outbox.figures.bytes - before)
      given += page.rows.count + page.unsaid
      hasGiven = hasGiven || given > 0 || page.hasCorrections
      isOver = page.isLast
      if isOver, !hasGiven { return }
    }
  }

  private func note(_ rows: Int, _ bytes: Int) {
    if rows > 0, bytes > 0 { bytesPerRow += (Double(bytes) / Double(rows) - bytesPerRow) / 8 }
  }

  private func parameters(_ confirms: Bool) -> JSON {
    var page = settings.history.page
    if let bytes = outbox.pageBytes { page = min(page, max(16, Int(Double(bytes) / max(1, bytesPerRow)))) }
    return [
      "cursor": .string(cursor), "ordinals": true, "brief": true, "limit": .integer(Int64(page)),
      "confirm": .bool(confirms), "by": "hearth-uplink",
    ]
  }
}
