// How the simulated controller makes a link: one attempt at a time, with all the ways in which one fails.

public import Bluetooth
public import EventLoop

/// One connect attempt. `phase` moves forward only.
@LoopActor
final class ConnectAttempt {
  enum Phase { case refused, searching, establishing, hung }
  let address: BluetoothAddress
  var phase = Phase.searching
  let parameters: ConnectionParameters
  var step: LoopTimer?
  var deadline: LoopTimer?
  var continuation: CheckedContinuation<Result<VirtualBearer, LinkError>, Never>?
  init(_ address: BluetoothAddress, _ parameters: ConnectionParameters) {
    self.address = address
    self.parameters = parameters
  }
}

extension VirtualRadio {
  /// An attempt that was heard fails after six connection events without an answer (Core specification, volume 6, part
  /// B, 4.5.2).
  private static let silentEvents = 6
  /// The command round trip after which a controller refuses.
  private static let refusal: Duration = .milliseconds(10)

  public func connect(to address: BluetoothAddress, deadline: Instant, parameters: ConnectionParameters)
    async throws(LinkError) -> any Bearer
  {
    precondition(attempt == nil, "two connects at a time: the hub's lane is broken")
    precondition(parameters.defect == nil, "a link with illegal parameters was asked for")
    ledger.attempts += 1
    if !ledger.attemptedEver.contains(address) { ledger.attemptedEver.append(address) }
    ledger.lastAttempt[address] = loop.now
    guard state == .ready, !isDead else {
      ledger.note(failure: .adapterGone)
      throw .adapterGone
    }
    let attempt = ConnectAttempt(address, parameters)
    self.attempt = attempt
    scanStoppedAt = loop.now
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        attempt.continuation = continuation
        if Task.isCancelled { return finish(.failure(.aborted)) }
        begin(attempt, deadline)
      }
    } onCancel: {
      Task(executorPreference: LoopExecutor.shared) { await self.abort(attempt) }
    }
    return try result.get()
  }

  private func abort(_ attempt: ConnectAttempt) {
    if self.attempt === attempt { finish(.failure(.aborted)) }
  }

  private func begin(_ attempt: ConnectAttempt, _ deadline: Instant) {
    let peripheral = world.peripheral(attempt.address)
    let refused = peripheral.map { $0.random.chance(world.faults.refusedSlot) } ?? false
    if refused || world.links.count >= options.slots {
      attempt.phase = .refused
      attempt.step = loop.schedule(after: Self.refusal) { [weak self] in self?.finish(.failure(.slotsFull)) }
      return
    }
    attempt.deadline = loop.schedule(at: deadline) { [weak self] in
      self?.finish(.failure(attempt.phase == .searching ? .notHeard : .timedOut))
    }
    if world.isHung { attempt.phase = .hung } else if let peripheral { search(attempt, peripheral) }
  }

  /// A wearable became connectable, or is so no longer.
  func connectabilityChanged(of peripheral: VirtualPeripheral) {
    guard let attempt, attempt.address == peripheral.address, attempt.phase == .searching else { return }
    if let step = attempt.step { loop.cancel(step) }
    attempt.step = nil
    search(attempt, peripheral)
  }

  /// Waits for its next advertisement, which is when the controller can ask for a link.
  private func search(_ attempt: ConnectAttempt, _ peripheral: VirtualPeripheral) {
    guard peripheral.isConnectable else { return }
    let wait = peripheral.advertisingInterval * peripheral.random.fraction() + .milliseconds(2)
    attempt.step = loop.schedule(after: wait) { [weak self] in self?.establish(attempt, peripheral) }
  }

  private func establish(_ attempt: ConnectAttempt, _ peripheral: VirtualPeripheral) {
    let parameters = choose(attempt.parameters, source: options.observesLinks ? .observed : .assumed)
    let interval = Duration.microseconds(1250 * Int64(parameters.interval))
    if peripheral.random.chance(world.faults.hungAttempt) {
      attempt.phase = .hung
      return
    }
    let fails = peripheral.random.chance(world.faults.failedToEstablish)
    attempt.phase = .establishing
    attempt.step = loop.schedule(after: interval * (fails ? Self.silentEvents : 2)) { [weak self] in
      guard let self else { return }
      if fails || !peripheral.isConnectable {
        finish(.failure(.failedToEstablish))
      } else {
        open(peripheral, parameters)
      }
    }
  }

  private func open(_ peripheral: VirtualPeripheral, _ parameters: EffectiveParameters) {
    let link = VirtualLink(peripheral, world, parameters: parameters)
    let bearer = VirtualBearer(link)
    link.attach(bearer)
    bearers.removeAll(where: \.isClosed)
    bearers.append(bearer)
    world.linkMade(link)
    ledger.linksMade += 1
    ledger.mostLinks = max(ledger.mostLinks, world.links.count)
    if !ledger.connectedEver.contains(peripheral.address) { ledger.connectedEver.append(peripheral.address) }
    finish(.success(bearer))
    peripheral.noteLinkOpened(link)
  }

  func finish(_ result: Result<VirtualBearer, LinkError>) {
    guard let attempt else { return }
    self.attempt = nil
    cancelTimers(of: attempt)
    if let scanStoppedAt {
      ledger.scanPauses += 1
      ledger.longestScanPause = max(ledger.longestScanPause, loop.now - scanStoppedAt)
    }
    scanStoppedAt = nil
    if case .failure(let error) = result { ledger.note(failure: error) }
    attempt.continuation?.resume(returning: result)
    attempt.continuation = nil
  }

  func cancelTimers(of attempt: ConnectAttempt) {
    if let step = attempt.step { loop.cancel(step) }
    if let deadline = attempt.deadline { loop.cancel(deadline) }
  }
}
