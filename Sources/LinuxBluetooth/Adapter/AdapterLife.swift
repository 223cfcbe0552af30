// Life cycle of the adapter: found, initialised, in service, lost, found again. A single task, in the order of its
// text:
//
//     for ever:
//       open the management sockets                     no Bluetooth in the kernel: H3106
//       choose an adapter by rule                       none: H3101, not the configured one: H3109, gone: H3104
//       lift or report a radio switch                   H3103
//       if it was silent: the next rung of the ladder   H3105, H3199
//       initialise it (AdapterInitialisation)           no capability: H3107, refused: H3111
//       serve until a disturbance
//       report the reason, wait for the event or the time that can change it

import Bluetooth
import EventLoop
import Logging
import Reasons

@LoopActor
final class AdapterLife {
  private let parts: AdapterParts
  private let means: AdapterMeans
  private var task: Task<Void, Never>?
  private var isEnding = false
  private var servingSince: Instant?
  private(set) var trouble: HearthError?
  /// Called at every initialisation with the kernel's list of links.
  var onLinks: (@LoopActor (_ links: [BluetoothAddress]) -> Void)?

  init(_ parts: AdapterParts) {
    self.parts = parts
    means = parts.means
  }

  func start() {
    guard task == nil else { fatalError("the adapter was started twice") }
    let alarm = means.alarm
    means.channel.onEvent = { [weak events = parts.events] index, event in events?.handle(index, event) }
    parts.pulse.onSilence = { alarm.raise(.unanswered) }
    means.kernel.watchBlocks { alarm.raise(.block) }
    task = means.loop.spawn { await self.live() }
  }

  /// Ends scanning and the task; returns when both have ended.
  func end() async {
    isEnding = true
    await parts.scan.end(parts.served.identity)
    parts.pulse.end()
    means.alarm.raise(.end)
    parts.sockets.close()
    means.kernel.close()
    await task?.value
  }

  private func live() async {
    while !isEnding {
      do throws(HearthError) {
        try parts.sockets.open()
        try await bringUp()
        try await serve()
      } catch {
        if isEnding { break }
        leave(error)
        await pause(after: error.reason)
      }
    }
  }

  /// Chooses and initialises an adapter.
  private func bringUp() async throws(HearthError) {
    let (served, recovery) = (parts.served, parts.recovery)
    means.alarm.forget([.interference, .silent, .unanswered, .refused, .quiet, .power, .added, .removed])
    parts.takeover.check()
    var chosen = try await parts.selection.choose()
    if chosen.bluetoothAddress != served.identity?.bluetoothAddress { recovery.anotherController() }
    served.choose(chosen)
    try await parts.selection.liftBlock(of: chosen)
    chosen = try await recovery.climbIfDue(chosen)
    served.choose(chosen)
    try await parts.initialisation.run(chosen, proving: recovery.needsProof)
    means.scanner.index = chosen.index
    recovery.initialised()
  }

  private func serve() async throws(HearthError) {
    guard let adapter = parts.served.identity else { return }
    let (recovery, timing) = (parts.recovery, means.timing)
    try await begin(adapter)
    while !isEnding {
      parts.takeover.check()
      var disturbance = await means.alarm.wait(until: nextLook)
      if disturbance.contains(.power), !parts.served.settings.contains(.powered) {
        try? await means.loop.sleep(for: timing.settling)
        disturbance.formUnion(means.alarm.take())
      }
      if isEnding { return }
      try parts.events.judge(disturbance, adapter)
      if !disturbance.isDisjoint(with: [.added, .left]) {
        await parts.selection.lookAtOthers()
      } else {
        await parts.selection.lookForMissed()
      }
      if disturbance.contains(.interference) { try await repair(adapter) }
      if disturbance.contains(.recovery) { try await recovery.obeyOperator(adapter) }
      try await recovery.quiet.listen(adapter, suspected: disturbance.contains(.quiet))
    }
  }

  /// Time of the next check that no event triggers.
  private var nextLook: Instant {
    min(parts.takeover.nextCheck, parts.recovery.quiet.nextCheck, parts.selection.nextLook)
  }

  /// Puts the adapter into service.
  private func begin(_ adapter: AdapterIdentity) async throws(HearthError) {
    try await reportLinks(adapter)
    servingSince = means.loop.now
    trouble = nil
    means.counters.initialisations += 1
    means.logger.notice(
      "radio ready",
      metadata: ["adapter": "\(adapter.name)", "address": "\(adapter.bluetoothAddress)", "bus": "\(adapter.bus)"])
    parts.served.change(to: .ready)
    parts.keys.settle()
    parts.bonding.refresh()
    parts.pulse.begin(adapter.index)
    parts.takeover.tell()
  }

  /// Repairs settings that another program changed; links survive the repair.
  private func repair(_ adapter: AdapterIdentity) async throws(HearthError) {
    means.counters.interferences += 1
    parts.takeover.look()
    means.logger.warning(
      "\(parts.takeover.culprit) changed the adapter; initialising it again", metadata: ["adapter": "\(adapter.name)"])
    try? await means.loop.sleep(for: means.timing.interference)
    means.alarm.forget(.interference)
    try await parts.initialisation.run(adapter, proving: false)
    try await reportLinks(adapter)
    means.counters.initialisations += 1
    parts.takeover.tell()
  }

  private func reportLinks(_ adapter: AdapterIdentity) async throws(HearthError) {
    guard let links = ManagementReply.connections(try await parts.commands.ask(.getConnections, adapter.index)) else {
      throw HearthError.malformedReply(to: "Get Connections")
    }
    onLinks?(links)
  }

  private func leave(_ error: HearthError) {
    let wasServing = servingSince != nil
    let shown = parts.recovery.note(error, afterServing: servingSince.map { means.loop.now - $0 })
    parts.pulse.end()
    servingSince = nil
    parts.scan.forget()
    means.scanner.index = nil
    if wasServing || trouble?.reason != shown.reason { means.logger.error("\(shown)") }
    trouble = shown
    parts.served.change(to: .down(shown.reason))
    if shown.reason == .radioExhausted { parts.recovery.giveUp() }
  }

  /// Waits for an event or a time that can end the failure.
  private func pause(after reason: Reason) async {
    let deadline = means.loop.now + parts.recovery.takeDelay(after: reason)
    while !isEnding, means.loop.now < deadline {
      let disturbance = await means.alarm.wait(until: deadline)
      if disturbance.contains(.recovery) { return parts.recovery.obeyOperatorWhileDown() }
      if disturbance.isDisjoint(with: [.end, .channel, .added, .removed, .block]) { continue }
      // Such events come in bursts, and without end if two programs fight over a switch.
      if !isEnding { try? await means.loop.sleep(for: means.timing.settling) }
      return
    }
  }
}
