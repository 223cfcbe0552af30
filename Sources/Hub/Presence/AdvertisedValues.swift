// Values out of advertisements: from what is heard of a wearable without a link to the journal. No allocation, whether
// something is new or not.

import Bluetooth
import EventLoop
import Health
import Wearable

/// What one enrolled wearable measures and says in its advertisements. Fed only while it has no link, and without what
/// came over that just before, so that nothing counts twice.
@LoopActor
final class AdvertisedValues {
  let intake: LiveIntake
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

  /// - Parameter began: when this hub began: another one may have kept what was told until then.
  init(_ listener: any AdvertisementListener, _ intake: LiveIntake, hubBegan began: Instant) {
    self.listener = listener
    self.intake = intake
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

  /// What came from here the listener knows itself.
  private var mayBeKept: Bool {
    if time < mayBeKeptUntil { return true }
    guard let kept = intake.state.heartRate?.at, kept != lastValue else { return false }
    return time < kept + Self.sameMeasurement
  }

  private func admits() -> Bool {
    defer { isFirst = false }
    if isFirst, mayBeKept { return false }
    guard limit.admit(0, now: time) == .pass else {
      intake.state.counters.tooMany += 1
      return false
    }
    lastValue = time
    intake.state.counters.advertised += 1
    intake.begin(at: time)
    return true
  }
}

extension AdvertisedValues: @LoopActor SampleSink {
  func append(_ sample: Sample) { if admits() { intake.append(sample) } }
  func append(_ series: Series, values: UnsafeBufferPointer<Int64>) {
    if admits() { intake.append(series, values: values) }
  }
  func append(_ series: Series, values: UnsafeBufferPointer<Int64>, bytes: RawBytes, ago: Int64) {
    if admits() { intake.append(series, values: values, bytes: bytes, ago: ago) }
  }
  func noteNewItem() { intake.noteNewItem() }
  func noteContact(_ isOnSkin: Bool) { intake.noteContact(isOnSkin) }
  func noteAnomaly(_ what: StaticString) { intake.noteAnomaly(what) }
}
