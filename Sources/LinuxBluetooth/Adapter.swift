// The life of the adapter: found, initialised, served, lost, found again. One flow, in the order of its text:
//
//     for ever:
//       open the management sockets                     no Bluetooth in the kernel: H3106
//       choose an adapter by rule                       none: H3101, not the configured one: H3109, gone: H3104
//       lift or report a radio switch                   H3103
//       if it was silent: the next rung of the ladder   H3105, H3199
//       initialise it (AdapterInitialisation)           no capability: H3107, refused: H3111
//       serve until something happens beneath
//       say why not, wait for the event or the time that can change it

import Bluetooth
import EventLoop
import Glibc
import Logging
import Reasons

@LoopActor
final class Adapter {
  let loop: any Loop
  let kernel: any RadioKernel
  let options: LinuxRadioOptions
  let timing: AdapterTiming
  let channel: ManagementChannel
  let scanner: Scanner
  let counters: RadioCounters
  let logger: Logger
  let alarm: Alarm
  let pulse: ControllerPulse

  var state = RadioState.starting
  /// The adapter that serves, or served last.
  private(set) var identity: AdapterIdentity?
  /// As the kernel said last, of `identity`.
  var settings: AdapterSettings = []
  /// The handle of our advertisement monitor, while it stands.
  var monitor: UInt16?
  private(set) var trouble: HearthError?
  var bluetoothDaemons: [Int32] = []
  /// Those that were there at the look before.
  var formerDaemons: [Int32] = []

  var onStateChange: (@LoopActor (RadioState) -> Void)?
  /// Link events of the serving adapter.
  var onLinkEvent: (@LoopActor (ManagementEvent) -> Void)?
  /// The kernel's list of links, asked at every initialisation; `isFresh` if it is another adapter than before.
  var onLinks: (@LoopActor (_ links: [BluetoothAddress], _ isFresh: Bool) -> Void)?
  var linkCount: @LoopActor () -> Int = { 0 }
  /// Somebody is there to answer pairing questions.
  var pairs: @LoopActor () -> Bool = { false }
  /// All keys, whole.
  var keys: @LoopActor () -> (identity: [IdentityKey], longTerm: [LongTermKey]) = { ([], []) }
  /// One load of keys at a time.
  let keyTurn = Turn()
  /// The keys changed since the kernel was told.
  var keysAreStale = false
  let bondingMode = BondingMode()
  /// What became of the address that the adapter is to have.
  var addressTaking = AddressTaking()
  /// Revision of the management interface; what a kernel can do goes by it.
  var managementRevision: UInt16 = 0

  var advertisementPort: (any ManagementPort)?
  private var life: Task<Void, Never>?
  private var isEnding = false
  private var servingSince: Instant?
  var nextDaemonCheck: Instant

  // The recovery's own (AdapterRecovery).

  /// Troubles in a row that a new try may mend; chooses the back-off.
  var failures = 0
  /// Times in a row in which somebody powered it off soon after it served.
  private var powerLosses = 0
  /// Silences of the controller in a row; chooses the rung.
  var silences = 0
  /// A rung was not tried since the controller was last found silent.
  var mustClimb = false
  /// One was tried since the adapter last left its service.
  var hasClimbed = false
  /// When the last one was.
  var lastRung: Instant?
  /// Since when the controller is silent; nil: it is not, or was not for a while.
  var silentSince: Instant?
  /// The next try begins at once.
  var isUrgent = false
  var ladder = RecoveryLadder()
  /// The scan was started anew and nothing has been heard since.
  var restartedAt: Instant?
  /// When a rung last ended with a controller that obeys.
  var lastRecovery: Instant?
  /// How often an operator asked lately, and when last.
  var operatorAsked: (rung: Int, at: Instant)?
  /// What hampers the recovery.
  var care: HearthError?
  var onGiveUp: (@LoopActor (RadioSurrender) -> Void)?
  var onRung: (@LoopActor (RadioRung) -> Void)?
  /// Another program changes the adapter, since then (AdapterTakeover).
  var takenSince: Instant?
  var onTakenOver: (@LoopActor (RadioTakeover) -> Void)?

  init(
    loop: any Loop, kernel: any RadioKernel, options: LinuxRadioOptions, timing: AdapterTiming, scanner: Scanner,
    counters: RadioCounters, logger: Logger
  ) {
    self.loop = loop
    self.kernel = kernel
    self.options = options
    self.timing = timing
    self.scanner = scanner
    self.counters = counters
    self.logger = logger
    alarm = Alarm(loop: loop)
    pulse = ControllerPulse(loop: loop, kernel: kernel, counters: counters, timing: timing)
    channel = ManagementChannel(loop: loop, counters: counters)
    nextDaemonCheck = loop.now
  }

  func start() {
    guard life == nil else { fatalError("the adapter was started twice") }
    channel.onEvent = { [weak self] index, event in self?.handle(index, event) }
    pulse.onSilence = { [weak self] in self?.alarm.raise(.unanswered) }
    kernel.watchBlocks { [weak self] in self?.alarm.raise(.block) }
    life = loop.spawn { await self.live() }
  }

  /// Ends scanning and the flow; returns when both are over.
  func end() async {
    isEnding = true
    if let identity, monitor != nil {
      _ = try? await channel.perform(.removeMonitor(0), index: identity.index, timeout: timing.farewell)
    }
    monitor = nil
    pulse.end()
    alarm.raise(.end)
    closeSockets()
    kernel.close()
    await life?.value
  }

  /// Takes what the kernel has said so far, before something is judged by it.
  func catchUp() { channel.port?.drain() }

  /// A link ended or failed in a way that says the controller may be deaf.
  func suspect() { alarm.raise(.quiet) }

  private func live() async {
    while !isEnding {
      do throws(HearthError) {
        try openSockets()
        let isFresh = try await bringUp()
        try await serve(isFresh: isFresh)
      } catch {
        if isEnding { break }
        leave(error)
        await pause(after: error.reason)
      }
    }
  }

  /// Chooses and initialises. Returns whether it is another adapter than before.
  private func bringUp() async throws(HearthError) -> Bool {
    alarm.forget([.interference, .silent, .unanswered, .quiet, .power, .added, .removed])
    checkDaemons()
    var chosen = try await choose()
    let isFresh = chosen != identity
    if chosen.address != identity?.address { silences = 0 }
    identity = chosen
    try await liftBlock(of: chosen)
    if isRungDue { chosen = try await climb(chosen) }
    identity = chosen
    try await initialise(chosen, proving: silences > 0)
    if silences > 0 { lastRecovery = loop.now }
    scanner.index = chosen.index
    scanner.restarted()
    restartedAt = nil
    return isFresh
  }

  /// The ladder is at work.
  var isRecovering: Bool { silences > 0 && state != .ready }

  private func serve(isFresh: Bool) async throws(HearthError) {
    guard let adapter = identity else { return }
    try await reportLinks(adapter, isFresh: isFresh)
    servingSince = loop.now
    trouble = nil
    counters.initialisations += 1
    logger.notice(
      "radio ready",
      metadata: ["adapter": "\(adapter.name)", "address": "\(adapter.bluetoothAddress)", "bus": "\(adapter.bus)"])
    change(to: .ready)
    settleSecurity()
    pulse.begin(adapter.index)
    tellTakeover()
    while !isEnding {
      checkDaemons()
      var disturbance = await alarm.wait(until: min(nextDaemonCheck, nextQuietCheck))
      if disturbance.contains(.power), !settings.contains(.powered) {
        try? await loop.sleep(for: timing.settling)
        disturbance.formUnion(alarm.take())
      }
      if isEnding { return }
      try judge(disturbance, adapter)
      if disturbance.contains(.interference) { try await repair(adapter) }
      if disturbance.contains(.recovery) { try await obeyOperator(adapter) }
      try await listenForQuiet(adapter, suspected: disturbance.contains(.quiet))
    }
  }

  /// Somebody else changed what we rely on; links are not touched by the repair.
  private func repair(_ adapter: AdapterIdentity) async throws(HearthError) {
    counters.interferences += 1
    lookForDaemons()
    logger.warning("\(culprit) changed the adapter; initialising it again", metadata: ["adapter": "\(adapter.name)"])
    try? await loop.sleep(for: timing.interference)
    alarm.forget(.interference)
    try await initialise(adapter, proving: false)
    try await reportLinks(adapter, isFresh: false)
    counters.initialisations += 1
    tellTakeover()
  }

  private func reportLinks(_ adapter: AdapterIdentity, isFresh: Bool) async throws(HearthError) {
    guard let links = ManagementReply.connections(try await ask(.getConnections, adapter.index)) else {
      throw malformed("Get Connections")
    }
    onLinks?(links, isFresh)
  }

  private func leave(_ error: HearthError) {
    if let since = servingSince, !isUrgent, loop.now - since >= timing.recovered || hasClimbedAll {
      failures = 0
      powerLosses = 0
      silences = 0
      silentSince = nil
    }
    pulse.end()
    let wasServing = servingSince != nil
    servingSince = nil
    monitor = nil
    scanner.index = nil
    // What somebody else did to it is not refused by it.
    let isTheirs = error.reason == .adapterPoweredOff || AdapterTiming.waitsForOthers(error.reason)
    failures = isTheirs ? 0 : failures + 1
    if error.reason == .adapterPoweredOff { powerLosses += 1 }
    if error.reason == .adapterRemoved {
      // What comes back was without power.
      silences = 0
      mustClimb = false
      silentSince = nil
    }
    var shown = error
    if error.reason == .controllerSilent {
      counters.controllerSilences += 1
      if silences == 0 || hasClimbed || isUrgent { silences += 1 }
      if silentSince == nil { silentSince = loop.now }
      mustClimb = true
      if RecoveryLadder.isExhausted(silences, on: identity?.bus ?? .usb) {
        shown = HearthError(.radioExhausted, "\(error.detail); every means of reviving it was tried")
      }
    }
    hasClimbed = false
    if wasServing || trouble?.reason != shown.reason { logger.error("\(shown)") }
    trouble = shown
    change(to: .down(shown.reason))
    if shown.reason == .radioExhausted { giveUp() }
  }

  private func delay(after reason: Reason) -> Duration {
    timing.delay(after: reason, failures: failures, powerLosses: powerLosses, silence: silence)
  }

  /// Waits for what can change the trouble: an event, or time.
  private func pause(after reason: Reason) async {
    let deadline = loop.now + (isUrgent ? .zero : delay(after: reason))
    isUrgent = false
    while !isEnding, loop.now < deadline {
      let disturbance = await alarm.wait(until: deadline)
      if disturbance.contains(.recovery) { return obeyOperatorWhileDown() }
      if disturbance.isDisjoint(with: [.end, .channel, .added, .removed, .block]) { continue }
      // Such events come in bursts, and in a tug-of-war over a switch without end.
      if !isEnding { try? await loop.sleep(for: timing.settling) }
      return
    }
  }

  private func change(to new: RadioState) {
    if new == state { return }
    state = new
    onStateChange?(new)
  }
}
