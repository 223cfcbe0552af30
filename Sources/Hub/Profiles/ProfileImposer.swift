// Setting of a profile on one link: the characteristic is written, the link is watched, and in the end the hub sets the
// link itself.

import Bluetooth
import EventLoop
import Reasons
import RingStore
import Wearable

/// Sends a profile to a wearable and to the radio, and holds the results.
@LoopActor
final class ProfileImposer {
  private let context: HubContext
  private unowned let registry: Registry
  private unowned let wearable: EnrolledWearable
  private(set) var wanted = LinkProfile.foreground
  /// True if only the hub sets the link; the characteristic is left alone.
  var isByCentral = false
  /// The current target: `wanted`, or its substitute if the wearable refuses that.
  private var aim = LinkProfile.foreground
  private var attempt = ProfileAttempt()
  private var isWorking = false
  private var isStale = false
  private var waiter: LinkWaiter?
  /// Runs while the wearable changes the link by itself, as its driver announced: a profile set meanwhile would not
  /// last.
  private var disturbanceTimer: LoopTimer?
  private var repeatTimer: LoopTimer?

  private static let repeatPause: Duration = .seconds(60)
  static let repeatLimit = 3

  init(_ context: HubContext, _ registry: Registry, _ wearable: EnrolledWearable) {
    self.context = context
    self.registry = registry
    self.wearable = wearable
  }

  private var loop: any Loop { context.loop }
  private var specification: ProfileCharacteristic? { wearable.driver?.profiled?.profileCharacteristic }

  // MARK: State

  var link: HubLink? { attempt.link }
  var linkedAt: Instant { attempt.linkedAt }

  func describe(in snapshot: inout LinkSnapshot) {
    snapshot.characteristic = attempt.writeText
    snapshot.trouble = attempt.trouble
    guard wearable.link != nil else { return }
    (snapshot.effective, snapshot.effectiveProfile) = (attempt.effective, effectiveProfile)
    (snapshot.reportedProfile, snapshot.reportedAt) = (attempt.reported, attempt.reportedAt)
  }

  // MARK: Events

  func attach(_ link: HubLink) {
    attempt = ProfileAttempt(link, at: loop.now)
    attempt.effective = context.radio.parameters(of: wearable.address)
    isStale = true
    link.events.onDisturbed = { [weak self] after in self?.disturbed(after) }
  }

  func detach() {
    attempt.link = nil
    attempt.effective = nil
    if let disturbanceTimer { loop.cancel(disturbanceTimer) }
    if let repeatTimer { loop.cancel(repeatTimer) }
    (disturbanceTimer, repeatTimer) = (nil, nil)
    waiter?.wake(nil)
  }

  func chosen(_ choice: ProfileChoice?) {
    isByCentral = choice?.isByCentral ?? false
    // An operator who chooses idle may know of a new firmware.
    if choice?.profile == .idle { wearable.forgetRefusalOfIdle() }
    isStale = true
  }

  /// Cheap if there is no change.
  func want(_ profile: LinkProfile) {
    guard link != nil, profile != wanted || isStale || attempt.isPostponed && !wearable.isVisited else { return }
    if profile != wanted { (wanted, attempt.repeats) = (profile, 0) }
    work()
  }

  /// Takes new parameters of the link, whichever side requested them.
  func changed(_ parameters: EffectiveParameters) {
    attempt.effective = parameters
    waiter?.wake(nil)
    // An announced disturbance does not count as a refusal; the profile is set when it is over.
    if isWorking || isDisturbed || link == nil || satisfies(aim) { return }
    repeatLater()
  }

  private func repeatLater() {
    guard repeatTimer == nil, attempt.repeats < Self.repeatLimit else { return }
    repeatTimer = loop.schedule(at: attempt.nextRepeat(loop.now, Self.repeatPause)) { [weak self] in
      self?.repeatTimer = nil
      self?.work()
    }
  }

  private var isDisturbed: Bool { disturbanceTimer != nil }

  /// Notes that the wearable changes the link by itself for this time; the last such call counts.
  private func disturbed(_ after: Duration) {
    if let disturbanceTimer { loop.cancel(disturbanceTimer) }
    disturbanceTimer = loop.schedule(after: after) { [weak self] in
      self?.disturbanceTimer = nil
      self?.work()
    }
    waiter?.wake(nil)
  }

  private func satisfies(_ profile: LinkProfile) -> Bool {
    guard let effective = attempt.effective else { return false }
    if effective.satisfies(context.options.parameters(of: profile)) { return true }
    // A wearable that publishes illegal parameters can only get the nearest legal ones.
    return specification?.published[profile].map { effective.satisfies($0.nearestLegal) } ?? false
  }

  /// The profile that matches the parameters in effect.
  var effectiveProfile: LinkProfile? { LinkProfile.allCases.first { satisfies($0) } }

  // MARK: Setting

  private func work() {
    isStale = true
    waiter?.wake(nil)
    if isWorking || isDisturbed { return }
    isWorking = true
    loop.spawn { [weak self, registry, wearable] in
      // The work may outlast the wearable's enrolment; its objects stay until it is over.
      defer { withExtendedLifetime((registry, wearable)) {} }
      while let self, isStale, !isDisturbed, let link, link.end == nil {
        isStale = false
        await impose(wanted, link)
      }
      self?.isWorking = false
      // The session was taken when it should have followed, and may be free since.
      self?.tellSession()
    }
  }

  /// Lets the session follow, after a visit or another user of the session, as it could not be notified meanwhile. If
  /// the policy has another profile now, that follows soon.
  ///
  /// The session notes the profile before it follows, whatever the result. So it gets each profile once and never in a
  /// circle, and no choice that was withdrawn meanwhile.
  func tellSession() {
    guard link != nil, !isWorking, !isDisturbed, let session = wearable.link?.session, session.profile != aim else {
      return
    }
    loop.spawn { [aim] in await session.follow(aim) }
  }

  private func impose(_ profile: LinkProfile, _ link: HubLink) async {
    aim = profile
    attempt.trouble = nil
    attempt.isPostponed = false
    let isByCentral = isByCentral
    if profile == .idle, !isByCentral, specification != nil {
      if let refusal = wearable.refusalOfIdle(over: attempt) {
        aim = .background
        attempt.trouble = refusal
      } else {
        if !wearable.isVisited { await deferralIsOver() }
        if isStale || isDisturbed || self.link !== link { return }
        attempt.isPostponed = wearable.isVisited
        if attempt.isPostponed { aim = .foreground }
      }
    }
    if !isByCentral, let specification,
      let characteristic = link.database.characteristic(specification.characteristic, in: specification.service)
    {
      do throws(VisitTrouble) { try await tell(specification, characteristic, link) } catch {
        context.logger.debug("\(wearable.name): no profile: \(error)")
        // If the characteristic cannot be written, for example without a key, only the hub sets the parameters.
        attempt.writeText = "not written: \(error)"
      }
      // The value may have changed with the write, after the link followed or after a refusal.
      if link.end == nil { await readBack(characteristic, link) }
    } else {
      attempt.writeText = nil
    }
    if link.end != nil { return }
    await wearable.link?.session?.follow(aim)
    if isStale || isDisturbed || satisfies(aim) { return }
    // The hub is the central and may set the link itself. If that fails or is refused, the wearable's own parameters
    // stay, and the hub asks again: a fetch over a slow link takes minutes.
    do throws(LinkError) {
      attempt.effective = try await context.radio.update(wearable.address, to: context.options.parameters(of: aim))
    } catch {
      context.logger.debug("\(wearable.name): the link stays as it is: \(error.clause)")
      if isByCentral {
        attempt.trouble = HearthError(.linkProfileRefused, "\(wearable.name) stays as it is, for it \(error.clause)")
      }
    }
    if !isStale, !isDisturbed, !satisfies(aim) { repeatLater() }
  }

  /// Writes the characteristic and waits for the link to follow.
  private func tell(_ specification: ProfileCharacteristic, _ characteristic: GATTCharacteristic, _ link: HubLink)
    async throws(VisitTrouble)
  {
    guard let code = specification.codes[aim] else { return }
    let isIdle = aim == .idle
    if isIdle { attempt.idle = .told }
    guard try await wasTaken(code, specification, characteristic, link) else { return }
    attempt.writeText = "took \(aim.name)"
    await readBack(characteristic, link)
    if await follows(specification) {
      if isIdle, aim == .idle { attempt.idle = .proven }
      return
    }
    if isStale || isDisturbed { return }
    if isIdle {
      attempt.writeText = "took \(aim.name) without effect"
      return try await substitute(
        "ignored", "\(wearable.name) took profile idle without effect", specification, characteristic, link)
    }
    // Some wearables lose the first write.
    guard try await wasTaken(code, specification, characteristic, link) else { return }
    if await follows(specification) || isStale || isDisturbed { return }
    attempt.writeText = "took \(aim.name) without effect"
  }

  /// False if the wearable refused; the consequences are handled.
  private func wasTaken(
    _ code: UInt8, _ specification: ProfileCharacteristic, _ characteristic: GATTCharacteristic, _ link: HubLink
  ) async throws(VisitTrouble) -> Bool {
    do throws(VisitTrouble) { try await link.writeProfile(code, characteristic, isOnce: aim == .idle) } catch {
      guard case .refused(let answer, _) = error else { throw error }
      attempt.writeText = "refused \(aim.name): \(answer)"
      let detail = "\(wearable.name) refused profile \(aim.name) (\(answer))"
      if aim == .idle {
        try await substitute("refused", detail, specification, characteristic, link)
      } else {
        attempt.trouble = HearthError(.linkProfileRefused, detail)
      }
      return false
    }
    return true
  }

  /// Waits until the deferral is over. Before that the wearable accepts any profile without an effect; the effect of
  /// idle shows only afterwards.
  private func deferralIsOver() async {
    guard let specification else { return }
    let moment = attempt.linkedAt + specification.deferral
    await rest(until: moment) { loop.now >= moment }
  }

  /// Switches from idle to background, now and in future, as this firmware does not support idle.
  private func substitute(
    _ what: String, _ detail: String, _ specification: ProfileCharacteristic, _ characteristic: GATTCharacteristic,
    _ link: HubLink
  ) async throws(VisitTrouble) {
    wearable.noteRefusalOfIdle(what)
    registry.keepNotes(wearable)
    attempt.idle = .failed(what)
    aim = .background
    attempt.trouble = HearthError(.linkProfileRefused, detail)
    context.logger.notice(
      "\(detail); background instead",
      metadata: ["CODE": "\(Reason.linkProfileRefused.code)", "DEVICE": "\(wearable.name)"])
    guard let code = specification.codes[.background] else { return }
    try await link.writeProfile(code, characteristic, isOnce: aim == .idle)
    _ = await follows(specification)
  }

  /// Reads the characteristic; without an answer, the last value stays with its age.
  private func readBack(_ characteristic: GATTCharacteristic, _ link: HubLink) async {
    guard let code = await link.readProfile(characteristic), self.link === link else { return }
    attempt.said(code, at: loop.wall)
  }

  /// Waits until the link has the parameters, as long as the wearable needs; false if it does not get them.
  private func follows(_ specification: ProfileCharacteristic) async -> Bool {
    await rest(until: max(loop.now, attempt.linkedAt + specification.deferral) + specification.patience) {
      satisfies(aim)
    }
    return satisfies(aim)
  }

  /// Waits until a condition holds, another profile is wanted, or the deadline passes.
  private func rest(until deadline: Instant, or isSo: () -> Bool) async {
    while link != nil, !isStale, !isDisturbed, !isSo(), loop.now < deadline {
      let waiter = LinkWaiter()
      self.waiter = waiter
      let timer = loop.schedule(at: deadline) { waiter.wake(nil) }
      _ = await waiter.wait()
      loop.cancel(timer)
      self.waiter = nil
    }
  }
}
