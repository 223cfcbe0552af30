// A driver's session over one link, with one user at a time: a visit, an operator's action, or attention in between.

import Bluetooth
import EventLoop
import Reasons
import Wearable

/// The session of one link, and its present user. Requests to one wearable are strictly sequential, also those of its
/// own protocol.
@LoopActor
final class LinkSession {
  let session: any WearableSession
  let link: HubLink
  private let loop: any Loop
  private var isTaken = false
  /// Orders changed while the session was taken.
  private var hasNewOrders = false
  private var attendedAt: Instant
  private var timer: LoopTimer?
  var onTrouble: @LoopActor (VisitTrouble) -> Void = { _ in }

  /// Limit of actions and of attention. A measurement that a person ordered has a limit of its own.
  static let limit: Duration = .seconds(60)
  /// Minimum interval at which a wearable may ask for attention.
  static let shortest: Duration = .seconds(5)

  init(_ session: any WearableSession, _ link: HubLink, loop: any Loop) {
    self.session = session
    self.link = link
    self.loop = loop
    attendedAt = loop.now
  }

  /// Takes the session. False while another user has it.
  func take() -> Bool {
    if isTaken || link.end != nil { return false }
    isTaken = true
    return true
  }

  /// Called when a user other than a visit gives the session back, so that delayed notifications can follow. Orders
  /// follow by themselves (`give`).
  var onFree: @LoopActor () -> Void = {}

  /// Called when new orders were carried out, as far as possible.
  var onOrders: @LoopActor () -> Void = {}

  private func giveAlone() {
    give()
    onFree()
  }

  /// Gives the session back, for a user other than a visit.
  func release() { giveAlone() }

  func give() {
    guard isTaken else { fatalError("a session was given back that no flow had") }
    isTaken = false
    arm()
    if hasNewOrders { loop.spawn { [weak self] in await self?.bringOrders() } }
  }

  func close() {
    if let timer { loop.cancel(timer) }
    timer = nil
  }

  // MARK: Attention

  private var nextAttention: Instant? { session.attended?.attendance.map { attendedAt + max($0, Self.shortest) } }

  /// Begins to attend while the link is up.
  func arm() {
    close()
    guard link.end == nil, let next = nextAttention else { return }
    timer = loop.schedule(at: next) { [weak self] in self?.attendAlone() }
  }

  private func attendAlone() {
    timer = nil
    guard take() else { return }
    loop.spawn { [weak self] in
      guard let self else { return }
      do throws(VisitTrouble) { try await attend() } catch { onTrouble(error) }
      giveAlone()
    }
  }

  /// Attends now if it is due; for the present user of the session.
  func attendIfDue() async throws(VisitTrouble) {
    if let next = nextAttention, next <= loop.now { try await attend() }
  }

  private func attend() async throws(VisitTrouble) {
    attendedAt = loop.now
    guard let attended = session.attended else { return }
    try await bounded("what it needs from time to time") { () throws(VisitTrouble) in try await attended.attend() }
  }

  // MARK: Actions

  /// The session has no user, and its link is up.
  var isFree: Bool { !isTaken && link.end == nil }

  func alone<Value>(_ what: String, _ body: () async throws(VisitTrouble) -> Value) async throws(VisitTrouble) -> Value
  {
    guard take() else { throw .busy(what: "the hub is visiting it", retryAfter: nil) }
    defer { giveAlone() }
    return try await bounded(what, body)
  }

  /// Begins what was ordered; for the present user of the session.
  func goLive() async {
    guard let streaming = session.streaming else { return }
    do throws(VisitTrouble) {
      try await bounded("its live streams") { () throws(VisitTrouble) in try await streaming.wentLive() }
    } catch {
      link.note("live streams: \(error)")
    }
  }

  /// Ends streams and measurements that would go on without a link, as far as the wearable answers. The hub disconnects
  /// next. For callers that do not have the session.
  ///
  /// - Parameter keepsTurn: keeps the session taken, as attention could begin again what was just ended.
  /// - Returns: whether the caller has the session now.
  @discardableResult
  func disconnect(keepsTurn: Bool = false) async -> Bool {
    for _ in 0..<8 {
      if take() {
        await closing()
        if !keepsTurn { give() }
        return keepsTurn
      }
      // Another user is in the middle of a request.
      guard link.end == nil, (try? await loop.sleep(for: .milliseconds(250))) != nil else { break }
    }
    return false
  }

  /// True if an activity on the wearable would not end with the link.
  var needsClosing: Bool { session.closing?.needsClosing ?? false }

  /// The same, for the present user of the session.
  func closing() async {
    guard link.end == nil, let closing = session.closing, closing.needsClosing else { return }
    let timer = loop.schedule(after: Self.closingLimit) { [link] in link.giveUp(.silent(what: "the end of the link")) }
    defer { loop.cancel(timer) }
    do throws(VisitTrouble) { try await closing.close() } catch { link.note("at the end of the link: \(error)") }
  }

  /// Limit of closing. Several streams are stopped in a second; callers that wait for the link, or for the daemon's
  /// end, do not wait longer.
  static let closingLimit: Duration = .seconds(3)

  /// Takes changed orders. The present user of the session continues with the orders before; the new ones are carried
  /// out afterwards.
  func apply(_ orders: WearableOrders) async {
    if link.orders == orders { return }
    link.knowledge.orders = orders
    hasNewOrders = true
    await bringOrders()
  }

  private func bringOrders() async {
    guard hasNewOrders, take() else { return }
    defer { giveAlone() }
    hasNewOrders = false
    guard let streaming = session.streaming else { return }
    do throws(VisitTrouble) {
      try await bounded("new orders") { () throws(VisitTrouble) in try await streaming.ordersChanged() }
    } catch {
      link.note("new orders: \(error)")
    }
    onOrders()
  }

  /// The link's profile, as the session was notified last.
  private(set) var profile: LinkProfile?

  /// Lets a wearable that can change its rates follow the link's profile. If the session is taken, also for an earlier
  /// profile, the notification is repeated when it is free (`onFree`).
  func follow(_ profile: LinkProfile) async {
    guard take() else { return }
    defer { giveAlone() }
    self.profile = profile
    guard let profiled = session.profiled else { return }
    do throws(VisitTrouble) {
      try await bounded("following a profile") { () throws(VisitTrouble) in
        try await profiled.profileChanged(to: profile)
      }
    } catch {
      link.note("it did not follow the profile")
    }
  }

  private func bounded<Value>(_ what: String, _ body: () async throws(VisitTrouble) -> Value) async throws(VisitTrouble)
    -> Value
  {
    let timer = loop.schedule(after: Self.limit) { [link] in link.giveUp(.silent(what: what)) }
    defer { loop.cancel(timer) }
    do throws(VisitTrouble) { return try await body() } catch { throw link.cause(of: error) }
  }
}
