// What is done to a controller that hears nothing or answers nothing. Each rung is followed by a full initialisation
// that makes the controller show that it obeys; only then does the radio serve again.

import Bluetooth
import EventLoop
import Reasons

/// What the hub does beyond the adapter when nothing helped.
public enum RadioSurrender: Sendable, Hashable {
  /// End with a status that makes systemd start the hub again.
  case restart
  /// Start the machine again.
  case reboot
}

extension Adapter {
  /// An operator's calls within this time each begin one rung higher.
  private static let operatorMemory: Duration = .seconds(600)

  /// An operator asks. First the scan; whoever asks again soon wants more.
  func recover() {
    if let last = operatorAsked, loop.now - last.at < Self.operatorMemory {
      operatorAsked = (last.rung + 1, loop.now)
    } else {
      operatorAsked = (0, loop.now)
    }
    logger.notice("an operator asked for the radio's recovery")
    alarm.raise(.recovery)
  }

  /// Does what an operator asked for, to a radio that serves.
  func obeyOperator(_ adapter: AdapterIdentity) async throws(HearthError) {
    guard let rung = operatorAsked?.rung else { return }
    if rung == 0 { return try await restartScanNow(adapter) }
    silences = (rung - 1) % RecoveryLadder.rungs(on: adapter.bus).count
    isUrgent = true
    throw HearthError(.controllerSilent, "an operator asked for the recovery of \(adapter.name)")
  }

  /// The same, to a radio that waits for its next try: it begins now, from the first rung.
  func obeyOperatorWhileDown() {
    failures = 0
    silences = 1
    mustClimb = true
    hasClimbed = false
  }

  /// A rung comes before the next try: each once, as fast as they fail, then one in `rungInterval`. The tries between
  /// them only ask whether the controller answers again.
  var isRungDue: Bool {
    guard mustClimb, silences > 0 else { return false }
    if !hasClimbedAll { return true }
    return lastRung.map { $0 + timing.rungInterval <= loop.now } ?? true
  }

  /// Each rung was tried. A controller that served again after that and falls silent anew has them all before it.
  var hasClimbedAll: Bool { RecoveryLadder.isExhausted(silences, on: identity?.bus ?? .usb) }

  /// Since when the controller is silent.
  var silence: Duration { silentSince.map { loop.now - $0 } ?? .zero }

  func restartScanNow(_ adapter: AdapterIdentity) async throws(HearthError) {
    counters.scanRestarts += 1
    note(.scanRestart, on: adapter.bus)
    scanner.restarted()
    restartedAt = loop.now
    try await restartScan(adapter.index)
    lastRecovery = loop.now
  }

  private func note(_ rung: Rung, on bus: AdapterBus) {
    ladder.tried(rung)
    onRung?(RadioRung(rung.name(on: bus), endsLinks: rung != .scanRestart))
  }

  /// One rung, for a controller that was silent `silences` times in a row. Returns the adapter as it stands afterwards.
  func climb(_ adapter: AdapterIdentity) async throws(HearthError) -> AdapterIdentity {
    mustClimb = false
    hasClimbed = true
    lastRung = loop.now
    let rung = RecoveryLadder.rung(silences, on: adapter.bus)
    note(rung, on: adapter.bus)
    logger.notice("trying to revive the radio: \(rung.name(on: adapter.bus))", metadata: ["adapter": "\(adapter.name)"])
    switch rung {
    case .powerCycle:
      _ = try? await channel.perform(.setPowered(false), index: adapter.index, timeout: ManagementChannel.queuedTimeout)
    case .reset: _ = await kernel.reset(adapter.index, .reset)
    case .downUp:
      _ = await kernel.reset(adapter.index, .down)
      _ = await kernel.reset(adapter.index, .up)
    case .bus: return try await resetBus(of: adapter)
    case .scanRestart, .restart, .reboot: break
    }
    return adapter
  }

  /// The adapter leaves and comes back, under whatever number.
  private func resetBus(of adapter: AdapterIdentity) async throws(HearthError) -> AdapterIdentity {
    alarm.forget([.added, .removed, .power])
    let code = await kernel.resetBus(of: adapter)
    if code != 0 {
      let how = Rung.bus.name(on: adapter.bus)
      care = HearthError(.busResetRefused, "\(how) of \(adapter.name) was refused, errno \(code)")
      logger.warning(
        "\(how) of \(adapter.name) was refused, errno \(code); see board/README.md for the helper that may do it")
      return adapter
    }
    care = nil
    let deadline = loop.now + timing.reenumeration
    var disturbance = Disturbance()
    while loop.now < deadline, !disturbance.contains(.added), disturbance.isDisjoint(with: [.end, .channel]) {
      disturbance.formUnion(await alarm.wait(until: deadline))
    }
    if !disturbance.isDisjoint(with: [.end, .channel]) { alarm.raise(disturbance.intersection([.end, .channel])) }
    // What comes together is told one by one.
    try? await loop.sleep(for: timing.settling)
    alarm.forget([.added, .removed, .power])
    return try await choose()
  }

  /// Nothing helped. Ends the daemon, or starts the machine anew, where that is wanted and was not done too lately.
  func giveUp() {
    guard silence >= timing.surrender, let onGiveUp, let text = kernel.readStamps() else { return }
    var stamps = RecoveryStamps(text)
    let now = loop.wall.microseconds / 1_000_000
    for (rung, surrender) in [(Rung.restart, RadioSurrender.restart), (.reboot, .reboot)] {
      if !stamps.allows(rung, at: now, rebootsPerDay: options.rebootsPerDay) { continue }
      stamps.add(rung, at: now)
      // Without a mark that outlives us it could become a loop.
      if !kernel.writeStamps(stamps.text) { return }
      note(rung, on: .usb)
      logger.critical("nothing revived the radio: \(rung.name(on: .usb))")
      return onGiveUp(surrender)
    }
  }

  var nextQuietCheck: Instant {
    if let heard = scanner.lastHeard { return heard + timing.quiet }
    if let restartedAt { return restartedAt + timing.quiet }
    return loop.now + timing.quiet
  }

  /// Where something used to be heard and no longer is, the scan is started anew; if that does not help and no link
  /// would suffer, the controller is power-cycled. Then the room is believed to be empty until something is heard.
  func listenForQuiet(_ adapter: AdapterIdentity, suspected: Bool) async throws(HearthError) {
    if let heard = scanner.lastHeard, suspected || heard + timing.quiet <= loop.now {
      try await restartScanNow(adapter)
    } else if let restarted = restartedAt, scanner.lastHeard == nil, restarted + timing.quiet <= loop.now {
      restartedAt = nil
      if linkCount() == 0 {
        throw HearthError(
          .controllerSilent, "\(adapter.name) hears nothing any more, also after its scan was restarted")
      }
    } else if scanner.lastHeard != nil {
      restartedAt = nil
    }
  }
}
