// Order to sync a wearable, over as many visits as it takes: what is left of it, and the results so far.

import EventLoop
import Health
import Logging
import Reasons
import RingStore
import Wearable

/// An order that is or was carried out. Finished parts are stored with the wearable (`KeptSync`) and logged, so the
/// next hub goes on with the rest.
@LoopActor
final class SyncOrder {
  private(set) var state: SyncSnapshot
  /// A visit carries it out now.
  private(set) var isInVisit = false
  /// Time of its last progress.
  private(set) var lastSign: Instant
  private let began: Instant
  /// Kinds of data that the log shows as begun in this visit.
  private var begun: Set<String> = []
  private let loop: any Loop
  private let logger: Logger
  /// An earlier hub began it, so items that became durable since the order are its results.
  private let isResumed: Bool
  private let keep: @LoopActor (SyncSnapshot) -> Void

  /// Wait for a wearable without data that is not being visited and does not wait in line behind others.
  static let patience: Duration = .seconds(600)
  /// Wait in any line: thirty wearables with ten slices each take four hours.
  static let longest: Duration = .seconds(21_600)

  /// - Parameter keep: called when a part of it, or all of it, is over.
  init(
    _ state: SyncSnapshot, _ loop: any Loop, _ logger: Logger, isResumed: Bool,
    keep: @escaping @LoopActor (SyncSnapshot) -> Void
  ) {
    self.state = state
    self.loop = loop
    self.logger = logger
    self.isResumed = isResumed
    self.keep = keep
    (began, lastSign) = (loop.now, loop.now)
  }

  var isOver: Bool { state.isOver }

  /// Data that the next visit should fetch.
  var wish: SyncSelection {
    var wish = SyncSelection()
    wish.domains = Set(state.domains.lazy.filter { !$0.isOver }.map(\.id))
    wish.since = state.request.since?.microseconds
    wish.until = state.request.until?.microseconds
    wish.isAutomaticOnly = state.request.isAutomaticOnly
    return wish
  }

  var hasWaitedLong: Bool { loop.now - lastSign >= Self.patience || loop.now - began >= Self.longest }

  /// Notes that another wearable has the lane, and this one is present.
  func standsInLine() { lastSign = loop.now }

  /// - Returns: the places of those that changed.
  @discardableResult
  private func change(_ ids: [String], _ body: (inout SyncedDomain) -> Void) -> [Int] {
    lastSign = loop.now
    let places = state.domains.indices.filter { ids.contains(state.domains[$0].id) && !state.domains[$0].isOver }
    for place in places { body(&state.domains[place]) }
    return places
  }

  /// Changes domains like `change`, for kinds of data that are over by it.
  private func settle(_ ids: [String], _ body: (inout SyncedDomain) -> Void) {
    let places = change(ids, body)
    if places.isEmpty { return }
    for place in places { log(state.domains[place]) }
    keep(state)
  }

  // MARK: Progress of a visit

  func visitBegan(_ number: UInt64) {
    isInVisit = true
    lastSign = loop.now
    state.visit = number
  }

  /// Notes that these kinds are being listed; several may be listed together.
  func began(_ ids: [String]) {
    for place in change(ids, { $0.state = .running }) where begun.insert(state.domains[place].id).inserted {
      log(state.domains[place])
    }
  }

  /// Notes that one kind is being fetched: others that were listed with it follow later, or continue later.
  func fetching(_ id: String) {
    for place in state.domains.indices where state.domains[place].state == .running {
      state.domains[place].state = .waiting
    }
    began([id])
  }

  /// - Parameter isDated: whether its time of measurement is known.
  func listed(_ id: String, isDated: Bool) {
    change([id]) { domain in
      domain.itemsListed += 1
      if !isDated { domain.itemsUndated += 1 }
    }
  }

  /// Notes an item that is durable already.
  func found(_ id: String, durableAt: WallTime?) {
    guard isResumed, let durableAt, durableAt >= state.ordered else { return }
    change([id]) { $0.itemsStored += 1 }
  }

  func fetched(_ id: String, bytes: UInt64, isStored: Bool) {
    change([id]) { domain in
      domain.bytes += bytes
      if isStored { domain.itemsStored += 1 }
    }
  }

  func finished(_ ids: [String]) { settle(ids) { $0.state = $0.itemsStored > 0 ? .done : .nothingNew } }

  func failed(_ ids: [String], _ trouble: HearthError?) {
    settle(ids) { domain in
      domain.state = .failed
      domain.trouble = trouble
    }
  }

  func skipped(_ ids: [String], _ why: String) {
    settle(ids) { domain in
      domain.state = .skipped
      domain.trouble = HearthError(.requestUnsupported, why)
    }
  }

  /// Notes the end of a visit. Unfinished kinds begin again in the next visit; stored items are not fetched twice.
  func visitEnded() {
    isInVisit = false
    lastSign = loop.now
    begun = []
    for place in state.domains.indices where !state.domains[place].isOver {
      state.domains[place].state = .waiting
      state.domains[place].itemsListed = 0
      state.domains[place].itemsUndated = 0
      // The next visit finds the stored items again.
      if isResumed { state.domains[place].itemsStored = 0 }
    }
    if state.domains.allSatisfy(\.isOver) { end(nil) }
  }

  /// Ends the order; unfinished kinds get the trouble.
  func end(_ trouble: HearthError?) {
    if isOver { return }
    isInVisit = false
    state.ended = loop.wall
    state.trouble = trouble
    for place in state.domains.indices where !state.domains[place].isOver {
      state.domains[place].state = .failed
      state.domains[place].trouble = trouble
    }
    let had = "\(state.domains.count { $0.state != .failed }) of \(state.domains.count)"
    var about: Logger.Metadata = ["DEVICE": "\(state.wearable)", "SYNC": "\(state.number)", "DOMAINS": "\(had)"]
    if let trouble { about["CODE"] = "\(trouble.reason.code)" }
    let why = trouble.map { ": \($0)" } ?? ""
    logger.notice("sync over\(why)", metadata: about)
    keep(state)
  }

  private func log(_ domain: SyncedDomain) {
    var about: Logger.Metadata = ["DEVICE": "\(state.wearable)", "SYNC": "\(state.number)", "DOMAIN": "\(domain.id)"]
    if domain.isOver {
      about["ITEMS"] = "\(domain.itemsStored)/\(domain.itemsListed)"
      about["BYTES"] = "\(domain.bytes)"
    }
    guard domain.state == .failed, let trouble = domain.trouble else {
      return logger.info("sync: \(domain.id) \(domain.state.rawValue)", metadata: about)
    }
    about["CODE"] = "\(trouble.reason.code)"
    logger.notice("sync: \(domain.id) failed: \(trouble)", metadata: about)
  }
}
