// Requests of people to a wearable: at once over a free link, else in its next visit.

import EventLoop
import Reasons
import Wearable

/// Sends requests to wearables. Those that wait for a visit are in `Requests`.
@LoopActor
struct WearableQuestions {
  let context: HubContext
  let registry: Registry
  let presence: PresenceMonitor
  let lane: Lane
  let requests: Requests

  /// The actions that a wearable supports, and its reports. If it is not linked, or is being visited, they are read in
  /// a visit of its own, which comes next.
  ///
  /// - Throws: `noSuchWearable`, `notLinked` for a wearable that is not heard, `requestNotDone`, or why it did not
  ///   answer.
  func actions(of which: String) async throws(HearthError) -> (actions: [WearableAction], reports: [String]) {
    try await ask(try registry.require(which), "asking what it can do") { session in
      (session.operated?.actions ?? [], session.reporting?.reports ?? [])
    }
  }

  /// Carries out an action, and reads the result back; see `actions(of:)` for when.
  ///
  /// - Returns: what happened, one sentence.
  func perform(_ action: String, _ arguments: [String] = [], on which: String) async throws(HearthError) -> String {
    let words = Array(arguments.prefix(WearableAction.argumentLimit))
    return try await ask(try registry.require(which), action) { session throws(VisitTrouble) in
      guard let operated = session.operated, let wanted = operated.actions.first(where: { $0.name == action }) else {
        throw .unsupported("it has no action '\(action.prefix(32))'")
      }
      return try await operated.perform(wanted, words)
    }
  }

  /// A report of the wearable about itself, read now; see `actions(of:)` for when.
  ///
  /// - Throws: `requestUnsupported` if it has no such report.
  func report(_ topic: String, of which: String) async throws(HearthError) -> [ReportRow] {
    try await ask(try registry.require(which), "asking for its \(topic)") { session throws(VisitTrouble) in
      guard let reporting = session.reporting, reporting.reports.contains(topic) else {
        throw .unsupported("it does not report '\(topic.prefix(32))'")
      }
      return try await reporting.report(topic)
    }
  }

  /// Reads how it measures by itself, read now; see `actions(of:)` for when.
  ///
  /// - Throws: `requestUnsupported` if that cannot be read.
  func readMonitoring(of which: String) async throws(HearthError) {
    let wearable = try registry.require(which)
    let states = try await ask(wearable, "asking how it measures by itself") { session throws(VisitTrouble) in
      guard let monitored = session.monitored else { throw .unsupported("it does not report own measuring") }
      return try await monitored.readMonitoring()
    }
    if wearable.noteMonitoring(states, at: context.loop.wall) { registry.persistIfEnrolled(wearable) }
  }

  // MARK: Waiting for a visit

  /// - Throws: `notLinked` for an absent wearable; `requestNotDone` if its turn came too late, it is busy, or the link
  ///   was lost; or the visit's error.
  func ask<Value: Sendable>(
    _ wearable: EnrolledWearable, _ what: String, patience: Duration = RequestQueue.patience,
    _ body: @escaping @LoopActor (any WearableSession) async throws(VisitTrouble) -> Value
  ) async throws(HearthError) -> Value {
    let name = wearable.name
    wearable.visits.lastAsked = context.loop.now
    if let turn = wearable.link?.session, wearable.visits.running == nil, turn.isFree {
      context.changes.link(of: wearable, .used)
      do throws(VisitTrouble) {
        return try await turn.alone(what) { () throws(VisitTrouble) in try await body(turn.session) }
      } catch { throw Self.refusal(of: what, error, name) }
    }
    if wearable.link?.isSettled == true, wearable.link?.session == nil { throw RequestQueue.hasNothingToAsk(name) }
    guard wearable.driver != nil else {
      throw HearthError(.driverMissing, "\(name): no driver of this hub knows it")
    }
    guard presence.isPresent(wearable) else {
      throw HearthError(.notLinked, "\(name) is not heard and cannot be asked")
    }
    let queue = requests[wearable]
    guard queue.count < RequestQueue.limit else {
      throw HearthError(.requestNotDone, "\(name): \(queue.count) requests wait already")
    }
    let result: Result<Value, HearthError> = await withCheckedContinuation { continuation in
      let request = LinkRequest(what) { session in
        do throws(VisitTrouble) {
          let value = try await body(session)
          continuation.resume(returning: .success(value))
        } catch { continuation.resume(returning: .failure(Self.refusal(of: what, error, name))) }
      } refusal: { error in
        continuation.resume(returning: .failure(error))
      }
      let seconds = Int(patience.inSeconds)
      let late = HearthError(.requestNotDone, "\(name) had no turn within \(seconds) s: \(what) was not done")
      queue.append(request, patience: patience, late: late)
      if wearable.visits.running == nil { lane.request(wearable) }
    }
    return try result.get()
  }

  static func refusal(of what: String, _ trouble: VisitTrouble, _ name: String) -> HearthError {
    // For a request, "unsupported" leaves no data on the wearable that a newer version would fetch.
    if case .unsupported(let why) = trouble { return HearthError(.requestUnsupported, "\(name): \(why)") }
    return VisitEnd(trouble, name: name).trouble?.notDone(what)
      ?? HearthError(.requestNotDone, "\(name): \(what) was ended")
  }
}
