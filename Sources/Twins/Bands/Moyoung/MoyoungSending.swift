// Sending of a Moyoung band: one frame after the other in pieces, with frames in between, delays and losses.

import EventLoop
import Health

/// Frame that waits for its turn, or is being sent.
struct MoyoungOutgoing {
  var pieces: [[UInt8]]
  /// Index in the ledger of deliveries; nil: the frame contains no measurement.
  var delivery: Int?
  var live: BandLiveValue?
  /// Request that it answers.
  var answers: MoyoungQuestion?
  var count: Int
  /// Delivery of its pieces, shared with their callbacks.
  var fate: MoyoungFate
}

/// Delivery of the pieces of one frame.
@LoopActor
final class MoyoungFate {
  private(set) var arrived = 0
  private(set) var isCut = false
  func note(_ isThere: Bool) { if isThere { arrived += 1 } else { isCut = true } }
}

extension VirtualMoyoungBand {
  /// Answers a command after a moment; late or never according to its traits.
  func answer(_ reply: MoyoungReply, to question: MoyoungQuestion? = nil) {
    let isLost = random.chance(make.lostReplies + traits.lostAcknowledgements)
    let isLate = random.chance(make.lateReplies)
    let delay = random.duration(in: isLate ? make.lateReplyDelay : make.replyDelay)
    if isLost { return }
    let number = ledger.links.count
    world.loop.schedule(after: delay) { [weak self] in
      guard let self, link != nil, ledger.links.count == number else { return }
      queue(reply, to: question)
    }
  }

  /// Sends a value that was measured on request of the hub.
  func tellLive(_ reply: MoyoungReply, _ series: Series, _ value: Int64) {
    let now = world.loop.now
    let live = BandLiveValue(series: series, values: [value], deliveredAt: now, time: recorder.time(of: now))
    queue(reply, live: value > 0 ? live : nil)
  }

  private func queue(_ reply: MoyoungReply, to question: MoyoungQuestion? = nil, live: BandLiveValue? = nil) {
    guard isHeard else { return }
    if !make.unaskedBetweenPieces, random.chance(make.unaskedFrames) { enqueue(unasked) }
    enqueue(reply, to: question, live: live)
    if pump == nil { sendNext() }
  }

  /// The wearer touched a button for a phone's music, which has no meaning for a hub.
  private var unasked: MoyoungReply {
    var reply = MoyoungReply(.askVersion, [0])
    reply.command = 103
    return reply
  }

  private func enqueue(_ reply: MoyoungReply, to question: MoyoungQuestion? = nil, live: BandLiveValue? = nil) {
    guard let frame = make.framing.frame(reply.command, reply.payload) else { return }
    let pieces = make.framing.pieces(of: frame, mtu: server.mtu)
    outbox.append(
      MoyoungOutgoing(
        pieces: pieces, delivery: reply.items.isEmpty ? nil : ledger.begin(reply.items, at: world.loop.now),
        live: live, answers: question, count: pieces.count, fate: MoyoungFate()))
  }

  private func sendNext() {
    pump = nil
    guard !outbox.isEmpty, isHeard else { return forgetOutbox() }
    let piece = outbox[0].pieces.removeFirst()
    let frame = outbox[0]
    if random.chance(make.lostPieces) {
      ended(frame, false)
    } else {
      notify(MoyoungUUID.notify, [piece]) { [weak self] arrived in self?.ended(frame, arrived) }
    }
    if frame.pieces.isEmpty {
      if let question = frame.answers { answeredAt[question] = world.loop.now }
      if let unanswered, frame.answers == unanswered.question { self.unanswered = nil }
      outbox.removeFirst()
    } else {
      if make.totalsBetweenPieces, frame.pieces.count == frame.count / 2 {
        notify(MoyoungUUID.totals, [MoyoungMemory.totalsBytes(memory.totals(daysAgo: 0))])
      }
      if make.unaskedBetweenPieces, random.chance(make.unaskedFrames),
        let other = make.framing.frame(unasked.command, unasked.payload)
      {
        notify(MoyoungUUID.notify, [other])
      }
    }
    if outbox.isEmpty { return }
    pump = world.loop.schedule(after: make.pieceGap) { [weak self] in self?.sendNext() }
  }

  private func ended(_ frame: MoyoungOutgoing, _ arrived: Bool) {
    frame.fate.note(arrived)
    if frame.fate.isCut {
      if let delivery = frame.delivery { ledger.noteLost(delivery) }
      return
    }
    guard frame.fate.arrived == frame.count else { return }
    if let delivery = frame.delivery { ledger.noteDelivered(delivery, at: world.loop.now) }
    if let live = frame.live {
      ledger.live.append(
        BandLiveValue(
          series: live.series, values: live.values, deliveredAt: world.loop.now,
          time: recorder.time(of: world.loop.now)))
    }
  }

  func forgetOutbox() {
    for frame in outbox { if let delivery = frame.delivery { ledger.noteLost(delivery) } }
    outbox = []
  }
}
