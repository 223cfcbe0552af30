// The Record Access Control Point over one link: one procedure at a time, each with an end that is waited for.

import Bluetooth
import EventLoop
import Wearable

/// Asks for records and for their number, ends what is under way, and deletes where it is told to.
@LoopActor
final class RecordAccessPoint {
  private let link: any WearableLink
  private let control: GATTCharacteristic
  private let records: GATTCharacteristic
  private let answers = Inbox(limit: 16)
  private let values = Inbox(limit: RecordAccessPoint.waiting)
  /// What came of either, in the order in which it came.
  private let arrived = Inbox(limit: RecordAccessPoint.waiting)
  private var isPrepared = false
  /// Code of the operation that was asked for last.
  private var asked: UInt8 = 0
  private var doubt: Doubt?

  /// Answers that cannot be read or belong to another request. The right one may still come; without it, the first
  /// that could be read stands for it.
  private struct Doubt {
    var content: RecordAccess.Content?
    var count = 0
  }

  /// Values that may wait: a procedure takes each as it comes, so that more than a few are a wearable that floods.
  nonisolated private static let waiting = 1024
  /// From one sign of life to the next: a procedure is over after 30 s by the specification; one that says nothing for
  /// half of it will not.
  private static let patience: Duration = .seconds(15)
  /// After an answer that is in doubt: the right one, and the rest of what was asked for.
  private static let rest: Duration = .seconds(2)
  /// Answers in doubt to one request: as many as may wait.
  private static let doubts = 16

  /// Values that are taken in one turn, where they wait already: 8 KiB of them may be one observation, read twice.
  private static let step = 16

  /// What ended a report.
  enum End: Sendable, Hashable {
    /// The wearable says so; the number where it tells one.
    case over(UInt32?)
    case code(RecordAccess.Result?)
    /// Whoever takes had enough.
    case enough
  }

  private enum Event {
    case record([UInt8])
    /// nil for one that cannot be read.
    case answer(RecordAccess.Content?)
    /// Nothing came.
    case silence
  }

  init(_ link: any WearableLink, control: GATTCharacteristic, records: GATTCharacteristic) {
    self.link = link
    self.control = control
    self.records = records
  }

  /// How many there are; nil where it does not count.
  func count(_ selection: RecordAccess.Selection = .all) async throws(VisitTrouble) -> UInt32? {
    try await ask(.count, selection)
    while true {
      switch try await next() {
      case .record: continue
      case .answer(.count(let count)): return count
      case .answer(.code(_, .noneFound, _)): return 0
      case .answer(.code(_, .busy, _)): throw .busy(what: "its stored records", retryAfter: nil)
      case .answer: return nil
      case .silence: throw .unsupported(Self.noAnswer)
      }
    }
  }

  /// Records as they come.
  ///
  /// - Parameter take: says whether it wants more; where it does not, the report is ended.
  func report(
    _ operation: RecordAccess.Operation, _ selection: RecordAccess.Selection, take: ([UInt8]) -> Taking
  ) async throws(VisitTrouble) -> End {
    try await ask(operation, selection)
    var came = 0
    while true {
      switch try await next() {
      case .record(let bytes):
        link.noteProgress(bytes: bytes.count)
        came += 1
        if came % Self.step == 0 { await Task.yield() }
        if take(bytes) == .enough {
          try await abort()
          return .enough
        }
      case .answer(.code(_, .success, _)): return .over(nil)
      case .answer(.code(_, let result, _)): return .code(result)
      case .answer(.combined(let count)): return .over(count)
      case .answer(.count): continue
      // How it ended is not known; what came is here.
      case .answer(nil): return .code(nil)
      case .silence: throw .unsupported(Self.noAnswer)
      }
    }
  }

  /// - Returns: what the wearable says came of it; nil for a code that stands for nothing.
  func delete(_ selection: RecordAccess.Selection) async throws(VisitTrouble) -> RecordAccess.Result? {
    try await ask(.delete, selection, once: true)
    while true {
      switch try await next() {
      case .answer(.code(_, let result, _)): return result
      case .answer(nil): return nil
      case .silence: throw .unsupported(Self.noAnswer)
      case .record, .answer: continue
      }
    }
  }

  /// What comes until it has stopped is left out. One that does not say so has stopped, too, or refuses the next
  /// request.
  private func abort() async throws(VisitTrouble) {
    try await write(RecordAccess.Request.abort.bytes, once: false)
    while true {
      switch try await next() {
      case .answer(.code), .answer(nil), .silence: return
      case .record, .answer: continue
      }
    }
  }

  // MARK: One procedure

  private func ask(_ operation: RecordAccess.Operation, _ selection: RecordAccess.Selection, once: Bool = false)
    async throws(VisitTrouble)
  {
    try await prepare()
    arrived.removeAll()
    let request = RecordAccess.Request(operation: operation, selection: selection).bytes
    do throws(VisitTrouble) { try await write(request, once: once) } catch {
      guard error.isUnderWay else { throw error }
      // What was asked for before goes on, as after a turn that ended in the middle of it: it is ended, and this asked
      // once more.
      link.note("a request for stored records was under way: it is ended")
      do throws(VisitTrouble) {
        try await abort()
        arrived.removeAll()
        try await write(request, once: once)
      } catch {
        // Neither the end of what was under way nor this request came through: another visit asks anew.
        guard error.isUnderWay else { throw error }
        throw .busy(what: "its stored records: another request for them is under way", retryAfter: nil)
      }
    }
  }

  private func write(_ request: [UInt8], once: Bool) async throws(VisitTrouble) {
    (asked, doubt) = (request.first ?? 0, nil)
    if once {
      try await link.writeOnce(control) { () throws(VisitTrouble) in request }
    } else {
      try await link.write(control, request)
    }
  }

  private func prepare() async throws(VisitTrouble) {
    if isPrepared { return }
    collect(values, under: 0)
    collect(answers, under: 1)
    try await link.subscribe(records, into: values)
    try await link.subscribe(control, into: answers)
    isPrepared = true
  }

  /// A procedure waits for records and for its end at once: both go into one inbox, each under a first byte.
  private func collect(_ inbox: Inbox, under mark: UInt8) {
    inbox.onValue = { [weak inbox, weak arrived] in
      while let value = inbox?.take() { arrived?.put([mark] + value) }
    }
  }

  private static let noAnswer = "it does not answer for its stored records"

  private func next() async throws(VisitTrouble) -> Event {
    while true {
      let lost = arrived.overflows
      let value: [UInt8]
      let patience = doubt == nil ? Self.patience : Self.rest
      do throws(VisitTrouble) { value = try await link.next(from: arrived, within: patience) } catch {
        // That it is silent here says nothing of the link, over which live values may come.
        guard case .silent = error else { throw error }
        return doubt.map { .answer($0.content) } ?? .silence
      }
      if arrived.overflows != lost { link.note("stored records come faster than they are taken") }
      let content = Array(value.dropFirst())
      if value.first == 0 { return .record(content) }
      let response = content.withUnsafeBytes { try? RecordAccess.Response($0) }
      if let content = response?.content, isAnswer(content) { return .answer(content) }
      if let doubt = noteDoubt(response?.content), doubt.count >= Self.doubts { return .answer(doubt.content) }
    }
  }

  /// Whether it is to what was asked for. A count that comes late is one, and passed over: it ends nothing.
  private func isAnswer(_ content: RecordAccess.Content) -> Bool {
    guard case .code(let request, _, _) = content else { return true }
    return request == asked
  }

  private func noteDoubt(_ content: RecordAccess.Content?) -> Doubt? {
    if doubt == nil {
      link.note("an answer for stored records that \(content == nil ? "cannot be read" : "is to another request")")
    }
    var doubt = doubt ?? Doubt()
    doubt.content = doubt.content ?? content
    doubt.count += 1
    self.doubt = doubt
    return doubt
  }
}

extension VisitTrouble {
  /// The wearable still does what was asked of it before (0xFE, Core Specification Supplement): it says nothing of this
  /// request, and of none that follows.
  fileprivate var isUnderWay: Bool {
    guard case .refused(.procedureAlreadyInProgress, _) = self else { return false }
    return true
  }
}
