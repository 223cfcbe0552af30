// The adapter as the radio knows it: its life, what it is and what it can be asked.

import Bluetooth
import EventLoop
import Logging
import Reasons

@LoopActor
final class Adapter {
  private let parts: AdapterParts
  private let life: AdapterLife

  init(
    loop: any Loop, kernel: any RadioKernel, options: LinuxRadioOptions, timing: AdapterTiming, scanner: Scanner,
    counters: RadioCounters, logger: Logger, claims: AdapterClaims? = nil
  ) {
    parts = AdapterParts(
      AdapterMeans(
        loop: loop, kernel: kernel, options: options, timing: timing,
        channel: ManagementChannel(loop: loop, counters: counters), scanner: scanner, counters: counters,
        logger: logger, alarm: Alarm(loop: loop), claims: claims, place: claims?.enter() ?? 0))
    life = AdapterLife(parts)
  }

  // MARK: Life

  /// What the adapter reports to the radio, and asks of it.
  struct Observer {
    /// Link events of the serving adapter.
    let onLinkEvent: @LoopActor (ManagementEvent) -> Void
    /// See `AdapterLife.onLinks`.
    let onLinks: @LoopActor (_ links: [BluetoothAddress]) -> Void
    let linkCount: @LoopActor () -> Int
    /// See `ControllerPulse.isLinkBeingMade`.
    let isLinkBeingMade: @LoopActor () -> Bool
    /// Pairing questions can be answered.
    let pairs: @LoopActor () -> Bool
    /// All keys, whole.
    let keys: @LoopActor () -> (identity: [IdentityKey], longTerm: [LongTermKey])
  }

  func start(_ observer: Observer) {
    parts.events.onLinkEvent = observer.onLinkEvent
    life.onLinks = observer.onLinks
    parts.recovery.quiet.linkCount = observer.linkCount
    parts.pulse.isLinkBeingMade = observer.isLinkBeingMade
    parts.bonding.pairs = observer.pairs
    parts.keys.all = observer.keys
    life.start()
  }

  /// Ends scanning and the flow; returns when both are over.
  func end() async { await life.end() }

  /// Takes what the kernel has said so far, before something is judged by it.
  func catchUp() { channel.port?.drain() }

  /// A link ended or failed in a way that says the controller may be deaf.
  func suspect() { parts.means.alarm.raise(.quiet) }

  /// The controller makes no link any more, and does not say why.
  func refusesLinks() { parts.means.alarm.raise(.refused) }

  // MARK: What it is

  var means: AdapterMeans { parts.means }
  var channel: ManagementChannel { means.channel }
  /// The adapter that serves, or served last.
  var identity: AdapterIdentity? { parts.served.identity }
  /// As the kernel said last, of `identity`.
  var settings: AdapterSettings { parts.served.settings }
  var state: RadioState { parts.served.state }
  /// Not ready from the moment in which the kernel says that the adapter is off or gone, before it is judged why: an
  /// attempt made then costs a wearable one of its turns.
  var usableState: RadioState { state == .ready && !settings.contains(.powered) ? .starting : state }
  var onStateChange: (@LoopActor (RadioState) -> Void)? {
    get { parts.served.onStateChange }
    set { parts.served.onStateChange = newValue }
  }
  var trouble: HearthError? { life.trouble }
  /// Why the adapter has another address than bonds were made with.
  var addressTrouble: HearthError? { parts.initialisation.address.trouble }
  /// Revision of the management interface; what a kernel can do goes by it.
  var managementRevision: UInt16 { parts.initialisation.managementRevision }
  /// Our advertisement monitor stands.
  var isMonitoring: Bool { parts.scan.monitor != nil }

  // MARK: Owners that the radio speaks to

  var bonding: BondingMode { parts.bonding }
  var keys: KernelKeys { parts.keys }
  var takeover: TakeoverWatch { parts.takeover }
  var recovery: AdapterRecovery { parts.recovery }
}
