// Pairings that wait for a person, and their answers.

public import Bluetooth
import EventLoop
public import Reasons

extension Hearth {
  /// What waits for a person.
  public func pairings() -> [PairingSnapshot] {
    waitingPairings.map { waiting in
      let name = tenantByAddress[waiting.request.address]?.record.name ?? "\(waiting.request.address)"
      return PairingSnapshot(wearable: name, request: waiting.request, until: loop.wall + (waiting.until - loop.now))
    }
  }

  /// - Throws: `pairingUnknown` if nothing waits for it; `controlBadParameter` for digits that are none.
  public func answerPairing(_ which: String, _ answer: PairingAnswer) throws(HearthError) {
    let address = tenant(named: which)?.address
    guard let waiting = waitingPairings.first(where: { $0.request.address == address || $0.request.address.description == which.uppercased() }) else {
      throw HearthError(.pairingUnknown, "no pairing of '\(which)' waits for an answer")
    }
    if case .passkey(let digits) = answer, digits > 999_999 { throw HearthError(.controlBadParameter, "a passkey has six digits") }
    forgetPairing(waiting.request.address)
    radio.answer(waiting.request.address, answer)
  }
}
