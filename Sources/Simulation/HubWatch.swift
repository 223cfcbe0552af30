// Invariants of a run, checked from outside the hub: from the world, the radio's ledger and the LEDs.

import Bluetooth
public import EventLoop
import Hub
import Lights
import RingStore

/// Checks a simulated hub every few seconds and records violations.
///
/// - never more links than slots; the links that the hub reports are exactly its channels
/// - no link and no attempt to a wearable that is not, or no longer, enrolled
/// - a hub that was started serves
/// - an enrolled wearable in range is served within the bound: a strap streams, one that stores data is visited
/// - data that a wearable erases is in the store at that moment
/// - scanning never pauses for longer than the controller makes one link, however many attempts wait
/// - the LEDs show the state of the world, with a short delay
@LoopActor
public final class HubWatch {
  /// Violations, oldest first; at most `violationLimit`.
  public private(set) var violations: [String] = []
  /// Times at which the hub was killed. A kill may have cost data that arrived within `window` before it.
  public private(set) var kills: [(at: Instant, window: Duration)] = []
  private(set) var addresses: [WearableID: BluetoothAddress] = [:]
  /// Times when wearables were removed from the registry: later values belong to another enrolment.
  private(set) var forgotten: [WearableID: Instant] = [:]
  /// The last time for each address.
  private var forgottenAt: [BluetoothAddress: Instant] = [:]
  /// Wearables with samples that an operator purged: the store must not contain any of them.
  private(set) var purged: Set<WearableID> = []
  /// Number of checks of the hub; `lampLooks` is that of the LEDs.
  public private(set) var looks = 0
  /// Number of checks of the LEDs.
  public var lampLooks: Int { pastLampLooks + (lamps?.looks ?? 0) }

  /// Maximum number of violations that are recorded.
  public nonisolated static let violationLimit = 20
  /// Longest time for opening a store and starting an adapter.
  private static let startBound: Duration = .seconds(10)
  private let world: VirtualWorld
  private let options: SimulatedHubOptions
  private var radios: [VirtualRadio] = []
  private var store: Store?
  private var hearth: Hearth?
  private var lamps: LEDWatch?
  private var pastLampLooks = 0
  private var timer: LoopTimer?
  private var startedAt = Instant(nanoseconds: 0)
  /// Times, one for each wearable of the world, in its order, up to which it was certainly not neglected.
  private var servedAt: [Instant] = []

  init(_ world: VirtualWorld, _ options: SimulatedHubOptions) {
    self.world = world
    self.options = options
  }

  func hubStarted(
    _ hearth: Hearth, _ radio: any Radio, _ radios: [VirtualRadio], _ store: Store, _ lights: LightDriver
  ) {
    self.hearth = hearth
    self.radios = radios
    self.store = store
    startedAt = world.loop.now
    custodySeen = nil
    lamps = LEDWatch(hearth, radio, radios, store, lights, loop: world.loop) { [weak self] in
      self?.report($0)
    }
    servedAt = world.peripherals.map { _ in world.loop.now }
    world.onErase = { [weak self] wearable, contents in self?.checkErase(of: wearable, contents) }
    let judged = unseen
    unseen = []
    for (wearable, contents) in judged { checkErase(of: wearable, contents) }
    schedule()
  }

  func hubStopped() {
    look()
    if let timer { world.loop.cancel(timer) }
    timer = nil
    hearth = nil
    radios = []
    store = nil
    pastLampLooks = lampLooks
    lamps?.end()
    lamps = nil
  }

  func hubKilled(window: Duration) {
    kills.append((world.loop.now, window))
    hubStopped()
  }

  func noteForgotten(_ wearable: WearableID, _ address: BluetoothAddress?) {
    addresses[wearable] = address
    forgotten[wearable] = world.loop.now
    if let address { forgottenAt[address] = world.loop.now }
  }

  func notePurged(_ wearable: WearableID) { purged.insert(wearable) }

  /// Records a violation that a scenario found.
  public func report(_ what: String) {
    if violations.count < Self.violationLimit {
      violations.append("\(world.loop.now.nanoseconds / 1_000_000_000) s: \(what)")
    }
  }

  private func schedule() {
    timer = world.loop.schedule(after: options.watchEvery) { [weak self] in
      self?.look()
      self?.schedule()
    }
  }

  private func look() {
    guard let hearth, let store, let lamps else { return }
    looks += 1
    // Only present ones: a removed wearable requires no service.
    var enrolled: [BluetoothAddress] = []
    for record in store.wearables {
      guard let address = record.address else { continue }
      addresses[record.id] = address
      enrolled.append(address)
    }
    checkLedger(hearth, enrolled)
    for radio in radios { checkAttempts(radio, enrolled) }
    checkStarvation(enrolled)
    lamps.look()
    checkCustody(store)
    checkLimits(store, hearth)
  }

  // MARK: Custody and limits

  /// State of each item at the last check; kept over restarts, because it is durable.
  private var custody: [WearableID: [String: CustodyRecord]] = [:]
  /// Time of the last check in this life of the hub, and the wearables linked then; nil: not yet.
  private var custodySeen: (at: Instant, linked: [BluetoothAddress])?

  /// Checks that the custody of unchanged content never goes backwards, and no receipt is lost. All wearables are
  /// checked after a start of the hub, and then those that were linked since the last check: others cannot have
  /// changed.
  private func checkCustody(_ store: Store) {
    let seen = custodySeen
    let linked = openChannels
    custodySeen = (world.loop.now, linked)
    func mayHaveChanged(_ address: BluetoothAddress) -> Bool {
      guard let seen else { return true }
      return linked.contains(address) || seen.linked.contains(address)
        || radios.contains { $0.ledger.lastAttempt[address].map { $0 >= seen.at } ?? false }
    }
    for wearable in store.wearables where wearable.address.map(mayHaveChanged) ?? true {
      guard let records = try? store.custody(of: wearable.id) else { continue }
      let before = custody[wearable.id] ?? [:]
      var now: [String: CustodyRecord] = [:]
      for record in records {
        now[record.id] = record
        guard let old = before[record.id], old.mark == record.mark else { continue }
        if old.erasedAt != nil {
          // An item that was removed and is reported again, byte for byte, starts anew: in a later visit, with other
          // receipts.
          let isAnew = record.visit > old.visit && !Set(old.receipts).isSubset(of: record.receipts)
          if record.erasedAt == nil, !isAnew {
            report("\(wearable.name): \(record.id) was erased and is not any more")
          }
          continue
        }
        if old.durableAt != nil, record.durableAt == nil {
          report("\(wearable.name): \(record.id) was durable and is not any more")
        }
        if old.durableAt != nil, record.durableAt != nil, !Set(old.receipts).isSubset(of: record.receipts) {
          report("\(wearable.name): \(record.id) lost a receipt")
        }
      }
      custody[wearable.id] = now
    }
  }

  private func checkLimits(_ store: Store, _ hearth: Hearth) {
    let status = store.status
    if status.fileBytes > options.storeBytes {
      report("the store takes \(status.fileBytes) of \(options.storeBytes) bytes")
    }
    // A journal chunk being written and one waiting for it, plus data that arrives meanwhile.
    if status.pendingBytes > 64 * options.commitBytes + 262_144 {
      report("\(status.pendingBytes) bytes wait for the disk")
    }
    let waiting = hearth.snapshot().laneQueue.count
    if waiting > store.wearables.count { report("\(waiting) wait for the lane, \(store.wearables.count) are enrolled") }
  }

  /// Channels of all adapters.
  private var openChannels: [BluetoothAddress] { radios.flatMap(\.openChannels) }

  private func checkLedger(_ hearth: Hearth, _ enrolled: [BluetoothAddress]) {
    let believed = hearth.wearables().filter { $0.linkedSince != nil }.map(\.address).sorted()
    // In mode `all` the hub also tries unknown devices, over links without an enrolment.
    let tries = options.hub.enrolmentMode == .all
    let open = tries ? openChannels.filter { enrolled.contains($0) } : openChannels
    if believed != open.sorted() {
      report("the hub believes in links to \(believed), its channels are \(openChannels)")
    }
    let starts = radios.contains { $0.state == .starting }
    if starts, world.loop.now - startedAt > Self.startBound { report("started, and does not serve") }
  }

  private func checkAttempts(_ radio: VirtualRadio, _ enrolled: [BluetoothAddress]) {
    let ledger = radio.ledger
    // A controller that drops a link has one too many for a moment.
    let most = radio.options.slots + (radio.options.dropsWhenFull ? 2 : 0)
    if ledger.mostLinks > most { report("\(ledger.mostLinks) links, \(radio.options.slots) slots") }
    if options.hub.enrolmentMode != .all {
      for address in ledger.attemptedEver where !isEnrolled(address) {
        report("\(address) was never enrolled, and a connect was tried")
      }
      for address in ledger.connectedEver where !isEnrolled(address) {
        report("\(address) was never enrolled, and was connected")
      }
    }
    // An attempt that waits for an advertisement does not stop scanning; links are made one at a time.
    let bound = VirtualRadio.creationLimit + .milliseconds(100)
    let pause = max(ledger.longestScanPause, radio.scanPause)
    if pause > bound { report("scanning was off for \(pause)") }
    for wearable in world.peripherals {
      guard let end = forgottenAt[wearable.address], !enrolled.contains(wearable.address),
        let attempt = ledger.lastAttempt[wearable.address]
      else { continue }
      if attempt > end { report("\(wearable.label) was forgotten, and a connect was tried") }
    }
  }

  private func isEnrolled(_ address: BluetoothAddress) -> Bool { addresses.contains { $0.value == address } }

  private func checkStarvation(_ enrolled: [BluetoothAddress]) {
    let now = world.loop.now
    let serves = radios.allSatisfy { $0.state == .ready }
    for (index, wearable) in world.peripherals.enumerated() {
      if index >= servedAt.count { servedAt.append(now) }
      let mayWait =
        wearable.mustBeServed && !wearable.isSpoiled && wearable.isInRange && serves && !world.isHung
        && enrolled.contains(wearable.address)
      if let served = wearable.servedAt, served > servedAt[index] { servedAt[index] = served }
      if !mayWait { servedAt[index] = now }
      let bound = wearable.isOwedVisits ? options.visitBound : options.starvationBound
      if now - servedAt[index] > bound {
        let what = wearable.isOwedVisits ? "been visited" : "streamed"
        report(
          """
          \(wearable.label) (\(wearable.address)) is present and has not \(what) for \
          \(Int((now - servedAt[index]).inSeconds)) s
          """
        )
        servedAt[index] = now
      }
    }
  }

  // MARK: Erasing

  /// Number of erasures checked, and of erased files.
  public private(set) var erasures = 0
  /// Erased files that were checked.
  public private(set) var erasedFiles = 0

  /// Erasures requested by a hub that was killed before they happened: checked against the store of the next life.
  private var unseen: [(wearable: VirtualPeripheral, contents: [(name: String, content: HeldContent)])] = []

  /// Checks that data a wearable is about to remove is in the store, byte for byte, before any time passes.
  private func checkErase(of wearable: VirtualPeripheral, _ contents: [(name: String, content: HeldContent)]) {
    guard let store else { return unseen.append((wearable, contents)) }
    erasures += 1
    erasedFiles += contents.count
    let records = (store.retiredWearables + store.wearables).filter { $0.addressValue == wearable.address.value }
    world.loop.spawn { [weak self] in
      do {
        var missing = contents
        // Searches further back step by step, because a month of a wearable is hundreds of megabytes.
        for depth in [256, 2048, nil] where !missing.isEmpty {
          // Data stored under an earlier enrolment counts as well.
          var raw: [RawItems] = []
          for record in records { raw.append(try await RawItems(of: record.id, in: store, newest: depth)) }
          missing.removeAll { RawItems.contain($0.content, raw) }
        }
        for (name, content) in missing {
          self?.report("\(wearable.label) erases \(name), whose \(content.joined().count) bytes are not in the store")
        }
      } catch { self?.report("the store could not be read when \(wearable.label) erased: \(error)") }
    }
  }
}
