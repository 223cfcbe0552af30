// The adapter as the radio sees it: its life cycle, its state and its operations.

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

  /// Callbacks and queries of the adapter to the radio.
  struct Observer {
    /// Link events of the serving adapter.
    let onLinkEvent: @LoopActor (ManagementEvent) -> Void
    /// See `AdapterLife.onLinks`.
    let onLinks: @LoopActor (_ links: [BluetoothAddress]) -> Void
    let linkCount: @LoopActor () -> Int
    /// See `ControllerPulse.isLinkBeingMade`.
    let isLinkBeingMade: @LoopActor () -> Bool
    /// Whether pairing questions can be answered.
    let pairs: @LoopActor () -> Bool
    /// The complete lists of keys.
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

  /// Ends scanning and the adapter's task; returns when both have ended.
  func end() async { await life.end() }

  /// Reads all pending messages of the kernel, so that a decision rests on the newest state.
  func catchUp() { channel.port?.drain() }

  /// Reports a link that ended or failed in a way that suggests a controller that receives no advertisements.
  func suspect() { parts.means.alarm.raise(.quiet) }

  /// Reports that the controller refuses every link without giving a reason.
  func refusesLinks() { parts.means.alarm.raise(.refused) }

  // MARK: State

  var means: AdapterMeans { parts.means }
  var channel: ManagementChannel { means.channel }
  /// The adapter in service, or the last one in service.
  var identity: AdapterIdentity? { parts.served.identity }
  /// Last settings that the kernel reported for `identity`.
  var settings: AdapterSettings { parts.served.settings }
  var state: RadioState { parts.served.state }
  /// State for new attempts: not ready from the moment the kernel reports the adapter off or gone, before the cause is
  /// known. An attempt made then would cost a wearable one of its turns.
  var usableState: RadioState { state == .ready && !settings.contains(.powered) ? .starting : state }
  var onStateChange: (@LoopActor (RadioState) -> Void)? {
    get { parts.served.onStateChange }
    set { parts.served.onStateChange = newValue }
  }
  var trouble: HearthError? { life.trouble }
  /// Reason why the adapter has another address than bonds were made with.
  var addressTrouble: HearthError? { parts.initialisation.address.trouble }
  /// Revision of the management interface; it shows the kernel's abilities.
  var managementRevision: UInt16 { parts.initialisation.managementRevision }
  /// Whether our advertisement monitor is registered.
  var isMonitoring: Bool { parts.scan.monitor != nil }

  // MARK: Components for the radio

  var bonding: BondingMode { parts.bonding }
  var keys: KernelKeys { parts.keys }
  var takeover: TakeoverWatch { parts.takeover }
  var recovery: AdapterRecovery { parts.recovery }
}
