// Ledger of a health sensor's values and their fate: in flight, delivered, confirmed or lost. Tests compare the store
// with it.

public import Bluetooth
public import EventLoop

/// Quantity of a sensor. The unit is fixed, whatever unit was sent.
public enum Quantity: String, Sendable, Hashable, CaseIterable {
  /// °C.
  case temperature
  /// mmHg.
  case systolic, diastolic, meanPressure, cuffPressure
  /// Rates per minute.
  case pulseRate, cadence, respirationRate
  /// m/s.
  case speed
  /// m.
  case strideLength, distance, height
  /// Counters since the sensor began to count; these counters wrap.
  case wheelRevolutions, crankRevolutions
  /// 1/1024 s; these counters wrap every 64 s.
  case wheelEvent, crankEvent
  /// kg.
  case weight, muscleMass, fatFreeMass, softLeanMass, bodyWaterMass
  /// %.
  case bodyFat, musclePercentage, oxygenSaturation, pulseAmplitude, battery
  /// kg/m².
  case bodyMassIndex
  /// kJ.
  case basalMetabolism
  /// Ω.
  case impedance
  /// mV.
  case electrocardiogram
}

/// Number within a value that was sent.
public struct Fact: Sendable, Hashable {
  /// Measured quantity.
  public let quantity: Quantity
  /// Exact number.
  public let value: Exact

  /// A number of one quantity.
  public init(_ quantity: Quantity, _ value: Exact) { (self.quantity, self.value) = (quantity, value) }
}

/// Obligation of a hub for a value.
public enum Worth: String, Sendable, Hashable {
  /// Delivery to be stored once.
  case good
  /// The sensor itself reports low quality. Stored with that mark, or not at all.
  case doubtful
  /// The sensor reports no measurement, or the value has no number. Must not be stored.
  case nothing
  /// Well-formed, but impossible for a living person. Need not be stored.
  case absurd
  /// Shorter than its flags require, or a part of an incomplete whole. Must not be stored, and the link must continue.
  case malformed
  /// Answer of a control point.
  case answer
  /// Segment before the last one.
  case piece
}

/// Value to be sent.
struct Draft {
  var characteristic: BluetoothUUID
  var value: [UInt8]
  var reading: UInt64 = 0
  var facts: [Fact] = []
  var worth = Worth.answer
  var takenAt: Instant
  var shown: Int64?
  /// The value reports that its time of measurement is unknown.
  var isTimeDoubted = false
  var isStored = false
  /// A segment: faults for whole values are not applied to it.
  var isPiece = false
}

/// Transmission of a value.
public struct Delivery: Sendable {
  /// Fate of a transmission: under way, delivered, also confirmed, or lost.
  public enum Fate: String, Sendable, Hashable { case underWay, delivered, confirmed, lost }

  /// Number of the measurement on this sensor, from 1 on, equal for all transmissions. 0: not a measurement.
  public let reading: UInt64
  /// Characteristic of the value.
  public let characteristic: BluetoothUUID
  /// Bytes of the value.
  public let value: [UInt8]
  /// Numbers in it.
  public let facts: [Fact]
  /// Whether a store has to have it.
  public let worth: Worth
  /// Time of the measurement.
  public let takenAt: Instant
  /// Time on the sensor's own clock then, if the value reports it: microseconds since 1970, without a zone.
  public let shown: Int64?
  /// The value reports that its time is unknown: the clock was not set, or was set since.
  public let isTimeDoubted: Bool
  /// The value was stored by the sensor first, not sent as it was measured.
  public let isStored: Bool
  /// Number of the link, from 1 on.
  public let link: Int
  /// True if it was indicated.
  public let isIndicated: Bool
  /// Time at which it was sent.
  public let sentAt: Instant
  /// Fate so far.
  public fileprivate(set) var fate = Fate.underWay
  /// Time at which it arrived; nil: it did not.
  public fileprivate(set) var deliveredAt: Instant?
  /// The hub's civil time then.
  public fileprivate(set) var deliveredTime: WallTime?
  /// Time at which it was confirmed; nil: it was not.
  public fileprivate(set) var confirmedAt: Instant?

  /// True if it arrived.
  public var wasDelivered: Bool { deliveredAt != nil }
  /// The number of a quantity, if any.
  public func fact(_ quantity: Quantity) -> Exact? { facts.first { $0.quantity == quantity }?.value }
}

/// Action that a hub must never take on this sensor.
public enum HubFault: String, Sendable, Hashable {
  /// Requested the deletion of records.
  case deletedRecords
  /// Wrote to a control point without having subscribed to its answers.
  case controlledUnsubscribed
  /// Began a procedure while another one was running.
  case askedTwiceAtOnce
  /// Left an indication unconfirmed until the sensor gave up.
  case leftUnconfirmed
  /// Sent a confirmation without an indication.
  case confirmedNothing
  /// Wrote a value that the specification does not have.
  case wroteNonsense
}

/// Transmissions and requests of one sensor.
public struct DeliveryLedger: Sendable {
  /// Deliveries in the order of sending, without those that were taken out.
  public private(set) var deliveries: [Delivery] = []
  /// Number of deliveries taken out: the others keep their indices.
  private var gone = 0
  /// Measurements that were delivered at least once. Those that the hub confirmed were deleted by the sensor, and must
  /// be in the store.
  private var delivered: Set<UInt64> = []
  /// Numbers of confirmed readings.
  public private(set) var confirmed: Set<UInt64> = []
  /// Faults of the hub.
  public internal(set) var faults: [HubFault] = []
  /// Links so far.
  public internal(set) var links = 0
  /// Writes to control points, clocks and intervals, in order.
  public internal(set) var requests: [(characteristic: BluetoothUUID, value: [UInt8], at: Instant)] = []
  /// Confirmations that never arrived, because the link ended first.
  public internal(set) var confirmationsLost = 0
  /// Measurements lost because the sensor's memory was full before they were sent.
  public internal(set) var overwritten: [UInt64] = []
  /// Every measurement that was made, sent or not.
  public internal(set) var taken: UInt64 = 0

  @LoopActor
  mutating func begin(_ draft: Draft, isIndicated: Bool, _ loop: any Loop) -> Int {
    deliveries.append(
      Delivery(
        reading: draft.reading, characteristic: draft.characteristic, value: draft.value, facts: draft.facts,
        worth: draft.worth, takenAt: draft.takenAt, shown: draft.shown, isTimeDoubted: draft.isTimeDoubted,
        isStored: draft.isStored, link: links, isIndicated: isIndicated, sentAt: loop.now))
    return gone + deliveries.count - 1
  }

  /// The delivery with this index, which is in flight.
  subscript(_ number: Int) -> Delivery { deliveries[number - gone] }

  /// Index of the next delivery.
  var next: Int { gone + deliveries.count }

  @LoopActor
  mutating func noteDelivered(_ number: Int, _ loop: any Loop) {
    let index = number - gone
    deliveries[index].fate = .delivered
    deliveries[index].deliveredAt = loop.now
    deliveries[index].deliveredTime = loop.wall
    if deliveries[index].reading > 0 { delivered.insert(deliveries[index].reading) }
  }

  mutating func noteConfirmed(_ number: Int, at now: Instant) {
    let index = number - gone
    deliveries[index].fate = .confirmed
    deliveries[index].confirmedAt = now
    if deliveries[index].reading > 0 { confirmed.insert(deliveries[index].reading) }
  }

  mutating func noteLost(_ number: Int) { deliveries[number - gone].fate = .lost }

  func wasDelivered(_ reading: UInt64) -> Bool { delivered.contains(reading) }

  /// Takes out the deliveries sent before a moment, so that a month needs no more memory than a day.
  ///
  /// - Parameter moment: at least half a minute ago, so that all of them have arrived or are lost.
  mutating func takeDeliveries(before moment: Instant) -> [Delivery] {
    let count = deliveries.prefix { $0.sentAt < moment && $0.fate != .underWay }.count
    defer { deliveries.removeFirst(count) }
    gone += count
    return Array(deliveries.prefix(count))
  }

  // MARK: For tests

  /// Values of this worth that arrived.
  public func count(_ worth: Worth) -> Int { deliveries.count { $0.worth == worth && $0.wasDelivered } }

  /// Measurements that were delivered, each once, in the order of their first delivery: what the store must contain.
  public func readings(of characteristic: BluetoothUUID? = nil, worth: Set<Worth> = [.good]) -> [Delivery] {
    var seen: Set<UInt64> = []
    return deliveries.filter { delivery in
      guard delivery.wasDelivered, worth.contains(delivery.worth), delivery.reading > 0,
        characteristic == nil || characteristic == delivery.characteristic
      else { return false }
      return seen.insert(delivery.reading).inserted
    }
  }

  /// Measurements that were delivered more than once.
  public var repeated: Set<UInt64> {
    var counts: [UInt64: Int] = [:]
    for delivery in deliveries where delivery.wasDelivered && delivery.reading > 0 {
      counts[delivery.reading, default: 0] += 1
    }
    return Set(counts.filter { $0.value > 1 }.map(\.key))
  }
}
