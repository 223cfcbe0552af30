// What must hold at every moment of a run, looked at from outside the hub: from the world, the radio's ledger and the lamps.

import Bluetooth
public import EventLoop
import Hub
import Lights
import RingStore

/// Looks at a simulated hub every few seconds and writes down what should not be.
///
/// - never more links than slots; what the hub believes to be linked are exactly the channels it holds
/// - no link and no attempt to a wearable that is not enrolled
/// - an enrolled strap that is present streams within the bound
/// - scanning is never off for longer than one connect may take
/// - the lamps say what the world is like, once it held still for long enough to be said
@LoopActor
public final class HubWatch {
  /// What went wrong, oldest first; at most `violationLimit`.
  public private(set) var violations: [String] = []
  /// Spans in which the hub did not run. A kill may have cost what came within `window` before it.
  public private(set) var kills: [(at: WallTime, window: Duration)] = []
  private(set) var addresses: [WearableID: BluetoothAddress] = [:]
  /// How many looks there were, and how many of them could judge the lamps.
  public private(set) var looks = 0
  public private(set) var lampLooks = 0

  nonisolated static let violationLimit = 20
  /// A code is held for 10 s and a cycle takes up to 4 s before the lamps may say something else.
  private static let lampPatience: Duration = .seconds(20)

  private let world: VirtualWorld
  private let options: SimulatedHubOptions
  private var radio: VirtualRadio?
  private var store: Store?
  private var hearth: Hearth?
  private var lights: LightDriver?
  private var timer: LoopTimer?
  /// Per strap of the world, in its order: until when it was certainly not neglected.
  private var servedAt: [Instant] = []
  private var said: (LampView, since: Instant)?
  /// Samples that the store gave up although nobody had exported them, and when that was last seen in this life of the hub.
  private var evictedUnexported: UInt64 = 0
  private var lostAt: Instant?

  /// What the lamps are about, seen from the world.
  private struct LampView: Equatable {
    var isServing: Bool
    var hasLinks: Bool
    var isFull: Bool
    /// 9 all is well, 3 over the budget, 4 samples were lost that nobody had exported: as on the STORE lamp.
    var store: Int
  }

  init(_ world: VirtualWorld, _ options: SimulatedHubOptions) {
    self.world = world
    self.options = options
  }

  func hubStarted(_ hearth: Hearth, _ radio: VirtualRadio, _ store: Store, _ lights: LightDriver) {
    self.hearth = hearth
    self.radio = radio
    self.store = store
    self.lights = lights
    servedAt = world.straps.map { _ in world.loop.now }
    said = nil
    evictedUnexported = store.status.evictedUnexported
    lostAt = nil
    schedule()
  }

  func hubStopped() {
    look()
    if let timer { world.loop.cancel(timer) }
    timer = nil
    hearth = nil
    radio = nil
    store = nil
    lights = nil
  }

  func hubKilled(window: Duration) {
    kills.append((world.loop.wall, window))
    hubStopped()
  }

  /// For checks of a scenario's own.
  public func report(_ what: String) {
    if violations.count < Self.violationLimit { violations.append("\(world.loop.now.nanoseconds / 1_000_000_000) s: \(what)") }
  }

  private func schedule() {
    timer = world.loop.schedule(after: options.watchEvery) { [weak self] in
      self?.look()
      self?.schedule()
    }
  }

  private func look() {
    guard let hearth, let radio, let store, let lights else { return }
    looks += 1
    for record in store.wearables {
      guard let kind = BluetoothAddress.Kind(rawValue: record.addressKind) else { continue }
      addresses[record.id] = BluetoothAddress(value: record.addressValue, kind: kind)
    }
    checkLedger(radio, hearth)
    checkStarvation(radio)
    checkLamps(radio, store, lights)
  }

  private func checkLedger(_ radio: VirtualRadio, _ hearth: Hearth) {
    let ledger = radio.ledger
    if ledger.mostLinks > options.radio.slots { report("\(ledger.mostLinks) links, \(options.radio.slots) slots") }
    let believed = hearth.wearables().filter { $0.linkedSince != nil }.map(\.address).sorted()
    if believed != radio.openChannels.sorted() { report("the hub believes in links to \(believed), its channels are \(radio.openChannels)") }
    for address in ledger.attemptedEver where !isEnrolled(address) { report("\(address) was never enrolled, and a connect was tried") }
    for address in ledger.connectedEver where !isEnrolled(address) { report("\(address) was never enrolled, and was connected") }
    let bound = options.hub.connectDeadline + .milliseconds(100)
    if ledger.longestScanPause > bound { report("scanning was off for \(ledger.longestScanPause)") }
  }

  private func isEnrolled(_ address: BluetoothAddress) -> Bool { addresses.contains { $0.value == address } }

  private func checkStarvation(_ radio: VirtualRadio) {
    let now = world.loop.now
    for (index, strap) in world.straps.enumerated() {
      if index >= servedAt.count { servedAt.append(now) }
      let mayWait = strap.mustBeServed && strap.isInRange && radio.state == .ready && isEnrolled(strap.address)
      if strap.subscribedAt != nil || !mayWait { servedAt[index] = now }
      if now - servedAt[index] > options.starvationBound {
        report("\(strap.traits.name) (\(strap.address)) is present and has not streamed for \(Int((now - servedAt[index]).inSeconds)) s")
        servedAt[index] = now
      }
    }
  }

  /// From the store's own counters: a loss is news for a day of the hub's life.
  private func storeLamp(_ store: Store) -> Int {
    let status = store.status
    if status.evictedUnexported > evictedUnexported { lostAt = world.loop.now }
    evictedUnexported = status.evictedUnexported
    if status.wear.isOverBudget { return 3 }
    return lostAt.map { world.loop.now - $0 < .seconds(86_400) } ?? false ? 4 : 9
  }

  private func checkLamps(_ radio: VirtualRadio, _ store: Store, _ lights: LightDriver) {
    let links = radio.openChannels.count
    let view = LampView(
      isServing: radio.state == .ready, hasLinks: links > 0, isFull: links >= options.radio.slots, store: storeLamp(store))
    if said?.0 != view { said = (view, world.loop.now) }
    guard let said, world.loop.now - said.since >= Self.lampPatience else { return }
    lampLooks += 1
    for meaning in lights.meanings {
      switch meaning.lamp {
      case .hub:
        // 9: serving; 4: the radio is being recovered.
        if meaning.precedence != (view.isServing ? 9 : 4) { report("HUB says '\(meaning.meaning)', serving: \(view.isServing)") }
      case .link:
        // 8: links up; 9: nobody; 5: an enrolment window; 4: all slots busy and someone overdue.
        let allowed = (view.hasLinks ? [8] : [9]) + [5] + (view.isFull ? [4] : [])
        if !allowed.contains(meaning.precedence) { report("LINK says '\(meaning.meaning)' with \(links) links") }
      case .store:
        // 5: it is packing.
        let allowed = view.store == 9 ? [5, 8, 9] : [view.store]
        if !allowed.contains(meaning.precedence) { report("STORE says '\(meaning.meaning)', not row \(view.store)") }
      }
    }
  }
}
