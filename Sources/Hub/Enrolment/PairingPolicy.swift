// Who may pair with the hub, and who says so. A rule without state, and the requests that wait for a person.

import Bluetooth
import EventLoop
import Reasons
import RingStore
import Wearable

/// When a wearable that was enrolled may pair again.
public enum PairingRule: String, Sendable, Hashable, CaseIterable {
  /// Only inside its enrolment: whoever has the hub's key taken away from a wearable later needs a person.
  case enrolment
  /// Whenever it asks, if its family pairs at all.
  case always
}

/// The rule itself.
struct PairingPolicy {
  enum Decision: Equatable {
    case confirm
    /// A person compares, types or reads digits.
    case ask
    case refuse
  }

  let rule: PairingRule
  /// Of its driver; nil for an address that is not enrolled, nor about to be.
  let need: PairingNeed?
  /// Its first visit, or its enrolment, is under way.
  let isEnrolling: Bool

  var allowsPairing: Bool {
    switch need {
    case nil, .never: false
    case .welcome, .required: isEnrolling || rule == .always
    }
  }

  func decide(_ kind: PairingRequest.Kind) -> Decision {
    guard allowsPairing else { return .refuse }
    return if case .justWorks = kind { .confirm } else { .ask }
  }
}

/// A request that waits for a person.
struct WaitingPairing {
  let request: PairingRequest
  let until: Instant
  let timer: LoopTimer
}

extension Hearth {
  /// As long as a wearable waits for an answer (Core specification, volume 3, part H, 3.4).
  static var pairingLimit: Duration { .seconds(30) }
  /// A wearable counts as being enrolled for so long after it was accepted, until its first visit has ended well.
  static var firstVisitLimit: Duration { .seconds(600) }

  func policy(for address: BluetoothAddress) -> PairingPolicy {
    if let tenant = tenantByAddress[address] {
      let isNew = tenant.joinedAt.map { loop.now - $0 < Self.firstVisitLimit } ?? false
      return PairingPolicy(rule: options.pairing, need: tenant.driver?.pairing, isEnrolling: isNew && tenant.standing.visitedAt == nil)
    }
    let need = joining.contains(address) ? presence[address].flatMap { heard in driver(id: heard.driverID)?.pairing } : nil
    return PairingPolicy(rule: options.pairing, need: need, isEnrolling: need != nil)
  }

  /// Whether asking for encryption could lead to it: there is a key that both may have, or pairing is allowed.
  func maySecure(_ tenant: Tenant) -> Bool {
    let hasKey = bond(of: tenant) != nil && !lostBonds.contains(tenant.address)
    return hasKey || policy(for: tenant.address).allowsPairing
  }

  /// Whether it should be paired when it asks: allowed, and no key that both have.
  private func isToBePaired(_ tenant: Tenant) -> Bool {
    policy(for: tenant.address).allowsPairing && !unpairable.contains(tenant.address) && (bond(of: tenant) == nil || lostBonds.contains(tenant.address))
  }

  /// Lets the radio pair while somebody who is linked, or about to be, should be. At other times it tells whoever asks that it does not: then the
  /// link stays as it is, where a kernel ends one whose pairing failed.
  func admitPairing(before next: BluetoothAddress) {
    let candidates = tenants.filter { $0.link != nil || $0.address == next }
    let isAdmitted = joining.contains(next) || !waitingPairings.isEmpty || candidates.contains(where: isToBePaired)
    if isAdmitted == (radio.onPairingRequest != nil) { return }
    if isAdmitted { radio.onPairingRequest = { [weak self] request in self?.pairingAsked(request) } } else { radio.onPairingRequest = nil }
  }

  func pairingAsked(_ request: PairingRequest) {
    let name = tenantByAddress[request.address]?.record.name ?? "\(request.address)"
    switch policy(for: request.address).decide(request.kind) {
    case .confirm:
      logger.notice("pairing", metadata: ["DEVICE": "\(name)"])
      radio.answer(request.address, .yes)
    case .refuse:
      logger.notice("\(Reason.pairingRefused.code) bond: \(name) asked to be paired", metadata: ["CODE": "\(Reason.pairingRefused.code)", "DEVICE": "\(name)"])
      radio.answer(request.address, .no)
    case .ask:
      if let old = waitingPairings.first(where: { $0.request.address == request.address }) { forgetPairing(old.request.address) }
      // As many wearables as can be linked can ask; strangers never get here.
      guard waitingPairings.count < 8 else { return radio.answer(request.address, .no) }
      let timer = loop.schedule(after: Self.pairingLimit) { [weak self] in
        self?.forgetPairing(request.address)
        self?.radio.answer(request.address, .no)
      }
      waitingPairings.append(WaitingPairing(request: request, until: loop.now + Self.pairingLimit, timer: timer))
      logger.notice("pairing waits for a person: hearth pair", metadata: ["DEVICE": "\(name)"])
      showLights()
    }
  }

  func forgetPairing(_ address: BluetoothAddress) {
    for waiting in waitingPairings where waiting.request.address == address { loop.cancel(waiting.timer) }
    waitingPairings.removeAll { $0.request.address == address }
    showLights()
  }
}
