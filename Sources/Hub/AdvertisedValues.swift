// Values out of advertisements: from what is heard of a wearable without a link to the journal. No allocation, whether something is new or not.

import Bluetooth
import EventLoop
import Health
import Wearable

/// What one enrolled wearable measures and says in its advertisements. Fed only while it has no link, so that nothing counts twice.
@LoopActor
final class AdvertisedValues {
  let intake: LiveIntake
  private let listener: any AdvertisementListener
  private var limit = FloodGuard(valuesPerSecond: valuesPerSecond)
  private var heardAt: Instant?
  /// The time of the advertisement that is being read.
  private var time = Instant(nanoseconds: .min)
  /// When something came last that was not there before; nil: never.
  private(set) var lastValue: Instant?

  /// Who cannot be hung up has a lower limit than a live source: wearables that advertise a measurement do so once a second (Polar), and twice that
  /// is what a liar may cost the card.
  static let valuesPerSecond = 2
  /// So long after its last value a wearable counts as heard: as long as one that advertises fast counts as present.
  static let recent = AdvertisingRhythm.leastSilence
  /// AD type Manufacturer Specific Data (Assigned Numbers, 2.3).
  private static let manufacturerData: UInt8 = 0xFF

  init(_ listener: any AdvertisementListener, _ intake: LiveIntake) {
    self.listener = listener
    self.intake = intake
  }

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

  private func admits() -> Bool {
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
  func append(_ series: Series, values: UnsafeBufferPointer<Int64>) { if admits() { intake.append(series, values: values) } }
  func append(_ series: Series, values: UnsafeBufferPointer<Int64>, bytes: RawBytes, ago: Int64) {
    if admits() { intake.append(series, values: values, bytes: bytes, ago: ago) }
  }
  func noteNewItem() { intake.noteNewItem() }
  func noteAnomaly(_ what: StaticString) { intake.noteAnomaly(what) }
}
