// Queries and choices of people about links and their profiles.

import Bluetooth
import EventLoop
import Reasons
import Wearable

/// Answers for the links of all wearables. Each has a profile of its own (`ProfileKeeper`).
@LoopActor
final class Profiles {
  private let context: HubContext
  private let registry: Registry
  private let lane: Lane
  private let keepers: PerWearable<ProfileKeeper>

  init(_ context: HubContext, _ registry: Registry, _ lane: Lane) {
    self.context = context
    self.registry = registry
    self.lane = lane
    keepers = PerWearable(registry)
  }

  // MARK: One wearable

  func admit(_ wearable: EnrolledWearable) { keepers[wearable] = ProfileKeeper(context, registry, wearable) }

  func forget(_ wearable: EnrolledWearable) {
    guard keepers[wearable]?.isAtRest ?? true else { fatalError("a forgotten wearable has a profile with a link") }
    keepers[wearable] = nil
  }

  subscript(wearable: EnrolledWearable) -> ProfileKeeper? { keepers[wearable] }

  /// Notes a change of its link.
  func note(_ news: LinkNews, of wearable: EnrolledWearable) {
    switch news {
    case .changed: break
    case .used: keepers[wearable]?.review()
    case .freed: keepers[wearable]?.tellSession()
    case .settled(let link): keepers[wearable]?.attach(link)
    case .kept(let link): if let keeper = keepers[wearable], !keeper.isAttached(to: link) { keeper.attach(link) }
    case .closed: keepers[wearable]?.detach()
    }
  }

  // MARK: Questions and choices

  func link(of which: String) throws(HearthError) -> LinkSnapshot {
    let wearable = try registry.require(which)
    guard let profile = keepers[wearable] else {
      return LinkSnapshot(wearable: wearable.name, requestedProfile: .background, why: "")
    }
    var snapshot = profile.snapshot(named: wearable.name)
    snapshot.isBonded = context.store.bonds.contains { $0.wearable == wearable.id }
    guard let link = wearable.link else {
      if snapshot.override == nil { snapshot.why = "no link" }
      return snapshot
    }
    snapshot.isLinked = true
    snapshot.mtu = link.client.mtu
    let protection = link.work?.protection
    (snapshot.isSecured, snapshot.keySize) = (protection?.isEncrypted ?? false, protection?.keySize)
    return snapshot
  }

  /// Stores an operator's choice for this wearable, across restarts; nil: by policy again. The result shows in `link`
  /// some seconds later.
  ///
  /// - Parameter byCentral: only the hub sets the link, to legal parameters, and the wearable's characteristic is not
  ///   written. For wearables that refuse a profile with parameters that they would accept.
  func setLink(_ which: String, profile: LinkProfile?, byCentral: Bool) async throws(HearthError) -> LinkSnapshot {
    let wearable = try registry.require(which)
    keepers[wearable]?.choose(profile.map { ProfileChoice(profile: $0, isByCentral: byCentral) })
    try await registry.write(wearable)
    return try link(of: which)
  }

  /// Keeps its link awake while an operator looks at it: for so long, an hour at most.
  func watch(_ which: String, for duration: Duration) {
    guard let wearable = registry.named(which) else { return }
    let wasAwaited = lane.isAwaited(wearable)
    wearable.visits.watchedUntil = context.loop.now + min(max(duration, .zero), .seconds(3600))
    keepers[wearable]?.review()
    if !wasAwaited { context.changes.raise(.awaited(wearable)) }
  }
}
