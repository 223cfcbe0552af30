// Values out of advertisements: from what is heard of a wearable without a link to the journal. No allocation, whether
// something is new or not.

import Bluetooth
import EventLoop
import Health
import RingStore
import Wearable

/// What one enrolled wearable measures and says in its advertisements. Fed only while it has no link, and without what
/// came over that just before, so that nothing counts twice.
///
/// Anybody can send an advertisement under any address. So these values have an origin of their own, and a way of their
/// own to the journal: no tap, alert, training, measurement, lamp or battery hears of them; whoever listens to live
/// values is told what they are.
@LoopActor
final class AdvertisedValues {
  private let wearable: WearableID
  private let store: Store
  private let state: LiveState
  private let listeners: LiveListeners
  private let tell: @LoopActor (LiveItem) -> Void
  private let listener: any AdvertisementListener
  private var limit = FloodGuard(valuesPerSecond: valuesPerSecond)
  private var heardAt: Instant?
  /// The next value is the first since there was a link, or since this hub or its driver began to listen: nothing that
  /// was heard before tells whether it is new.
  private var isFirst = true
  /// Before this a hub that ran until a moment ago may have kept it.
  private let mayBeKeptUntil: Instant
  /// The time of the advertisement that is being read.
  private var time = Instant(nanoseconds: .min)
  /// When something came last that was not there before; nil: never.
  private(set) var lastValue: Instant?
  /// The heart rate that it said last; shown as what it is.
  private(set) var heartRate: LatestValue?

  /// Who cannot be hung up has a lower limit than a live source: wearables that advertise a measurement do so once a
  /// second (Polar), and twice that
  /// is what a liar may cost the card.
  static let valuesPerSecond = 2
  /// So long after its last value a wearable counts as heard: as long as one that advertises fast counts as present.
  static let recent = AdvertisingRhythm.leastSilence
  /// A measurement is told from its moment until the next one, which comes after a second (Polar); as much again for
  /// what was late on its way. A first value
  /// that is heard so soon after one that was kept may be that same measurement, and is left out: a second of one strap
  /// at most is lost by that.
  static let sameMeasurement: Duration = .seconds(2)
  /// AD type Manufacturer Specific Data (Assigned Numbers, 2.3).
  private static let manufacturerData: UInt8 = 0xFF

  /// - Parameters:
  ///   - began: when this hub began: another one may have kept what was told until then.
  ///   - tell: told of each value while somebody listens.
  init(
    _ listener: any AdvertisementListener, of wearable: EnrolledWearable, store: Store,
    listeners: LiveListeners,
    hubBegan began: Instant, tell: @escaping @LoopActor (LiveItem) -> Void
  ) {
    self.listener = listener
    self.wearable = wearable.id
    state = wearable.live
    self.store = store
    self.listeners = listeners
    self.tell = tell
    mayBeKeptUntil = began + Self.sameMeasurement
  }

  /// What comes next may have come over that link already.
  func linkEnded() { isFirst = true }

  func hear(_ advertisement: Advertisement) {
    var quiet = heardAt.map { (advertisement.time - $0).wholeNanoseconds } ?? .max
    time = advertisement.time
    heardAt = time
    advertisement.data.withUnsafeBytes { data in
      var structures = AdvertisingStructures(data)
      while let structure = structures.next() {
        guard structure.type == Self.manufacturerData else { continue }
        var payload = ByteReader(structure.payload)
        guard let company = payload.u16() else { continue }
        listener.hear(company: company, payload.rest(), quiet: quiet, into: self)
        quiet = 0
      }
    }
  }

  /// What it advertises now; nil where that is not known.
  func currentHeartRate(_ now: Instant) -> LatestValue? {
    heartRate.flatMap { $0.isCurrent(now) ? $0 : nil }
  }

  /// What came from here the listener knows itself.
  private var mayBeKept: Bool {
    if time < mayBeKeptUntil { return true }
    guard let kept = state.heartRate?.at else { return false }
    return time < kept + Self.sameMeasurement
  }

  private func admits() -> Bool {
    defer { isFirst = false }
    if isFirst, mayBeKept { return false }
    guard limit.admit(0, now: time) == .pass else {
      state.counters.tooMany += 1
      return false
    }
    lastValue = time
    state.counters.advertised += 1
    return true
  }
}

extension AdvertisedValues: @LoopActor SampleSink {
  func append(_ sample: Sample) {
    guard sample.series.canBe(sample.value) else {
      state.counters.impossible += 1
      return
    }
    guard admits() else { return }
    let flags = SampleFlags(
      origin: .advertised, kind: sample.flags.kind, isManual: sample.flags.isManual,
      isLowQuality: sample.flags.isLowQuality)
    state.counters.samples += 1
    store.append(wearable, sample.series, sample.value, flags: flags, at: time)
    if sample.series == .heartRate {
      if heartRate == nil {
        heartRate = LatestValue(Int(sample.value), at: time)
      } else {
        heartRate?.came(Int(sample.value), at: time)
      }
    }
    if listeners.all.isEmpty { return }
    tell(
      LiveItem(series: sample.series, flags: flags, values: [sample.value], bytes: [], time: time))
  }

  /// Scalars are all that is advertised; what else a listener read is counted, and kept by nobody.
  func append(_ series: Series, values: UnsafeBufferPointer<Int64>) {
    state.counters.anomalies += 1
  }
  func append(_ series: Series, values: UnsafeBufferPointer<Int64>, bytes: RawBytes, ago: Int64) {
    state.counters.anomalies += 1
  }
  /// Nothing is believed of it but that it was heard.
  func noteNewItem() {}
  func noteContact(_ isOnSkin: Bool) {}
  func noteAnomaly(_ what: StaticString) { state.counters.anomalies += 1 }
}
