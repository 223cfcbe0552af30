// How a session gets its sensor. A missing link is requested, a visit over it interrupted, the stream started, and both
// are given back in the end. The session is ready with the first packet of its stream.

import EventLoop
import Reasons
import Vitals
import Wearable

extension VitalsRun {
  /// A strap without intervals in its packets for this long sends only rates. A strap that has just been put on needs
  /// two or three seconds to find beats.
  private static let intervalPatience: Duration = .seconds(5)
  /// An optical sensor sends a first batch after 25 s, the next after 5, plus a reserve. After that its rate must do.
  private static let batchPatience: Duration = .seconds(40)
  /// A first batch of 25 s has some two hundred bytes: it arrives within some events of the link.
  private static let burst: Duration = .seconds(1)
  /// An oximeter that does not send a value each second measures once, when a person starts it.
  private static let streamPatience: Duration = .seconds(5)

  func openSensor() {
    let (loop, changes) = (context.loop, context.changes)
    tap.onPacket = { [weak self] in self?.post() }
    wearable.applyOrders(loop)
    context.changes.link(of: wearable, .used)
    changes.raise(.shown)
    changes.raise(.awaited(wearable))
    if wearable.link?.isSettled == true { settledAt = settledAt ?? loop.now }
    askForLink(isFirst: true)
  }

  /// Requests a visit while there is no link, and interrupts a visit that has the link.
  ///
  /// - Parameter isFirst: a person has just ordered it. Later, the wearable's back-off is respected.
  private func askForLink(isFirst: Bool = false) {
    guard let link = wearable.link else {
      guard !wearable.lane.isHolder, wearable.lane.askedAt == nil, keeper.isPresent(wearable) else { return }
      guard isFirst || wearable.lane.linksNotBefore(loop.now) == nil else { return }
      hasAsked = true
      return keeper.lane.request(wearable)
    }
    if hasAsked {
      // The link is there; items that were not fetched get their turn by the usual rules.
      hasAsked = false
      wearable.lane.askedAt = nil
    }
    guard link.isSettled, let visit = wearable.visits.running, !visit.isIndivisible else { return }
    // Fetched data is stored, and the fetch continues after the session.
    visit.interrupt(.overran)
  }

  /// Continues opening: called each second, and after each packet, until the sensor is there.
  func keepOpening() {
    guard state == .initializing else { return }
    askForLink()
    guard let link = wearable.link, link.isSettled else {
      settledAt = nil
      if mayHangUp, tap.readings.came != nil { post(.sensorReady) }
      return
    }
    let settled = settledAt ?? loop.now
    settledAt = settled
    learn()
    noteContact()
    if isReady(since: settled) {
      tap.onPacket = nil
      post(.sensorReady)
    }
  }

  /// A sensor that is not worn cannot become ready: reports that to callers.
  private func noteContact() {
    let limit = Duration.microseconds(Vitals.SignalWatch.Limit.withoutContact)
    let isOff = tap.offSkinSince.map { loop.now - $0 >= limit } ?? false
    guard isOff != isOffBody else { return }
    isOffBody = isOff
    tell(.notice(.notOnBody, isOn: isOff))
  }

  /// Replaces the tap if the link has shown another kind of sensor than expected.
  private func learn() {
    guard wearable.capabilities != nil, tap.packets == 0 || !tap.hasIntervals, !tap.hasFallenBack,
      let found = try? wearable.vitalsSensor(), found != tap.sensor
    else { return }
    wearable.live.remove(tap)
    let fresh = VitalsTap(found, loop, after: tap)
    fresh.onPacket = { [weak self] in self?.post() }
    hear(fresh)
    wearable.applyOrders(loop)
  }

  private func isReady(since settled: Instant) -> Bool {
    let now = loop.now
    switch tap.sensor.sensor {
    case .electrical:
      if tap.hasIntervals { return true }
      guard let first = tap.firstPacket, now - first >= Self.intervalPatience, tap.readings.rate(at: now.seconds) != nil
      else { return false }
      becomeRateOnly()
      return true
    case .optical, .opticalWrist:
      // A first batch, collected before, may come in several packets, which are not part of the measurement.
      if tap.hasIntervals { return tap.firstPacket.map { now - $0 >= Self.burst } ?? false }
      guard now - settled >= Self.batchPatience, tap.readings.rate(at: now.seconds) != nil else { return false }
      becomeRateOnly()
      return true
    case .rateOnly: return tap.packets > 0 && tap.readings.rate(at: now.seconds) != nil
    case .oximeter: return tap.firstPacket != nil || now - settled >= Self.streamPatience
    // These sensors send no value before they have measured.
    case .thermometer, .cuff, .scale: return true
    }
  }

  private func becomeRateOnly() {
    tap.becomeRateOnly()
    wantStreams()
  }

  /// Handles another link, or its end.
  func linkChanged() {
    settledAt = nil
    guard wearable.link == nil else { return }
    tap.linkEnded()
    if isStreaming, !mayHangUp { post(.sensorLost) } else { post() }
  }

  /// Ends the session, as the wearable was reached and cannot be measured. Either a person has to act, or it does not
  /// accept the hub.
  func refused(_ trouble: HearthError) {
    guard state == .initializing, !isStreaming else { return }
    self.trouble = self.trouble ?? trouble
    post(.sensorRefused(trouble.reason == .visitUnsupported ? .modelUnsupported : .sensorUnknown))
  }

  /// Releases what was requested.
  func closeSensor() {
    tap.onPacket = nil
    wearable.live.remove(tap)
    keeper.release(self)
    wearable.visits.lastAsked = loop.now
    // A visit that was requested only for the session is no longer needed.
    if hasAsked, wearable.link == nil, wearable.lane.requests == 0 { wearable.lane.askedAt = nil }
    wearable.applyOrders(loop)
    context.changes.link(of: wearable, .used)
    context.changes.raise(.shown)
    context.changes.raise(.lane)
  }
}
