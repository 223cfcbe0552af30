// What people ask of a wearable: done at once over a link that is free, else in the wearable's next visit, which is then the next of all.

import EventLoop
import Reasons
import Wearable

/// One thing that was asked and waits for a visit. Whoever asked is answered exactly once.
@LoopActor
final class LinkRequest {
  /// For people.
  let what: String
  private let work: @LoopActor (any WearableSession) async -> Void
  private let refusal: @LoopActor (HearthError) -> Void
  private var isOver = false
  var timer: LoopTimer?

  init(_ what: String, work: @escaping @LoopActor (any WearableSession) async -> Void, refusal: @escaping @LoopActor (HearthError) -> Void) {
    self.what = what
    self.work = work
    self.refusal = refusal
  }

  func perform(_ session: any WearableSession) async {
    if isOver { return }
    isOver = true
    await work(session)
  }

  func refuse(_ error: HearthError) {
    if isOver { return }
    isOver = true
    refusal(error.notDone(what))
  }
}

extension Hearth {
  /// How long somebody at a terminal waits for a turn: a wearable before may finish its slice, and linking takes some seconds.
  static var requestPatience: Duration { .seconds(180) }
  /// At one wearable; a technician asks one thing at a time.
  static var requestLimit: Int { 8 }

  /// - Throws: `notLinked` for a wearable that is not there, `requestNotDone` where its turn did not come in time, it has other things to do, or the link was lost; or
  ///   why the visit failed.
  func ask<Value: Sendable>(
    _ tenant: Tenant, _ what: String, _ body: @escaping @LoopActor (any WearableSession) async throws(VisitTrouble) -> Value
  ) async throws(HearthError) -> Value {
    let name = tenant.record.name
    tenant.visits.lastAsked = loop.now
    if let turn = tenant.link?.session, tenant.visits.running == nil, turn.isFree {
      tenant.profile?.review()
      do throws(VisitTrouble) {
        return try await turn.alone(what) { () throws(VisitTrouble) in try await body(turn.session) }
      } catch { throw Self.refusal(of: what, error, name) }
    }
    if tenant.link?.isSettled == true, tenant.link?.session == nil { throw Self.hasNothingToAsk(name) }
    guard tenant.driver != nil else { throw HearthError(.visitUnsupported, "\(name): no driver of this hub knows it") }
    guard isPresent(tenant) else { throw HearthError(.notLinked, "\(name) is not heard: nobody is there to be asked") }
    guard tenant.requests.count < Self.requestLimit else { throw HearthError(.requestNotDone, "\(name): \(tenant.requests.count) requests wait already") }
    let result: Result<Value, HearthError> = await withCheckedContinuation { continuation in
      let request = LinkRequest(what) { session in
        do throws(VisitTrouble) {
          let value = try await body(session)
          continuation.resume(returning: .success(value))
        } catch { continuation.resume(returning: .failure(Self.refusal(of: what, error, name))) }
      } refusal: { error in
        continuation.resume(returning: .failure(error))
      }
      tenant.requests.append(request)
      request.timer = loop.schedule(after: Self.requestPatience) { [weak tenant, weak request] in
        guard let tenant, let request else { return }
        tenant.requests.removeAll { $0 === request }
        request.refuse(HearthError(.requestNotDone, "\(name) had no turn within \(Int(Self.requestPatience.inSeconds)) s: \(what) was not done"))
      }
      if tenant.visits.running == nil { requestVisit(tenant) }
    }
    return try result.get()
  }

  /// Of one that is only listened to.
  static func hasNothingToAsk(_ name: String) -> HearthError { HearthError(.requestUnsupported, "\(name) only sends what it measures; nothing can be asked of it") }

  private static func refusal(of what: String, _ trouble: VisitTrouble, _ name: String) -> HearthError {
    // Of what a person asked, nothing is left on it that a newer version would fetch.
    if case .unsupported(let why) = trouble { return HearthError(.requestUnsupported, "\(name): \(why)") }
    return VisitEnd(trouble, name: name).trouble?.notDone(what) ?? HearthError(.requestNotDone, "\(name): \(what) was ended")
  }

  /// What waited for a visit that came to nothing waits no longer.
  func refuseRequests(of tenant: Tenant, _ error: HearthError) {
    let waiting = tenant.requests
    tenant.requests = []
    for request in waiting {
      if let timer = request.timer { loop.cancel(timer) }
      request.refuse(error)
    }
  }
}

extension HearthError {
  /// Of something that a person asked for and nobody keeps. What the hub does again by itself are visits and links: their codes would promise that of the request, too.
  func notDone(_ what: String) -> HearthError {
    switch reason {
    case .visitBusy, .visitRefused, .visitBroken, .visitSilent, .linkLost, .peerClosed, .failedToEstablish, .linkSilent, .linkAborted, .procedureTimeout:
      HearthError(.requestNotDone, "\(what) was not done: \(detail)")
    default: self
    }
  }
}

extension VisitRunner {
  /// Does what people asked meanwhile. Trouble with it is told to who asked; the visit goes on as long as its link does.
  func serveRequests() async {
    while link.end == nil, let request = tenant.requests.first {
      tenant.requests.removeFirst()
      if let timer = request.timer { loop.cancel(timer) }
      let limit = loop.schedule(after: LinkSession.limit) { [link] in link.giveUp(.silent(what: request.what)) }
      await request.perform(session)
      loop.cancel(limit)
    }
  }
}
