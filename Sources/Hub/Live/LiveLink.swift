// An open link: notifications in, samples out.

import Bluetooth
import EventLoop
import Health
import Logging
import Reasons
import RingStore
import Wearable

/// The live side of a connected wearable: its subscriptions, and whether it is still there. Values go through
/// `LiveIntake`.
@LoopActor
final class LiveLink {
  let client: GATTClient
  let subscriptions: Subscriptions
  let since: Instant
  /// The side of the link for visits and profiles; nil until the database is known.
  var work: HubLink?
  /// Nil for wearables without a session.
  var session: LinkSession?
  /// Reason why the device failed the identity check (`IdentityCheck`).
  var suspicion: Suspicion?
  /// The device passed the identity check.
  private(set) var isBelieved = false
  /// The identity that the device showed; nil if its database has changed since.
  private(set) var shown: ShownIdentity?
  /// The live sources are subscribed, as far as the wearable permitted.
  private(set) var isSettled = false
  /// True if at least one source is subscribed, so values may come.
  private(set) var hears = false
  private unowned let wearable: EnrolledWearable
  private let context: HubContext
  let intake: LiveIntake
  private let silence: SilenceWatch
  private var isResettling = false
  /// The database of the last settling.
  private var database: GATTDatabase?
  /// Handle of an attribute for a request to which any answer counts.
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

  /// The wearable reported that it has no more data over it.
  var isDrained: Bool { intake.isDrained }

  /// Whether a readable value came over it, of any content.
  var hasBrought: Bool { wearable.live.counters.readable > readableBefore }

  /// Whether a measured value came over it. The battery level does not count, as every device has one.
  var hasMeasured: Bool { wearable.live.counters.samples > samplesBefore + intake.charges }

  /// Time of the last live value; nil before the first.
  var lastValue: Instant? { intake.lastNotification > since ? intake.lastNotification : nil }

  /// Whether values come over it, or it is so new that they may. See `Liveness`.
  func isHeard(_ now: Instant) -> Bool { now <= intake.liveUntil }

  /// Handles a changed database. A visit's knowledge is invalid then, so the link is made again; without a visit, live
  /// values go on.
  private func databaseChanged(_ driver: any WearableDriver) {
    if isBelieved {
      wearable.expectsOtherDatabase()
      shown = nil
    }
    if session == nil { return resettle(driver) }
    context.changes.raise(.useless(wearable, self, .malformed(.handleRange)))
  }

  /// Discovers and subscribes again, as the database changed under a live link and its subscriptions are gone with the
  /// old handles. A link that fails then is given up and visited again.
  private func resettle(_ driver: any WearableDriver) {
    // While the first settling runs, its own requests fail because of the change, and the visit is tried again.
    if isResettling || !silence.isWatching { return }
    isResettling = true
    context.loop.spawn { [weak self, wearable] in
      guard let self else { return }
      defer {
        isResettling = false
        // The task may outlast the wearable's enrolment, but not the wearable object.
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

  /// Subscribes and reads what the driver needs of this database, in its order. Throws errors that make the link
  /// useless.
  func settle(_ driver: any WearableDriver, _ database: GATTDatabase) async throws(GATTError) {
    self.database = database
    intake.decoder.begin(database, of: wearable.known(nil))
    var hasAlternative = false
    /// Reason why the last alternative source failed.
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
        // Optional sources may be refused; a dead bearer may not be ignored.
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
    // The value is taken in order with the notifications: those after it are newer.
    if source.mode == .subscribe { return }
    try await encryptingWhereRefused { () throws(GATTError) in
      try await client.read(characteristic.valueHandle) { [self] in take(source, $0) }
    }
  }

  private func encryptingWhereRefused(_ body: () async throws(GATTError) -> Void) async throws(GATTError) {
    if let work { try await work.encryptingWhereRefused(body) } else { try await body() }
  }

  /// The link is useless after this error.
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

  /// Sends a request, to learn that the wearable received what was sent before. False: the link has ended.
  func ask(_ isHeard: @escaping @LoopActor () -> Void) -> Bool {
    guard client.isOpen else { return false }
    if let question { context.loop.spawn { [client] in if await client.isHeard(at: question) { isHeard() } } }
    return true
  }

  /// Notes what the wearable announced over this link so far.
  ///
  /// - Returns: whether it differs from the stored state.
  @discardableResult
  func noteAnnounced() -> Bool { wearable.noteAnnounced(intake.decoder, session?.session) }

  /// Notes how the wearable measures by itself, as its session knows it.
  ///
  /// - Returns: whether it differs from the stored state.
  func noteMonitoring() -> Bool {
    wearable.noteMonitoring(session?.session.monitored?.monitoring ?? [], at: context.loop.wall)
  }

  /// Writes what a decoder requested. A refusal is counted and logged; the end of the link is reported elsewhere.
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

  /// Reads a value that may be refused: nil then.
  func readIfAllowed(_ handle: UInt16) async throws(GATTError) -> [UInt8]? {
    do throws(GATTError) { return try await client.read(handle) } catch {
      guard error.concernsOneValue else { throw error }
      return nil
    }
  }

  /// Sets the decoder for live values, which is the session.
  func use(_ decoder: any LiveDecoder) { intake.decoder = decoder }

  func close(immediately: Bool) {
    silence.end()
    intake.close(isHungUp: client.wasHungUp)
    session?.close()
    work?.ended(.link(.closed(.aborted)))
    client.close(immediately: immediately)
  }

  /// Takes a value that was read: as a fact about the wearable, as a sample, and for oddities.
  private func take(_ source: LiveSource, _ value: RawBytes) {
    if let fact = intake.fact(source, value) { wearable.learn(fact) }
    intake.take(source, value)
  }

  /// Watches for silence again, as values come again.
  func watchSilence() { silence.watch() }
}

extension GATTError {
  /// Whether only this value failed, and the link goes on.
  fileprivate var concernsOneValue: Bool {
    switch self {
    case .refused, .malformed, .missing: true
    case .closed, .timeout, .protocolViolation, .flood, .discoveryBounded, .procedureTimeout, .busy, .cancelled: false
    }
  }
}
