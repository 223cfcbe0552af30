// Recovery of a controller that does not respond, or on request of an operator. After each rung the adapter is fully
// initialised and must prove that it responds. Only then does the radio serve again.

import EventLoop
import Reasons

@LoopActor
final class AdapterRecovery {
  /// Time within which each further request of an operator starts one rung higher.
  private static let operatorMemory: Duration = .seconds(600)

  private let means: AdapterMeans
  private let selection: AdapterSelection
  private let served: ServedAdapter
  let log: RungLog
  let quiet: QuietWatch
  let surrender: Surrender
  private var troubles = TroubleRecord()
  /// Rung of the operator's last request, and its time.
  private var operatorAsked: (rung: Int, at: Instant)?
  /// Fault that hampers the recovery.
  private(set) var care: HearthError?

  init(_ means: AdapterMeans, selection: AdapterSelection, served: ServedAdapter, scan: AdapterScan) {
    self.means = means
    self.selection = selection
    self.served = served
    log = RungLog()
    quiet = QuietWatch(means, scan: scan, log: log)
    surrender = Surrender(means, log: log)
  }

  // MARK: Operators

  /// Starts the recovery on request of an operator: first the scan; a repeated request starts one rung higher.
  func recover() {
    let now = means.loop.now
    if let last = operatorAsked, now - last.at < Self.operatorMemory {
      operatorAsked = (last.rung + 1, now)
    } else {
      operatorAsked = (0, now)
    }
    means.logger.notice("an operator asked for the radio's recovery")
    means.alarm.raise(.recovery)
  }

  /// Runs the requested rung on an adapter in service.
  func obeyOperator(_ adapter: AdapterIdentity) async throws(HearthError) {
    guard let rung = operatorAsked?.rung else { return }
    if rung == 0 { return try await quiet.restartScan(adapter) }
    troubles.obey(rung, on: adapter.bus)
    throw HearthError(.controllerSilent, "an operator asked for the recovery of \(adapter.name)")
  }

  /// Runs the request on an adapter that waits for its next try: it starts now, from the first rung.
  func obeyOperatorWhileDown() { troubles.beginAnew() }

  // MARK: Attempts

  /// Whether the ladder is running.
  var isRecovering: Bool { troubles.silences > 0 && served.state != .ready }

  /// Whether the controller must prove that it responds before it serves.
  var needsProof: Bool { troubles.silences > 0 }

  func anotherController() { troubles.anotherController() }

  /// Called when the adapter was initialised.
  func initialised() {
    if needsProof { log.recovered(at: means.loop.now) }
    quiet.begin()
  }

  /// Notes that the adapter stopped serving or could not start. Returns the error to show.
  ///
  /// - Parameter time: how long it had served; nil: it never did.
  func note(_ error: HearthError, afterServing time: Duration?) -> HearthError {
    let isExhausted = troubles.note(
      error.reason, afterServing: time, on: served.identity?.bus ?? .usb, at: means.loop.now,
      recovered: means.timing.recovered)
    if error.reason == .controllerSilent { means.counters.controllerSilences += 1 }
    if !isExhausted { return error }
    return HearthError(.radioExhausted, "\(error.detail); every means of reviving it was tried")
  }

  func giveUp() { surrender.giveUp(after: troubles.silence(at: means.loop.now)) }

  /// Returns the wait before the next try.
  func takeDelay(after reason: Reason) -> Duration {
    troubles.takeUrgency() ? .zero : troubles.delay(after: reason, at: means.loop.now, timing: means.timing)
  }

  // MARK: Rungs

  /// Runs a rung if one is due for a silent controller. Returns the adapter as it is afterwards.
  func climbIfDue(_ adapter: AdapterIdentity) async throws(HearthError) -> AdapterIdentity {
    let (now, interval) = (means.loop.now, means.timing.rungInterval)
    guard troubles.isRungDue(on: adapter.bus, at: now, interval: interval) else { return adapter }
    let rung = troubles.climb(on: adapter.bus, at: now)
    let name = rung.name(on: adapter.bus)
    log.note(rung, on: adapter.bus)
    means.logger.notice("trying to revive the radio: \(name)", metadata: ["adapter": "\(adapter.name)"])
    switch rung {
    case .powerCycle:
      _ = try? await means.channel.perform(
        .setPowered(false), index: adapter.index, timeout: ManagementChannel.queuedTimeout)
    case .reset: _ = await means.kernel.reset(adapter.index, .reset)
    case .downUp:
      _ = await means.kernel.reset(adapter.index, .down)
      _ = await means.kernel.reset(adapter.index, .up)
    case .bus: return try await resetBus(of: adapter)
    case .scanRestart, .restart, .reboot: break
    }
    return adapter
  }

  /// Resets the bus: the adapter leaves and comes back, possibly with another index.
  private func resetBus(of adapter: AdapterIdentity) async throws(HearthError) -> AdapterIdentity {
    let alarm = means.alarm
    alarm.forget([.added, .removed, .power])
    let code = await means.kernel.resetBus(of: adapter)
    if code != 0 {
      let how = Rung.bus.name(on: adapter.bus)
      care = HearthError(.busResetRefused, "\(how) of \(adapter.name) was refused, errno \(code)")
      means.logger.warning(
        "\(how) of \(adapter.name) was refused, errno \(code); the helper hearth-radio-reset may do it")
      return adapter
    }
    care = nil
    let deadline = means.loop.now + means.timing.reenumeration
    var disturbance = Disturbance()
    while means.loop.now < deadline, !disturbance.contains(.added), disturbance.isDisjoint(with: [.end, .channel]) {
      disturbance.formUnion(await alarm.wait(until: deadline))
    }
    if !disturbance.isDisjoint(with: [.end, .channel]) { alarm.raise(disturbance.intersection([.end, .channel])) }
    // Events that belong together arrive one after the other.
    try? await means.loop.sleep(for: means.timing.settling)
    alarm.forget([.added, .removed, .power])
    return try await selection.choose()
  }
}
