// Number of links and slots: compares the ledger with the kernel's own list, and stores the learned limits.

import Bluetooth
import EventLoop

@LoopActor
final class SlotKeeper {
  private let adapter: Adapter
  private var ledger: SlotLedger
  private var told: LearnedSlots?
  /// Address of the ledger's controller.
  private var address: UInt64?
  private var isReconciling = false
  private var mustReconcile = false
  /// Called with the capacity that a controller showed; nil: it is no longer believed.
  var onLearned: (@LoopActor (_ adapter: UInt64, LearnedSlots?) -> Void)?
  /// Returns what was learned of a controller in an earlier run.
  var recall: @LoopActor (_ adapter: UInt64) -> LearnedSlots? = { _ in nil }

  init(_ adapter: Adapter, _ options: LinuxRadioOptions) {
    self.adapter = adapter
    ledger = SlotLedger(options.slots)
  }

  private var now: Instant { adapter.means.loop.now }

  /// Links of the controller, whichever program made them.
  var count: Int { ledger.count }
  var slots: Int { ledger.slots(at: now) }
  var isFull: Bool { ledger.isFull(at: now) }
  /// See `RadioFacts.isClimbing`.
  var isClimbing: Bool { ledger.climbs(at: now) }
  func contains(_ link: BluetoothAddress) -> Bool { ledger.links.contains(link) }

  /// Origin of the number of slots.
  var source: RadioCare.SlotSource {
    if ledger.learned(at: now) != nil { return .learned }
    if case .fixed = adapter.means.options.slots { return .configured }
    return .standard
  }

  func connected(_ address: BluetoothAddress) {
    ledger.connected(address, at: now)
    reconcile()
    // A link that lasts this long counts as carried.
    adapter.means.loop.schedule(after: SlotLedger.steady) { [weak self] in self?.settle() }
  }

  func disconnected(_ address: BluetoothAddress, isLost: Bool) {
    ledger.disconnected(address, isLost: isLost, at: now)
    tell()
    reconcile()
  }

  private func settle() {
    ledger.settle(now)
    tell()
  }

  /// Replaces the ledger by the kernel's list.
  func rebuild(_ links: [BluetoothAddress]) { ledger.rebuild(links) }

  /// Called when a controller is about to serve; another controller has its own ledger.
  func serve(_ address: UInt64) {
    if address == self.address { return }
    self.address = address
    ledger.forget()
    if let known = recall(address) { ledger.believe(known, at: now) }
    told = ledger.learned(at: now)
  }

  /// Notes that the controller refused one more link.
  func refused() {
    ledger.refused(at: now)
    tell()
    adapter.means.logger.notice("the controller carries no more than \(slots) links")
  }

  /// Reports what was learned when it changed, also when it is no longer believed.
  private func tell() {
    let learned = ledger.learned(at: now)
    guard learned != told, let address else { return }
    told = learned
    onLearned?(address, learned)
    if let end = ledger.forgetsAt(now) {
      adapter.means.loop.schedule(after: end - now) { [weak self] in self?.tell() }
    }
  }

  /// Compares the ledger with the kernel's list: events can be lost when a buffer overflows, the list cannot. Only one
  /// query runs at a time; it is repeated if a link changed meanwhile.
  private func reconcile() {
    mustReconcile = true
    if isReconciling { return }
    isReconciling = true
    adapter.means.loop.spawn { await self.reconcileUntilStill() }
  }

  private func reconcileUntilStill() async {
    defer { isReconciling = false }
    while mustReconcile, adapter.usableState == .ready, let identity = adapter.identity {
      mustReconcile = false
      guard let reply = try? await adapter.channel.perform(.getConnections, index: identity.index) else { return }
      if !mustReconcile, adapter.usableState == .ready, let links = ManagementReply.connections(reply) {
        ledger.rebuild(links)
      }
    }
  }
}
