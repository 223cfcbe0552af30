// Link creation in the simulated kernel and controller: several attempts wait at once, one at a time is carried out,
// with all possible failures.

public import Bluetooth
public import EventLoop

/// Connect attempt. `phase` only moves forward, except that an advertisement may be missed.
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
  /// An attempt fails after six connection events without a response (Core specification, volume 6, part B, 4.5.2).
  private static let silentEvents = 6
  /// Round trip of the command until a controller refuses.
  private static let refusal: Duration = .milliseconds(10)
  /// Time after which the kernel cancels LE Create Connection, as configured by the hub. Until then it makes no other
  /// link and receives no advertisements.
  static let creationLimit: Duration = .seconds(3)
  /// Attempts that a kernel was seen to accept at once.
  private static let attemptLimit = 12

  /// Connects as a controller does, with the faults of the world.
  ///
  /// - Throws: why the attempt failed.
  public func connect(to address: BluetoothAddress, deadline: Instant, parameters: ConnectionParameters)
    async throws(LinkError) -> any Bearer
  {
    precondition(!attempts.contains { $0.address == address }, "two connects to one wearable: the hub's lane is broken")
    precondition(attempts.count < Self.attemptLimit, "the hub's lane bounds its attempts")
    precondition(parameters.defect == nil, "a link with illegal parameters was asked for")
    ledger.attempts += 1
    if !ledger.attemptedEver.contains(address) { ledger.attemptedEver.append(address) }
    ledger.lastAttempt[address] = loop.now
    guard state == .ready, !isDead else {
      ledger.note(failure: .adapterGone)
      throw .adapterGone
    }
    let attempt = ConnectAttempt(address, parameters)
    attempts.append(attempt)
    ledger.mostAttempts = max(ledger.mostAttempts, attempts.count)
    scanBegins()
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        attempt.continuation = continuation
        if Task.isCancelled { return finish(attempt, .failure(.aborted)) }
        begin(attempt, deadline)
      }
    } onCancel: {
      Task(executorPreference: LoopExecutor.shared) { await self.finish(attempt, .failure(.aborted)) }
    }
    await comeBack()
    return try result.get()
  }

  /// Whether it refuses one more link.
  private var isFull: Bool { controller.links.count >= options.slots && !options.dropsWhenFull }

  private func begin(_ attempt: ConnectAttempt, _ deadline: Instant) {
    let peripheral = world.peripheral(attempt.address)
    let refused = peripheral.map { $0.random.chance(world.faults.refusedSlot) } ?? false
    if refused || isFull {
      attempt.phase = .refused
      attempt.step = loop.schedule(after: Self.refusal) { [weak self] in
        self?.finish(attempt, .failure(.slotsFull))
      }
      return
    }
    attempt.deadline = loop.schedule(at: deadline) { [weak self] in
      self?.finish(attempt, .failure(attempt.phase == .searching ? .notHeard : .timedOut))
    }
    if controller.isHung { attempt.phase = .hung } else if let peripheral { search(attempt, peripheral) }
  }

  /// Called when a wearable became connectable, or is no longer.
  func connectabilityChanged(of peripheral: VirtualPeripheral) {
    guard let attempt = attempts.first(where: { $0.address == peripheral.address }), attempt.phase == .searching else {
      return
    }
    if let step = attempt.step { loop.cancel(step) }
    attempt.step = nil
    search(attempt, peripheral)
  }

  /// Waits for the wearable's next advertisement, when the controller can request a link.
  private func search(_ attempt: ConnectAttempt, _ peripheral: VirtualPeripheral) {
    guard peripheral.saysConnectable else { return }
    let wait = peripheral.advertisingInterval * peripheral.random.fraction() + .milliseconds(2)
    attempt.step = loop.schedule(after: wait) { [weak self] in self?.heard(attempt, peripheral) }
  }

  /// Starts LE Create Connection, one at a time: a wearable heard meanwhile waits for its next advertisement.
  private func heard(_ attempt: ConnectAttempt, _ peripheral: VirtualPeripheral) {
    if creating != nil { return search(attempt, peripheral) }
    creating = attempt
    scanStoppedAt = loop.now
    establish(attempt, peripheral)
  }

  private func establish(_ attempt: ConnectAttempt, _ peripheral: VirtualPeripheral) {
    let parameters = choose(attempt.parameters, source: options.observesLinks ? .observed : .assumed)
    let interval = Duration.microseconds(1250 * Int64(parameters.interval))
    if peripheral.random.chance(world.faults.hungAttempt) || !peripheral.isConnectable {
      attempt.phase = .hung
      attempt.step = loop.schedule(after: Self.creationLimit) { [weak self] in
        self?.finish(attempt, .failure(.timedOut))
      }
      return
    }
    let fails = peripheral.random.chance(world.faults.failedToEstablish)
    attempt.phase = .establishing
    attempt.step = loop.schedule(after: interval * (fails ? Self.silentEvents : 2)) { [weak self] in
      guard let self else { return }
      if fails || !peripheral.isConnectable {
        finish(attempt, .failure(.failedToEstablish))
      } else if isFull {
        finish(attempt, .failure(.slotsFull))
      } else {
        open(attempt, peripheral, parameters)
      }
    }
  }

  private func open(
    _ attempt: ConnectAttempt, _ peripheral: VirtualPeripheral, _ parameters: EffectiveParameters
  ) {
    let link = VirtualLink(peripheral, controller, parameters: parameters)
    let bearer = VirtualBearer(link)
    link.attach(bearer)
    bearers.removeAll(where: \.isClosed)
    bearers.append(bearer)
    let oldest = controller.links.first
    controller.linkMade(link)
    ledger.linksMade += 1
    if controller.links.count > options.slots, let oldest {
      loop.schedule(after: .seconds(1)) { oldest.end(.linkLost) }
    }
    ledger.mostLinks = max(ledger.mostLinks, controller.links.count)
    if !ledger.connectedEver.contains(peripheral.address) { ledger.connectedEver.append(peripheral.address) }
    finish(attempt, .success(bearer))
    peripheral.noteLinkOpened(link)
  }

  func finish(_ attempt: ConnectAttempt, _ result: Result<VirtualBearer, LinkError>) {
    guard let place = attempts.firstIndex(where: { $0 === attempt }) else { return }
    attempts.remove(at: place)
    cancelTimers(of: attempt)
    if creating === attempt {
      creating = nil
      if let scanStoppedAt {
        ledger.scanPauses += 1
        ledger.longestScanPause = max(ledger.longestScanPause, loop.now - scanStoppedAt)
      }
      scanStoppedAt = nil
    }
    scanBegins()
    if case .failure(let error) = result { ledger.note(failure: error) }
    attempt.continuation?.resume(returning: result)
    attempt.continuation = nil
  }

  func finishAll(_ error: LinkError) {
    for attempt in attempts { finish(attempt, .failure(error)) }
  }

  /// Called when the list of wanted wearables changed, or a link attempt ended: the kernel restarts the scan.
  private func scanBegins() { reportedInScan.removeAll(keepingCapacity: true) }

  /// Whether a report reaches the hub: while attempts wait, the controller filters duplicates.
  func passesFilter(_ address: BluetoothAddress) -> Bool {
    attempts.isEmpty || reportedInScan.insert(address).inserted
  }

  func cancelTimers(of attempt: ConnectAttempt) {
    if let step = attempt.step { loop.cancel(step) }
    if let deadline = attempt.deadline { loop.cancel(deadline) }
  }
}
