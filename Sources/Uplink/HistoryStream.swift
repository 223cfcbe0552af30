// Stream of the store's rows to the broker: reads unconfirmed rows of this cursor, page after page. Rows are confirmed
// only when the broker has acknowledged all of them.

internal import EventLoop
internal import HubProtocol
internal import JSONText
internal import Reasons
internal import UplinkMessages

/// Stream of history.
///
/// A round starts after the last confirmed row and ends with the last page. During a round the stream confirms at most
/// every half minute, and at its end once more. All earlier rows are acknowledged first each time.
@LoopActor
final class HistoryStream {
  /// Each confirmation is a commit of the store, which wears the card.
  static let confirmEvery: Duration = .seconds(30)
  private static let firstPause: Duration = .seconds(2)
  private static let longestPause: Duration = .seconds(30)

  struct Counts {
    var rowsConfirmed = 0
    var corruptChunks = 0
    /// Rows with numbers that a message cannot express.
    var unsaid = 0
  }

  private let loop: any Loop
  private let outbox: Outbox
  private let settings: UplinkSettings
  /// Cursor of the daemon's exports: each form of rows has its own.
  private let cursor: String
  private let sender: PageSender
  private let persons: PersonNames
  private let connect: @LoopActor () throws(HearthError) -> any HubCalling
  /// Recent bytes per row, for the size of a page on a slow link.
  private var bytesPerRow = 8.0
  private(set) var counts = Counts()
  private(set) var trouble: HearthError?
  private(set) var store: UInt64?
  private var heads: RingHeads
  private let heritage: UplinkHeritage
  /// Last ordinal of each ring. A round continues after the previous one, so the hub does not have ordinals between two
  /// rows of different rounds either. This matters most for the parts of a round's first row.
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

  /// Runs until the outbox is stopped.
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

  /// Returns false if the outbox was stopped.
  private func sayHeads() async -> Bool {
    guard heads.isDue(loop.now), let (heads, store) = heads.take(loop.now) else { return true }
    return await sender.send(heads, store: store)
  }

  /// Messages to send before a regular end: acknowledged positions of rings, if they are new.
  func farewell() -> [BrokerMessage] {
    heads.take(loop.now, inTime: false).map { sender.messages($0.heads, store: $0.store) } ?? []
  }

  /// Called for a new connection: it may be to a broker that has lost its retained messages.
  func connected() { heads.doubt() }

  private func round() async throws(HearthError) {
    let hub = try connect()
    defer { hub.close() }
    try await persons.learn(hub)
    var places = places
    defer { self.places = places }
    var (given, confirmed) = (0, loop.now)
    let forgotten = outbox.packets.forgotten
    // Corrections without rows have to be confirmed too.
    var (isOver, hasGiven) = (false, false)
    while true {
      var confirms = false
      if hasGiven, isOver || loop.now - confirmed >= Self.confirmEvery {
        if await !outbox.settled() { return }
        // The sent rows were dropped: start again after the last confirmed row.
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
