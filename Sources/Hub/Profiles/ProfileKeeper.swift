// The profile (preset of connection parameters) of a wearable's link: an operator's choice, or what the policy says
// now.

import Bluetooth
import EventLoop
import Reasons
import RingStore
import Wearable

/// The connection profile of one wearable. The choice lives as long as the wearable is enrolled. Results of writes are
/// forgotten with each link, as it is unknown what a wearable stores.
///
/// An operator's choice goes first. Without one: foreground while a visit or a measurement runs or a person watches.
/// Background while live values come, or after a request within five minutes; else idle. `ProfileImposer` sets it on
/// the link.
@LoopActor
final class ProfileKeeper {
  private let context: HubContext
  private unowned let wearable: EnrolledWearable
  private let imposer: ProfileImposer
  private(set) var override: ProfileChoice?
  private(set) var why = "the link begins"
  private var reviewTimer: LoopTimer?

  /// Time without a request, after which the profile is idle.
  static let idleAfter: Duration = .seconds(300)

  init(_ context: HubContext, _ registry: Registry, _ wearable: EnrolledWearable) {
    self.context = context
    self.wearable = wearable
    imposer = ProfileImposer(context, registry, wearable)
    override = wearable.remembered(ProfileChoice.self)
    imposer.isByCentral = override?.isByCentral ?? false
  }

  private var loop: any Loop { context.loop }

  // MARK: State

  /// The profile for the link; without one, the first profile of the next link.
  var wanted: LinkProfile { imposer.link == nil ? override?.profile ?? .foreground : imposer.wanted }
  var requested: ConnectionParameters { context.options.parameters(of: wanted) }
  /// The profile that matches the parameters in effect.
  var effectiveProfile: LinkProfile? { imposer.effectiveProfile }

  /// The wanted profile and the results.
  func snapshot(named name: String) -> LinkSnapshot {
    let reason = imposer.link == nil ? policy().1 : why
    var snapshot = LinkSnapshot(wearable: name, requestedProfile: wanted, why: reason)
    snapshot.override = override?.profile
    snapshot.isByCentral = override?.isByCentral ?? false
    snapshot.requested = requested
    imposer.describe(in: &snapshot)
    return snapshot
  }

  // MARK: The link

  /// Whether there is no link and no timer.
  var isAtRest: Bool { imposer.link == nil && reviewTimer == nil }

  /// Whether the profile is set on this link.
  func isAttached(to link: HubLink) -> Bool { imposer.link === link }

  func attach(_ link: HubLink) {
    imposer.attach(link)
    review()
  }

  func detach() {
    imposer.detach()
    if let reviewTimer { loop.cancel(reviewTimer) }
    reviewTimer = nil
  }

  /// Takes new parameters of the link, whichever side requested them.
  func changed(_ parameters: EffectiveParameters) { imposer.changed(parameters) }

  /// Lets the session follow, after a visit or another user of the session.
  func tellSession() { imposer.tellSession() }

  // MARK: The policy

  /// Takes an operator's lasting choice; nil: by policy again.
  func choose(_ choice: ProfileChoice?) {
    override = choice
    if let choice { wearable.remember(choice) } else { wearable.forget(ProfileChoice.self) }
    imposer.chosen(choice)
    review()
  }

  /// Checks whether another profile is wanted now. Called after everything that could change the answer; cheap if it
  /// did not.
  func review() {
    let (profile, reason) = policy()
    why = reason
    scheduleReview()
    imposer.want(profile)
  }

  private func policy() -> (LinkProfile, String) {
    if let override {
      return (
        override.profile,
        override.isByCentral ? "requested by an operator, of the hub alone" : "requested by an operator"
      )
    }
    if wearable.isVisited { return (.foreground, "a fetch is running") }
    let measuring = wearable.lane.measuring
    if measuring.hasBegun || measuring.session != nil { return (.foreground, "a measurement runs") }
    if let until = wearable.visits.watchedUntil, until > loop.now { return (.foreground, "an operator watches") }
    if let live = wearable.link?.lastValue, loop.now - live < Self.idleAfter {
      return (.background, "live values come")
    }
    if loop.now - lastActivity < Self.idleAfter { return (.background, "a request within 5 min") }
    return (.idle, "no request for 5 min")
  }

  private var lastActivity: Instant {
    let visits = wearable.visits
    let times = [imposer.linkedAt, visits.lastAsked, visits.watchedUntil, wearable.link?.lastValue]
    return times.compactMap { $0 }.max() ?? imposer.linkedAt
  }

  private func scheduleReview() {
    if let reviewTimer { loop.cancel(reviewTimer) }
    reviewTimer = nil
    guard imposer.link != nil, override == nil else { return }
    let watched = wearable.visits.watchedUntil.flatMap { $0 > loop.now ? $0 : nil }
    let moment = watched ?? lastActivity + Self.idleAfter
    guard moment > loop.now else { return }
    reviewTimer = loop.schedule(at: moment) { [weak self] in self?.review() }
  }
}

extension EnrolledWearable {
  /// A visit runs, or its turn has come.
  var isVisited: Bool { visits.running != nil || lane.isHolder }
}
