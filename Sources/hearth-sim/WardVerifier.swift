// Compares the store with the logs of a ward's sensors. Every value that was sent to the hub must be there once, equal,
// in order, at its time, with its quality. No others may be there.

import Bluetooth
import EventLoop
import Health
import RingStore
import Simulation
import StrapTwin

/// Checks every day and forgets what it has judged. Live values are compared at each check, fetched ones at the end
/// (`WardRecords`).
@LoopActor
final class WardVerifier {
  /// Violations, at most twenty.
  private(set) var violations: [String] = []
  /// Values that are at their place.
  private(set) var matched = 0
  /// Losses of streamed values by each kill.
  private(set) var losses: [(at: Instant, count: Int)] = []
  /// Hash of the content: equal for the same content in the same order.
  private(set) var contentHash: UInt64 = 0xCBF2_9CE4_8422_2325
  private var unsure = 0
  private var doubled = 0
  private var worstError: Int64 = 0

  /// Live times are stored in whole milliseconds, rounded down, by both clocks; by one of them to 10 ms (FORMAT.md).
  private static let liveBound: ClosedRange<Int64> = -10_001...11_000
  /// A value's own time has whole seconds. µs.
  private static let ownBound: Int64 = 2_000_000
  /// A more recent delivery may still be on its way.
  private static let onItsWay: Duration = .seconds(5)
  /// The longest wait of a sensor for a confirmation, with a reserve.
  private static let undecided: Duration = .seconds(60)
  /// Time from a value's arrival to that of its confirmation.
  private static let flight: Duration = .seconds(2)
  /// Limit of the hub's clock being stepped back since the last check, µs.
  private static let lead: Int64 = 3_600_000_000

  private let hub: SimulatedHub
  private var subjects: [Subject]
  /// The hub's clock at the last check.
  private var since: WallTime?

  /// A sensor, with values that are still to be compared.
  private struct Subject {
    let guest: WardGuest
    var lines: [WardLine] = []
    var records = WardRecords()
    /// Readings of a cuff that were sent, and those that were sent more than once.
    var told: Set<UInt64> = []
    var repeated: Set<UInt64> = []

    mutating func place(_ series: Series) -> Int {
      if let place = lines.firstIndex(where: { $0.series == series }) { return place }
      lines.append(WardLine(series: series))
      return lines.count - 1
    }
  }

  init(_ hub: SimulatedHub, _ guests: [WardGuest]) {
    self.hub = hub
    subjects = guests.map { Subject(guest: $0) }
  }

  // MARK: Looking

  /// - Parameter isLast: all deliveries have arrived.
  func look(isLast: Bool = false) async throws {
    try await hub.store.flush()
    let now = hub.world.loop.now
    let wall = hub.world.loop.wall
    for index in subjects.indices {
      collect(&subjects[index], now)
      subjects[index] = try await read(subjects[index])
      for line in subjects[index].lines.indices {
        compare(&subjects[index], line, until: isLast ? now : now - Self.onItsWay)
        if isLast { checkRest(subjects[index], subjects[index].lines[line]) }
      }
    }
    since = wall
  }

  /// The last check, with fetched values.
  ///
  /// - Parameter wallSteps: µs by which the hub's clock was ahead of the monotonic one, with start.
  func finish(_ wallSteps: [(at: Instant, total: Int64)]) async throws {
    try await look(isLast: true)
    for subject in subjects where subject.guest.recorder != nil {
      let fetched = try await samples(of: subject.guest, since: nil).filter { $0.way != .live && $0.series != .raw }
      for sample in fetched { absorb(sample.time.microseconds, sample.value) }
      let verdict = subject.records.judge(fetched, wallSteps)
      matched += verdict.matched
      unsure += verdict.unsure
      worstError = max(worstError, verdict.worstError)
      for objection in verdict.objections { report("\(subject.guest.name), \(subject.guest.kind), \(objection)") }
    }
  }

  private func collect(_ subject: inout Subject, _ now: Instant) {
    if let strap = subject.guest.twin as? VirtualStrap { return add(strap.takeTruth(), to: &subject) }
    if let oximeter = subject.guest.twin as? VirtualOximeter { return add(oximeter.takeTruth(), to: &subject) }
    guard let sensor = subject.guest.sensor else { return }
    for delivery in sensor.takeDeliveries(before: now - Self.undecided) where delivery.wasDelivered {
      add(delivery, of: sensor, to: &subject)
    }
  }

  private func add(_ truth: LiveTruth, to subject: inout Subject) {
    for (series, values) in truth.series {
      let place = subject.place(series)
      subject.lines[place].owed += values.map {
        WardExpected(
          at: $0.at, time: $0.time, value: $0.value, own: $0.delay > 0 ? [$0.time.microseconds - $0.delay] : [],
          isOptional: $0.isOptional)
      }
    }
  }

  private func add(_ delivery: Delivery, of sensor: HealthTwin, to subject: inout Subject) {
    let values = WardExpectation.values(of: delivery, by: sensor)
    guard let at = delivery.deliveredAt, let time = delivery.deliveredTime, !values.isEmpty else { return }
    let isReading = delivery.reading > 0
    if isReading, delivery.isStored {
      subject.records.add(delivery, values.map { ($0.series, $0.value) }, at, sensor.clockSettings)
      guard delivery.characteristic == .spotCheckMeasurement else { return }
      // A value that comes when the turn is over is read as a live one, and recognised when it comes again.
      for value in values {
        let place = subject.place(value.series)
        subject.lines[place].owed.append(
          WardExpected(
            at: at, time: time, value: value.value, isLow: value.isLow, isOptional: true, reading: delivery.reading,
            isRecord: true))
      }
      return
    }
    if isReading, delivery.isIndicated, !subject.told.insert(delivery.reading).inserted {
      subject.repeated.insert(delivery.reading)
    }
    let keeper = delivery.isIndicated ? sensor as? SpotCheckTwin : nil
    let isConfirmed = delivery.confirmedAt != nil
    var own: [Int64] = []
    if let shown = delivery.shown {
      let kept = (at - delivery.takenAt).wholeNanoseconds / 1000
      own = [time.microseconds - kept, shown - Int64(sensor.sensor.clock.quarterHours) * 900_000_000]
    }
    for value in values {
      let owed = WardExpected(
        at: at, time: time, value: value.value, own: own, isLow: value.isLow,
        isOptional: !isReading && delivery.isStored,
        reading: delivery.reading, isForgotten: isConfirmed && keeper?.keeping.isIntermittent == true,
        comesAgain: !isConfirmed && keeper != nil)
      let place = subject.place(value.series)
      subject.lines[place].owed.append(owed)
    }
    if isReading, delivery.characteristic == .spotCheckMeasurement {
      subject.records.note(delivery, values.map { ($0.series, $0.value) }, at, sensor.clockSettings)
    }
  }

  private func samples(of guest: WardGuest, since: WallTime?) async throws -> [StoredSample] {
    guard let wearable = hub.store.wearables.first(where: { $0.name == guest.name })?.id else {
      report("\(guest.name) is not enrolled any more")
      return []
    }
    var samples: [StoredSample] = []
    let session = try await hub.store.export(SampleQuery(wearables: [wearable], since: since))
    while let page = try await session.next(limit: 10_000) { samples += page.samples }
    return samples
  }

  private func read(_ subject: Subject) async throws -> Subject {
    var subject = subject
    // Stored readings have earlier times; there are few of them.
    let isSparse = subject.guest.keeper != nil
    let lead = subject.guest.twin is SpotCheckTwin ? Self.lead * 12 : Self.lead
    let from = isSparse ? nil : since.map { WallTime(microseconds: $0.microseconds - lead) }
    // Stored readings with their own time are in the ring of fetched values; each way has a ring of its own.
    let hasBoth = subject.guest.twin is SpotCheckTwin
    for sample in try await samples(of: subject.guest, since: from)
    where sample.way == .live && !Self.isHubs(sample.series) || hasBoth && sample.series != .raw {
      let place = subject.place(sample.series)
      if !subject.lines[place].isNew(sample.ordinal, isLive: sample.way == .live) { continue }
      subject.lines[place].stored.append(
        WardKept(at: sample.monotonic, time: sample.time, value: sample.value, isLow: sample.flags.isLowQuality))
      absorb(sample.time.microseconds, sample.value)
    }
    return subject
  }

  /// Trainings that the hub derives from heart rates, without a sensor's message.
  private static func isHubs(_ series: Series) -> Bool { series == .training || series == .measurement }

  // MARK: Comparing

  private func compare(_ subject: inout Subject, _ place: Int, until moment: Instant) {
    var line = subject.lines[place]
    let hasBoth = subject.guest.twin is SpotCheckTwin
    var done = 0
    for owed in line.owed {
      guard owed.at <= moment, !line.isBroken else { break }
      done += 1
      // The reading is stored already: once is enough, however often it was sent.
      if owed.reading > 0, let first = line.settled[owed.reading] {
        // Killed after the commit, before the confirmation arrived: the hub cannot know it.
        let isExcused = hub.watch.kills.contains { $0.at >= first && $0.at - first < Self.flight }
        if isExcused, line.take(anywhere: hasBoth, { Self.matches(owed, $0) }) != nil { doubled += 1 }
        continue
      }
      if let kept = line.take(anywhere: hasBoth, { Self.matches(owed, $0) }) {
        if let wanted = owed.isLow, wanted != kept.isLow {
          report(
            subject, line, "\(owed.value) is \(kept.isLow ? "" : "not ")of low quality, and its sensor says otherwise")
        }
        if owed.reading > 0 { line.settled[owed.reading] = owed.at }
        if owed.isRecord { subject.records.wasLive(owed.reading) }
        matched += 1
      } else if !owed.isOptional, !owed.comesAgain {
        if excuse(owed) { continue }
        // A spot-check that came while records were read was read as one of them.
        if subject.records.mayHold(owed.reading) { continue }
        let found =
          line.stored.dropFirst(line.taken).first.map { "\($0.value) at \($0.time.microseconds)" } ?? "the end"
        report(subject, line, "\(owed.value) at \(owed.time.microseconds) was reported, the store has \(found)")
        line.isBroken = true
      }
    }
    line.owed.removeFirst(done)
    line.forgetTaken()
    if line.isBroken { (line.owed, line.stored) = ([], []) }
    subject.lines[place] = line
  }

  private static func matches(_ owed: WardExpected, _ kept: WardKept) -> Bool {
    guard owed.value == kept.value else { return false }
    let isOfArrival =
      liveBound.contains(owed.time.microseconds - kept.time.microseconds)
      && liveBound.contains((owed.at.nanoseconds - kept.at.nanoseconds) / 1000)
    return isOfArrival || owed.own.contains { abs($0 - kept.time.microseconds) <= ownBound }
  }

  /// A kill may cost what came in the commit window before it, except what its sensor no longer has.
  private func excuse(_ owed: WardExpected) -> Bool {
    if owed.isForgotten { return false }
    guard let kill = hub.watch.kills.first(where: { owed.at <= $0.at && $0.at - owed.at <= $0.window }) else {
      return false
    }
    if let place = losses.firstIndex(where: { $0.at == kill.at }) {
      losses[place].count += 1
    } else {
      losses.append((kill.at, 1))
    }
    return true
  }

  private func checkRest(_ subject: Subject, _ line: WardLine) {
    guard !line.isBroken, let first = line.stored.first else { return }
    report(
      subject, line,
      """
      \(line.stored.count) values in the store were never reported, or are there twice; the first is \(first.value) at \
      \(first.time.microseconds)
      """)
  }

  private func report(_ subject: Subject, _ line: WardLine, _ what: String) {
    report("\(subject.guest.name), \(subject.guest.kind), \(line.series.name): \(what)")
  }

  private func report(_ what: String) {
    if violations.count < HubWatch.violationLimit { violations.append(what) }
  }

  private func absorb(_ time: Int64, _ value: Int64) {
    for word in [time, value] {
      contentHash = (contentHash ^ UInt64(bitPattern: word)) &* 0x100_0000_01B3
    }
  }

  // MARK: The outcome

  /// Called after the end.
  func outcome(wallSteps: Int) -> WardOutcome {
    var outcome = WardOutcome()
    for subject in subjects {
      outcome.records += subject.records.count
      if subject.guest.keeper != nil { outcome.repeated += subject.repeated.count }
      guard subject.guest.isCuff, let sensor = subject.guest.sensor else { continue }
      let lost = Set(sensor.ledger.overwritten).subtracting(subject.told)
      let stored = subject.lines.first { $0.series == .systolicPressure }?.settled.count ?? 0
      outcome.readings += subject.told.union(lost).count
      outcome.stored += stored
      outcome.lost += lost.count
    }
    (outcome.unsure, outcome.worstError, outcome.wallSteps) = (unsure, worstError, wallSteps)
    outcome.doubled = doubled
    return outcome
  }
}
