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
      let isSent = await send(page.corrections[...], order, of: \.from) { part in
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
      // One that is left out counts as looked at: its ordinal is a gap for the sink, and none that the hub calls gone.
      switch given {
      case .refused: return false
      case .tooLong(let bytes):
        let row = left[left.startIndex]
        leaveOut("\(row.likeness.device) \(row.ring.series)", bytes, row.time)
        left = left.dropFirst()
      case .fits(let message, let count):
        outbox.give(message, rows: count, order: head.resend)
        left = left.dropFirst(count)
      }
      places = next
    }
    return true
  }

  /// Rows in place of those that were sent before. False: it is over.
  private func retime(_ rows: [UplinkRow], _ head: BatchHead) async -> Bool {
    for piece in RowBatchWriter.pieces(rows) {
      if form != .json {
        let isSent = await send(piece, head.resend, of: \.time) { part in
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
      let isSent = await send(group.rows[...], head.resend, of: \.time, counting: counts) { part in
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
    var rest = HeadsLeft(form == .json ? [] : heads)
    let head = batchHead(store)
    while !rest.isEmpty {
      // What fits is known when there is a broker, and not before.
      if await !outbox.room() { return false }
      if let message = next(&rest, head) { outbox.give(message, rows: 0) }
    }
    return true
  }

  func messages(_ heads: [RingHead], store: UInt64) -> [BrokerMessage] {
    var rest = HeadsLeft(form == .json ? [] : heads)
    let head = batchHead(store)
    var messages: [BrokerMessage] = []
    while !rest.isEmpty { if let message = next(&rest, head) { messages.append(message) } }
    return messages
  }

  private func batchHead(_ store: UInt64) -> BatchHead {
    BatchHead(store: store, hub: hub, sent: UInt64(max(0, outbox.loop.wall.microseconds / 1000)))
  }

  /// Heads by wearable, and how many messages of the first one were made.
  private struct HeadsLeft {
    private var wearables: [ArraySlice<RingHead>]
    private(set) var number = 0

    init(_ heads: [RingHead]) {
      let sorted = Dictionary(grouping: heads, by: \.enrolment).sorted { $0.key > $1.key }
      wearables = sorted.map { $0.value.prefix(RingHead.most) }
    }

    var isEmpty: Bool { wearables.isEmpty }
    var first: ArraySlice<RingHead> { wearables.last ?? [] }

    mutating func drop(_ count: Int, isSaid: Bool) {
      let left = first.dropFirst(count)
      wearables[wearables.count - 1] = left
      number += isSaid ? 1 : 0
      if left.isEmpty { (wearables, number) = (wearables.dropLast(), 0) }
    }
  }

  /// nil: the first of them has no packet that is long enough, and is left out.
  private func next(_ rest: inout HeadsLeft, _ head: BatchHead) -> BrokerMessage? {
    let number = rest.number
    let made = fitting(rest.first) { part in
      BrokerMessage(
        topics.heads(part.first?.enrolment ?? 0, part: number), RowBatchWriter.bytes([], head, heads: Array(part)),
        quality: 1, isRetained: true)
    }
    guard case .fits(let message, let count) = made else {
      rest.drop(1, isSaid: false)
      return nil
    }
    rest.drop(count, isSaid: true)
    return message
  }

  // MARK: Length

  /// The parts of a list, each in a message. `time`: µs since 1970, of what is left out. False: it is over.
  private func send<Element>(
    _ list: ArraySlice<Element>, _ order: UInt64, of time: (Element) -> Int64, counting: Bool = false,
    _ message: (ArraySlice<Element>) -> BrokerMessage
  ) async -> Bool {
    var left = list
    while !left.isEmpty {
      if await !outbox.room() { return false }
      switch fitting(left, message) {
      case .refused: return false
      case .tooLong(let bytes):
        leaveOut("topic \(message(left.prefix(1)).topic)", bytes, time(left[left.startIndex]))
        left = left.dropFirst()
      case .fits(let made, let count):
        outbox.give(made, rows: counting ? count : 0, order: order)
        left = left.dropFirst(count)
      }
    }
    return true
  }

  private func leaveOut(_ words: String, _ bytes: Int, _ time: Int64) {
    outbox.packets.leaveOut("\(words): \(bytes) bytes, and packets of at most \(outbox.messageLimit ?? bytes)", time)
  }

  private enum Fit {
    /// A message of so many elements.
    case fits(BrokerMessage, Int)
    /// The first one alone has so many bytes.
    case tooLong(Int)
    /// The broker takes no packets that are long enough for any, and the outbox knows.
    case refused
  }

  /// A message of as many elements as the broker takes in one packet, halved until they fit.
  private func fitting<Element>(
    _ list: ArraySlice<Element>, _ message: (ArraySlice<Element>) -> BrokerMessage
  ) -> Fit {
    var part = list
    while true {
      let made = message(part)
      guard let limit = outbox.messageLimit, made.mostBytes > limit else { return .fits(made, part.count) }
      if part.count == 1 {
        if limit >= PacketFit.least { return .tooLong(made.mostBytes) }
        outbox.packets.oversized = HearthError(
          .uplinkBrokerRefuses, "it takes packets of at most \(limit) bytes, and one row has \(made.mostBytes)")
        return .refused
      }
      part = part.prefix(part.count / 2)
    }
  }
}
