// Detection of efforts in one wearable's live heart rates, and the stored state of a running one.

import EventLoop
import Health
import RingStore
import StateCodec
import Vitals

/// Passes current heart rates to the detector of one wearable, in place.
@LoopActor
final class TrainingWatch: LiveTap {
  var detector: TrainingDetector
  /// The wearer; nil: unknown.
  var wearer: WearerID?
  /// Stored heart rates are read first, with those that come meanwhile.
  var isReplaying = false
  private let loop: any Loop
  private let tell: @LoopActor (TrainingEvent) -> Void

  init(_ loop: any Loop, tell: @escaping @LoopActor (TrainingEvent) -> Void) {
    self.loop = loop
    self.tell = tell
    detector = TrainingDetector(at: loop.now.microseconds)
  }

  func value(_ sample: Sample, at time: Instant) {
    guard sample.series == .heartRate, !isReplaying, Self.counts(sample.flags) else { return }
    // An older reading does not count.
    guard loop.now - time <= Liveness.valueAge else { return }
    if let sign = detector.take(Int(clamping: sample.value), at: time.microseconds) { tell(sign) }
  }

  /// Whether the sensor did not doubt the value, and it is no maximum or minimum.
  static func counts(_ flags: SampleFlags) -> Bool {
    flags.origin == .live && flags.kind == .normal && !flags.isLowQuality
  }

  func packetBegan(at time: Instant) {}
  func contact(_ isOnSkin: Bool, at time: Instant) {}
  func values(_ series: Series, _ values: UnsafeBufferPointer<Int64>, at time: Instant) {}
  func packetEnded() {}
}

extension Instant {
  /// The unit of `Vitals`.
  var microseconds: Int64 { nanoseconds / 1000 }

  init(microseconds: Int64) {
    let (nanoseconds, overflow) = microseconds.multipliedReportingOverflow(by: 1000)
    self.init(nanoseconds: overflow ? (microseconds < 0 ? .min : .max) : nanoseconds)
  }
}

/// An effort under way. Values since its start are in the store.
struct RunningTraining: RememberedState, Equatable {
  static let name = "effort"
  var origin: TrainingOrigin
  /// Begin by the hub's clock at that time.
  var began: WallTime
  /// Beats a minute; nil: the resting rate was unknown.
  var bound: UInt16?
  /// The monotonic clock at the start, and its boot; nil if the system has no boot id.
  var monotonic: Instant?
  var boot: BootID?
  var wearer: WearerID?

  init(origin: TrainingOrigin, began: WallTime) {
    self.origin = origin
    self.began = began
  }

  func write(to fields: inout FieldWriter) {
    fields.put(1, origin.rawValue)
    fields.put(2, began.microseconds)
    if let bound { fields.put(3, bound) }
    if let monotonic, let boot {
      fields.put(4) { nested in
        nested.put(1, boot.high)
        nested.put(2, boot.low)
        nested.put(3, monotonic.nanoseconds)
      }
    }
    if let wearer { fields.put(5, wearer.number) }
  }

  init?(_ fields: inout FieldReader, version: UInt16) {
    var origin: UInt8?
    var began: Int64?
    var wearer: UInt32?
    var boot: (BootID, Instant)?
    while let tag = fields.next() {
      switch tag {
      case 1: fields.read(&origin)
      case 2: fields.read(&began)
      case 3: fields.read(&bound)
      case 4: boot = Self.boot(&fields)
      case 5: fields.read(&wearer)
      default: break
      }
    }
    guard let origin = origin.flatMap({ TrainingOrigin(rawValue: $0) }), let began else { return nil }
    (self.origin, self.began) = (origin, WallTime(microseconds: began))
    (self.boot, monotonic) = (boot?.0, boot?.1)
    self.wearer = wearer.map { WearerID(number: $0) }
  }

  private static func boot(_ fields: inout FieldReader) -> (BootID, Instant)? {
    var nested = fields.nested
    var high: UInt64?
    var low: UInt64?
    var monotonic: Int64?
    while let tag = nested.next() {
      switch tag {
      case 1: nested.read(&high)
      case 2: nested.read(&low)
      case 3: nested.read(&monotonic)
      default: break
      }
    }
    guard nested.isWhole, let high, let low, let monotonic else {
      fields.refuse()
      return nil
    }
    return (BootID(high: high, low: low), Instant(nanoseconds: monotonic))
  }
}
