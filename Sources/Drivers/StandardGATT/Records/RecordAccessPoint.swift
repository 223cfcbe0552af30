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

  /// Values that may wait: a procedure takes each as it comes, so that more than a few are a wearable that floods.
  nonisolated private static let waiting = 1024
  /// From one sign of life to the next: a procedure is over after 30 s by the specification; one that says nothing for
  /// half of it will not.
  private static let patience: Duration = .seconds(15)
  /// After an answer that cannot be read: the rest of what was asked for, where it was not the end of it.
  private static let rest: Duration = .seconds(2)

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
    var wasRead = true
    while true {
      switch try await next(within: wasRead ? Self.patience : Self.rest) {
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
      case .answer(nil): wasRead = false
      // How it ended is not known; what came is here.
      case .silence where !wasRead: return .code(nil)
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
    try await link.write(control, RecordAccess.Request.abort.bytes)
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

  private func next(within patience: Duration = RecordAccessPoint.patience) async throws(VisitTrouble) -> Event {
    let lost = arrived.overflows
    let value: [UInt8]
    do throws(VisitTrouble) { value = try await link.next(from: arrived, within: patience) } catch {
      // That it is silent here says nothing of the link, over which live values may come.
      guard case .silent = error else { throw error }
      return .silence
    }
    if arrived.overflows != lost { link.note("stored records come faster than they are taken") }
    let content = Array(value.dropFirst())
    if value.first == 0 { return .record(content) }
    let response = content.withUnsafeBytes { try? RecordAccess.Response($0) }
    if response == nil { link.note("an answer for stored records that cannot be read") }
    return .answer(response?.content)
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
