// Does the controller still answer? Asked every few seconds while it serves, whatever is heard: a command that any
// controller knows, that changes nothing, and that the kernel cannot answer in its stead.

import Bluetooth
import EventLoop

/// Asks the serving controller for its address, over a raw HCI socket of its own, and tells when it does not answer.
/// An answer to any command, the kernel's own included, shows as much: it is asked only after `timing.pulse` without
/// one. Beside wearables that take no connection, and of which one after the other is being connected, it is never
/// asked.
///
/// Management commands do not serve: the kernel answers most of them by itself, and those that reach the controller
/// change something. A raw command goes through the kernel's queue like its own and is not held up by an LE Create
/// Connection. No capability is needed: Read BD_ADDR and answers to commands are among what the kernel lets everybody
/// use.
@LoopActor
final class ControllerPulse {
  private let loop: any Loop
  private let kernel: any RadioKernel
  private let counters: RadioCounters
  private let timing: AdapterTiming
  private var port: (any ManagementPort)?
  private var timer: LoopTimer?
  /// Asked and not answered, in a row.
  private(set) var missed = 0
  /// The kernel may be waiting for the answer to an LE Create Connection. An answer of ours would end that wait in its
  /// stead: then nothing cancels the command after the kernel's 3 s, and nobody else is connected while it stands.
  var isLinkBeingMade: @LoopActor () -> Bool = { false }
  /// Since when a question is put off for that.
  private var putOffSince: Instant?
  /// Called once, when `timing.pulsesMissed` in a row were not answered.
  var onSilence: (@LoopActor () -> Void)?

  init(loop: any Loop, kernel: any RadioKernel, counters: RadioCounters, timing: AdapterTiming) {
    (self.loop, self.kernel, self.counters, self.timing) = (loop, kernel, counters, timing)
  }

  /// Begins with a controller that has just answered. Where the socket cannot be had, nothing is asked: what is heard
  /// is all there is to judge by then.
  func begin(_ index: UInt16) {
    end()
    port = try? kernel.openPulse(
      index, receive: { [weak self] in self?.receive($0) }, failed: { [weak self] _ in self?.end() })
    if port != nil { arm(timing.pulse) { $0.ask() } }
  }

  /// One question, to a controller that does not serve: false if it was asked and did not answer.
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
    // What cannot be sent says nothing of the controller: an adapter that is down or gone is told by the kernel.
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
    // On a machine that stood still the answer may be there and not yet read.
    port?.drain()
    if timer != nil || port == nil { return }
    missed += 1
    counters.pulsesMissed += 1
    if missed < timing.pulsesMissed { return ask() }
    end()
    onSilence?()
  }
}
