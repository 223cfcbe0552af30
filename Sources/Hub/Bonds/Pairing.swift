// Which wearables are paired now, and the requests that wait for an operator.

import Bluetooth
import EventLoop
import Logging
import Reasons
import RingStore
import Wearable

/// A request that waits for an operator.
private struct WaitingPairing {
  let request: PairingRequest
  let until: Instant
  let timer: LoopTimer
}

/// Answers pairing requests of wearables, by the rule (`PairingPolicy`) or by an operator.
@LoopActor
final class Pairing {
  private let context: HubContext
  private let registry: Registry
  private let presence: PresenceMonitor
  private let bonds: Bonds
  private var waiting: [WaitingPairing] = []
  /// Addresses whose enrolment is under way.
  private var joining: Set<BluetoothAddress> = []
  /// Wearables that refused a request because the link was not encrypted, in this life of the hub
  /// (`PairingNeed.whereRefused`).
  private var refusing: Set<BluetoothAddress> = []
  /// Times when wearables were accepted, in this life of the hub.
  private var joinedAt: [BluetoothAddress: Instant] = [:]

  /// The time that a wearable waits for an answer (Core specification, volume 3, part H, 3.4).
  static let limit: Duration = .seconds(30)
  /// A wearable counts as being enrolled for this long after it was accepted, until its first visit has ended well.
  static let firstVisitLimit: Duration = .seconds(600)
  /// Limit of questions that wait. Only linked wearables can ask, so there are at most as many; strangers get no link.
  static let waitingLimit = 8

  init(_ context: HubContext, _ registry: Registry, _ presence: PresenceMonitor, _ bonds: Bonds) {
    self.context = context
    self.registry = registry
    self.presence = presence
    self.bonds = bonds
  }

  var isWaiting: Bool { !waiting.isEmpty }

  // MARK: Enrolments

  /// - Returns: false if the enrolment of this address is under way already.
  func beginEnrolment(of address: BluetoothAddress) -> Bool { joining.insert(address).inserted }
  func endEnrolment(of address: BluetoothAddress) { joining.remove(address) }
  func enrolled(_ address: BluetoothAddress) { joinedAt[address] = context.loop.now }
  func forgotten(_ address: BluetoothAddress) {
    joinedAt[address] = nil
    refusing.remove(address)
  }

  // MARK: The rule

  func policy(for address: BluetoothAddress) -> PairingPolicy {
    let rule = context.options.pairing
    if let wearable = registry[address] {
      let isNew = joinedAt[address].map { context.loop.now - $0 < Self.firstVisitLimit } ?? false
      let isEnrolling = isNew && wearable.lane.visitedAt == nil
      return PairingPolicy(rule: rule, need: wearable.driver?.pairing, isEnrolling: isEnrolling)
    }
    let heard = joining.contains(address) ? presence[address] : nil
    let need = heard.flatMap { context.driver(id: $0.driverID)?.pairing }
    return PairingPolicy(rule: rule, need: need, isEnrolling: need != nil)
  }

  /// Whether a request for encryption could succeed: there is a key that both may have, or pairing is allowed.
  func maySecure(_ wearable: EnrolledWearable) -> Bool {
    bonds.isGood(wearable) || policy(for: wearable.address).allowsPairing
  }

  /// Reaction to a request that the wearable refuses because the link is not encrypted.
  func whereRefused(_ wearable: EnrolledWearable) -> RefusalForSecurity {
    guard wearable.driver?.pairing == .whereRefused else { return .stands }
    if bonds.isUnpairable(wearable) {
      return .needs(.needsKeys(bonds.failure(of: wearable) ?? .authenticationFailed))
    }
    if maySecure(wearable) { return .encrypt }
    return .needs(bonds.isLost(wearable.address) ? .needsKeys(.keyMissing) : .wantsPairing)
  }

  /// Notes that the wearable refused a request because the link was not encrypted. From now on the radio pairs while it
  /// is linked.
  func refusedUs(_ wearable: EnrolledWearable) {
    if refusing.insert(wearable.address).inserted { admit(before: wearable.address) }
  }

  /// Whether the wearable should be paired when it asks: pairing is allowed, and there is no key that both have.
  private func isToBePaired(_ wearable: EnrolledWearable) -> Bool {
    // A wearable that works without pairing is no reason to turn pairing on in the radio, which applies to all devices.
    if wearable.driver?.pairing == .whereRefused, !refusing.contains(wearable.address) { return false }
    return policy(for: wearable.address).allowsPairing && !bonds.isUnpairable(wearable) && !bonds.isGood(wearable)
  }

  /// Turns pairing on in the radio while a wearable to be paired is linked, or about to be. At other times the radio
  /// answers that it does not pair. Then a link stays as it is, while a kernel ends a link whose pairing failed.
  func admit(before next: BluetoothAddress) {
    // A wearable that has a turn and no link is being linked. The next one to be linked must not end its permission.
    let candidates = registry.all.filter { $0.link != nil || $0.lane.isHolder || $0.address == next }
    // Enrolments continue while other wearables are linked.
    let isJoining = joining.contains { policy(for: $0).allowsPairing }
    let isAdmitted = isJoining || isWaiting || candidates.contains(where: isToBePaired)
    let radio = context.radio
    if isAdmitted == (radio.onPairingRequest != nil) { return }
    guard isAdmitted else {
      radio.onPairingRequest = nil
      return
    }
    radio.onPairingRequest = { [weak self] request in self?.asked(request) }
  }

  // MARK: Requests

  private func asked(_ request: PairingRequest) {
    let name = registry[request.address]?.name ?? "\(request.address)"
    let radio = context.radio
    switch policy(for: request.address).decide(request.kind) {
    case .confirm:
      context.logger.notice("pairing", metadata: ["DEVICE": "\(name)"])
      radio.answer(request.address, .yes)
    case .refuse:
      let code = Reason.pairingRefused.code
      context.logger.notice(
        "\(code) bond: \(name) asked to be paired", metadata: ["CODE": "\(code)", "DEVICE": "\(name)"])
      radio.answer(request.address, .no)
    case .ask:
      if waiting.contains(where: { $0.request.address == request.address }) { forget(request.address) }
      guard waiting.count < Self.waitingLimit else { return radio.answer(request.address, .no) }
      let timer = context.loop.schedule(after: Self.limit) { [weak self] in
        self?.forget(request.address)
        self?.context.radio.answer(request.address, .no)
      }
      waiting.append(WaitingPairing(request: request, until: context.loop.now + Self.limit, timer: timer))
      context.logger.notice("pairing waits for a person: hearth pair", metadata: ["DEVICE": "\(name)"])
      context.changes.raise(.shown)
    }
  }

  private func forget(_ address: BluetoothAddress) {
    for old in waiting where old.request.address == address { context.loop.cancel(old.timer) }
    waiting.removeAll { $0.request.address == address }
    context.changes.raise(.shown)
  }

  /// Handles a failed pairing or encryption. The wearable's data stays on it, and work continues without encryption if
  /// its driver can.
  func failed(_ address: BluetoothAddress, _ error: LinkError) {
    forget(address)
    guard let wearable = registry[address] else { return }
    if error == .keyMissing { bonds.keyIsMissing(wearable) }
    // While no wearable is to be paired, the radio refuses by itself.
    guard error.isFailedPairing, context.radio.onPairingRequest != nil else { return }
    switch wearable.driver?.pairing {
    case .welcome, .whereRefused: bonds.noteUnpairable(wearable, error)
    case nil, .never, .required: break
    }
  }

  // MARK: People

  /// The requests that wait for an operator.
  func pairings() -> [PairingSnapshot] {
    waiting.map { waiting in
      let name = registry[waiting.request.address]?.name ?? "\(waiting.request.address)"
      let until = context.wall(of: waiting.until)
      return PairingSnapshot(wearable: name, request: waiting.request, until: until)
    }
  }

  /// - Throws: `pairingUnknown` if no request waits for this wearable; `controlBadParameter` for malformed digits.
  func answer(_ which: String, _ answer: PairingAnswer) throws(HearthError) {
    let address = registry.named(which)?.address
    let text = which.uppercased()
    let found = waiting.map(\.request.address).first { $0 == address || $0.description == text }
    guard let found else { throw HearthError(.pairingUnknown, "no pairing of '\(which)' waits for an answer") }
    if case .passkey(let digits) = answer, digits > 999_999 {
      throw HearthError(.controlBadParameter, "a passkey has six digits")
    }
    forget(found)
    context.radio.answer(found, answer)
  }
}
