// One kind of data handed over: asked for from a time on, taken until the band has no more of it.

import EventLoop
import Health
import TopStepMessages
import Wearable

/// Start, its answer, messages of days, the band's end. The host says nothing after its start.
@LoopActor
final class TopStepSync {
  private let channel: TopStepChannel

  /// Messages of one answer: thirty days, and several trainings on each.
  nonisolated static let limit = 512
  /// Bytes of them: thirty days of the longest message that there is, 120 KiB. Six kinds are held at once, some of them
  /// twice: 1.5 MiB.
  nonisolated static let sizeLimit = 128 << 10
  /// Where a message was lost the whole answer is asked for once more.
  nonisolated private static let tries = 2
  /// Its frames are numbered without gaps where none is lost, as far as was seen over this link.
  private var numbersTell = true
  /// The last answer had all that was asked for, as far as can be told.
  private(set) var isWhole = false
  /// It was asked and has not come to its end: the hub must not disconnect.
  private(set) var isUnderWay = false
  /// It begins with an end that has not come, as far as was seen over this link.
  private var takesAhead = true

  init(_ channel: TopStepChannel) { self.channel = channel }

  /// - Parameters:
  ///   - start: s since 2000, the first that is wanted; and `end`, the first that is not. A band that fails to begin
  ///     with an `end` that has not come is asked up to `now` instead, over the whole link.
  ///   - seemsWhole: false where days are missing that should be there. Then, and where the band's numbers jump, the
  ///     answer is asked for once more, and what both have counts: a message that was lost as a whole leaves no other
  ///     trace.
  /// - Returns: nil where the band has nothing newer.
  /// - Throws: `unsupported` where the band fails to begin, sends fragments, or more than `sizeLimit` or `limit`: of
  ///   this kind alone.
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
      // Of what ran before, sent once more and late.
      channel.dropStreamed(.syncEnd)
      let (messages, hasEnd) = try await collect(kind)
      // What came before a silence may not be all.
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
        // Numbers that jump each time are not what they are taken for.
        if hasJumped { (numbersTell, isWhole) = (false, false) }
        return Self.joined(doubted, messages)
      }
      guard hasJumped || !seemsWhole(messages) else { return messages }
      channel.link.note("\(kind.id) seem to have gaps: asked for once more")
      doubted = messages
    }
    // The second answer was damaged: what the first had is of use, and the rest is asked for in another visit.
    isWhole = false
    if let doubted { return doubted }
    throw .framing("\(kind.id) comes with \(channel.defects.first?.text ?? "gaps") each time")
  }

  /// All of the later answer, and of the earlier one what is of days that the later one lacks.
  private static func joined(_ earlier: [DayMessage], _ later: [DayMessage]) -> [DayMessage] {
    let begins = Set(later.compactMap(\.span?.begin))
    return earlier.filter { message in message.span.map { !begins.contains($0.begin) } ?? false } + later
  }

  private enum Beginning {
    case ok
    case nothingNewer
    /// The answer is no message, or has a result without a name: what comes after it tells.
    case unclear
  }

  /// An end that has not come shows what a clock that was ahead has dated.
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
      // A late one to the kind before is none.
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

  /// Until the band says that it was all, or says nothing more: which of the two is not published. Each message is read
  /// once, in a turn of its own: one of hundreds of values takes a good part of a millisecond.
  ///
  /// - Returns: what came, and whether the band said that it was all.
  private func collect(_ kind: DayKind) async throws(VisitTrouble) -> (messages: [DayMessage], hasEnd: Bool) {
    var messages: [DayMessage] = []
    var (size, frames) = (0, 0)
    while let frame = try await channel.nextStreamed(within: TopStepChannel.patience) {
      frames += 1
      // Each message may come twice, and others between them.
      guard frames <= 4 * Self.limit else { throw .unsupported("more than \(4 * Self.limit) frames of \(kind.id)") }
      if frame.topic == .syncEnd, isEnd(frame.payload, of: kind) { return (messages, true) }
      guard frame.topic == kind.data else { continue }
      // A repeated message is the same one, and no progress.
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

  /// One that came too late for the kind before ends nothing.
  private func isEnd(_ payload: [UInt8], of kind: DayKind) -> Bool {
    guard let type = try? TopStepSyncEnd(wire: payload).type else { return false }
    return type == .none || type == kind.wireType
  }
}
