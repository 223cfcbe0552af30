// Splits pages into messages that fit the broker's packets.

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

  /// Adds a page to the outbox as room comes. False: the outbox was stopped.
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

  /// Adds rows as batches. `places`: positions of their rings before the first of them. False: the outbox was stopped.
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
      // A row left out still counts as read: its ordinal is a gap for the sink, but the hub does not report it as
      // missing.
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

  /// Adds rows that replace earlier ones with other times. False: the outbox was stopped.
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

  /// Adds runs as JSON, one message each, or several if the broker's packets are shorter. False: the outbox was
  /// stopped.
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

  /// Publishes the acknowledged positions of rings, a retained message for each wearable. Readers of JSON do not need
  /// it. False: the outbox was stopped.
  func send(_ heads: [RingHead], store: UInt64) async -> Bool {
    var rest = HeadsLeft(form == .json ? [] : heads)
    let head = batchHead(store)
    while !rest.isEmpty {
      // The packet limit is only known while a broker is connected.
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

  /// Positions left to publish, by wearable, and the number of messages made of the first one.
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

  /// nil: the packets are too short for the first position, which is left out.
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

  // MARK: Packet length

  /// Adds a list in as many messages as needed. `time`: µs since 1970, of an element left out. False: the outbox was
  /// stopped.
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
    /// A message with this many elements.
    case fits(BrokerMessage, Int)
    /// The first element alone has this many bytes.
    case tooLong(Int)
    /// The broker's packets are too short for any element; the outbox reports it.
    case refused
  }

  /// A message of as many elements as fit one packet of the broker, found by halving.
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
