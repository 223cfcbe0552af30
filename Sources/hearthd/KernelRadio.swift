// The kernel's radio, as the configuration wants it.

import Bluetooth
import Configuration
import EventLoop
import LinuxBluetooth
import Logging
import Reasons

/// - Parameter giveUp: nothing revives the radio: ends, with a status for which systemd starts the hub again. Before it
///   a reboot is asked for, if that is next.
@LoopActor
func makeKernelRadio(
  _ settings: Configuration, loop: EpollLoop, _ logger: Logger, giveUp: @escaping @LoopActor () -> Void
) -> LinuxRadio {
  let adapter: AdapterChoice =
    switch settings.radio.adapter {
    case .automatic: .automatic
    case .usb: .bus(.usb)
    case .uart: .bus(.uart)
    case .address(let text): BluetoothAddress(text, kind: .lePublic).map { .address($0) } ?? .automatic
    }
  let memory = RadioMemory(storePath: settings.store.path)
  var options = LinuxRadioOptions(
    adapter: adapter, unblocksAdapter: settings.radio.unblocksRFKill,
    slots: settings.radio.slots.map { .fixed($0) } ?? .learn, learnedSlots: memory.slots,
    silence: settings.radio.watchdog, rebootsPerDay: settings.radio.reboot == .daily ? 1 : 0,
    stampFile: memory.stampFile, helperRequest: memory.helperRequest)
  options.address = settings.radio.takenAddress
  let radio = LinuxRadio(loop: loop, options: options, logger: logger)
  radio.onSlotsLearned = { memory.keep(slots: $0) }
  radio.onGiveUp = { surrender in
    if surrender == .reboot, !memory.askForReboot() {
      logger.error("a reboot is wanted, and the file that asks for it could not be written")
    }
    giveUp()
  }
  return radio
}
