// Probe of the controller every few seconds, however much is heard. The command exists on every controller, changes no
// state, and cannot be answered by the kernel itself.

import Bluetooth
import EventLoop

/// Reads the address of the serving controller over its own raw HCI socket, and reports if there is no response. A
/// response to any command, including the kernel's, is proof too. So the controller is probed only after `timing.pulse`
/// without one. No probe is sent while one connect after another is under way to wearables that do not respond.
///
/// Management commands do not suit. The kernel answers most of them by itself, and those that reach the controller
/// change its state. A raw command goes through the kernel's queue like its own commands and is not delayed by an LE
/// Create Connection. The probe needs no capability: the kernel lets every process send Read BD_ADDR and read responses
/// to commands.
@LoopActor
final class ControllerPulse {
  private let loop: any Loop
  private let kernel: any RadioKernel
  private let counters: RadioCounters
  private let timing: AdapterTiming
  private var port: (any ManagementPort)?
  private var timer: LoopTimer?
  /// Probes without a response, in a row.
  private(set) var missed = 0
  /// Whether the kernel may be waiting for the response to an LE Create Connection. A response to our probe would end
  /// that wait instead. The kernel would then not cancel the command after its 3 s, and could make no other link
  /// meanwhile.
  var isLinkBeingMade: @LoopActor () -> Bool = { false }
  /// Time since which a probe has been delayed for that reason.
  private var putOffSince: Instant?
  /// Called once, after `timing.pulsesMissed` probes in a row without a response.
  var onSilence: (@LoopActor () -> Void)?

  init(loop: any Loop, kernel: any RadioKernel, counters: RadioCounters, timing: AdapterTiming) {
    (self.loop, self.kernel, self.counters, self.timing) = (loop, kernel, counters, timing)
  }

  /// Starts with a controller that has just responded. If the socket cannot be opened, no probe is sent; then only the
  /// advertisements show whether the radio works.
  func begin(_ index: UInt16) {
    end()
    port = try? kernel.openPulse(
      index, receive: { [weak self] in self?.receive($0) }, failed: { [weak self] _ in self?.end() })
    if port != nil { arm(timing.pulse) { $0.ask() } }
  }

  /// Probes a controller that is not in service once: false if the probe was sent and got no response.
  func answers(_ index: UInt16) async -> Bool {
    let answer = Answer<Bool>(loop: loop)
    let once = try? kernel.openPulse(
      index, receive: { if HCICommand.isAnswerToReadAddress($0) { answer.give(true) } },
      failed: { _ in answer.give(true) })
    guard let once else { return true }
    defer { once.close() }
    if once.send(HCICommand.readAddress) != 0 { return true }
    let isGiven = await answer.wait(until: loop.now + timing.pulseAnswer) ?? false
    once.drain()
    return isGiven || answer.isGiven
  }

  func end() {
    if let timer { loop.cancel(timer) }
    timer = nil
    port?.close()
    port = nil
    missed = 0
    putOffSince = nil
  }

  private func arm(_ wait: Duration, _ body: @escaping @LoopActor (ControllerPulse) -> Void) {
    if let timer { loop.cancel(timer) }
    timer = loop.schedule(after: wait) { [weak self] in
      guard let self else { return }
      timer = nil
      body(self)
    }
  }

  private func ask() {
    if missed == 0, isLinkBeingMade() {
      let since = putOffSince ?? loop.now
      putOffSince = since
      if loop.now - since < timing.pulsePutOff { return arm(timing.pulseLook) { $0.ask() } }
    }
    putOffSince = nil
    // A probe that cannot be sent proves no fault of the controller: the kernel reports an adapter that is down or
    // gone.
    guard let port, port.send(HCICommand.readAddress) == 0 else { return arm(timing.pulse) { $0.ask() } }
    arm(timing.pulseAnswer) { $0.judge() }
  }

  private func receive(_ packet: RawBytes) {
    guard HCICommand.isAnswer(packet) else { return }
    missed = 0
    putOffSince = nil
    arm(timing.pulse) { $0.ask() }
  }

  private func judge() {
    // After a pause of the machine the response may be waiting unread.
    port?.drain()
    if timer != nil || port == nil { return }
    missed += 1
    counters.pulsesMissed += 1
    if missed < timing.pulsesMissed { return ask() }
    end()
    onSilence?()
  }
}
