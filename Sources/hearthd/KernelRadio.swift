// The kernel's radios according to the configuration: one for each adapter to use.

import Bluetooth
import Configuration
import EventLoop
import LinuxBluetooth
import Logging
import RadioPool
import Reasons

/// Creates the radios of a hub, and a further one whenever there is an adapter for it.
@LoopActor
final class KernelRadios {
  private let settings: Configuration
  private let loop: EpollLoop
  private let logger: Logger
  private let memory: RadioMemory
  private let claims = AdapterClaims()
  private let giveUp: @LoopActor () -> Void
  let pool: RadioPool
  private var radios: [LinuxRadio] = []
  /// Called when the hub has an adapter again that another program changed.
  var onTakenOver: (@LoopActor (RadioTakeover) -> Void)? {
    didSet { for radio in radios { radio.onTakenOver = onTakenOver } }
  }

  /// - Parameter giveUp: called if no radio can be revived: ends the process with a status for which systemd restarts
  ///   the hub. If a reboot is the next step, it is requested before.
  init(_ settings: Configuration, loop: EpollLoop, _ logger: Logger, giveUp: @escaping @LoopActor () -> Void) {
    self.settings = settings
    self.loop = loop
    self.logger = logger
    self.giveUp = giveUp
    memory = RadioMemory(storePath: settings.store.path)
    pool = RadioPool(loop, listening: settings.radio.listening)
    // A restored store sets the first address.
    claims.staticAddress = { [memory, taken = settings.radio.takenStaticAddress] place in
      (place == 0 ? taken : nil) ?? memory.staticAddress(place)
    }
    add()
    if settings.radio.adapter == .automatic { claims.onSpare = { [weak self] in self?.add() } }
  }

  private func add() {
    if radios.count >= RadioPool.limit { return }
    var options = LinuxRadioOptions(
      adapter: settings.radio.choice, unblocksAdapter: settings.radio.unblocksRFKill,
      slots: settings.radio.slots.map { .fixed($0) } ?? .learn, silence: settings.radio.watchdog,
      rebootsPerDay: settings.radio.reboot == .daily ? 1 : 0, stampFile: memory.stampFile,
      helperRequest: memory.helperRequest)
    // At most one adapter takes the address of the earlier hub.
    if radios.isEmpty { (options.address, options.preferred) = (settings.radio.takenAddress, memory.firstAdapter) }
    let radio = LinuxRadio(loop: loop, options: options, logger: logger, claims: claims)
    // Keys stored before adapters were recorded belong to the first one.
    if radios.isEmpty { radio.onServing = { [memory] in memory.noteFirst($0) } }
    radio.recallSlots = { [memory, loop] in memory.slots(of: $0, at: loop.wall) }
    radio.onSlotsLearned = { [memory, loop] in memory.keep($1, of: $0, at: loop.wall) }
    radio.isLast = { [weak self, weak radio] in
      guard let self, let radio else { return false }
      return !pool.serves(without: radio)
    }
    radio.onGiveUp = { [weak self] in self?.surrender($0) }
    radio.onTakenOver = onTakenOver
    radios.append(radio)
    pool.add(radio)
  }

  private func surrender(_ surrender: RadioSurrender) {
    if surrender == .reboot, !memory.askForReboot() {
      logger.error("a reboot is wanted, and the file that asks for it could not be written")
    }
    giveUp()
  }
}

extension Configuration.Radio {
  /// Rule by which each radio selects its adapter.
  fileprivate var choice: AdapterChoice {
    if adapter != .automatic { return AdapterChoice(adapter) }
    let excluded = adapters.excluded.compactMap { BluetoothAddress($0, kind: .lePublic) }.map { AdapterChoice.not($0) }
    let rules = adapters.named.map { AdapterChoice($0) } + excluded
    return rules.isEmpty ? .automatic : .any(rules)
  }
}

extension Configuration.Radio {
  /// Rule for the adapter that only listens.
  fileprivate var listening: ListeningRule {
    switch listen {
    case .automatic: .automatic
    case .never: .never
    case .address(let text): BluetoothAddress(text, kind: .lePublic).map { .adapter($0.value) } ?? .automatic
    }
  }
}

extension AdapterChoice {
  fileprivate init(_ adapter: Configuration.Adapter) {
    switch adapter {
    case .automatic: self = .automatic
    case .usb: self = .bus(.usb)
    case .uart: self = .bus(.uart)
    case .address(let text): self = BluetoothAddress(text, kind: .lePublic).map { .address($0) } ?? .automatic
    }
  }
}
