// How a session has its sensor: a link is asked for where there is none, a visit that runs over it makes room, the
// stream is begun, and both are given back. It is ready with the first packet of its stream.

import EventLoop
import Reasons
import Vitals
import Wearable

extension VitalsRun {
  /// A strap whose packets have no interval so long sends rates alone. One that has just been put on needs two or three
  /// seconds to find beats.
  private static let intervalPatience: Duration = .seconds(5)
  /// An optical sensor has a first batch after 25 s, the next after 5, and some reserve; then its rate has to do.
  private static let batchPatience: Duration = .seconds(40)
  /// A first batch of 25 s is some two hundred bytes: it is here within some events of the link.
  private static let burst: Duration = .seconds(1)
  /// An oximeter without a value each second measures once, when a person lets it.
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

  /// Asks for a visit while there is no link, and ends the turn of one that has the link.
  ///
  /// - Parameter isFirst: a person has just asked. Later, what the wearable said of when it has time is heeded.
  private func askForLink(isFirst: Bool = false) {
    guard let link = wearable.link else {
      guard !wearable.lane.isHolder, wearable.lane.askedAt == nil, keeper.isPresent(wearable) else { return }
      guard isFirst || wearable.lane.linksNotBefore(loop.now) == nil else { return }
      hasAsked = true
      return keeper.lane.request(wearable)
    }
    if hasAsked {
      // It is there: what was not fetched has its turn like anybody's.
      hasAsked = false
      wearable.lane.askedAt = nil
    }
    guard link.isSettled, let visit = wearable.visits.running, !visit.isIndivisible else { return }
    // What was fetched is kept, and goes on when the session is over.
    visit.interrupt(.overran)
  }

  /// Each second, and behind each packet, until the sensor is there.
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

  /// Nothing can be ready that is not worn: whoever waits is told why.
  private func noteContact() {
    let limit = Duration.microseconds(Vitals.SignalWatch.Limit.withoutContact)
    let isOff = tap.offSkinSince.map { loop.now - $0 >= limit } ?? false
    guard isOff != isOffBody else { return }
    isOffBody = isOff
    tell(.notice(.notOnBody, isOn: isOff))
  }

  /// Its link has shown what it is: another kind of sensor than was thought, perhaps.
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
      // What it collected before may come in several packets: none of that is of the measurement.
      if tap.hasIntervals { return tap.firstPacket.map { now - $0 >= Self.burst } ?? false }
      guard now - settled >= Self.batchPatience, tap.readings.rate(at: now.seconds) != nil else { return false }
      becomeRateOnly()
      return true
    case .rateOnly: return tap.packets > 0 && tap.readings.rate(at: now.seconds) != nil
    case .oximeter: return tap.firstPacket != nil || now - settled >= Self.streamPatience
    // It tells nothing before it has measured.
    case .thermometer, .cuff, .scale: return true
    }
  }

  private func becomeRateOnly() {
    tap.becomeRateOnly()
    wantStreams()
  }

  /// The wearable has another link, or none.
  func linkChanged() {
    settledAt = nil
    guard wearable.link == nil else { return }
    tap.linkEnded()
    if isStreaming, !mayHangUp { post(.sensorLost) } else { post() }
  }

  /// The wearable was reached and cannot be measured: a person has to act, or it does not accept the hub.
  func refused(_ trouble: HearthError) {
    guard state == .initializing, !isStreaming else { return }
    self.trouble = self.trouble ?? trouble
    post(.sensorRefused(trouble.reason == .visitUnsupported ? .modelUnsupported : .sensorUnknown))
  }

  /// Gives back what was asked for.
  func closeSensor() {
    tap.onPacket = nil
    wearable.live.remove(tap)
    keeper.release(self)
    wearable.visits.lastAsked = loop.now
    // A visit that was asked for alone because of the session is not needed any more.
    if hasAsked, wearable.link == nil, wearable.lane.requests == 0 { wearable.lane.askedAt = nil }
    wearable.applyOrders(loop)
    context.changes.link(of: wearable, .used)
    context.changes.raise(.shown)
    context.changes.raise(.lane)
  }
}
