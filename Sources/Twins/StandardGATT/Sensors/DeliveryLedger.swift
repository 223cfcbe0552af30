// What a health sensor sent and what became of it: under way, delivered, confirmed or lost. Tests hold the store
// against it.

public import Bluetooth
public import EventLoop

/// A kind of number that a sensor tells. The unit is the same whatever unit was sent.
public enum Quantity: String, Sendable, Hashable, CaseIterable {
  /// °C.
  case temperature
  /// mmHg.
  case systolic, diastolic, meanPressure, cuffPressure
  /// A minute.
  case pulseRate, cadence, respirationRate
  /// m/s.
  case speed
  /// m.
  case strideLength, distance, height
  /// Since the sensor began to count; they wrap.
  case wheelRevolutions, crankRevolutions
  /// 1/1024 s; they wrap every 64 s.
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

/// One number of a value that was sent.
public struct Fact: Sendable, Hashable {
  public let quantity: Quantity
  public let value: Exact

  public init(_ quantity: Quantity, _ value: Exact) { (self.quantity, self.value) = (quantity, value) }
}

/// What a hub owes a value.
public enum Worth: String, Sendable, Hashable {
  /// To be kept once.
  case good
  /// The sensor itself doubts it. Kept as of low quality, or not at all.
  case doubtful
  /// The sensor says that it is no measurement, or has no number: nothing may be kept.
  case nothing
  /// Well-formed, and no living person has it. Nothing is owed.
  case absurd
  /// Shorter than its flags say, or a piece of a whole that never was complete. Nothing may be kept, and the link goes
  /// on.
  case malformed
  /// A control point's answer.
  case answer
  /// A segment before the last of its whole.
  case piece
}

/// A value that is to be sent.
struct Draft {
  var characteristic: BluetoothUUID
  var value: [UInt8]
  var reading: UInt64 = 0
  var facts: [Fact] = []
  var worth = Worth.answer
  var takenAt: Instant
  var shown: Int64?
  /// It says itself that nobody knows when it was measured.
  var isTimeDoubted = false
  var isStored = false
  /// A segment: what goes wrong with whole values would make nonsense of its whole.
  var isPiece = false
}

/// One sending of one value.
public struct Delivery: Sendable {
  public enum Fate: String, Sendable, Hashable { case underWay, delivered, confirmed, lost }

  /// Number of the measurement on this sensor, from 1 on: the same each time it is sent. 0 for what is none.
  public let reading: UInt64
  public let characteristic: BluetoothUUID
  public let value: [UInt8]
  public let facts: [Fact]
  public let worth: Worth
  /// When it was measured.
  public let takenAt: Instant
  /// What the sensor's own clock showed then, if the value says so: microseconds since 1970, without a zone.
  public let shown: Int64?
  /// The value says itself that nobody knows when it was measured: its clock was not set, or was set since.
  public let isTimeDoubted: Bool
  /// It had been kept by the sensor, not sent as it was measured.
  public let isStored: Bool
  /// Number of the link, from 1 on.
  public let link: Int
  public let isIndicated: Bool
  public let sentAt: Instant
  public fileprivate(set) var fate = Fate.underWay
  public fileprivate(set) var deliveredAt: Instant?
  /// The hub's civil time then.
  public fileprivate(set) var deliveredTime: WallTime?
  public fileprivate(set) var confirmedAt: Instant?

  public var wasDelivered: Bool { deliveredAt != nil }
  public func fact(_ quantity: Quantity) -> Exact? { facts.first { $0.quantity == quantity }?.value }
}

/// What a hub did that no hub may do to this sensor.
public enum HubFault: String, Sendable, Hashable {
  /// It asked for records to be deleted.
  case deletedRecords
  /// It wrote to a control point whose answers it had not subscribed to.
  case controlledUnsubscribed
  /// It began a procedure while another one was running.
  case askedTwiceAtOnce
  /// It left an indication unconfirmed until the sensor gave up.
  case leftUnconfirmed
  /// It confirmed what was never indicated.
  case confirmedNothing
  /// It wrote a value that the specification does not have.
  case wroteNonsense
}

/// Everything one sensor sent and heard.
public struct DeliveryLedger: Sendable {
  /// In the order of sending, but for those that were taken.
  public private(set) var deliveries: [Delivery] = []
  /// How many were taken: a delivery keeps its number among all.
  private var gone = 0
  /// Measurements that were delivered at least once, and those that the hub confirmed, after which the sensor forgot
  /// them: these must be in the store.
  private var delivered: Set<UInt64> = []
  public private(set) var confirmed: Set<UInt64> = []
  public internal(set) var faults: [HubFault] = []
  /// Links so far.
  public internal(set) var links = 0
  /// What was written to control points, clocks and intervals, in order.
  public internal(set) var requests: [(characteristic: BluetoothUUID, value: [UInt8], at: Instant)] = []
  /// Confirmations that never arrived, because the link ended first.
  public internal(set) var confirmationsLost = 0
  /// Measurements that the sensor's memory had no room for, and that nobody was ever sent.
  public internal(set) var overwritten: [UInt64] = []
  /// Every measurement that was taken, sent or not.
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

  /// The one of this number, which is under way.
  subscript(_ number: Int) -> Delivery { deliveries[number - gone] }

  /// The number that the next one will have.
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

  /// Those that were sent before a moment, which this ledger forgets: a month of them needs no more memory than a day.
  ///
  /// - Parameter moment: at least half a minute ago, so that nothing of them is under way.
  mutating func takeDeliveries(before moment: Instant) -> [Delivery] {
    let count = deliveries.prefix { $0.sentAt < moment && $0.fate != .underWay }.count
    defer { deliveries.removeFirst(count) }
    gone += count
    return Array(deliveries.prefix(count))
  }

  // MARK: What tests ask

  public func count(_ worth: Worth) -> Int { deliveries.count { $0.worth == worth && $0.wasDelivered } }

  /// Measurements that were delivered, each once, in the order of their first delivery: what a store owes.
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
