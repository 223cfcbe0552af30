// Transfer of one kind of data: requested from a time on, and received until the band has no more.

import EventLoop
import Health
import TopStepMessages
import Wearable

/// Runs a transfer: start, its answer, messages of days, the band's end. After the start the host only receives.
@LoopActor
final class TopStepSync {
  private let channel: TopStepChannel

  /// Messages of one answer: thirty days, and several trainings on each.
  nonisolated static let limit = 512
  /// Bytes of one answer: thirty days of the longest message, 120 KiB. Six kinds are held at once, some of them twice:
  /// 1.5 MiB.
  nonisolated static let sizeLimit = 128 << 10
  /// Attempts for a whole answer after a message was lost.
  nonisolated private static let tries = 2
  /// Whether gaps in the band's frame numbers show losses, as far as seen over this link.
  private var numbersTell = true
  /// Whether the last answer was complete, as far as the hub can determine.
  private(set) var isWhole = false
  /// Whether a transfer has begun and not ended: the hub must not disconnect.
  private(set) var isUnderWay = false
  /// Whether the band accepts a range that ends in the future, as far as seen over this link.
  private var takesAhead = true

  init(_ channel: TopStepChannel) { self.channel = channel }

  /// Requests one kind of data.
  ///
  /// - Parameters:
  ///   - start: first second wanted, s since 2000.
  ///   - end: first second not wanted. If the band fails on an end in the future, later requests over this link use
  ///     `now`.
  ///   - seemsWhole: false if days are missing that should be there. Then, or if the band's numbers jump, the answer is
  ///     requested once more, and both answers count. A message that was lost whole leaves no other trace.
  /// - Returns: nil if the band has no newer data.
  /// - Throws: `unsupported`, for this kind alone, if the band fails to begin, sends fragments, or exceeds `sizeLimit`
  ///   or `limit`.
  func run(
    _ kind: DayKind, from start: Int64, to end: Int64, now: Int64, seemsWhole: ([DayMessage]) -> Bool = { _ in true }
  ) async throws(VisitTrouble) -> [DayMessage]? {
    (isWhole, isUnderWay) = (true, true)
    defer { isUnderWay = false }
    var doubted: [DayMessage]?
    for _ in 0..<Self.tries {
      channel.defects = []
      channel.isStreaming = true
      defer { channel.isStreaming = false }
      let (lost, jumps) = (channel.lostPieces, channel.jumps)
      let begun = try await begin(kind, start, end, now: now)
      if begun == .nothingNewer { return nil }
      // Discard a late repetition from the transfer before.
      channel.dropStreamed(.syncEnd)
      let (messages, hasEnd) = try await collect(kind)
      // Messages before a silence may be incomplete.
      if !hasEnd || begun == .unclear { isWhole = false }
      if let fragment = channel.defects.first(where: \.isFragment) {
        throw .unsupported("it sends \(kind.id) in fragments: \(fragment.text)")
      }
      guard channel.defects.isEmpty, channel.lostPieces == lost else { continue }
      if messages.isEmpty {
        guard begun == .ok else { throw .unsupported("how it begins with \(kind.id) cannot be read") }
        throw .silent(what: "its \(kind.id), which it said it would send")
      }
      let hasJumped = numbersTell && channel.jumps != jumps
      if let doubted {
        // Numbers that jump each time do not show losses.
        if hasJumped { (numbersTell, isWhole) = (false, false) }
        return Self.joined(doubted, messages)
      }
      guard hasJumped || !seemsWhole(messages) else { return messages }
      channel.link.note("\(kind.id) seem to have gaps: asked for once more")
      doubted = messages
    }
    // The second answer was damaged. Use the first; another visit requests the rest.
    isWhole = false
    if let doubted { return doubted }
    throw .framing("\(kind.id) comes with \(channel.defects.first?.text ?? "gaps") each time")
  }

  /// Joins all messages of the later answer, and those messages of the earlier one that belong to other days.
  private static func joined(_ earlier: [DayMessage], _ later: [DayMessage]) -> [DayMessage] {
    let begins = Set(later.compactMap(\.span?.begin))
    return earlier.filter { message in message.span.map { !begins.contains($0.begin) } ?? false } + later
  }

  private enum Beginning {
    case ok
    case nothingNewer
    /// The answer is no message, or has a result without a name: the next messages decide.
    case unclear
  }

  /// Starts a transfer. An end in the future also reveals data that a clock dated ahead.
  private func begin(
    _ kind: DayKind, _ start: Int64, _ end: Int64, now: Int64
  ) async throws(VisitTrouble) -> Beginning {
    if end > now, takesAhead {
      if let begun = try await ask(kind, start, end) { return begun }
      takesAhead = false
    }
    guard let begun = try await ask(kind, start, min(end, now)) else {
      throw .unsupported("it fails to begin with \(kind.id)")
    }
    return begun
  }

  /// - Returns: nil if the band fails to begin.
  private func ask(_ kind: DayKind, _ start: Int64, _ end: Int64) async throws(VisitTrouble) -> Beginning? {
    var request = TopStepSyncStart()
    request.start = start
    request.end = end
    request.type = kind.wireType
    let bytes = try TopStepChannel.written { () throws(MalformedMessage) in try request.wire() }
    let answer = try await channel.ask(.syncStart, bytes) { answer in
      // A late answer to the kind before does not count.
      guard let type = try? TopStepSyncStartReply(wire: answer).type else { return true }
      return type == .none || type == kind.wireType
    }
    guard let reply = try? TopStepSyncStartReply(wire: answer) else {
      channel.link.note("its answer to a sync is no message")
      return .unclear
    }
    if reply.type != .none, reply.type != kind.wireType { channel.link.note("it answers for another kind of data") }
    switch reply.result {
    case .ok: return .ok
    case .nothingNewer: return .nothingNewer
    case .failed: return nil
    case .UNRECOGNIZED(let result):
      channel.link.note("it answers \(result) to a sync, which has no name")
      return .unclear
    }
  }

  /// Receives messages until the band sends an end or falls silent; which of the two is not published. Each message is
  /// read once, in its own turn: one of hundreds of values takes a good part of a millisecond.
  ///
  /// - Returns: the messages, and whether the band sent an end.
  private func collect(_ kind: DayKind) async throws(VisitTrouble) -> (messages: [DayMessage], hasEnd: Bool) {
    var messages: [DayMessage] = []
    var (size, frames) = (0, 0)
    while let frame = try await channel.nextStreamed(within: TopStepChannel.patience) {
      frames += 1
      // Each message may come twice, and other frames between them.
      guard frames <= 4 * Self.limit else { throw .unsupported("more than \(4 * Self.limit) frames of \(kind.id)") }
      if frame.topic == .syncEnd, isEnd(frame.payload, of: kind) { return (messages, true) }
      guard frame.topic == kind.data else { continue }
      // A repeated message counts once, and is no progress.
      if messages.contains(where: { $0.bytes == frame.payload }) { continue }
      channel.link.noteProgress(bytes: frame.payload.count)
      guard messages.count < Self.limit else { throw .unsupported("more than \(Self.limit) messages of \(kind.id)") }
      size += frame.payload.count
      guard size <= Self.sizeLimit else { throw .unsupported("more than \(Self.sizeLimit) bytes of \(kind.id)") }
      messages.append(DayMessage(kind, frame.payload))
      await Task.yield()
    }
    return (messages, false)
  }

  /// Whether an end belongs to this kind. A late end of the kind before is ignored.
  private func isEnd(_ payload: [UInt8], of kind: DayKind) -> Bool {
    guard let type = try? TopStepSyncEnd(wire: payload).type else { return false }
    return type == .none || type == kind.wireType
  }
}
