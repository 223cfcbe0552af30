// One open link: notifications in, samples out.

import Bluetooth
import EventLoop
import Health
import Reasons
import RingStore
import Wearable

/// The live side of a connected wearable: what it is asked for, and whether it is still there. Its values go through `LiveIntake`.
@LoopActor
final class LiveLink {
  let client: GATTClient
  let taps: LinkTaps
  let since: Instant
  /// What visits and profiles do over it; nil until its database is known.
  var work: HubLink?
  /// Nil for wearables that are only listened to.
  var session: LinkSession?
  /// Its live sources are subscribed, as far as the wearable let them be.
  private(set) var isSettled = false
  /// At least one of them is: something may come.
  private(set) var hears = false
  private unowned let tenant: Tenant
  private unowned let hub: Hearth
  private let intake: LiveIntake
  /// When silence was last looked into.
  private var lastCheck: Instant
  private var checkTimer: LoopTimer?
  private var silenceTimer: LoopTimer?
  private var proofHandle: UInt16?
  private var isProving = false
  private var isResettling = false

  /// A strap reports about once a second, so a minute of silence is odd: taken off, or a link that is dead without knowing. A read
  /// tells: an answer proves the link, none within 30 s ends it (ATT transaction time-out).
  static let silenceBound: Duration = .seconds(60)

  init(_ client: GATTClient, tenant: Tenant, driver: any WearableDriver, hub: Hearth) {
    self.client = client
    taps = LinkTaps(client)
    self.tenant = tenant
    self.hub = hub
    since = hub.loop.now
    lastCheck = since
    intake = hub.intake(of: tenant, driver)
    intake.events = events()
    client.onServiceChanged = { [weak self] _ in self?.databaseChanged(driver) }
  }

  private func events() -> LiveEvents {
    LiveEvents(
      malformed: { [weak self] source, error in
        if let self { hub.noteMalformed(tenant, source, error) }
      },
      flood: { [weak self] in
        if let self { hub.giveUp(tenant, self, .flood) }
      },
      announced: { [weak self] in
        if let self { hub.noteAnnouncement(of: tenant) }
      },
      returned: { [weak self] in
        guard let self else { return }
        watchSilence()
        hub.livenessChanged(of: tenant, isLive: true)
      },
      heard: { [weak self] sample in
        if let self { hub.tell(sample, of: tenant) }
      })
  }

  /// When the last live value came; nil if none did.
  var lastValue: Instant? { intake.lastNotification > since ? intake.lastNotification : nil }

  /// Whether something comes over it, or it is so new that something may. See `Liveness`.
  func isHeard(_ now: Instant) -> Bool { now <= intake.liveUntil }

  /// What a visit knows of the wearable does not hold any more: the link is made anew. Without one, live values go on.
  private func databaseChanged(_ driver: any WearableDriver) {
    if session == nil { return resettle(driver) }
    hub.giveUp(tenant, self, .malformed(.handleRange))
  }

  /// The wearable's database changed under a live link: its subscriptions are gone with the old handles. Discovers and subscribes again;
  /// a link where that fails is given up and visited anew.
  private func resettle(_ driver: any WearableDriver) {
    // While the first settling runs, its own requests fail on what changed, and the visit is tried again.
    if isResettling || checkTimer == nil { return }
    isResettling = true
    hub.loop.spawn { [weak self, hub, tenant] in
      guard let self else { return }
      defer {
        isResettling = false
        // It may outlast the wearable's enrolment; what it stands on stays until it is over.
        withExtendedLifetime((hub, tenant)) {}
      }
      do throws(GATTError) {
        let database = try await client.discover()
        taps.forget()
        hears = false
        try await settle(driver, database)
      } catch {
        hub.giveUp(tenant, self, error)
      }
    }
  }

  /// Subscribes and reads what the driver wants, in its order. Throws what makes the link useless.
  func settle(_ driver: any WearableDriver, _ database: GATTDatabase) async throws(GATTError) {
    for (index, source) in driver.liveSources.enumerated() {
      guard let characteristic = database.characteristic(source.characteristic, in: source.service) else {
        if source.isRequired { throw .missing }
        continue
      }
      if proofHandle == nil, source.mode != .subscribe { proofHandle = characteristic.valueHandle }
      do {
        if source.mode != .read, source.isRequired || !characteristic.properties.isDisjoint(with: [.notify, .indicate]) {
          try await taps.listen(characteristic) { [intake] value in intake.receive(source, index, value) }
          hears = true
        }
        // Taken where it stands among the notifications: what was notified after it is newer.
        if source.mode != .subscribe { try await client.read(characteristic.valueHandle) { [self] in take(source, $0) } }
      } catch {
        // What is optional may be refused; a dead bearer may not be ignored.
        guard !source.isRequired, error.concernsOneValue else { throw error }
        tenant.live.counters.anomalies += 1
      }
    }
    if let checkTimer { hub.loop.cancel(checkTimer) }
    isSettled = true
    armCheck()
    watchSilence()
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
    if let checkTimer { hub.loop.cancel(checkTimer) }
    checkTimer = nil
    if let silenceTimer { hub.loop.cancel(silenceTimer) }
    silenceTimer = nil
    intake.close()
    session?.close()
    work?.ended(.link(.closed(.aborted)))
    client.close(immediately: immediately)
  }

  /// A value that was read: a fact about the wearable, or a sample.
  private func take(_ source: LiveSource, _ value: RawBytes) {
    if let fact = intake.fact(source, value) { hub.learn(fact, about: tenant) } else { intake.take(source, value) }
  }

  private var lastSign: Instant { max(lastCheck, intake.lastNotification) }

  /// Whoever shows the link is told when it is no longer live: nothing else happens then.
  private func watchSilence() {
    if let silenceTimer { hub.loop.cancel(silenceTimer) }
    let end = intake.liveUntil
    silenceTimer = hub.loop.schedule(at: end + .nanoseconds(1)) { [weak self] in
      guard let self else { return }
      silenceTimer = nil
      if isHeard(hub.loop.now) { return watchSilence() }
      hub.livenessChanged(of: tenant, isLive: false)
    }
  }

  private func armCheck() {
    checkTimer = hub.loop.schedule(at: lastSign + Self.silenceBound) { [weak self] in self?.check() }
  }

  private func check() {
    if hub.loop.now - lastSign < Self.silenceBound { return armCheck() }
    lastCheck = hub.loop.now
    armCheck()
    guard let handle = proofHandle, !isProving else { return }
    isProving = true
    hub.loop.spawn { [weak self] in
      // The answer itself is the proof; no answer closes the bearer, and the hub hears of that by onClosed.
      _ = try? await self?.client.read(handle)
      self?.isProving = false
    }
  }
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
