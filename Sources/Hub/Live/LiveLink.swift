// One open link: notifications in, samples out.

import Bluetooth
import EventLoop
import Health
import Logging
import Reasons
import RingStore
import Wearable

/// The live side of a connected wearable: what it is asked for, and whether it is still there. Its values go through
/// `LiveIntake`.
@LoopActor
final class LiveLink {
  let client: GATTClient
  let subscriptions: Subscriptions
  let since: Instant
  /// What visits and profiles do over it; nil until its database is known.
  var work: HubLink?
  /// Nil for wearables that are only listened to.
  var session: LinkSession?
  /// Why what answers is not believed (`IdentityCheck`).
  var suspicion: Suspicion?
  /// It is the wearable that it should be.
  private(set) var isBelieved = false
  /// What it showed of itself; nil where its database is another one since.
  private(set) var shown: ShownIdentity?
  /// Its live sources are subscribed, as far as the wearable let them be.
  private(set) var isSettled = false
  /// At least one of them is: something may come.
  private(set) var hears = false
  private unowned let wearable: EnrolledWearable
  private let context: HubContext
  let intake: LiveIntake
  private let silence: SilenceWatch
  private var isResettling = false
  /// What it was settled on last.
  private var database: GATTDatabase?
  /// Handle of an attribute that the wearable can be asked for, whatever it answers.
  private var question: UInt16?
  private let readableBefore: UInt64
  private let samplesBefore: UInt64

  init(
    _ client: GATTClient, wearable: EnrolledWearable, driver: any WearableDriver, context: HubContext, live: LiveValues
  ) {
    self.client = client
    subscriptions = Subscriptions(client)
    self.wearable = wearable
    self.context = context
    since = context.loop.now
    readableBefore = wearable.live.counters.readable
    samplesBefore = wearable.live.counters.samples
    intake = live.intake(of: wearable, driver)
    silence = SilenceWatch(client, intake, loop: context.loop)
    silence.onSilent = { [weak live, unowned wearable] in live?.livenessChanged(of: wearable, isLive: false) }
    intake.events = live.events(of: wearable, over: self)
    client.onServiceChanged = { [weak self] _ in self?.databaseChanged(driver) }
  }

  func believe(_ shown: ShownIdentity) {
    isBelieved = true
    self.shown = shown
  }

  /// It said that it has nothing more to tell over it.
  var isDrained: Bool { intake.isDrained }

  /// A value came over it that could be read, however little it says.
  var hasBrought: Bool { wearable.live.counters.readable > readableBefore }

  /// A value that was measured came over it: more than the charge of its battery, which everything has.
  var hasMeasured: Bool { wearable.live.counters.samples > samplesBefore + intake.charges }

  /// When the last live value came; nil if none did.
  var lastValue: Instant? { intake.lastNotification > since ? intake.lastNotification : nil }

  /// Whether something comes over it, or it is so new that something may. See `Liveness`.
  func isHeard(_ now: Instant) -> Bool { now <= intake.liveUntil }

  /// What a visit knows of the wearable does not hold any more: the link is made anew. Without one, live values go on.
  private func databaseChanged(_ driver: any WearableDriver) {
    if isBelieved {
      wearable.expectsOtherDatabase()
      shown = nil
    }
    if session == nil { return resettle(driver) }
    context.changes.raise(.useless(wearable, self, .malformed(.handleRange)))
  }

  /// The wearable's database changed under a live link: its subscriptions are gone with the old handles. Discovers and
  /// subscribes again;
  /// a link where that fails is given up and visited anew.
  private func resettle(_ driver: any WearableDriver) {
    // While the first settling runs, its own requests fail on what changed, and the visit is tried again.
    if isResettling || !silence.isWatching { return }
    isResettling = true
    context.loop.spawn { [weak self, wearable] in
      guard let self else { return }
      defer {
        isResettling = false
        // It may outlast the wearable's enrolment; what it stands on stays until it is over.
        withExtendedLifetime(wearable) {}
      }
      do throws(GATTError) {
        let database = try await client.discover()
        subscriptions.forget()
        hears = false
        try await settle(driver, database)
      } catch {
        context.changes.raise(.useless(wearable, self, error))
      }
    }
  }

  /// Subscribes and reads what the driver wants of this database, in its order. Throws what makes the link useless.
  func settle(_ driver: any WearableDriver, _ database: GATTDatabase) async throws(GATTError) {
    self.database = database
    intake.decoder.begin(database, of: wearable.known(nil))
    var hasAlternative = false
    /// Why the last alternative is not served.
    var lacking: GATTError?
    for source in driver.liveSources(in: database) {
      guard let characteristic = database.characteristic(source.characteristic, in: source.service) else {
        if source.isRequired { throw .missing }
        if source.need == .alternative { lacking = .missing }
        continue
      }
      if source.mode != .subscribe { silence.proves(by: characteristic.valueHandle) }
      do throws(GATTError) {
        try await serve(source, characteristic)
        if source.need == .alternative { hasAlternative = true }
      } catch {
        // What is optional may be refused; a dead bearer may not be ignored.
        guard !source.isRequired, error.concernsOneValue else { throw useless(error) }
        wearable.live.counters.anomalies += 1
        if source.need == .alternative { lacking = error }
      }
    }
    if let lacking, !hasAlternative { throw useless(lacking) }
    isSettled = true
    noteAnnounced()
    silence.begin()
  }

  /// Subscribes to a live source, reads it, or both.
  private func serve(_ source: LiveSource, _ characteristic: GATTCharacteristic) async throws(GATTError) {
    let offers = !characteristic.properties.isDisjoint(with: [.notify, .indicate])
    if source.mode != .read, source.need != .optional || offers {
      let index = intake.index(of: source)
      try await encryptingWhereRefused { () throws(GATTError) in try await listen(to: source, characteristic, index) }
      hears = true
    }
    // Taken where it stands among the notifications: what was notified after it is newer.
    if source.mode == .subscribe { return }
    try await encryptingWhereRefused { () throws(GATTError) in
      try await client.read(characteristic.valueHandle) { [self] in take(source, $0) }
    }
  }

  private func encryptingWhereRefused(_ body: () async throws(GATTError) -> Void) async throws(GATTError) {
    if let work { try await work.encryptingWhereRefused(body) } else { try await body() }
  }

  /// The link is of no use without what failed so.
  private func useless(_ error: GATTError) -> GATTError {
    work?.needsSecurity(error)
    return error
  }

  private func listen(to source: LiveSource, _ characteristic: GATTCharacteristic, _ index: Int)
    async throws(GATTError)
  {
    guard source.isKept else {
      return try await subscriptions.listen(characteristic) { [intake] value in intake.receive(source, index, value) }
    }
    question = characteristic.configurationHandle
    try await subscriptions.listen(characteristic, holdsConfirmation: true) { [intake, client] value in
      var confirm: (@LoopActor () -> Void)?
      if client.owesConfirmation { confirm = { client.confirm() } }
      intake.receive(source, index, value, confirm: confirm)
    }
  }

  /// Asks the wearable something, to know that it has heard what was sent before. False: the link has ended.
  func ask(_ isHeard: @escaping @LoopActor () -> Void) -> Bool {
    guard client.isOpen else { return false }
    if let question { context.loop.spawn { [client] in if await client.isHeard(at: question) { isHeard() } } }
    return true
  }

  /// Notes what the wearable announced over this link so far.
  ///
  /// - Returns: it is other than is kept.
  @discardableResult
  func noteAnnounced() -> Bool { wearable.noteAnnounced(intake.decoder, session?.session) }

  /// Notes how it measures by itself, as its session knows it.
  ///
  /// - Returns: it is other than is kept.
  func noteMonitoring() -> Bool {
    wearable.noteMonitoring(session?.session.monitored?.monitoring ?? [], at: context.loop.wall)
  }

  /// Writes what a decoder asked for. A refusal is counted and logged; a link that ends tells that itself.
  func write(_ write: LiveWrite) {
    guard let characteristic = database?.characteristic(write.characteristic, in: write.service),
      characteristic.properties.contains(.write)
    else { return }
    context.loop.spawn { [client, context, wearable] in
      do throws(GATTError) { try await client.writeOnce(characteristic.valueHandle, write.value) } catch {
        guard error.concernsOneValue else { return }
        wearable.live.counters.anomalies += 1
        context.logger.notice(
          "\(error.reason.code) att: \(wearable.name) refuses what is written to \(write.characteristic): \(error)",
          metadata: ["CODE": "\(error.reason.code)", "DEVICE": "\(wearable.name)"])
      }
    }
  }

  /// A value that may well be refused: nil then.
  func readIfAllowed(_ handle: UInt16) async throws(GATTError) -> [UInt8]? {
    do throws(GATTError) { return try await client.read(handle) } catch {
      guard error.concernsOneValue else { throw error }
      return nil
    }
  }

  /// Its session reads what comes over it.
  func use(_ decoder: any LiveDecoder) { intake.decoder = decoder }

  func close(immediately: Bool) {
    silence.end()
    intake.close(isHungUp: client.wasHungUp)
    session?.close()
    work?.ended(.link(.closed(.aborted)))
    client.close(immediately: immediately)
  }

  /// A value that was read: a fact about the wearable, a sample, and what is odd about it.
  private func take(_ source: LiveSource, _ value: RawBytes) {
    if let fact = intake.fact(source, value) { wearable.learn(fact) }
    intake.take(source, value)
  }

  /// Something comes again.
  func watchSilence() { silence.watch() }
}

extension GATTError {
  /// Only this value could not be had; the link goes on.
  fileprivate var concernsOneValue: Bool {
    switch self {
    case .refused, .malformed, .missing: true
    case .closed, .timeout, .protocolViolation, .flood, .discoveryBounded, .procedureTimeout, .busy, .cancelled: false
    }
  }
}
