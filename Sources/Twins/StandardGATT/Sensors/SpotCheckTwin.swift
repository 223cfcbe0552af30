// Sensor that is used occasionally: it stores measurements, advertises for a while, sends them and disconnects.

import Bluetooth
import EventLoop
import Simulation

/// Schedule of use, and time on air.
public struct SpotCheckTraits: Sendable {
  /// Advertises only for some time after each measurement. Otherwise it always advertises, and does not store a
  /// measurement without a subscriber.
  public var isIntermittent = true
  /// Time between two measurements.
  public var measuresEvery: ClosedRange<Duration> = .seconds(120)...(.seconds(600))
  /// Number of uses, after which it stays unused; nil: unlimited.
  public var measurements: Int?
  /// Time of advertising after a measurement.
  public var advertisesFor = Duration.seconds(30)
  /// Time on the link after the last confirmation.
  public var staysFor = Duration.seconds(10)
  /// Time on a link without a subscription.
  public var waitsFor = Duration.seconds(20)
  /// Maximum number of stored measurements; the oldest is dropped first.
  public var capacity = 25
  /// Confirmed measurements are deleted. Otherwise each link begins again with all stored ones.
  public var forgetsConfirmed = true

  /// A usual schedule.
  public init() {}
}

/// Common part of cuffs, scales and thermometers.
public class SpotCheckTwin: HealthTwin {
  /// Schedule of use.
  public let keeping: SpotCheckTraits
  /// Numbers of the stored and unconfirmed measurements, oldest first.
  public var kept: [UInt64] { memory.map(\.reading) }

  private var memory: [Draft] = []
  /// Readings in the outbox, or waiting for their confirmation.
  private var handed: Set<UInt64> = []
  private var use: LoopTimer?
  private var silence: LoopTimer?
  private var leaving: LoopTimer?
  private var used = 0

  /// A sensor that is silent most of the time need not be served.
  public override var mustBeServed: Bool { !keeping.isIntermittent && super.mustBeServed }

  init(
    _ world: VirtualWorld, address: BluetoothAddress, random: SeededRandom, sensor: SensorTraits,
    keeping: SpotCheckTraits, services: [GATTServiceDefinition], advertised: [UInt16], measuring: [BluetoothUUID]
  ) {
    self.keeping = keeping
    super.init(
      world, address: address, random: random, sensor: sensor, services: services, advertised: advertised,
      measuring: measuring)
    if keeping.isIntermittent { isAdvertising = false }
    scheduleUse()
  }

  // MARK: Use

  /// Values of one measurement, without their numbers.
  func measure() -> [Draft] { [] }
  /// Sends intermediate values during a measurement, if any.
  func tellProgress() {}

  private func scheduleUse() {
    if let most = keeping.measurements, used >= most { return }
    use = world.loop.schedule(after: random.duration(in: keeping.measuresEvery)) { [weak self] in
      self?.measureNow()
      self?.scheduleUse()
    }
  }

  /// Makes a measurement now.
  public final func measureNow() {
    used += 1
    tellDrained(false)
    if !keeping.isIntermittent, !isHeard { return }
    tellProgress()
    for var draft in measure() {
      draft.reading = nextReading()
      memory.append(draft)
      if memory.count > keeping.capacity {
        let gone = memory.removeFirst()
        handed.remove(gone.reading)
        forgetOutbox { $0.reading == gone.reading }
        if !ledger.confirmed.contains(gone.reading) { ledger.overwritten.append(gone.reading) }
      }
    }
    if link != nil { return handOver() }
    guard keeping.isIntermittent else { return }
    isAdvertising = true
    stop(&silence)
    silence = world.loop.schedule(after: keeping.advertisesFor) { [weak self] in self?.isAdvertising = false }
  }

  // MARK: Link

  override func linkBegan() {
    stop(&silence)
    handed = []
    stay(for: keeping.waitsFor)
  }

  override func linkEnded() {
    stop(&leaving)
    handed = []
    if keeping.isIntermittent { isAdvertising = false }
  }

  override func subscriptionsChanged() {
    stay(for: keeping.waitsFor)
    world.loop.schedule(after: .milliseconds(200)) { [weak self] in self?.handOver() }
  }

  private func handOver() {
    guard isHeard else { return }
    for draft in memory where !handed.contains(draft.reading) {
      if send(draft) { handed.insert(draft.reading) }
    }
    if isSending { stop(&leaving) } else { stay(for: keeping.staysFor) }
  }

  override func confirmed(_ delivery: Delivery) {
    if keeping.forgetsConfirmed || !keeping.isIntermittent { memory.removeAll { $0.reading == delivery.reading } }
    tellDrained(memory.allSatisfy { ledger.confirmed.contains($0.reading) })
    stay(for: keeping.staysFor)
  }

  private func tellDrained(_ isDrained: Bool) {
    guard sensor.tellsDrained != nil else { return }
    let value = Self.reconnectionSettings(isDrained: isDrained)
    server.setValue(value, for: .reconnectionSettings)
    send(Draft(characteristic: .reconnectionSettings, value: value, worth: .answer, takenAt: world.loop.now))
  }

  /// Disconnects after this time, unless a new event comes. A sensor that always advertises stays.
  private func stay(for length: Duration) {
    stop(&leaving)
    guard keeping.isIntermittent else { return }
    leaving = world.loop.schedule(after: length) { [weak self] in
      guard let self else { return }
      leaving = nil
      if isSending { stay(for: length) } else { hangUp() }
    }
  }
}
