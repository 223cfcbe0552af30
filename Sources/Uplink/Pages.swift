// Pages of an export as messages for the broker: the same for what is new and for what is sent again.

import CivilTime
internal import EventLoop
internal import HubProtocol
internal import JSONText
internal import Reasons
internal import UplinkMessages

/// One reply of `ExportNext` or `Export`, read.
struct ExportedPage {
  var store: UInt64?
  var rows: [UplinkRow] = []
  var corrections: [BatchCorrection] = []
  /// Rows that were given before with other times.
  var retimed: [UplinkRow] = []
  var isLast = true
  var corruptChunks = 0
  /// Rows whose numbers 64 bits do not hold: what a wearable makes up must not keep the others back.
  var unsaid = 0

  /// - Throws: `controlMalformed` for rows without a place: they could not be stored once.
  init(_ reply: JSON, persons: Pseudonyms) throws(HearthError) {
    if let text = reply["store"]?.text { store = UInt64(hexadecimal: text, count: 16) }
    rows = try read(reply["samples"], persons)
    retimed = try read(reply["retimed"], persons)
    if !rows.isEmpty || !retimed.isEmpty, store == nil {
      throw HearthError(.controlMalformed, "the daemon does not say which store its rows are of; it is older than this")
    }
    if case .integer(let count)? = reply["corrupt_chunks"] { corruptChunks = Int(clamping: count) }
    isLast = reply["last"] != .bool(false)
    guard case .array(let corrected)? = reply["corrections"] else { return }
    for one in corrected {
      guard case .integer(let number)? = one["enrolment"], let enrolment = UInt32(exactly: number),
        let from = one["from"]?.text.flatMap(moment(rfc3339:)), let to = one["to"]?.text.flatMap(moment(rfc3339:))
      else { continue }
      let wearer = one["wearer"]?.text.map(persons.said) ?? ""
      corrections.append(BatchCorrection(enrolment: enrolment, from: from, to: to, wearer: wearer))
    }
  }
}

extension ExportedPage {
  /// Rows that were given before, whose wearer or time is another by now.
  var hasCorrections: Bool { !corrections.isEmpty || !retimed.isEmpty }

  private mutating func read(_ list: JSON?, _ persons: Pseudonyms) throws(HearthError) -> [UplinkRow] {
    guard case .array(let samples)? = list else { return [] }
    var rows: [UplinkRow] = []
    rows.reserveCapacity(samples.count)
    var heads: [RowHead] = []
    heads.reserveCapacity(samples.count)
    for sample in samples {
      do throws(RowMismatch) {
        rows.append(try UplinkRow(sample, after: &heads, wearer: persons.said))
      } catch {
        if error.member == "value" {
          unsaid += 1
          continue
        }
        throw HearthError(.controlMalformed, "a row of the daemon has no '\(error.member)' that can be sent")
      }
    }
    return rows
  }
}

/// From pages to messages.
@LoopActor
struct PageSender {
  let outbox: Outbox
  let topics: UplinkTopics
  let form: UplinkSettings.Form
  let hub: String

  /// Gives a page to the outbox, as room comes. False: it is over.
  func send(_ page: ExportedPage, _ places: inout RingPlaces, order: UInt64 = 0) async -> Bool {
    let pieces = RowBatchWriter.pieces(page.rows)
    let sent = UInt64(max(0, outbox.loop.wall.microseconds / 1000))
    let head = BatchHead(store: page.store ?? 0, hub: hub, sent: sent, resend: order)
    if pieces.isEmpty, !page.corrections.isEmpty, form != .json {
      if await !outbox.room() { return false }
      give(RowBatchWriter.bytes([], head, corrections: page.corrections), rows: 0, order)
    }
    for (number, piece) in pieces.enumerated() {
      let groups = places.runs(Array(piece))
      if form != .json {
        if await !outbox.room() { return false }
        give(
          RowBatchWriter.bytes(groups, head, corrections: number == 0 ? page.corrections : []), rows: piece.count, order
        )
      }
      if form != .batches, await !send(groups, head) { return false }
    }
    return await retime(page.retimed, head)
  }

  /// Rows in place of those that were sent before. False: it is over.
  private func retime(_ rows: [UplinkRow], _ head: BatchHead) async -> Bool {
    for piece in RowBatchWriter.pieces(rows) {
      let groups = RingPlaces.whole(Array(piece))
      if form != .json {
        if await !outbox.room() { return false }
        give(RowBatchWriter.bytes([], head, retimed: groups), rows: 0, head.resend)
      }
      if form != .batches, await !send(groups, head, areRetimed: true) { return false }
    }
    return true
  }

  /// Runs as JSON, one message each. False: it is over.
  private func send(_ groups: [RowGroup], _ head: BatchHead, areRetimed: Bool = false) async -> Bool {
    for group in groups {
      if await !outbox.room() { return false }
      let topic = topics.json(group.first.likeness.device, group.first.ring.series)
      outbox.give(
        BrokerMessage(topic, group.json(head, isRetimed: areRetimed), quality: 1),
        rows: form == .json && !areRetimed ? group.rows.count : 0, order: head.resend)
    }
    return true
  }

  /// Says how far the broker acknowledged rings. False: it is over. Readers of JSON have no use for it.
  func send(_ heads: [RingHead], store: UInt64) async -> Bool {
    for message in messages(heads, store: store) {
      if await !outbox.room() { return false }
      outbox.give(message, rows: 0)
    }
    return true
  }

  func messages(_ heads: [RingHead], store: UInt64) -> [BrokerMessage] {
    if form == .json { return [] }
    let sent = UInt64(max(0, outbox.loop.wall.microseconds / 1000))
    return stride(from: 0, to: heads.count, by: RingHead.most).map { start in
      let part = Array(heads[start..<min(heads.count, start + RingHead.most)])
      return BrokerMessage(
        topics.rows, RowBatchWriter.bytes([], BatchHead(store: store, hub: hub, sent: sent), heads: part), quality: 1)
    }
  }

  private func give(_ bytes: [UInt8], rows: Int, _ order: UInt64) {
    outbox.give(BrokerMessage(topics.rows, bytes, quality: 1), rows: rows, order: order)
  }
}
