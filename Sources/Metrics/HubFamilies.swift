// Metrics of the hub as a whole: itself, its radio, its lane, its loop.

internal import Bluetooth
internal import EventLoop
internal import Hub
internal import Reasons
internal import RingStore

extension MetricsSnapshot {
  var hubFamilies: [MetricFamily] {
    [
      .gauge("hearth_hub_info", "The hub and its version; always 1.")
        .adding(.truth(true), ("name", hub.name), ("version", hearthVersion)),
      .gauge("hearth_hub_serving", "1 while the hub serves.").adding(.truth(hub.phase == .serving)),
      .gauge("hearth_hub_uptime_seconds", unit: .seconds, "Since the hub started; counters begin at 0 with it.")
        .adding(.seconds(hub.uptime)),
      .gauge("hearth_hub_attention", "Things that need a person, by reason code; hearth explain CODE says what to do.")
        .adding(counted(hub.attention.map(\.trouble.reason)), Self.sample),
      .gauge("hearth_clock_synchronised", "1 while a time source disciplines the hub's clock.")
        .adding(.truth(hub.clockIsSynchronised)),
      .gauge("hearth_clock_plausible", "1 unless the hub's clock cannot be right.").adding(
        .truth(hub.clockIsPlausible)),
      .gauge("hearth_enrolled_devices", "Enrolled wearables.").adding(.whole(hub.enrolled)),
      .gauge("hearth_present_devices", "Enrolled wearables that are here.").adding(.whole(hub.present)),
      .gauge("hearth_missing_devices", "Enrolled wearables that have been away for longer than they should be.")
        .adding(.whole(hub.missing)),
      .gauge("hearth_live_devices", "Enrolled wearables that send live values.").adding(.whole(hub.live)),
      .counter("hearth_events", "Events written down since start, by reason code; hearth events lists them.")
        .adding(eventCounts, Self.sample),
      .counter("hearth_samples_stored", "Samples that became durable since start, by origin.")
        .adding(.count(store.storedLive), ("origin", "live")).adding(
          .count(store.storedFetched), ("origin", "fetched")),
      .counter("hearth_samples_lost", "Samples of the hub's own that are lost since start, by reason code.")
        .adding(losses, Self.sample),
    ]
  }

  var radioFamilies: [MetricFamily] {
    let facts = hub.radio
    func state(_ name: String, _ isNow: Bool) -> MetricSample {
      MetricSample(labels: [("state", name)], value: .truth(isNow))
    }
    let isDown = if case .down = hub.radioState { true } else { false }
    func counter(_ name: String) -> MetricValue? { facts.counters.first { $0.name == name }.map { .count($0.value) } }
    return [
      .gauge("hearth_radio_info", "The Bluetooth adapter; always 1.").adding(
        .truth(true), ("adapter", facts.adapter), ("address", facts.address?.description ?? ""), ("bus", facts.bus)),
      .gauge("hearth_radio_state", "1 for the state that the radio is in.").adding(
        [
          state("starting", hub.radioState == .starting), state("ready", hub.radioState == .ready),
          state("down", isDown),
        ], { $0 }),
      .gauge("hearth_radio_links", "Links that the adapter has.").adding(.whole(facts.links)),
      .gauge("hearth_radio_slots", "Links that it can have at the same time.").adding(.whole(facts.slots)),
      .gauge("hearth_radio_scanning", "1 while it scans.").adding(.truth(facts.isScanning)),
      .gauge("hearth_radio_recovering", "1 while the radio is being revived.").adding(.truth(facts.care.isRecovering)),
      .gauge("hearth_radio_heard_age_seconds", unit: .seconds, "Since anything was heard.")
        .adding(facts.care.lastHeard.map { .seconds(max(.zero, now - $0)) }),
      .counter("hearth_radio_recoveries", "What was done to revive the radio since start, by step.")
        .adding(facts.care.rungs) { MetricSample(labels: [("step", $0.name)], value: .count($0.count)) },
      .counter("hearth_radio_hangs", "How often the adapter was found silent since start.")
        .adding(counter("adapter.silent")),
      .counter("hearth_radio_scan_restarts", "Scans restarted since start.").adding(counter("scan.restarts")),
      .counter("hearth_radio_happenings", "What the radio counted since start, as hearth radio shows it.")
        .adding(facts.counters) { MetricSample(labels: [("what", $0.name)], value: .count($0.value)) },
      .counter("hearth_hub_happenings", "What the hub counted since start, as hearth status shows it.")
        .adding(hub.counters) { MetricSample(labels: [("what", $0.name)], value: .count($0.value)) },
      .counter("hearth_link_attempts", "Tries to link a wearable since start.").adding(.count(hub.tally.linkAttempts)),
      .counter("hearth_links_made", "Links that were made since start.").adding(.count(hub.tally.linksMade)),
      .counter("hearth_links_lost", "Links that ended by themselves since start.").adding(.count(hub.tally.linksLost)),
    ]
  }

  var laneFamilies: [MetricFamily] {
    [
      .gauge("hearth_lane_queue_length", "Wearables that could have the lane at once.")
        .adding(.whole(hub.laneQueue.count)),
      .gauge("hearth_lane_waiting", "Wearables that wait for the lane, those included that may not have it yet.")
        .adding(.whole(hub.queue.count)),
      .gauge("hearth_lane_held", "1 while a wearable has the lane.").adding(.truth(hub.laneHolder != nil)),
      .gauge("hearth_lane_holder", "The wearable that has the lane; always 1, and absent while the lane is free.")
        .adding(hub.laneHolder.map { _ in .truth(true) }, ("device", hub.laneHolder ?? "")),
      .gauge(
        "hearth_lane_wait_longest_seconds", unit: .seconds, "Longest wait of a wearable for the lane; 0: empty."
      )
      .adding(.seconds(max(.zero, hub.longestWait ?? .zero))),
      .counter("hearth_visits", "Visits that ended since start, by outcome.").adding(VisitOutcome.allCases) {
        MetricSample(labels: [("outcome", $0.name)], value: .count(hub.tally.visits[$0] ?? 0))
      },
    ]
  }

  var loopFamilies: [MetricFamily] {
    let loop = hub.loop
    return [
      .counter("hearth_loop_wakeups", "Returns of the loop from waiting, since start.")
        .adding(loop.map { .count($0.wakeUps) }),
      .counter("hearth_loop_turns", "Turns of the loop since start.").adding(loop.map { .count($0.turns.count) }),
      .counter("hearth_loop_stalls", "Turns of the loop since start that took longer than 50 ms.")
        .adding(loop.map { .count($0.stalls) }),
      .gauge("hearth_loop_turn_longest_seconds", unit: .seconds, "The longest turn of the loop since start.")
        .adding(loop.map { .seconds($0.longestTurn) }),
      .counter("hearth_process_cpu_seconds", unit: .seconds, "Processor time of the daemon since its start.")
        .adding(process.map { .seconds($0.processorTime) }),
      .gauge("hearth_process_resident_memory_bytes", unit: .bytes, "Memory that the daemon holds in RAM.")
        .adding(process.map { .whole($0.residentBytes) }),
    ]
  }

  // MARK: Codes

  /// Lost samples: deleted before any export, or never written to the card. Losses of a single wearable are counted
  /// with that wearable.
  private var losses: [(reason: Reason, count: UInt64)] {
    [(.storeEvicting, store.evictedUnexportedSinceStart), (.storeFailing, store.droppedSamples)]
  }

  /// Event counts in the order of the codes. A code of another program version has no name here and is left out.
  private var eventCounts: [(reason: Reason, count: UInt64)] {
    store.events.sorted { $0.key < $1.key }.compactMap { number, count in
      Reason(rawValue: number).map { ($0, count) }
    }
  }

  private func counted(_ reasons: [Reason]) -> [(reason: Reason, count: UInt64)] {
    var counts: [Reason: UInt64] = [:]
    for reason in reasons { counts[reason, default: 0] += 1 }
    return counts.sorted { $0.key.rawValue < $1.key.rawValue }.map { ($0.key, $0.value) }
  }

  private static func sample(_ entry: (reason: Reason, count: UInt64)) -> MetricSample {
    MetricSample(labels: [("code", entry.reason.code), ("area", entry.reason.area)], value: .count(entry.count))
  }
}
