// From pages to messages, each no longer than the broker takes.

import CivilTime
internal import EventLoop
internal import Reasons
internal import UplinkMessages

@LoopActor
struct PageSender {
  let outbox: Outbox
  let topics: UplinkTopics
  let form: UplinkSettings.Form
  let hub: String

  /// Gives a page to the outbox, as room comes. False: it is over.
  func send(_ page: ExportedPage, _ places: inout RingPlaces, order: UInt64 = 0) async -> Bool {
    let sent = UInt64(max(0, outbox.loop.wall.microseconds / 1000))
    let head = BatchHead(store: page.store ?? 0, hub: hub, sent: sent, resend: order)
    if form != .json {
      let isSent = await send(page.corrections[...], order) { part in
        BrokerMessage(topics.rows, RowBatchWriter.bytes([], head, corrections: Array(part)), quality: 1)
      }
      if !isSent { return false }
    }
    for piece in RowBatchWriter.pieces(page.rows) {
      let before = places
      let groups = places.runs(Array(piece))
      if form != .json, await !give(piece, head, before) { return false }
      if form != .batches, await !send(groups, head) { return false }
    }
    return await retime(page.retimed, head)
  }

  /// Rows as batches. `places`: where their rings are before the first of them. False: it is over.
  private func give(_ rows: ArraySlice<UplinkRow>, _ head: BatchHead, _ places: RingPlaces) async -> Bool {
    var (left, places) = (rows, places)
    while !left.isEmpty {
      if await !outbox.room() { return false }
      var next = places
      let given = fitting(left) { part in
        next = places
        let groups = next.runs(Array(part))
        return BrokerMessage(topics.rows, RowBatchWriter.bytes(groups, head), quality: 1)
      }
      guard let (message, count) = given else { return false }
      outbox.give(message, rows: count, order: head.resend)
      left = left.dropFirst(count)
      places = next
    }
    return true
  }

  /// Rows in place of those that were sent before. False: it is over.
  private func retime(_ rows: [UplinkRow], _ head: BatchHead) async -> Bool {
    for piece in RowBatchWriter.pieces(rows) {
      if form != .json {
        let isSent = await send(piece, head.resend) { part in
          BrokerMessage(
            topics.rows, RowBatchWriter.bytes([], head, retimed: RingPlaces.whole(Array(part))), quality: 1)
        }
        if !isSent { return false }
      }
      if form != .batches, await !send(RingPlaces.whole(Array(piece)), head, areRetimed: true) { return false }
    }
    return true
  }

  /// Runs as JSON, one message each, or several where a broker takes no longer ones. False: it is over.
  private func send(_ groups: [RowGroup], _ head: BatchHead, areRetimed: Bool = false) async -> Bool {
    for group in groups {
      let topic = topics.json(group.first.likeness.device, group.first.ring.series)
      let counts = form == .json && !areRetimed
      let isSent = await send(group.rows[...], head.resend, counting: counts) { part in
        let first = group.rows.startIndex == part.startIndex
        let before = first ? nil : group.rows[part.startIndex - 1]
        let skipped = before.map { part[part.startIndex].ordinal - $0.ordinal - 1 } ?? group.skipped
        return BrokerMessage(
          topic, RowGroup(rows: Array(part), skipped: skipped).json(head, isRetimed: areRetimed), quality: 1)
      }
      if !isSent { return false }
    }
    return true
  }

  /// Says how far the broker acknowledged rings, a retained message for each wearable. False: it is over. Readers of
  /// JSON have no use for it.
  func send(_ heads: [RingHead], store: UInt64) async -> Bool {
    for message in messages(heads, store: store) {
      if await !outbox.room() { return false }
      outbox.give(message, rows: 0)
    }
    return true
  }

  func messages(_ heads: [RingHead], store: UInt64) -> [BrokerMessage] {
    if form == .json { return [] }
    let head = BatchHead(store: store, hub: hub, sent: UInt64(max(0, outbox.loop.wall.microseconds / 1000)))
    var messages: [BrokerMessage] = []
    for (enrolment, all) in Dictionary(grouping: heads, by: \.enrolment).sorted(by: { $0.key < $1.key }) {
      var (left, number) = (all.prefix(RingHead.most), 0)
      while !left.isEmpty {
        let made = fitting(left) { part in
          BrokerMessage(
            topics.heads(enrolment, part: number), RowBatchWriter.bytes([], head, heads: Array(part)), quality: 1,
            isRetained: true)
        }
        guard let (message, count) = made else { break }
        messages.append(message)
        (left, number) = (left.dropFirst(count), number + 1)
      }
    }
    return messages
  }

  // MARK: Length

  /// The parts of a list, each in a message. False: it is over.
  private func send<Element>(
    _ list: ArraySlice<Element>, _ order: UInt64, counting: Bool = false,
    _ message: (ArraySlice<Element>) -> BrokerMessage
  ) async -> Bool {
    var left = list
    while !left.isEmpty {
      if await !outbox.room() { return false }
      guard let (made, count) = fitting(left, message) else { return false }
      outbox.give(made, rows: counting ? count : 0, order: order)
      left = left.dropFirst(count)
    }
    return true
  }

  /// A message of as many elements as the broker takes in one packet, halved until they fit; nil: not even one does,
  /// and the outbox knows.
  private func fitting<Element>(
    _ list: ArraySlice<Element>, _ message: (ArraySlice<Element>) -> BrokerMessage
  ) -> (message: BrokerMessage, count: Int)? {
    var part = list
    while true {
      let made = message(part)
      guard let limit = outbox.messageLimit, made.mostBytes > limit else { return (made, part.count) }
      if part.count == 1 {
        outbox.packets.oversized = HearthError(
          .uplinkBrokerRefuses, "it takes packets of at most \(limit) bytes, and one row has \(made.mostBytes)")
        return nil
      }
      part = part.prefix(part.count / 2)
    }
  }
}
