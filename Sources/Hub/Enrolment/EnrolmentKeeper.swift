// Enrolment as people see it: open a window, list wearables near the hub, accept one, and end an enrolment.

import Bluetooth
import EventLoop
import Reasons
import RingStore
import Wearable

/// The enrolment window, and how a wearable comes into the registry and out of it.
@LoopActor
final class EnrolmentKeeper {
  let context: HubContext
  let registry: Registry
  let presence: PresenceMonitor
  let bonds: Bonds
  let pairing: Pairing
  let lane: Lane
  let links: LinkKeeper
  private(set) var rules: Enrolment
  private var windowTimer: LoopTimer?
  /// Names of wearables that join by themselves, reserved until they are enrolled.
  private var joiningNames: Set<String> = []
  /// Wearables that join by themselves; only in mode `all`.
  private(set) var strangers: Strangers?
  /// Mode `all`: end of the current or last time in which new advertisers are asked for a scan response.
  private var asksStrangersUntil: Instant?

  init(
    _ context: HubContext, _ registry: Registry, _ presence: PresenceMonitor, _ bonds: Bonds, _ pairing: Pairing,
    _ lane: Lane, _ links: LinkKeeper
  ) {
    self.context = context
    self.registry = registry
    self.presence = presence
    self.bonds = bonds
    self.pairing = pairing
    self.lane = lane
    self.links = links
    let options = context.options
    rules = Enrolment(mode: options.enrolmentMode, nearRSSI: options.nearRSSI, window: options.window)
    strangers = Strangers(
      context, registry, presence, lane,
      onJoin: { [unowned self] stranger throws(HearthError) in
        let name = Enrolment.proposedName(for: stranger.kind, taken: registry.names.union(joiningNames))
        joiningNames.insert(name)
        defer { joiningNames.remove(name) }
        return try await join(stranger.address, name: name, byItself: true)
      },
      onEvict: { [unowned self] wearable throws(HearthError) in try await remove(wearable) })
    reviewStrangers()
  }

  // MARK: The window

  var isOpen: Bool { rules.isOpen(context.loop.now) }

  /// Takes new settings. The window stays open, unless it is no longer allowed.
  func optionsChanged() {
    let options = context.options
    rules = rules.with(mode: options.enrolmentMode, nearRSSI: options.nearRSSI, window: options.window)
    reviewStrangers()
  }

  /// Opens the enrolment window, or prolongs it.
  ///
  /// - Throws: `enrolForbidden` if the configuration forbids joining, `controlBadParameter` for a length outside 1 s to
  ///   1 h.
  func open(for duration: Duration?) throws(HearthError) -> EnrolmentSnapshot {
    let now = context.loop.now
    let end = try rules.open(for: duration, now: now)
    if let windowTimer { context.loop.cancel(windowTimer) }
    windowTimer = context.loop.schedule(at: end) { [weak self] in self?.close() }
    reviewNames()
    context.logger.notice("enrolment window open", metadata: ["SECONDS": "\(Int((end - now).inSeconds))"])
    context.changes.raise(.shown)
    return snapshot()
  }

  /// Closes the window. Idempotent.
  func close() {
    endTimer()
    if rules.openUntil == nil { return }
    rules.close()
    reviewNames()
    context.logger.notice("enrolment window closed")
    context.changes.raise(.shown)
  }

  func stop() {
    strangers?.stop()
    endTimer()
  }

  private func endTimer() {
    if let windowTimer { context.loop.cancel(windowTimer) }
    windowTimer = nil
  }

  func snapshot() -> EnrolmentSnapshot {
    let now = context.loop.now
    var snapshot = EnrolmentSnapshot(mode: rules.mode, nearRSSI: rules.nearRSSI)
    if let end = rules.openUntil, isOpen {
      snapshot.openUntil = context.wall(of: end)
      snapshot.secondsLeft = Int((end - now).inSeconds.rounded(.up))
    }
    if isOpen || rules.mode == .all {
      snapshot.candidates = rules.candidates(presence.candidates(), taken: registry.names)
    }
    return snapshot
  }

  // MARK: Joining

  /// Accepts a candidate named by letter, address, advertised or proposed name. The enrolment is durable when this
  /// returns. An enrolled wearable with useless keys may pair again (`renew`).
  ///
  /// - Throws: `enrolWindowClosed`, `enrolForbidden`, `enrolNotHeard`, `enrolTooFar`, `enrolNameTaken`,
  ///   `enrolNameInvalid`, `registryFull`, `enrolAddressChanges`, the error of a required pairing, or the store's
  ///   error.
  func accept(_ which: String, name: String?) async throws(HearthError) -> EnrolledWearable {
    guard isOpen else { throw rules.closed }
    let candidates = snapshot().candidates
    let wanted = which.uppercased()
    let exact = candidates.filter { $0.letter == wanted || $0.address.description == wanted }
    let matches = exact.isEmpty ? candidates.filter { $0.name == which || $0.proposedName == which } : exact
    // Advertisers choose the names of candidates, so the name of an enrolled wearable, given by a person, goes first.
    if exact.isEmpty, let known = try renew(which, name: name) { return known }
    guard let candidate = matches.first else { throw unheard(which) }
    if matches.count > 1 {
      let text = "\(matches.count) candidates are called '\(which)': name one by its letter or address"
      throw HearthError(.enrolNotHeard, text)
    }
    guard candidate.isNear else {
      let strength = candidate.rssi.map { "\($0) dBm" } ?? "unknown strength"
      throw HearthError(.enrolTooFar, "\(candidate.name) is too far: \(strength), needs \(rules.nearRSSI) dBm")
    }
    return try await join(candidate.address, name: name ?? candidate.proposedName)
  }

  private func unheard(_ which: String) -> HearthError {
    if let wearable = registry.named(which) {
      return HearthError(.enrolNameTaken, "\(wearable.name) is enrolled already")
    }
    let addresses = [BluetoothAddress.Kind.lePublic, .leRandom].compactMap { BluetoothAddress(which, kind: $0) }
    if let address = addresses.first(where: { presence[$0]?.isRecognised == false }) {
      return HearthError(.enrolNotRecognised, "\(address) is no wearable the hub knows")
    }
    return HearthError(.enrolNotHeard, "no candidate '\(which)' is heard")
  }

  // MARK: Joining by itself

  /// Enrolment mode `all`: a recognised stranger is tried after it has had time to introduce itself, and joins if it is
  /// what it claims (`Strangers`). In other modes strangers are ignored.
  private func reviewStrangers() {
    strangers?.isOn = rules.mode == .all
    guard rules.mode == .all else {
      context.changes.onStranger = nil
      return
    }
    context.changes.onStranger = { [weak self] address in
      self?.strangers?.heard()
      self?.askStranger(address)
    }
  }

  // MARK: Names

  /// Requests scan responses as long as a window is open, and in mode `all` for a moment when a new advertiser is
  /// heard.
  private func reviewNames() {
    let now = context.loop.now
    context.radio.asksForNames = isOpen || asksStrangersUntil.map { now < $0 } ?? false
  }

  /// Mode `all`: requests the scan response of a new advertiser that may name its kind only there. An answer costs a
  /// wearable power. So there is one such request a minute at most, and at most three for an advertiser that does not
  /// answer.
  private func askStranger(_ address: BluetoothAddress) {
    let began = context.loop.now
    guard context.phase == .serving, let heard = presence[address], heard.mayAnswer,
      heard.timesAsked < Self.askingLimit, registry.all.count < PresenceTable.limit,
      asksStrangersUntil.map({ began >= $0 + Self.askingPause }) ?? true
    else { return }
    let end = began + Self.askingTime
    asksStrangersUntil = end
    reviewNames()
    context.loop.schedule(at: end) { [weak self] in
      self?.presence.noteAsked(since: began)
      self?.reviewNames()
    }
  }

  /// Length of the kernel's discovery. An advertiser with an interval of 2 s or less is asked five times in it.
  private static let askingTime: Duration = .seconds(10)
  private static let askingPause: Duration = .seconds(60)
  private static let askingLimit = 3

  // MARK: The end

  /// Ends a wearable's enrolment: the hub never connects to it again. The data stays in the store under its name.
  ///
  /// Ends first what this hub began on the wearable, also a measurement and its binding to this hub, as no later visit
  /// would. The wearable's notes say what that is. The link ends with the deletion of the keys.
  ///
  /// - Returns: `bindingLeft` if the wearable was removed, but still believes that it is bound to this hub.
  @discardableResult
  func forget(_ which: String) async throws(HearthError) -> HearthError? {
    let wearable = try registry.require(which)
    let left = await registry.onForget(wearable)
    guard registry.contains(wearable) else { throw forgottenAlready(wearable) }
    let turn = wearable.link?.session
    var hasTurn = false
    if let turn, turn.needsClosing {
      wearable.visits.running?.interrupt(.link(.cancelled))
      hasTurn = await turn.disconnect(keepsTurn: true)
      guard registry.contains(wearable) else { throw forgottenAlready(wearable) }
    }
    do throws(HearthError) { try await remove(wearable) } catch {
      // The wearable stays enrolled, and its orders begin again.
      if hasTurn { turn?.give() }
      wearable.lane.isLeaving = false
      context.changes.raise(.lane)
      throw error
    }
    context.logger.notice("forgotten", metadata: ["DEVICE": "\(wearable.name)"])
    if let left {
      context.logger.warning("\(left)", metadata: ["CODE": "\(left.reason.code)", "DEVICE": "\(wearable.name)"])
      context.store.noteEvent(left.reason, wearable: wearable.id, text: left.detail)
    }
    return left
  }

  private func forgottenAlready(_ wearable: EnrolledWearable) -> HearthError {
    HearthError(.noSuchWearable, "\(wearable.name) was forgotten already")
  }
}
