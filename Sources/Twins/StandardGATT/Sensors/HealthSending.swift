// Sending of a health sensor: notifications at once, indications one at a time, and faults of values.

import Bluetooth
import EventLoop
import Simulation

extension HealthTwin {
  /// Sends a value to a subscriber: a notification at once, an indication in turn. Also applies the faults of values.
  @discardableResult
  func send(_ draft: Draft) -> Bool {
    guard let link, link.isOpen, !isMute, let handle = server.valueHandle(of: draft.characteristic),
      server.subscription(at: handle) != 0
    else { return false }
    let conduct = sensor.conduct
    var draft = draft
    if !draft.isPiece, draft.worth != .answer {
      if random.chance(conduct.truncated) {
        put(malformed(draft, Array(draft.value.prefix(random.below(max(1, draft.value.count))))))
      }
      if random.chance(conduct.wrongFlags), let value = promisingTooMuch(draft) { put(malformed(draft, value)) }
      if random.chance(conduct.beyondRange), let value = absurd(draft.characteristic) {
        put(Draft(characteristic: draft.characteristic, value: value, worth: .absurd, takenAt: world.loop.now))
      }
      // A repetition must be identical.
      var own = draft.reading > 0 ? random.split(draft.reading) : random
      if own.chance(conduct.trailing) { draft.value += [0xEE, 0xFF] }
    }
    put(draft)
    return true
  }

  private func malformed(_ draft: Draft, _ value: [UInt8]) -> Draft {
    Draft(characteristic: draft.characteristic, value: value, worth: .malformed, takenAt: world.loop.now)
  }

  /// The value with the flag of one more field; nil if it has them all.
  private func promisingTooMuch(_ draft: Draft) -> [UInt8]? {
    guard let flags = draft.value.first else { return nil }
    let missing = fieldFlags(of: draft.characteristic) & ~flags
    guard missing != 0 else { return nil }
    return [flags | missing & (~missing &+ 1)] + draft.value[1...]
  }

  private func put(_ draft: Draft) {
    guard let handle = server.valueHandle(of: draft.characteristic) else { return }
    if server.subscription(at: handle) & 2 == 0 { return carry(draft, at: handle, isIndicated: false) }
    outbox.append(draft)
    pump()
  }

  private func pump() {
    guard awaiting == nil, let link, link.isOpen, !outbox.isEmpty else { return }
    let draft = outbox.removeFirst()
    guard let handle = server.valueHandle(of: draft.characteristic) else { return }
    awaiting = ledger.next
    patience = world.loop.schedule(after: sensor.patience) { [weak self] in
      guard let self else { return }
      ledger.faults.append(.leftUnconfirmed)
      hangUp()
    }
    carry(draft, at: handle, isIndicated: true)
  }

  private func carry(_ draft: Draft, at handle: UInt16, isIndicated: Bool) {
    guard let link else { return }
    let number = ledger.begin(draft, isIndicated: isIndicated, world.loop)
    let pdu =
      isIndicated
      ? server.indication(at: handle, value: draft.value) : server.notification(at: handle, value: draft.value)
    link.carry(pdu, .piece(UInt64(number)), direct: !isReceiving)
  }

  /// Whether indications are waiting or in flight.
  var isSending: Bool { awaiting != nil || !outbox.isEmpty }
  func forgetOutbox(where isGone: (Draft) -> Bool) { outbox.removeAll(where: isGone) }

  func takeConfirmation() {
    guard let index = awaiting else { return ledger.faults.append(.confirmedNothing) }
    stop(&patience)
    awaiting = nil
    let isMeasurement = ledger[index].reading > 0
    if isMeasurement, random.chance(sensor.conduct.lostConfirmations) {
      ledger.confirmationsLost += 1
      link?.breaks()
      return
    }
    ledger.noteConfirmed(index, at: world.loop.now)
    let delivery = ledger[index]
    onConfirmed?(delivery)
    confirmed(delivery)
    pump()
  }
}
