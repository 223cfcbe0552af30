// Composition of the adapter's components. Each keeps its own state; a later line depends on earlier ones only.

import EventLoop

struct AdapterParts {
  let means: AdapterMeans
  let served: ServedAdapter
  let commands: AdapterCommands
  let sockets: AdapterSockets
  let selection: AdapterSelection
  let scan: AdapterScan
  let pulse: ControllerPulse
  let bonding: BondingMode
  let keys: KernelKeys
  let initialisation: AdapterInitialisation
  let takeover: TakeoverWatch
  let events: AdapterEvents
  let recovery: AdapterRecovery

  @LoopActor
  init(_ means: AdapterMeans) {
    self.means = means
    served = ServedAdapter()
    commands = AdapterCommands(channel: means.channel, served: served, logger: means.logger)
    sockets = AdapterSockets(means)
    selection = AdapterSelection(means, commands: commands, served: served)
    scan = AdapterScan(means, commands: commands)
    pulse = ControllerPulse(loop: means.loop, kernel: means.kernel, counters: means.counters, timing: means.timing)
    bonding = BondingMode(means, commands: commands, served: served)
    keys = KernelKeys(means, commands: commands, served: served)
    initialisation = AdapterInitialisation(
      means, commands: commands, served: served, scan: scan, pulse: pulse, bonding: bonding, keys: keys)
    takeover = TakeoverWatch(means)
    events = AdapterEvents(means, served: served, scan: scan, keys: keys, takeover: takeover)
    recovery = AdapterRecovery(means, selection: selection, served: served, scan: scan)
  }
}
