// The way of a live value from its notification to the journal: synchronous, no allocation, no system call.
//
// No object here refers back to the hub, and there are no weak references to these objects. An object with a weak
// reference costs a detour at each retain, which was a third of the whole path at every sample. Rare events go through
// `LiveEvents`.

import Bluetooth
import EventLoop
import Health
import RingStore
import Wearable

/// Decodes the values of one link, and adds wearable and time.
@LoopActor
final class LiveIntake {
  var events = LiveEvents()
  private(set) var lastNotification: Instant
  private(set) var span = LiveSpan()
  /// Number of samples that were a battery's charge.
  private(set) var charges: UInt64 = 0
  /// End of the time in which the last value makes its link a live one.
  private(set) var liveUntil: Instant
  /// The wearable reported that it has no more data.
  private(set) var isDrained = false

  private let wearable: WearableID
  var decoder: any LiveDecoder
  private let loop: any Loop
  private let store: Store
  let state: LiveState
  private let listeners: LiveListeners
  /// Whether the rate of sources is limited.
  let isGuarded: Bool
  /// Sources that were requested over this link, with a guard for each: at most as many as its driver has.
  private var sources: [LiveSource] = []
  private var guards: [FloodGuard] = []
  /// Arrival of the value that is being decoded: all its samples have this time.
  private(set) var time: Instant
  /// First values with the wearable's own time.
  private var held = LiveHold()
  private var holdTimer: LoopTimer?
  private var hasStamps = false
  /// The reading that is being decoded, of a source that stores its values until they are confirmed.
  private var reading: KeptReading?
  private let readings: KeptReadings

  init(
    _ wearable: WearableID, _ driver: any WearableDriver, isGuarded: Bool, loop: any Loop, store: Store,
    state: LiveState,
    listeners: LiveListeners
  ) {
    self.wearable = wearable
    decoder = driver.makeDecoder()
    self.isGuarded = isGuarded
    self.loop = loop
    self.store = store
    self.state = state
    self.listeners = listeners
    readings = KeptReadings(wearable, loop: loop, store: store, state: state)
    time = loop.now
    lastNotification = time
    liveUntil = Liveness.promise(time)
  }

  /// The index of a source for `receive`. A source keeps its index and its guard also after a change of the wearable's
  /// database over the same link.
  func index(of source: LiveSource) -> Int {
    let known = sources.firstIndex { $0.service == source.service && $0.characteristic == source.characteristic }
    if let known { return known }
    sources.append(source)
    guards.append(isGuarded ? FloodGuard(valuesPerSecond: source.valuesPerSecond) : .off)
    return sources.count - 1
  }

  /// Takes a value that was notified or indicated; `index` is that of its source.
  ///
  /// - Parameter confirm: for a value that waits for confirmation; nil: not expected. The limit of the rate drops no
  ///   such value, as each follows the confirmation of the one before.
  func receive(_ source: LiveSource, _ index: Int, _ value: RawBytes, confirm: (@LoopActor () -> Void)? = nil) {
    time = loop.now
    span.passed(time - lastNotification)
    lastNotification = time
    let wasSilent = time > liveUntil
    liveUntil = max(liveUntil, Liveness.promise(time))
    if wasSilent { events.returned() }
    state.counters.notifications += 1
    for tap in state.taps { tap.packetBegan(at: time) }
    defer { for tap in state.taps { tap.packetEnded() } }
    switch guards[index].admit(0, now: time) {
    case .pass: decode(source, value, confirm: confirm)
    case .drop where source.isKept && confirm != nil: decode(source, value, isHasty: true, confirm: confirm)
    case .drop: state.counters.tooMany += 1
    case .hangUp: events.flood()
    }
  }

  /// Takes a value that was read.
  func take(_ source: LiveSource, _ value: RawBytes) {
    time = loop.now
    decode(source, value)
  }

  /// Sets the time of what is appended next, as far as the hub knows it; for values that come without a link.
  func begin(at time: Instant) { self.time = time }

  func fact(_ source: LiveSource, _ value: RawBytes) -> WearableFact? { decoder.fact(source, value) }

  private func decode(
    _ source: LiveSource, _ value: RawBytes, isHasty: Bool = false, confirm: (@LoopActor () -> Void)? = nil
  ) {
    if source.isKept {
      reading = KeptReading(isHasty: isHasty)
      if confirm != nil {
        reading?.identity = UnsettledReading(characteristic: source.characteristic.wireBytes, value: value)
      }
    }
    do { try decoder.decode(source, value, into: self) } catch {
      reading?.isReadable = false
      state.counters.malformed += 1
      events.malformed(source, error)
    }
    guard let reading else { return }
    self.reading = nil
    readings.take(reading, self, confirm: confirm)
  }
}

extension LiveIntake: @LoopActor SampleSink {
  var arrivedAt: Int64? { time.nanoseconds }

  func beginReading(_ own: OwnTime?, _ mark: ReadingMark?) {
    reading?.own = own
    reading?.mark = mark
  }

  func append(_ sample: Sample) {
    guard canBe(sample.series, sample.series.canBe(sample.value)) else { return }
    if reading != nil {
      reading?.samples.append(sample)
      return
    }
    guard admits(sample.series, 1, 0) else { return }
    state.counters.samples += 1
    store.append(wearable, sample.series, sample.value, flags: sample.flags, at: time)
    if sample.series == .heartRate {
      if state.heartRate == nil {
        state.heartRate = LatestValue(Int(sample.value), at: time)
      } else {
        state.heartRate?.came(Int(sample.value), at: time)
      }
    } else if sample.series == .battery {
      charges += 1
      events.battery(Int(sample.value))
    }
    if BodyMotion.tells(sample.series) { state.motion.moved(at: time) }
    for tap in state.taps { tap.value(sample, at: time) }
    if state.alerts.isWatching { watch(sample, at: time) }
    if !listeners.all.isEmpty { tell(sample.series, [sample.value], [], time, sample.flags) }
  }

  /// Reports a reading that the store has taken. `ReadingTimes.Told` describes how well its time is known.
  func tell(_ samples: [Sample], at time: Instant, isSure: Bool, isKnown: Bool) {
    for tap in state.taps { for one in samples { tap.reading(one, at: time, isSure: isSure, isKnown: isKnown) } }
    if state.alerts.isWatching { for sample in samples { watch(sample, at: time) } }
    if listeners.all.isEmpty { return }
    for sample in samples { tell(sample.series, [sample.value], [], time, sample.flags) }
  }

  /// Alerts ignore readings that are doubtful, or older than now.
  private func watch(_ sample: Sample, at time: Instant) {
    guard !sample.flags.isLowQuality, loop.now - time <= Liveness.valueAge else { return }
    guard state.alerts.note(sample.series, sample.value, isExercise: state.isExercising(at: time), at: time) else {
      return
    }
    events.alerted(state.alerts.takeSigns())
  }

  /// Copies are made only for listeners; the way to the journal works without.
  private func tell(
    _ series: Series, _ values: [Int64], _ bytes: [UInt8], _ time: Instant, _ flags: SampleFlags = .live
  ) {
    events.heard(LiveItem(series: series, flags: flags, values: values, bytes: bytes, time: time))
  }

  func append(_ series: Series, values: UnsafeBufferPointer<Int64>) {
    guard takes(series, values, 0) else { return }
    for tap in state.taps { tap.values(series, values, at: time) }
    // A wrong number of values for the series is a fault of the driver; the store would refuse it.
    guard values.count == series.shape.valueCount,
      (try? store.append(wearable, series, values: values, at: time)) != nil
    else {
      state.counters.anomalies += 1
      return
    }
    state.counters.samples += 1
    if !listeners.all.isEmpty { tell(series, Array(values), [], time) }
  }

  func noteNewItem() { events.announced() }
  func noteExercise(_ isOn: Bool) { state.motion.session(isOn: isOn, at: time) }
  func noteContact(_ isOnSkin: Bool) {
    state.noteContact(isOnSkin, at: time)
    for tap in state.taps { tap.contact(isOnSkin, at: time) }
  }
  func noteDrained(_ isDrained: Bool) {
    self.isDrained = isDrained
    guard isDrained else { return }
    readings.drained()
    events.drained()
  }

  func append(_ series: Series, values: UnsafeBufferPointer<Int64>, bytes: RawBytes, ago: Int64) {
    guard takes(series, values, bytes.count) else { return }
    for tap in state.taps { tap.values(series, values, at: time) }
    keep(series, values, bytes, at: time.nanoseconds, ago)
  }

  func append(_ series: Series, values: UnsafeBufferPointer<Int64>, bytes: RawBytes, ago: Int64, stamp: UInt64) {
    guard takes(series, values, bytes.count) else { return }
    for tap in state.taps { tap.values(series, values, at: time) }
    if !hasStamps {
      hasStamps = true
      state.clock.beginLink()
    }
    let now = time.nanoseconds
    state.clock.learn(series, stamp, arrival: now)
    if held.isEmpty, !state.clock.isLearning(now) { return place(series, values, bytes, ago, stamp, arrival: now) }
    held.add(
      LiveHold.Value(
        series: series, values: Array(values), bytes: Array(bytes), ago: ago, stamp: stamp, arrival: now))
    if series.shape.hasBytes, values.count == 3 {
      liveUntil = max(liveUntil, Liveness.promise(time, span: Self.span(values)))
    }
    if held.isFull { return release() }
    if holdTimer == nil { holdTimer = loop.schedule(after: .nanoseconds(LiveClock.hold)) { self.release() } }
  }

  /// Ends the intake: held values are passed on.
  ///
  /// - Parameter isHungUp: whether the wearable ended the link.
  func close(isHungUp: Bool) {
    release()
    readings.close(isHungUp: isHungUp)
  }

  private func release() {
    if let holdTimer { loop.cancel(holdTimer) }
    holdTimer = nil
    for value in held.takeAll() {
      value.values.withUnsafeBufferPointer { values in
        value.bytes.withUnsafeBytes { place(value.series, values, $0, value.ago, value.stamp, arrival: value.arrival) }
      }
    }
  }

  private func place(
    _ series: Series, _ values: UnsafeBufferPointer<Int64>, _ bytes: RawBytes, _ ago: Int64, _ stamp: UInt64,
    arrival: Int64
  ) {
    let isBlock = series.shape.hasBytes && values.count == 3
    let period = isBlock ? min(max(0, values[0]), Self.longest) : 0
    let span = min(max(0, ago), Self.longest)
    guard let end = state.clock.end(of: series, stamp, arrival: arrival, span: span, period: period) else {
      // The value claims more time than has passed, and would overlap the one before.
      state.counters.anomalies += 1
      return
    }
    keep(series, values, bytes, at: end, ago)
  }

  @inline(__always)
  private func keep(
    _ series: Series, _ values: UnsafeBufferPointer<Int64>, _ bytes: RawBytes, at end: Int64, _ ago: Int64
  ) {
    let measured = Instant(nanoseconds: end &- min(max(0, ago), Self.longest))
    let shape = series.shape
    guard values.count == shape.valueCount, bytes.isEmpty || shape.hasBytes,
      (try? store.append(wearable, series, values: values, bytes: bytes, at: measured)) != nil
    else {
      state.counters.anomalies += 1
      return
    }
    state.counters.samples += 1
    if !listeners.all.isEmpty { tell(series, Array(values), Array(bytes), measured) }
    if shape.hasBytes, values.count == 3 { liveUntil = max(liveUntil, Liveness.promise(time, span: Self.span(values))) }
  }

  /// Nanoseconds by which a value may have been measured before its arrival.
  private static let longest: Int64 = 60_000_000_000

  /// Length of a waveform's block, from the period and count of its samples. The next block comes after as long again.
  private static func span(_ values: UnsafeBufferPointer<Int64>) -> Duration {
    let (length, overflow) = values[0].multipliedReportingOverflow(by: values[1])
    return .nanoseconds(overflow ? 0 : max(0, length))
  }

  func learn(_ fact: WearableFact) { events.learned(fact) }
  func ask(_ write: LiveWrite) { events.asked(write) }
}
