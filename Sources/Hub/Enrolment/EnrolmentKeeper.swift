// Enrolment as people meet it: open a window, see who is near, accept one, and end an enrolment.

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
  /// Of those who join by themselves, until they are enrolled.
  private var joiningNames: Set<String> = []
  /// Who joins by itself.
  private(set) var strangers: Strangers?
  /// Mode `all`: until when somebody new is asked for a scan response, or was.
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

  /// The settings are others: the window stays, unless it is no longer allowed.
  func optionsChanged() {
    let options = context.options
    rules = rules.with(mode: options.enrolmentMode, nearRSSI: options.nearRSSI, window: options.window)
    reviewStrangers()
  }

  /// Opens the enrolment window, or prolongs it.
  ///
  /// - Throws: `enrolForbidden` where configuration forbids joining, `controlBadParameter` for a length outside 1 s
  ///   to 1 h.
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
  /// returns. One that is enrolled and whose keys are of no use may pair anew (`renew`).
  ///
  /// - Throws: `enrolWindowClosed`, `enrolForbidden`, `enrolNotHeard`, `enrolTooFar`, `enrolNameTaken`,
  ///   `enrolNameInvalid`, `registryFull`, `enrolAddressChanges`, why it was not paired where it has to be, or the
  ///   store's trouble.
  func accept(_ which: String, name: String?) async throws(HearthError) -> EnrolledWearable {
    guard isOpen else { throw rules.closed }
    let candidates = snapshot().candidates
    let wanted = which.uppercased()
    let exact = candidates.filter { $0.letter == wanted || $0.address.description == wanted }
    let matches = exact.isEmpty ? candidates.filter { $0.name == which || $0.proposedName == which } : exact
    // Names are what advertisers say; that of an enrolled wearable was given by a person.
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

  /// Enrolment mode `all`: who is recognised is tried, once it has had the chance to say what it is, and joins where
  /// it is what it says (`Strangers`). Else nobody wants to know who else is heard.
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

  /// Scan responses are asked for as long as a window is open, and in mode `all` for a moment when somebody new is
  /// heard.
  private func reviewNames() {
    let now = context.loop.now
    context.radio.asksForNames = isOpen || asksStrangersUntil.map { now < $0 } ?? false
  }

  /// Mode `all`: somebody who may say only in a scan response what it is gets asked. An answer costs a wearable power,
  /// so that there is one asking a minute at most, and nobody who does not answer is the cause of more than three.
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

  /// As long as the kernel's discovery lasts: who advertises every 2 s or more often is asked five times.
  private static let askingTime: Duration = .seconds(10)
  private static let askingPause: Duration = .seconds(60)
  private static let askingLimit = 3

  // MARK: The end

  /// Ends a wearable's enrolment: it is never connected again. What it gave stays in the store under its name.
  ///
  /// What goes on at it is ended before, a measurement and its binding to this hub too: nobody would do so later. Its
  /// keys end the link with them, and its notes say what this hub began.
  ///
  /// - Returns: `bindingLeft` where it was forgotten all the same, and still believes that it belongs to this hub.
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
      // It stays enrolled, and what was ordered of it is begun again.
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
