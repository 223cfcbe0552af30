// A driver's session over one link, for one user at a time: a visit, an operator's action, or the attention it needs
// while nothing else happens.

import Bluetooth
import EventLoop
import Reasons
import Wearable

/// The session of one link and whose turn it is. Requests to one wearable are strictly sequential, also those of its
/// own protocol.
@LoopActor
final class LinkSession {
  let session: any WearableSession
  let link: HubLink
  private let loop: any Loop
  private var isTaken = false
  /// Orders changed while somebody had it.
  private var hasNewOrders = false
  private var attendedAt: Instant
  private var timer: LoopTimer?
  var onTrouble: @LoopActor (VisitTrouble) -> Void = { _ in }

  /// Neither an action nor attention takes longer. A measurement that somebody ordered ends by its own clock.
  static let limit: Duration = .seconds(60)
  /// More often than this no wearable may ask for attention.
  static let shortest: Duration = .seconds(5)

  init(_ session: any WearableSession, _ link: HubLink, loop: any Loop) {
    self.session = session
    self.link = link
    self.loop = loop
    attendedAt = loop.now
  }

  /// False while somebody else has it.
  func take() -> Bool {
    if isTaken || link.end != nil { return false }
    isTaken = true
    return true
  }

  /// Somebody else than a visit is done with it: what could not be told meanwhile may be told now. Orders come by
  /// themselves (`give`).
  var onFree: @LoopActor () -> Void = {}

  /// New orders were brought about, as far as they could be.
  var onOrders: @LoopActor () -> Void = {}

  private func giveAlone() {
    give()
    onFree()
  }

  /// Gives it back, of somebody else than a visit who took it.
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

  /// For whoever has the session: what is due now.
  func attendIfDue() async throws(VisitTrouble) {
    if let next = nextAttention, next <= loop.now { try await attend() }
  }

  private func attend() async throws(VisitTrouble) {
    attendedAt = loop.now
    guard let attended = session.attended else { return }
    try await bounded("what it needs from time to time") { () throws(VisitTrouble) in try await attended.attend() }
  }

  // MARK: Actions

  /// Nobody has it, and its link is up.
  var isFree: Bool { !isTaken && link.end == nil }

  func alone<Value>(_ what: String, _ body: () async throws(VisitTrouble) -> Value) async throws(VisitTrouble) -> Value
  {
    guard take() else { throw .busy(what: "the hub is visiting it", retryAfter: nil) }
    defer { giveAlone() }
    return try await bounded(what, body)
  }

  /// Lets begin what was ordered, for whoever has the session.
  func goLive() async {
    guard let streaming = session.streaming else { return }
    do throws(VisitTrouble) {
      try await bounded("its live streams") { () throws(VisitTrouble) in try await streaming.wentLive() }
    } catch {
      link.note("live streams: \(error)")
    }
  }

  /// Ends what would go on without a link, as far as the wearable answers: the hub hangs up next. For whoever has not
  /// the session.
  ///
  /// - Parameter keepsTurn: nobody else gets the session, or attention could begin anew what was just ended.
  /// - Returns: the caller has it now.
  @discardableResult
  func disconnect(keepsTurn: Bool = false) async -> Bool {
    for _ in 0..<8 {
      if take() {
        await closing()
        if !keepsTurn { give() }
        return keepsTurn
      }
      // Somebody is in the middle of a request.
      guard link.end == nil, (try? await loop.sleep(for: .milliseconds(250))) != nil else { break }
    }
    return false
  }

  /// Something goes on at the wearable that would not end with the link.
  var needsClosing: Bool { session.closing?.needsClosing ?? false }

  /// The same for whoever has the session.
  func closing() async {
    guard link.end == nil, let closing = session.closing, closing.needsClosing else { return }
    let timer = loop.schedule(after: Self.closingLimit) { [link] in link.giveUp(.silent(what: "the end of the link")) }
    defer { loop.cancel(timer) }
    do throws(VisitTrouble) { try await closing.close() } catch { link.note("at the end of the link: \(error)") }
  }

  /// Several streams are stopped in a second; whoever waits for the link, or for the daemon's end, does not wait
  /// longer.
  static let closingLimit: Duration = .seconds(3)

  /// People changed what they want of it. Whoever has the session goes on with what it began with; the rest is brought
  /// about afterwards.
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

  /// What the session was told last of the link's profile.
  private(set) var profile: LinkProfile?

  /// A wearable that can change its rates follows the link's profile, unless it has something better to do, following
  /// an earlier one included: then it is told once
  /// more when that is over (`onFree`).
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
