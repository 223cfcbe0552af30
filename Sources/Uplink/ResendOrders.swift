// Resend orders: rows since a given time are sent again, for an operator with a broker that accepted rows and lost
// them.

import CivilTime
internal import EventLoop
internal import HubProtocol
internal import JSONText
internal import Reasons
internal import UplinkMessages

/// Executes one order after another; each has its own connection to the daemon, beside the history.
@LoopActor
final class ResendOrders {
  private let loop: any Loop
  /// Sender of each form; the rows of the first one are counted.
  private let senders: [PageSender]
  private let persons: PersonNames
  private let connect: @LoopActor () throws(HearthError) -> any HubCalling
  private(set) var order: UplinkDocument.Resend?
  private var next: UInt64

  /// - Parameter first: number of the first order; never one that an earlier process used.
  init(
    _ loop: any Loop, _ senders: [PageSender], _ persons: PersonNames, first: UInt64,
    connect: @escaping @LoopActor () throws(HearthError) -> any HubCalling
  ) {
    (self.loop, self.senders, self.persons) = (loop, senders, persons)
    (next, self.connect) = (first, connect)
  }

  var isRunning: Bool { order.map { $0.ended == nil } ?? false }

  /// - Throws: `uplinkOrderRefused` for an invalid or future time, or while an order runs.
  func begin(from text: String) throws(HearthError) -> UplinkDocument.Resend {
    guard let from = moment(rfc3339: text) else {
      throw HearthError(.uplinkOrderRefused, "'\(harmless(text))' is no time in UTC such as 2026-11-21T10:00:00Z")
    }
    if from > loop.wall.microseconds {
      throw HearthError(.uplinkOrderRefused, "\(momentText(from, .exact)) is ahead of now")
    }
    if let order, isRunning {
      throw HearthError(.uplinkOrderRefused, "order \(order.number) from \(order.from) is still being carried out")
    }
    let begun = UplinkDocument.Resend(
      number: next, from: momentText(from, .exact), began: momentText(loop.wall.microseconds, .exact))
    next += 1
    order = begun
    loop.spawn { [weak self] in await self?.run(begun) }
    return begun
  }

  func acknowledged(_ number: UInt64, _ rows: Int) {
    if order?.number == number { order?.acknowledged += rows }
  }

  /// Rows as JSON first: they do not depend on batches that no client reads.
  private func run(_ begun: UplinkDocument.Resend) async {
    for sender in senders.reversed() where !sender.outbox.isStopped { await run(begun, sender) }
    order?.ended = momentText(loop.wall.microseconds, .exact)
  }

  private func run(_ begun: UplinkDocument.Resend, _ sender: PageSender) async {
    // A failure of the other form is kept.
    let before = order?.failure
    for attempt in 1...Self.attempts {
      do throws(HearthError) {
        try await pass(begun, sender)
        order?.failure = before
        return
      } catch {
        order?.failure = before ?? TroubleDocument(error)
        if sender.outbox.isStopped || attempt == Self.attempts { return }
        // The daemon hangs up on a client that does not read for half a minute, as while the broker is away.
        if await !sender.outbox.settled(order: begun.number) { return }
        try? await loop.sleep(for: .seconds(5))
      }
    }
  }

  /// Passes through the store: rows of an earlier pass are sent again, and the receiver stores them once.
  private static let attempts = 5

  private func pass(_ begun: UplinkDocument.Resend, _ sender: PageSender) async throws(HearthError) {
    let hub = try connect()
    defer { hub.close() }
    try await persons.learn(hub)
    var places = RingPlaces()
    let outbox = sender.outbox
    let (forgotten, leftOut) = (outbox.packets.forgotten, outbox.packets.leftOut)
    order?.rows = 0
    order?.acknowledged = 0
    let parameters: JSON = ["since": .string(begun.from), "ordinals": true, "brief": true]
    try await hub.stream("Export", parameters) { reply throws(HearthError) in
      let page = try ExportedPage(reply, persons: persons)
      order?.rows += page.rows.count
      if await !sender.send(page, &places, order: begun.number) {
        throw outbox.packets.oversized ?? HearthError(.uplinkDown, "hearth-uplink was stopped")
      }
    }
    if await !outbox.settled(order: begun.number) { throw HearthError(.uplinkDown, "hearth-uplink was stopped") }
    if outbox.packets.leftOut == leftOut, let since = moment(rfc3339: begun.from) {
      outbox.packets.wasSent(since: since)
    }
    if outbox.packets.forgotten != forgotten {
      throw HearthError(.uplinkBrokerRefuses, "the broker takes no packets that long any more")
    }
  }
}
