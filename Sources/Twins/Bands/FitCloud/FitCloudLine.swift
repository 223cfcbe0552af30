// Frame layer of a FitCloud band. Frames are sent one at a time until acknowledged, and received frames are
// acknowledged when complete.

import Bluetooth
import EventLoop
import Simulation

/// Frame to be sent to the host.
struct FitCloudOutgoing {
  let payload: [UInt8]
  var repeats = 0
  /// Called once with the result: whether the host acknowledged it.
  let done: @LoopActor (Bool) -> Void
}

extension VirtualFitCloud {
  /// Timeout of an acknowledgement, and number of repetitions.
  static let patience = Duration.seconds(10)
  static let mostRepeats = 2

  // MARK: Sending

  /// Sends a message, after all queued ones.
  func say(_ command: UInt8, _ key: UInt8, _ value: [UInt8] = [], done: @escaping @LoopActor (Bool) -> Void = { _ in })
  {
    outbox.append(FitCloudOutgoing(payload: FitCloudCommand(command, key, value).payload, done: done))
    pump()
  }

  private func pump() {
    guard sending == nil, !outbox.isEmpty else { return }
    sending = outbox.removeFirst()
    transmit()
  }

  private func transmit() {
    guard let sending else { return }
    stopWaiting()
    framesSent += 1
    if sending.repeats > 0 { repeats += 1 }
    let isSpoiled = random.chance(traits.wrongChecksums)
    put(FitCloudWire.frame(sending.payload, number: number, isSpoiled: isSpoiled))
    patience = world.loop.schedule(after: Self.patience) { [weak self] in self?.repeatOrGiveUp() }
  }

  private func repeatOrGiveUp() {
    patience = nil
    guard var again = sending else { return }
    if again.repeats >= Self.mostRepeats { return endLine() }
    again.repeats += 1
    sending = again
    transmit()
  }

  private func stopWaiting() {
    if let patience { world.loop.cancel(patience) }
    patience = nil
  }

  /// Fails all queued messages.
  func endLine() {
    stopWaiting()
    let all = (sending.map { [$0] } ?? []) + outbox
    sending = nil
    outbox = []
    for frame in all { frame.done(false) }
  }

  private func put(_ bytes: [UInt8]) {
    // 3 bytes of each PDU are its header.
    let size = make.usesMTU ? max(20, server.mtu - 3) : 20
    let number = log.noteSaid(link: ledger.links.count, at: world.loop.now)
    notify(
      .fitCloudNotify,
      stride(from: 0, to: bytes.count, by: size).map { Array(bytes[$0..<min(bytes.count, $0 + size)]) }
    ) { [weak self] arrived in
      if let self, arrived { log.noteDelivered(number, at: world.loop.now) }
    }
  }

  // MARK: Receiving

  func tookPiece(_ piece: [UInt8]) {
    let now = world.loop.now
    // Discard an incomplete frame after a timeout.
    if input.isContinued, let lastInputAt, now - lastInputAt > .seconds(5) { input.reset() }
    guard takes(piece, isContinued: input.isContinued) else { return }
    lastInputAt = now
    for event in input.take(piece) {
      noteHeard(event)
      switch event {
      case .frame(let number, let payload): tookFrame(number, payload)
      case .spoiled(let number): if isAttentive() { put(FitCloudWire.acknowledgement(of: number, isError: true)) }
      case .acknowledgement(let number, let isError): tookAcknowledgement(number, isError)
      }
    }
  }

  private func noteHeard(_ event: FitCloudInput.Event) {
    var bytes = FitCloudWire.headLength
    if case .frame(_, let payload) = event { bytes += payload.count }
    let interval = Duration.microseconds(1250 * Int64(link?.parameters.interval ?? 0))
    log.noteHeard(bytes: bytes, link: ledger.links.count, event: interval, at: world.loop.now)
  }

  /// False for the first frame of a link, if the band sleeps through it.
  private func isAttentive() -> Bool {
    defer { hasHeardAny = true }
    return hasHeardAny
  }

  private func tookFrame(_ number: UInt16, _ payload: [UInt8]) {
    guard isAttentive() else { return }
    guard let command = FitCloudCommand(payload) else {
      ledger.faults.append(.malformed)
      return put(FitCloudWire.acknowledgement(of: number, isError: true))
    }
    if !isEntered, command.command != 3 {
      ledger.faults.append(.unauthorised)
      if make.refusesAloud { put(FitCloudWire.acknowledgement(of: number, isError: true)) }
      return
    }
    if !random.chance(traits.lostAcknowledgements) { put(FitCloudWire.acknowledgement(of: number)) }
    if let lastHeard, lastHeard.number == number, lastHeard.payload == payload { return }
    lastHeard = (number, payload)
    obey(command)
  }

  private func tookAcknowledgement(_ acknowledged: UInt16, _ isError: Bool) {
    guard let done = sending, acknowledged == number else {
      // A late acknowledgement may come twice. Only a number that was never sent is a fault.
      if acknowledged &- make.firstNumber > number &- make.firstNumber { ledger.faults.append(.acknowledgedNothing) }
      return
    }
    if isError { return repeatOrGiveUp() }
    stopWaiting()
    sending = nil
    number &+= 1
    done.done(true)
    pump()
  }
}
