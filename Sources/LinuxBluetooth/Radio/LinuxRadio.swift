// Implementation of `Radio` over the kernel: advertisements, several simultaneous link attempts, and a reason for every
// failure.

public import Bluetooth
public import EventLoop
import Glibc
public import Logging

/// Radio of a Linux machine over the kernel's own Bluetooth sockets. The management channel serves the adapter and its
/// scan, an L2CAP socket the ATT channel of each wearable. Needs no bluetoothd; needs CAP_NET_ADMIN (see NOTES.md).
///
/// The radio keeps its orders whatever happens to the adapter: it reports the reason and keeps trying.
@LoopActor
public final class LinuxRadio: Radio {
  /// Called for each advertisement.
  public var onAdvertisement: (@LoopActor (Advertisement) -> Void)? {
    get { means.scanner.onAdvertisement }
    set { means.scanner.onAdvertisement = newValue }
  }
  /// Called when the state changes.
  public var onStateChange: (@LoopActor (RadioState) -> Void)?

  /// Revision of the management interface from which loading an entry changes the open link that it is for.
  private static let liveUpdateRevision: UInt16 = 23

  let means: AdapterMeans
  let adapter: Adapter
  let tuner: LinkTuner
  let broker: PairingBroker
  let slots: SlotKeeper
  let links: LinkMaker
  private let names: NameSearch
  /// Whether an adapter served before in this run.
  private var hasServed = false
  private var owned: Set<BluetoothAddress> = []

  /// - Parameter claims: shared with the hub's other radios; nil: this is the only one.
  public convenience init(
    loop: EpollLoop, options: LinuxRadioOptions, logger: Logger, claims: AdapterClaims? = nil
  ) {
    let counters = RadioCounters()
    var timing = AdapterTiming()
    timing.quiet = max(options.silence, .seconds(10))
    let kernel = LinuxKernel(
      loop: loop, counters: counters, stamps: options.stampFile, helperRequest: options.helperRequest)
    self.init(
      loop: loop, kernel: kernel, options: options, timing: timing, counters: counters, logger: logger, claims: claims)
  }

  /// Creates a radio for tests: another kernel, other timing.
  init(
    loop: any Loop, kernel: any RadioKernel, options: LinuxRadioOptions, timing: AdapterTiming, counters: RadioCounters,
    logger: Logger, claims: AdapterClaims? = nil
  ) {
    adapter = Adapter(
      loop: loop, kernel: kernel, options: options, timing: timing, scanner: Scanner(loop: loop, counters: counters),
      counters: counters, logger: logger, claims: claims)
    means = adapter.means
    tuner = LinkTuner(
      loop: loop, channel: adapter.channel, observer: HCIObserver(loop: loop, kernel: kernel, counters: counters),
      counters: counters)
    broker = PairingBroker(means)
    slots = SlotKeeper(adapter, options)
    links = LinkMaker(adapter, tuner, broker, slots)
    names = NameSearch(adapter, links)
  }

  /// See `Adapter.usableState`.
  public var state: RadioState { adapter.usableState }

  /// Requests scan responses of advertisers as long as it is set.
  public var asksForNames: Bool {
    get { names.isWanted }
    set { names.isWanted = newValue }
  }

  /// Called with the capacity that a controller showed, by its public address, to be recalled at the next start; nil:
  /// it is no longer believed.
  public var onSlotsLearned: (@LoopActor (_ adapter: UInt64, LearnedSlots?) -> Void)? {
    get { slots.onLearned }
    set { slots.onLearned = newValue }
  }
  /// Called with the address of the adapter each time one starts to serve.
  public var onServing: (@LoopActor (_ adapter: UInt64) -> Void)?
  /// Returns what was learned of a controller in an earlier run. A limit is believed for an hour, as if it had just
  /// been learned.
  public var recallSlots: @LoopActor (_ adapter: UInt64) -> LearnedSlots? {
    get { slots.recall }
    set { slots.recall = newValue }
  }

  /// Starts without wearables of its own.
  public func start() { start(owning: []) }

  /// Starts; `owned`: wearables to which only this hub connects.
  public func start(owning owned: Set<BluetoothAddress>) {
    self.owned = owned
    adapter.onStateChange = { [weak self] in self?.changed($0) }
    tuner.isConnecting = { [weak links] in links?.isAttempting ?? false }
    tuner.onEncryption = { [weak broker] address, status in broker?.encryptionChanged(address, status) }
    tuner.onMismatch = { [weak broker] in broker?.decryptionFailed($0) }
    broker.surroundings = PairingSurroundings(
      bearer: { [weak links] in links?.openBearer($0) },
      hangUp: { [weak tuner] in tuner?.observer.disconnect($0) },
      isBondable: { [weak adapter] in adapter?.bonding.isBondable ?? false },
      becomeBondable: { [weak adapter] in await adapter?.bonding.becomeBondable() ?? false },
      onKeysChanged: { [weak adapter] in adapter?.keys.reload() })
    adapter.start(
      Adapter.Observer(
        onLinkEvent: { [weak self] in self?.handle($0) },
        onLinks: { [weak self] in self?.report($0) },
        linkCount: { [weak slots] in slots?.count ?? 0 },
        isLinkBeingMade: { [scanner = means.scanner] in scanner.hasFoundAny },
        pairs: { [weak self] in self?.broker.onRequest != nil },
        keys: { [weak self] in (self?.broker.keys.identityKeys ?? [], self?.broker.keys.longTermKeys ?? []) }))
  }

  /// Ends links and scan, and releases the adapter.
  public func shutDown() async {
    asksForNames = false
    links.end()
    tuner.serve(nil)
    broker.adapterGone()
    await adapter.end()
  }

  /// Connects to a wearable until a deadline.
  ///
  /// - Throws: why the attempt failed.
  public func connect(to address: BluetoothAddress, deadline: Instant, parameters: ConnectionParameters)
    async throws(LinkError) -> any Bearer
  {
    try await links.connect(to: address, deadline: deadline, parameters: parameters)
  }

  /// Called at every initialisation with the kernel's list of links. Another adapter carries another number of links.
  private func report(_ found: [BluetoothAddress]) {
    if let address = adapter.identity?.bluetoothAddress.value { slots.serve(address) }
    // A kernel may keep a link after its process was killed (Links/NOTES.md).
    if !hasServed { for address in found where owned.contains(address) { links.gaveUp(address) } }
    hasServed = true
    tuner.forgetEntries()
    slots.rebuild(found)
  }

  private func changed(_ state: RadioState) {
    if state == .ready, let identity = adapter.identity {
      tuner.kernelUpdates = adapter.managementRevision >= Self.liveUpdateRevision
      tuner.serve(identity.index)
      broker.index = identity.index
      onServing?(identity.bluetoothAddress.value)
    } else {
      links.adapterGone()
      slots.rebuild([])
      tuner.serve(nil)
      broker.adapterGone()
    }
    onStateChange?(state)
  }

  private func handle(_ event: ManagementEvent) {
    switch event {
    case .connected(let address): links.connected(address)
    case .disconnected(let address, let reason): links.disconnected(address, reason)
    case .connectFailed(let address, let status): links.connectFailed(address, status)
    case .newConnectionParameters(let address, let parameters): tuner.asked(broker.linkAddress(address), parameters)
    default: broker.handle(event)
    }
  }
}
