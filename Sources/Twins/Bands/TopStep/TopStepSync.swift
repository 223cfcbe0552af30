// Transfer of stored data: one kind at a time, a message per day, and an end.

import EventLoop
import Simulation

/// Running sync.
struct TopStepSyncRun {
  /// Index in the log.
  let record: Int
  let kind: TopStepKind
  /// Frame that answered its start, after it was sent.
  var answer: Int?
  /// Whether it never ends.
  var isStalled = false
}

extension VirtualTopStepBand {
  /// 1 start, 2 end (seconds since 2000), 3 type.
  func startSync(_ frame: TopStepWireFrame, _ message: TopStepMessage) {
    let (start, end) = (message.number(1), message.number(2))
    guard let kind = TopStepKind(rawValue: UInt8(clamping: message.number(3))), start >= 0, start < end,
      end < 1 << 32
    else {
      blame(.wroteNonsense, frame)
      answerStart(frame, message.number(3), .failed)
      return
    }
    if let sync {
      // A repeated request, after a lost answer, restarts it. Another kind during a transfer is a fault.
      let wasAnswered = sync.answer.map { log.arrived($0) != nil } ?? true
      if sync.kind != kind, wasAnswered, !sync.isStalled {
        blame(.askedTwiceAtOnce, frame)
        answerStart(frame, message.number(3), .failed)
        return
      }
      endSync(isCutShort: true)
    }
    let isFailed = !hasSensor(kind) || random.chance(next.days.failedStart)
    let days = isFailed ? [] : makeDays(kind, start, end)
    let result: StartResult = isFailed ? .failed : days.isEmpty ? .nothingNewer : .ok
    log.syncs.append(
      TopStepSyncRecord(
        kind: kind, start: start, end: end, link: ledger.links.count, at: world.loop.now, result: result.rawValue))
    guard result == .ok else {
      answerStart(frame, Int64(kind.rawValue), result)
      return
    }
    let record = log.syncs.count - 1
    sync = TopStepSyncRun(record: record, kind: kind)
    let isAnswered = answerStart(frame, Int64(kind.rawValue), .ok) { [weak self] number in
      guard let self, sync?.record == record else { return }
      sync?.answer = number
      sendDays(days, kind, record)
    }
    // Cancelled before it began.
    if !isAnswered { endSync(isCutShort: true) }
  }

  private enum StartResult: UInt8 {
    case ok = 0
    case nothingNewer = 1
    case failed = 127
  }

  @discardableResult
  private func answerStart(
    _ frame: TopStepWireFrame, _ kind: Int64, _ result: StartResult,
    after: @escaping @LoopActor (Int) -> Void = { _ in }
  ) -> Bool {
    reply(
      to: frame,
      TopStepWriter.make {
        $0.number(1, kind)
        $0.number(2, Int64(result.rawValue))
      }, after: after)
  }

  private func sendDays(_ days: [TopStepDay], _ kind: TopStepKind, _ record: Int) {
    for day in days.prefix(next.days.stallsAfter ?? days.count) {
      let delivery = ledger.begin(day.items, at: world.loop.now)
      let number = announce(TopStepCommand.sync, kind.rawValue, day.payload, items: day.items) { [weak self] arrived in
        guard let self else { return }
        if arrived { ledger.noteDelivered(delivery, at: world.loop.now) } else { ledger.noteLost(delivery) }
      }
      if let number { log.syncs[record].days.append(number) }
    }
    if next.days.stallsAfter.map({ $0 < days.count }) ?? false {
      sync?.isStalled = true
      return
    }
    log.syncs[record].endFrame = announce(
      TopStepCommand.sync, TopStepSyncKey.end, TopStepWriter.make { $0.number(1, Int(kind.rawValue)) }
    ) { [weak self] arrived in
      guard let self else { return }
      let end: @LoopActor @Sendable () -> Void = { [weak self] in
        if self?.sync?.record == record { self?.endSync(isCutShort: false) }
      }
      // The band only knows that it has sent the end. If it was lost, the link may be about to end, too.
      if arrived { end() } else { world.loop.schedule(after: .seconds(3), end) }
    }
  }

  func endSync(isCutShort: Bool) {
    guard let running = sync else { return }
    sync = nil
    guard isCutShort else { return }
    let record = log.syncs[running.record]
    log.syncs[running.record].wasCutShort = true
    let frames = record.days + (record.endFrame.map { [$0] } ?? [])
    for frame in outbox.drop(frames + frames.compactMap { log.sent[$0].repeatedBy }) { pieceEnded(frame, false) }
  }
}
