// Values in advertisements: from a wearable that is heard without a link to the journal. Allocates no memory, for new
// and repeated values alike.

import Bluetooth
import EventLoop
import Health
import RingStore
import Wearable

/// The values that one enrolled wearable advertises. Fed only while it has no link, and without values that came over a
/// link just before, so that no value counts twice.
///
/// Any device can send an advertisement under any address. So these values have an origin of their own and a separate
/// way to the journal. Taps, alerts, trainings, measurements, LEDs and the battery state ignore them; listeners to live
/// values see the origin.
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
  /// The next value is the first since a link, or since this hub or its driver began to listen. Then no earlier value
  /// shows whether it is new.
  private var isFirst = true
  /// Time until which a hub that ran until a moment ago may have stored the value.
  private let mayBeKeptUntil: Instant
  /// The time of the advertisement that is being read.
  private var time = Instant(nanoseconds: .min)
  /// Time of the last new value; nil: never.
  private(set) var lastValue: Instant?
  /// The last advertised heart rate; shown as an advertised one.
  private(set) var heartRate: LatestValue?

  /// Limit of values a second, lower than that of a live source, as the hub cannot disconnect an advertiser. Wearables
  /// advertise a measurement once a second (Polar); twice that is what a liar may cost the card.
  static let valuesPerSecond = 2
  /// A wearable counts as heard for this long after its last value: as long as a fast advertiser counts as present.
  static let recent = AdvertisingRhythm.leastSilence
  /// A measurement is advertised until the next one, which comes after a second (Polar); another second allows for
  /// delays. A first value that is heard so soon after a stored one may be the same measurement, and is left out. That
  /// loses at most one second of a strap.
  static let sameMeasurement: Duration = .seconds(2)
  /// AD type Manufacturer Specific Data (Assigned Numbers, 2.3).
  private static let manufacturerData: UInt8 = 0xFF

  /// - Parameters:
  ///   - began: start of this hub; another one may have stored values that were advertised until then.
  ///   - tell: called with each value while listeners are there.
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

  /// Marks the next value as a first one, as it may have come over the link already.
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

  /// The advertised heart rate of now; nil if unknown.
  func currentHeartRate(_ now: Instant) -> LatestValue? {
    heartRate.flatMap { $0.isCurrent(now) ? $0 : nil }
  }

  /// Whether the value may be stored already. Of advertised values the driver's listener itself knows that.
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

  /// Takes scalars, the only advertised values. Anything else is counted, and not stored.
  func append(_ series: Series, values: UnsafeBufferPointer<Int64>) {
    state.counters.anomalies += 1
  }
  func append(_ series: Series, values: UnsafeBufferPointer<Int64>, bytes: RawBytes, ago: Int64) {
    state.counters.anomalies += 1
  }
  /// Ignored: an advertisement is evidence only of having been heard.
  func noteNewItem() {}
  func noteContact(_ isOnSkin: Bool) {}
  func noteAnomaly(_ what: StaticString) { state.counters.anomalies += 1 }
}
