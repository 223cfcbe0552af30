// The documents about the hub, its wearables and enrolment, from the hub's snapshots.

import Bluetooth
public import CivilTime
public import EventLoop
import Health
public import Hub
public import HubProtocol
internal import Reasons
internal import StoreDocuments
internal import Wearable

extension StatusDocument.Loop {
  /// Converts figures of the event loop; durations in milliseconds.
  public init(_ loop: LoopStatistics) {
    func milliseconds(_ time: Duration) -> Double { (time.inSeconds * 1e6).rounded() / 1000 }
    self.init(
      wakeUps: loop.wakeUps, turns: loop.turns.count, turnP50Ms: milliseconds(loop.turns.quantile(0.5)),
      turnP99Ms: milliseconds(loop.turns.quantile(0.99)), longestTurnMs: milliseconds(loop.longestTurn),
      stalls: loop.stalls)
  }
}

extension StatusDocument {
  /// Converts the state of the hub; times in UTC, days in `zone`.
  public init(
    _ hub: HubSnapshot, enrolment: EnrolmentSnapshot, store: StoreDocument, now: WallTime, zone: TimeZoneRules
  ) {
    self.init(
      name: hub.name, version: hearthVersion, phase: .init(hub.phase.rawValue), startedAt: hub.startedAt.rfc3339,
      uptimeSeconds: Int(hub.uptime.inSeconds), radio: Radio(hub), enrolled: hub.enrolled, present: hub.present,
      missing: hub.missing, paused: hub.paused == 0 ? nil : hub.paused, live: hub.live,
      lane: Lane(
        holder: hub.laneHolder, queue: hub.laneQueue, visit: hub.visit.map { VisitDocument($0) },
        waiting: hub.queue.map { QueuedDocument($0) }),
      enrolment: EnrolmentDocument(enrolment), store: store,
      clock: Clock(
        time: now.rfc3339, synchronised: hub.clockIsSynchronised, plausible: hub.clockIsPlausible, zone: zone.name),
      attention: hub.attention.map { Attention($0) },
      muted: hub.muted.isEmpty ? nil : hub.muted.map { Attention($0) },
      loop: hub.loop.map { Loop($0) }, counters: Counters(hub.counters), backupAt: hub.backupAt?.rfc3339)
  }
}

extension StatusDocument.Attention {
  init(_ attention: Hub.Attention) {
    self.init(
      device: attention.wearable, reason: TroubleDocument(attention.trouble),
      mutedUntil: attention.mutedUntil?.rfc3339)
  }
}

extension Words.RadioPhase {
  /// The phase, and the trouble if the radio does not serve.
  static func of(_ state: RadioState) -> (Words.RadioPhase, TroubleDocument?) {
    switch state {
    case .starting: (.starting, nil)
    case .ready: (.ready, nil)
    case .down(let down): (.down, TroubleDocument(HearthError(down, down.text.sentence)))
    }
  }
}

extension StatusDocument.Radio {
  init(_ hub: HubSnapshot) {
    let facts = hub.radio
    let (state, reason) = Words.RadioPhase.of(hub.radioState)
    self.init(
      state: state, adapter: facts.adapter, address: facts.address?.description,
      addressType: facts.address.map { addressTypeName($0.kind.rawValue) }, bus: facts.bus, links: facts.links,
      slots: facts.slots, scanning: facts.isScanning, reason: reason, recovering: facts.care.isRecovering,
      rung: facts.care.rung,
      counters: Counters(facts.counters))
  }
}

extension DeviceDocument {
  /// Converts the state of a wearable.
  public init(_ wearable: WearableSnapshot) {
    self.init(
      name: wearable.name, address: wearable.address.description,
      addressType: addressTypeName(wearable.address.kind.rawValue), kind: wearable.kind,
      state: .init(wearable.state.rawValue),
      enrolled: wearable.isEnrolled, driver: wearable.driver, nextDriver: wearable.nextDriver, rssi: wearable.rssi,
      battery: wearable.battery, batteryAt: wearable.batteryRead?.rfc3339,
      batteryCharge: wearable.batteryCharge.map { .init($0.rawValue) }, lastSeen: wearable.lastSeen?.rfc3339,
      absentAfterS: wearable.absentAfter.map { Int($0.components.seconds) },
      absentChoiceS: wearable.absenceChoice.map { Int($0.components.seconds) },
      lastValueAt: wearable.lastValue?.rfc3339,
      heartRate: wearable.heartRate?.bpm, heartRateAt: wearable.heartRate?.time.rfc3339,
      advertisedHeartRate: wearable.advertisedHeartRate?.bpm,
      advertisedHeartRateAt: wearable.advertisedHeartRate?.time.rfc3339,
      linkedSince: wearable.linkedSince?.rfc3339, nextTry: wearable.nextTry?.rfc3339,
      reason: wearable.trouble.map { TroubleDocument($0) }, manufacturer: wearable.manufacturer, model: wearable.model,
      firmware: wearable.firmware, serialNumber: wearable.serialNumber, bodyLocation: wearable.bodyLocation,
      systemId: wearable.systemID, pnpId: wearable.productID, charging: wearable.charging,
      notServed: wearable.notServed, oddities: DeviceDocument.Oddity.all(wearable.oddities),
      capabilities: wearable.capabilities.map { Capabilities.all($0, came: wearable.cameLive) },
      wearer: wearable.wearer, visit: wearable.visit.map { VisitDocument($0) },
      lastVisit: wearable.lastVisit.map { VisitDocument($0) }, queued: wearable.queued.map { QueuedDocument($0) },
      slotWait: wearable.slotWait.map { SlotWaitDocument($0) },
      coolsOff: wearable.coolsOff, measuring: wearable.isMeasuring ? true : nil,
      requestedProfile: wearable.requestedProfile?.name,
      effectiveProfile: wearable.effectiveProfile?.name, erase: wearable.eraseWord,
      eraseChoice: wearable.eraseChoice?.rawValue, listens: wearable.listens, listenChoice: wearable.listeningChoice,
      memoryFree: wearable.memoryFree, memoryTotal: wearable.memoryTotal,
      leftOut: wearable.leftOut.isEmpty ? nil : wearable.leftOut, pausedSince: wearable.pause?.since.rfc3339,
      pausedUntil: wearable.pause?.until?.rfc3339,
      muted: wearable.muted.isEmpty ? nil : wearable.muted.map { Muted($0) },
      alerts: wearable.alerts.isEmpty ? nil : wearable.alerts.map { AlertDocument($0) },
      training: wearable.training.map { TrainingDocument($0) },
      counters: Counters(wearable.counters))
  }
}

extension DeviceDocument.Muted {
  init(_ muted: Hub.Attention) {
    let reason = TroubleDocument(muted.trouble)
    self.init(
      code: reason.code, area: reason.area, sentence: reason.sentence, detail: reason.detail, effect: reason.effect,
      next: reason.next, mutedUntil: muted.mutedUntil?.rfc3339)
  }
}

extension DeviceDocument.Oddity {
  /// nil if the list is empty.
  static func all(_ oddities: [OddValues]) -> [Self]? {
    if oddities.isEmpty { return nil }
    return oddities.map { Self(what: $0.what, count: Int(clamping: $0.count), lastAt: $0.last.rfc3339) }
  }
}

extension DeviceDocument.Capabilities {
  /// A document for each series that the wearable can deliver, by number.
  ///
  /// - Parameter came: series of which a value ever came live.
  static func all(_ capabilities: WearableCapabilities, came: Set<Series>) -> [Self] {
    capabilities.series.map { series in
      let can = capabilities[series]
      let isSent = can.contains(.live) || can.contains(.streamed)
      return Self(series: series.name, can: can.words, came: isSent ? came.contains(series) : nil)
    }
  }
}

extension SlotWaitDocument {
  init(_ wait: SlotWait) {
    self.init(
      links: wait.links, slots: wait.slots, since: wait.since?.rfc3339, holders: wait.holders, next: wait.next,
      nextAt: wait.nextAt?.rfc3339, place: wait.place)
  }
}

extension EnrolmentDocument {
  /// Converts the state of enrolment.
  public init(_ enrolment: EnrolmentSnapshot) {
    self.init(
      mode: .init(enrolment.mode.rawValue), open: enrolment.openUntil != nil, openUntil: enrolment.openUntil?.rfc3339,
      secondsLeft: enrolment.secondsLeft, nearRssi: enrolment.nearRSSI,
      candidates: enrolment.candidates.map {
        Candidate(
          letter: $0.letter, name: $0.name, address: $0.address.description, kind: $0.kind, rssi: $0.rssi,
          near: $0.isNear,
          proposedName: $0.proposedName)
      })
  }
}

extension WearableSnapshot {
  fileprivate var eraseWord: String {
    switch removalWay {
    case .none: "none"
    case .byOrder where erasing != .no: "order"
    case .byOrder, .afterReceipt: erasing.rawValue
    }
  }
}
