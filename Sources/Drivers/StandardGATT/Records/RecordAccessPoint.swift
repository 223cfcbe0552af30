// Client of the Record Access Control Point over one link: one procedure at a time, each of which is waited for.

import Bluetooth
import EventLoop
import Wearable

/// Requests records and their number, aborts a running procedure, and deletes records on request.
@LoopActor
final class RecordAccessPoint {
  private let link: any WearableLink
  private let control: GATTCharacteristic
  private let records: GATTCharacteristic
  private let answers = Inbox(limit: 16)
  private let values = Inbox(limit: RecordAccessPoint.waiting)
  /// Records and answers, in order of arrival.
  private let arrived = Inbox(limit: RecordAccessPoint.waiting)
  private var isPrepared = false
  /// Op code of the last request.
  private var asked: UInt8 = 0
  private var doubt: Doubt?

  /// Unreadable answers, and answers to another request. The right one may still come; if it does not, the first
  /// readable one is used.
  private struct Doubt {
    var content: RecordAccess.Content?
    var count = 0
  }

  /// Maximum waiting values. A procedure takes each value at once, so more of them mean a flood of the link.
  nonisolated private static let waiting = 1024
  /// Timeout between two packets. By the specification a procedure ends within 30 s; after a silence of half of that it
  /// will not.
  private static let patience: Duration = .seconds(15)
  /// Timeout after a doubtful answer, for the right answer and the remaining records.
  private static let rest: Duration = .seconds(2)
  /// Maximum number of doubtful answers to one request: as many as may wait.
  private static let doubts = 16

  /// Values that are taken in one turn if they are waiting: an observation may have 8 KiB, and is read twice.
  private static let step = 16

  /// Ends of a report.
  enum End: Sendable, Hashable {
    /// The wearable reported the end, with the number of records if it has one.
    case over(UInt32?)
    case code(RecordAccess.Result?)
    /// The receiver had enough.
    case enough
  }

  private enum Event {
    case record([UInt8])
    /// nil for an unreadable answer.
    case answer(RecordAccess.Content?)
    /// Timeout: neither a record nor an answer came.
    case silence
  }

  init(_ link: any WearableLink, control: GATTCharacteristic, records: GATTCharacteristic) {
    self.link = link
    self.control = control
    self.records = records
  }

  /// The number of records; nil if the wearable does not count them.
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

  /// Requests records, and passes each of them to `take`.
  ///
  /// - Parameter take: returns whether it wants more; if not, the report is aborted.
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
      // The result is unknown; the records that came are valid.
      case .answer(nil): return .code(nil)
      case .silence: throw .unsupported(Self.noAnswer)
      }
    }
  }

  /// - Returns: the wearable's result; nil for a reserved or unreadable code.
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

  /// Aborts a report, and drops further records. A wearable that does not confirm has stopped too, or refuses the next
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
      // An earlier procedure is still running, for example after an interrupted turn: abort it and repeat the request.
      link.note("a request for stored records was under way: it is ended")
      do throws(VisitTrouble) {
        try await abort()
        arrived.removeAll()
        try await write(request, once: once)
      } catch {
        // Neither the abort nor the request was accepted: the next visit tries again.
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

  /// Merges records and answers into one inbox, each with a first byte that marks its kind, as a procedure waits for
  /// both.
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
        // Silence here does not mean that the link failed: live values may come over it.
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

  /// Whether it answers the last request. A late count also passes, and callers ignore it.
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
  /// The wearable is still busy with an earlier procedure (0xFE, Core Specification Supplement). The refusal does not
  /// concern this request or later ones.
  fileprivate var isUnderWay: Bool {
    guard case .refused(.procedureAlreadyInProgress, _) = self else { return false }
    return true
  }
}
