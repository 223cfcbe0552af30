// How awake a wearable's link is kept: what is wanted, what the wearable and the radio are told, and what came of it.

import Bluetooth
import EventLoop
import Reasons
import RingStore
import Wearable

/// What an operator chose for one wearable, for good.
struct ProfileChoice: Equatable {
  let profile: LinkProfile
  /// Only the hub's side of the link is set; the wearable's characteristic is left alone.
  var isByCentral = false

  /// `idle`, or `idle central`.
  init?(note: String) {
    let words = note.split(separator: " ")
    guard let first = words.first, let profile = LinkProfile(name: String(first)) else { return nil }
    self.init(profile: profile, isByCentral: words.dropFirst().first == Self.central)
  }

  init(profile: LinkProfile, isByCentral: Bool) {
    self.profile = profile
    self.isByCentral = isByCentral
  }

  var note: String { isByCentral ? "\(profile.name) \(Self.central)" : profile.name }

  private static let central: Substring = "central"
}

/// The connection profile of one wearable. The choice lives as long as the tenant; what was written is forgotten with each link, because nothing is
/// known of what a wearable keeps.
///
/// An operator's choice goes first. Without one: foreground while a visit runs or somebody watches, background while live values come or something
/// was asked within five minutes, else idle.
@LoopActor
final class ProfileKeeper {
  unowned let hub: Hearth
  unowned let tenant: Tenant
  private(set) var override: ProfileChoice?
  private(set) var wanted = LinkProfile.foreground
  private(set) var why = "the link begins"
  /// What is aimed at: `wanted`, or its substitute where the wearable does not take that.
  private(set) var aim = LinkProfile.foreground
  private(set) var effective: EffectiveParameters?
  /// What the characteristic says, where it can be read.
  private(set) var reported: UInt8?
  /// What happened to the last write, for people.
  private(set) var writeText: String?
  private(set) var trouble: HearthError?

  private(set) var link: HubLink?
  private var linkedAt = Instant(nanoseconds: 0)
  private var isWorking = false
  private var isStale = false
  private var waiter: LinkWaiter?
  private var reviewTimer: LoopTimer?
  /// Runs while the wearable changes the link by itself, as its driver said it would: nothing that is told meanwhile would last.
  private var disturbanceTimer: LoopTimer?
  private var repeatTimer: LoopTimer?
  /// What came of idle over this link: it is written once, and again only where it was had.
  private var idle = IdleTrial.untold
  /// Idle is written when the visit is over: what a fetch does to the link would hide what came of it.
  private var isPostponed = false
  /// How often this link was told again because the wearable had asked for something else, and when last.
  private var repeats = 0
  private var lastRepeat: Instant?

  /// Nothing asked for so long: idle.
  static let idleAfter: Duration = .seconds(300)
  static let repeatPause: Duration = .seconds(60)
  static let repeatLimit = 3
  static let overrideKey = "link.override"
  static let refusalKey = "profile.idle"

  private enum IdleTrial: Equatable {
    case untold
    /// Written, and the link was not seen to follow.
    case told
    case proven
    /// `refused`, `ignored`.
    case failed(String)
  }

  init(_ hub: Hearth, _ tenant: Tenant) {
    self.hub = hub
    self.tenant = tenant
    override = tenant.record.notes[Self.overrideKey].flatMap { ProfileChoice(note: $0) }
  }

  private var loop: any Loop { hub.loop }
  private var specification: ProfileCharacteristic? { tenant.driver?.profileCharacteristic }
  var requested: ConnectionParameters { hub.options.parameters(of: wanted) }

  // MARK: The link

  func attach(_ link: HubLink) {
    self.link = link
    linkedAt = loop.now
    effective = hub.radio.parameters(of: tenant.address)
    reported = nil
    writeText = nil
    trouble = nil
    repeats = 0
    lastRepeat = nil
    idle = .untold
    isPostponed = false
    isStale = true
    link.onDisturbed = { [weak self] after in self?.disturbed(after) }
    review()
  }

  func detach() {
    link = nil
    effective = nil
    if let reviewTimer { loop.cancel(reviewTimer) }
    if let disturbanceTimer { loop.cancel(disturbanceTimer) }
    if let repeatTimer { loop.cancel(repeatTimer) }
    reviewTimer = nil
    disturbanceTimer = nil
    repeatTimer = nil
    waiter?.wake(nil)
  }

  /// An operator's lasting choice; nil: by policy again.
  func choose(_ choice: ProfileChoice?) {
    override = choice
    tenant.record.notes[Self.overrideKey] = choice?.note
    // A person who asks for idle may know of a new firmware.
    if choice?.profile == .idle { tenant.record.notes[Self.refusalKey] = nil }
    isStale = true
    review()
  }

  // MARK: The policy

  /// Looks whether another profile is wanted now. Called after everything that could change the answer; cheap when it did not.
  func review() {
    let (profile, reason) = policy()
    why = reason
    scheduleReview()
    guard link != nil, profile != wanted || isStale || isPostponed && !isVisited else { return }
    wanted = profile
    work()
  }

  private var isVisited: Bool { tenant.visits.running != nil || hub.laneHolder === tenant }

  private func policy() -> (LinkProfile, String) {
    if let override { return (override.profile, override.isByCentral ? "an operator asked the hub alone" : "an operator asked") }
    if isVisited { return (.foreground, "a fetch is running") }
    if let until = tenant.visits.watchedUntil, until > loop.now { return (.foreground, "an operator watches") }
    if let live = tenant.link?.lastValue, loop.now - live < Self.idleAfter { return (.background, "live values come") }
    if loop.now - lastActivity < Self.idleAfter { return (.background, "something was asked within 5 min") }
    return (.idle, "nothing asked for 5 min")
  }

  private var lastActivity: Instant { [linkedAt, tenant.visits.lastAsked, tenant.visits.watchedUntil, tenant.link?.lastValue].compactMap { $0 }.max() ?? linkedAt }

  private func scheduleReview() {
    if let reviewTimer { loop.cancel(reviewTimer) }
    reviewTimer = nil
    guard link != nil, override == nil else { return }
    let watched = tenant.visits.watchedUntil.flatMap { $0 > loop.now ? $0 : nil }
    let moment = watched ?? lastActivity + Self.idleAfter
    guard moment > loop.now else { return }
    reviewTimer = loop.schedule(at: moment) { [weak self] in self?.review() }
  }

  // MARK: What changes it from outside

  /// The link runs with other numbers, whoever wanted them.
  func changed(_ parameters: EffectiveParameters) {
    effective = parameters
    waiter?.wake(nil)
    // What was announced is not held against it: it is told when that is over.
    if isWorking || isDisturbed || link == nil || satisfies(aim) { return }
    repeatLater()
  }

  private func repeatLater() {
    guard repeatTimer == nil, repeats < Self.repeatLimit else { return }
    repeats += 1
    let moment = lastRepeat.map { max($0 + Self.repeatPause, loop.now) } ?? loop.now
    lastRepeat = moment
    repeatTimer = loop.schedule(at: moment) { [weak self] in
      self?.repeatTimer = nil
      self?.work()
    }
  }

  private var isDisturbed: Bool { disturbanceTimer != nil }

  /// The wearable changes the link by itself until some time after this; the last such call counts.
  private func disturbed(_ after: Duration) {
    if let disturbanceTimer { loop.cancel(disturbanceTimer) }
    disturbanceTimer = loop.schedule(after: after) { [weak self] in
      self?.disturbanceTimer = nil
      self?.work()
    }
    waiter?.wake(nil)
  }

  private func satisfies(_ profile: LinkProfile) -> Bool {
    guard let effective else { return false }
    if effective.satisfies(hub.options.parameters(of: profile)) { return true }
    // A wearable that publishes illegal numbers can only ever get the nearest legal ones.
    return specification?.published[profile].map { effective.satisfies($0.nearestLegal) } ?? false
  }

  /// The profile whose numbers are in effect.
  var effectiveProfile: LinkProfile? { LinkProfile.allCases.first { satisfies($0) } }

  // MARK: The work

  private func work() {
    isStale = true
    waiter?.wake(nil)
    if isWorking || isDisturbed { return }
    isWorking = true
    loop.spawn { [weak self, hub, tenant] in
      // The work may outlast the wearable's enrolment; what it stands on stays until it is over.
      defer { withExtendedLifetime((hub, tenant)) {} }
      while let self, isStale, !isDisturbed, let link, link.end == nil {
        isStale = false
        await impose(wanted, link)
      }
      self?.isWorking = false
      // Whoever had the session when it should have followed may be done with it since.
      self?.tellSession()
    }
  }

  /// A visit, or something else that had the session, is over: it could not be told meanwhile what an operator had chosen. Where the policy has another profile now, that is on its way.
  ///
  /// What it was told last is noted before it follows, whatever comes of that: so it is told once of each profile and never in a circle, and nothing of what was chosen and taken back meanwhile.
  func tellSession() {
    guard link != nil, !isWorking, !isDisturbed, let session = tenant.link?.session, session.profile != aim else { return }
    loop.spawn { [aim] in await session.follow(aim) }
  }

  private func impose(_ profile: LinkProfile, _ link: HubLink) async {
    aim = profile
    trouble = nil
    isPostponed = false
    let isByCentral = override?.isByCentral ?? false
    if profile == .idle, !isByCentral, specification != nil {
      if let refusal = refusalOfIdle {
        aim = .background
        trouble = refusal
      } else {
        if !isVisited { await deferralIsOver() }
        if isStale || isDisturbed || self.link !== link { return }
        isPostponed = isVisited
        if isPostponed { aim = .foreground }
      }
    }
    if !isByCentral, let specification, let characteristic = link.database.characteristic(specification.characteristic, in: specification.service) {
      do throws(VisitTrouble) { try await tell(specification, characteristic, link) } catch {
        hub.logger.debug("\(tenant.record.name): no profile: \(error)")
        // One that cannot be told, for want of a key say, gets the numbers from the hub alone.
        writeText = "not told: \(error)"
      }
    } else {
      writeText = nil
    }
    if link.end != nil { return }
    await tenant.link?.session?.follow(aim)
    if isStale || isDisturbed || satisfies(aim) { return }
    // The hub is the central and may set the link itself; where it cannot, the wearable's own wish stays, and the hub asks again a minute later.
    do throws(LinkError) { effective = try await hub.radio.update(tenant.address, to: hub.options.parameters(of: aim)) } catch {
      hub.logger.debug("\(tenant.record.name): the link stays as it is: \(error.clause)")
      if isByCentral { trouble = HearthError(.linkProfileRefused, "\(tenant.record.name) stays as it is, for it \(error.clause)") }
      repeatLater()
    }
  }

  /// Writes the characteristic and waits for the link to follow.
  private func tell(_ specification: ProfileCharacteristic, _ characteristic: GATTCharacteristic, _ link: HubLink) async throws(VisitTrouble) {
    guard let code = specification.codes[aim] else { return }
    let isIdle = aim == .idle
    if isIdle { idle = .told }
    guard try await wasTaken(code, specification, characteristic, link) else { return }
    writeText = "took \(aim.name)"
    if characteristic.properties.contains(.read) { reported = try? await link.read(characteristic).first }
    if await follows(specification) {
      if isIdle, aim == .idle { idle = .proven }
      return
    }
    if isStale || isDisturbed { return }
    if isIdle {
      writeText = "took \(aim.name) and did nothing"
      return try await substitute("ignored", "\(tenant.record.name) took profile idle and did nothing", specification, characteristic, link)
    }
    // Some lose the first write.
    guard try await wasTaken(code, specification, characteristic, link) else { return }
    if await follows(specification) || isStale || isDisturbed { return }
    writeText = "took \(aim.name) and did nothing"
  }

  /// False where the wearable refused it; what follows from that is done.
  private func wasTaken(
    _ code: UInt8, _ specification: ProfileCharacteristic, _ characteristic: GATTCharacteristic, _ link: HubLink
  ) async throws(VisitTrouble) -> Bool {
    do throws(VisitTrouble) { try await write(code, characteristic, link) } catch {
      guard case .refused(let answer, _) = error else { throw error }
      writeText = "refused \(aim.name): \(answer)"
      let detail = "\(tenant.record.name) refused profile \(aim.name) (\(answer))"
      if aim == .idle {
        try await substitute("refused", detail, specification, characteristic, link)
      } else {
        trouble = HearthError(.linkProfileRefused, detail)
      }
      return false
    }
    return true
  }

  /// Before that it takes anything and does nothing: what it makes of idle is only seen afterwards.
  private func deferralIsOver() async {
    guard let specification else { return }
    let moment = linkedAt + specification.deferral
    await rest(until: moment) { loop.now >= moment }
  }

  /// Idle is not to be had of this firmware: background instead, now and from now on.
  private func substitute(
    _ what: String, _ detail: String, _ specification: ProfileCharacteristic, _ characteristic: GATTCharacteristic, _ link: HubLink
  ) async throws(VisitTrouble) {
    tenant.record.notes[Self.refusalKey] = "\(what) fw \(firmware)"
    hub.keepNotes(tenant)
    idle = .failed(what)
    aim = .background
    trouble = HearthError(.linkProfileRefused, detail)
    hub.logger.notice("\(detail); background instead", metadata: ["CODE": "\(Reason.linkProfileRefused.code)", "DEVICE": "\(tenant.record.name)"])
    guard let code = specification.codes[.background] else { return }
    try await write(code, characteristic, link)
    if characteristic.properties.contains(.read) { reported = try? await link.read(characteristic).first }
    _ = await follows(specification)
  }

  private func write(_ code: UInt8, _ characteristic: GATTCharacteristic, _ link: HubLink) async throws(VisitTrouble) {
    guard !characteristic.properties.isDisjoint(with: [.write, .writeWithoutResponse]) else {
      throw .unsupported("its profile cannot be written")
    }
    guard characteristic.properties.contains(.write) else { return try await link.writeCommand(characteristic, [code]) }
    do throws(VisitTrouble) { try await request(code, characteristic, link) } catch {
      guard case .refused(let answer, _) = error, answer.wantsSecurity, !link.isSecured, hub.maySecure(tenant) else { throw error }
      try await link.secure()
      try await request(code, characteristic, link)
    }
  }

  /// A refusal of idle is an answer; one of another profile may be a full queue.
  private func request(_ code: UInt8, _ characteristic: GATTCharacteristic, _ link: HubLink) async throws(VisitTrouble) {
    if aim == .idle { try await link.writeOnce(characteristic) { [code] } } else { try await link.write(characteristic, [code]) }
  }

  /// Waits until the link has the numbers, as long as the wearable needs; false if it does not get them.
  private func follows(_ specification: ProfileCharacteristic) async -> Bool {
    await rest(until: max(loop.now, linkedAt + specification.deferral) + specification.patience) { satisfies(aim) }
    return satisfies(aim)
  }

  /// Until something is so, or something else is wanted meanwhile, or it is too late.
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

  // MARK: Idle that is not to be had

  private var firmware: String { tenant.record.facts["firmware"] ?? "unknown" }

  /// What is remembered of this very firmware.
  private var knownRefusal: String? {
    guard let note = tenant.record.notes[Self.refusalKey], note.hasSuffix(" fw \(firmware)") else { return nil }
    return note.split(separator: " ").first.map(String.init)
  }

  /// Why idle is not written: it was refused by the same firmware, or was to no avail over this link.
  private var refusalOfIdle: HearthError? {
    let name = tenant.record.name
    if let known = knownRefusal { return HearthError(.linkProfileRefused, "\(name) \(known) profile idle before, with the same firmware") }
    switch idle {
    case .untold, .proven: return nil
    case .told: return HearthError(.linkProfileRefused, "\(name) took profile idle over this link, and something else came before it could be seen to follow")
    case .failed(let what): return HearthError(.linkProfileRefused, "\(name) \(what) profile idle over this link")
    }
  }
}
