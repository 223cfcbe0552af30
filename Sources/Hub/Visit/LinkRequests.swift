// Requests of people to a wearable: carried out at once over a free link, else in the wearable's next visit, which then
// goes first.

import EventLoop
import Reasons
import Wearable

/// A request that waits for a visit. The caller is answered exactly once.
@LoopActor
final class LinkRequest {
  /// Text for people.
  let what: String
  private let work: @LoopActor (any WearableSession) async -> Void
  private let refusal: @LoopActor (HearthError) -> Void
  private var isOver = false
  var timer: LoopTimer?

  init(
    _ what: String, work: @escaping @LoopActor (any WearableSession) async -> Void,
    refusal: @escaping @LoopActor (HearthError) -> Void
  ) {
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

/// The requests to one wearable that wait for its visit.
@LoopActor
final class RequestQueue {
  private var waiting: [LinkRequest] = [] { didSet { wearable?.lane.requests = waiting.count } }
  private weak let wearable: EnrolledWearable?
  private let loop: any Loop

  static let patience = LaneState.requestPatience
  /// Limit for one wearable; a technician makes one request at a time.
  static let limit = 8

  init(of wearable: EnrolledWearable, _ loop: any Loop) {
    self.wearable = wearable
    self.loop = loop
  }

  var isEmpty: Bool { waiting.isEmpty }
  var count: Int { waiting.count }

  /// - Parameter late: the error if its turn does not come within `patience`.
  func append(_ request: LinkRequest, patience: Duration = RequestQueue.patience, late: HearthError) {
    guard waiting.count < Self.limit else { fatalError("more requests wait than may") }
    waiting.append(request)
    request.timer = loop.schedule(after: patience) { [weak self] in
      // The caller is answered, even if the queue does not exist any more.
      self?.waiting.removeAll { $0 === request }
      request.refuse(late)
    }
  }

  /// The next request; its time is no longer counted.
  func take() -> LinkRequest? {
    guard !waiting.isEmpty else { return nil }
    let request = waiting.removeFirst()
    if let timer = request.timer { loop.cancel(timer) }
    return request
  }

  /// Answers the requests that waited for a failed visit.
  func refuse(_ error: HearthError) {
    let refused = waiting
    waiting = []
    for request in refused {
      if let timer = request.timer { loop.cancel(timer) }
      request.refuse(error)
    }
  }

  /// The error for a wearable that only streams.
  static func hasNothingToAsk(_ name: String) -> HearthError {
    HearthError(.requestUnsupported, "\(name) only sends what it measures; it takes no requests")
  }
}

/// The requests to each wearable that wait for its visit.
@LoopActor
final class Requests {
  private let context: HubContext
  private let queues: PerWearable<RequestQueue>

  init(_ context: HubContext, _ registry: Registry) {
    self.context = context
    queues = PerWearable(registry)
  }

  subscript(wearable: EnrolledWearable) -> RequestQueue {
    if let queue = queues[wearable] { return queue }
    let queue = RequestQueue(of: wearable, context.loop)
    queues[wearable] = queue
    return queue
  }
}

extension HearthError {
  /// The error for a request that is not repeated. The hub repeats visits and links by itself, so their codes would
  /// promise that for the request, too.
  func notDone(_ what: String) -> HearthError {
    switch reason {
    case .visitBusy, .visitRefused, .visitBroken, .visitSilent, .linkLost, .peerClosed, .failedToEstablish,
      .linkAborted,
      .procedureTimeout:
      HearthError(.requestNotDone, "\(what) was not done: \(detail)")
    default: self
    }
  }
}

extension VisitRunner {
  /// Carries out requests that came meanwhile. Their callers get the errors; the visit goes on as long as its link
  /// does.
  func serveRequests() async {
    while link.end == nil, let request = hub.requests[wearable].take() {
      let limit = loop.schedule(after: LinkSession.limit) { [link] in link.giveUp(.silent(what: request.what)) }
      await request.perform(session)
      loop.cancel(limit)
    }
  }
}
