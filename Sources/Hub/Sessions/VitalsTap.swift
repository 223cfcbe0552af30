// The tap of one session: live values of one wearable on their way to its timeline of beats and to the watch of its
// signal. Decisions are left to the session.

import EventLoop
import Health
import Vitals

/// Takes the values of one wearable, packet by packet. Allocates no memory for a beat: its memory is fixed.
@LoopActor
final class VitalsTap: LiveTap {
  /// The kind of sensor. For a strap that sends only rates it becomes `rateOnly` when its measurement starts.
  private(set) var sensor: VitalsSensor
  private(set) var timeline: BeatTimeline
  private(set) var readings = SensorReadings()
  var watch: Vitals.SignalWatch
  /// Packets of the expected stream, and arrival of the first over this link.
  private(set) var packets: UInt64 = 0
  private(set) var firstPacket: Instant?
  /// Arrival of the newest packet.
  private(set) var lastPacket: Instant?
  /// Intervals came over this link.
  private(set) var hasIntervals = false
  private(set) var hasFallenBack = false
  /// Time since which the sensor has reported no contact with the skin.
  private(set) var offSkinSince: Instant?
  /// Called after each packet of the stream, while the session waits for the first.
  var onPacket: (@LoopActor () -> Void)?
  /// Called with conditions that a packet began or ended.
  var onNotices: @LoopActor ([SignalNotice]) -> Void = { _ in }

  private let loop: any Loop
  /// Time when the measurement was ordered.
  private var ordered: Instant
  /// Readings with an earlier time are of the past.
  private(set) var since: Instant
  /// True if all stored readings have come: later ones were measured since, whatever its clock shows.
  private(set) var hasSaidAll = false
  /// Time since which its link has been settled without a reading.
  private var quietSince: Instant?
  private var isInPacket = false
  private var isOfStream = false
  private var time: Instant
  private var contact = SignalPacket.Contact.unknown
  private var intervals: [ReceivedInterval] = []
  private var rates = 0
  /// Beats that were taken from the timeline.
  private var taken: UInt32 = 0
  private var isReconnected = false

  /// Time before the session from which a reading still counts. A cuff connects after it has measured. A scale connects
  /// while it weighs, and the weight of a minute ago may be another person's.
  private static func grace(_ sensor: SensorClass) -> Duration {
    sensor == .scale ? .microseconds(ReadingTimes.readingError) : .seconds(60)
  }
  /// A wearable with stored readings sends them without pauses, as soon as the hub subscribes.
  private static let quiet: Duration = .seconds(5)

  /// - Parameter before: the tap that it replaces, for another kind of sensor; readings of that tap count.
  init(_ sensor: VitalsSensor, _ loop: any Loop, after before: VitalsTap? = nil) {
    self.sensor = sensor
    self.loop = loop
    time = loop.now
    ordered = before?.ordered ?? loop.now
    since = ordered - Self.grace(sensor.sensor)
    if let before { (readings, hasSaidAll, quietSince) = (before.readings, before.hasSaidAll, before.quietSince) }
    timeline = BeatTimeline(screening: sensor.screening)
    watch = Vitals.SignalWatch(batchSpacing: sensor.batchSpacing)
    intervals.reserveCapacity(SignalPacket.intervalLimit)
  }

  /// Handles the end of the link: later values are another stretch.
  func linkEnded() {
    isReconnected = timeline.count > 0
    hasIntervals = false
    (firstPacket, lastPacket, offSkinSince) = (nil, nil, nil)
  }

  /// Prepares for another measurement, as earlier readings are the result of the one before. Clocks that were read are
  /// right to some seconds.
  func beginAnother() {
    readings = SensorReadings()
    ordered = loop.now
    since = ordered - .microseconds(ReadingTimes.readingError)
  }

  /// Called each second.
  ///
  /// - Parameter isOfUse: there is a link over which a reading could come.
  func noteLink(isOfUse: Bool) {
    guard isOfUse else {
      quietSince = nil
      return
    }
    let since = quietSince ?? loop.now
    quietSince = since
    if loop.now - since >= Self.quiet { hasSaidAll = true }
  }

  /// Notes that only rates come, whatever was announced.
  func becomeRateOnly() {
    hasFallenBack = true
    sensor = VitalsSensor(.rateOnly)
    watch = Vitals.SignalWatch()
  }

  // MARK: LiveTap

  func packetBegan(at time: Instant) {
    isInPacket = true
    begin(time)
  }

  private func begin(_ time: Instant) {
    self.time = time
    isOfStream = false
    contact = .unknown
    intervals.removeAll(keepingCapacity: true)
    rates = 0
  }

  func contact(_ isOnSkin: Bool, at time: Instant) {
    // An optical sensor reports its contact itself, with each batch.
    if sensor.isOptical || !sensor.trustsContact { return }
    alone(time) {
      contact = isOnSkin ? .made : .lost
      isOfStream = !sensor.isSpot
    }
  }

  func value(_ sample: Sample, at time: Instant) { if time >= since { take(sample, at: time) } }

  /// A reading of yesterday with an unsure or missing time must not become the result, and one of now must not be left
  /// out.
  func reading(_ sample: Sample, at time: Instant, isSure: Bool, isKnown: Bool) {
    if quietSince != nil { quietSince = loop.now }
    if isSure || isKnown && !hasSaidAll, time < since {
      if !isSure { readings.noteUndated(sample.series) }
      return
    }
    guard isKnown || hasSaidAll else { return readings.noteUndated(sample.series) }
    take(sample, at: time)
  }

  private func take(_ sample: Sample, at time: Instant) {
    switch sample.series {
    case .rrInterval where sensor.sensor == .electrical:
      alone(time) { add(ReceivedInterval(Double(sample.value) * 1000 / 1024)) }
    case .heartRate: note(rate: Double(sample.value), sample, time)
    case .pulseRate: note(rate: Double(sample.value) / 10, sample, time)
    default:
      guard readings.note(sample, at: time, now: loop.now), sensor.isSpot else { return }
      alone(self.time) { isOfStream = true }
    }
  }

  private func note(rate: Double, _ sample: Sample, _ time: Instant) {
    guard rate > 0 else { return }
    // The pulse of a reading is part of it, whatever its quality.
    if sample.series == .pulseRate, readings.note(sample, at: time, now: loop.now) { return }
    if sample.flags.isLowQuality { return }
    readings.note(rate: rate, at: time)
    if sensor.isOptical { return }
    alone(time) {
      rates += 1
      isOfStream = true
    }
  }

  /// | values | meaning |
  /// |---|---|
  /// | 0 | ms |
  /// | 1 | error estimate, ms |
  /// | 2 | bit 0 blocker, bit 1 contact, bit 2 contact is supported |
  func values(_ series: Series, _ values: UnsafeBufferPointer<Int64>, at time: Instant) {
    guard series == .ppi, sensor.isOptical, values.count == 3 else { return }
    let status = values[2]
    let told: ReceivedInterval.Contact = status & 4 == 0 ? .unsupported : status & 2 == 0 ? .absent : .present
    alone(time) {
      add(
        ReceivedInterval(
          Double(values[0]), errorEstimate: Double(values[1]), isBlocked: status & 1 != 0, contact: told))
      if sensor.trustsContact, told != .unsupported { contact = told == .present ? .made : .lost }
    }
  }

  private func add(_ interval: ReceivedInterval) {
    isOfStream = true
    // More than any sensor sends at once: the timeline ignores it.
    if intervals.count < SignalPacket.intervalLimit { intervals.append(interval) }
  }

  /// A value without a packet counts as a packet of its own.
  @inline(__always)
  private func alone(_ time: Instant, _ body: () -> Void) {
    if isInPacket { return body() }
    begin(time)
    body()
    end()
  }

  func packetEnded() {
    isInPacket = false
    end()
  }

  // MARK: One packet

  private func end() {
    guard isOfStream else { return }
    packets &+= 1
    if firstPacket == nil { firstPacket = time }
    lastPacket = time
    offSkinSince = contact == .lost ? offSkinSince ?? time : nil
    if !intervals.isEmpty { hasIntervals = true }
    let notices = watch.take(takePacket(), at: moment)
    if !notices.isEmpty { onNotices(notices) }
    onPacket?()
  }

  private var moment: SessionMoment {
    SessionMoment(monotonic: time.nanoseconds / 1000, wall: loop.wall.microseconds)
  }

  private func takePacket() -> SignalPacket {
    switch sensor.sensor {
    case .electrical, .optical, .opticalWrist: break
    case .rateOnly, .oximeter, .thermometer, .cuff, .scale:
      return SignalPacket(received: rates, usable: rates, contact: contact)
    }
    let isLost = contact == .lost && !sensor.isOptical
    guard !intervals.isEmpty || isLost else { return SignalPacket(received: 0, usable: 0, contact: contact) }
    timeline.take(
      intervals, atMicroseconds: time.nanoseconds / 1000, reconnected: isReconnected, contactLost: isLost)
    if !intervals.isEmpty { isReconnected = false }
    let (usable, doubt) = judged(isLost)
    let gap = lostTime()
    taken &+= 1
    return SignalPacket(received: intervals.count, usable: usable, doubt: doubt, gap: gap, contact: contact)
  }

  private func judged(_ isLost: Bool) -> (usable: Int, doubt: Int) {
    var usable = 0
    var doubt = 0
    for interval in intervals {
      switch sensor.screening.verdict(on: interval, contactLost: isLost) {
      case .usable: usable += 1
      case .uncertain:
        usable += 1
        doubt += 1
      case .dropped: doubt += 2
      }
    }
    return (usable, doubt)
  }

  /// µs of beats that the timeline lost before the last packet.
  private func lostTime() -> Int64 {
    var lost = 0.0
    var index = timeline.gapCount
    while index > 0 {
      index -= 1
      let gap = timeline.gap(index)
      guard gap.packet == taken else { break }
      lost += gap.length
    }
    return Int64(min(lost, 3600) * 1e6)
  }
}
