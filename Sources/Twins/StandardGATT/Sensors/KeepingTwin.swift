// A sensor that somebody uses now and then: it keeps what it measured, advertises for a while, hands over what is kept
// and hangs up by itself.

import Bluetooth
import EventLoop
import Simulation

/// When a sensor is used, and how long it can be heard.
public struct KeepingTraits: Sendable {
  /// It is silent but for some time after each measurement. Else it advertises always and keeps nothing that nobody
  /// hears.
  public var isIntermittent = true
  /// From one measurement to the next.
  public var measuresEvery: ClosedRange<Duration> = .seconds(120)...(.seconds(600))
  /// It is used so often, then lies in its drawer; nil: for ever.
  public var measurements: Int?
  /// How long it advertises after a measurement.
  public var advertisesFor = Duration.seconds(30)
  /// How long it keeps the link after the last confirmation.
  public var staysFor = Duration.seconds(10)
  /// How long it waits on a link for a subscription.
  public var waitsFor = Duration.seconds(20)
  /// Measurements that it keeps; the oldest goes first.
  public var capacity = 25
  /// Every confirmed measurement is forgotten. Else it begins again with all that it has on each link.
  public var forgetsConfirmed = true

  public init() {}
}

/// The common part of cuffs, scales and thermometers.
public class KeepingTwin: HealthTwin {
  public let keeping: KeepingTraits
  /// Numbers of the measurements that it has and that nobody confirmed, oldest first.
  public var kept: [UInt64] { memory.map(\.reading) }

  private var memory: [Draft] = []
  /// Readings that wait in the outbox, or for their confirmation.
  private var handed: Set<UInt64> = []
  private var use: LoopTimer?
  private var silence: LoopTimer?
  private var leaving: LoopTimer?
  private var used = 0

  /// A hub cannot serve what is silent.
  public override var mustBeServed: Bool { !keeping.isIntermittent && super.mustBeServed }

  init(
    _ world: VirtualWorld, address: BluetoothAddress, random: SeededRandom, sensor: SensorTraits,
    keeping: KeepingTraits, services: [GATTServiceDefinition], advertised: [UInt16], measuring: [BluetoothUUID]
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
  /// What is told while it measures, if anything.
  func tellProgress() {}

  private func scheduleUse() {
    if let most = keeping.measurements, used >= most { return }
    use = world.loop.schedule(after: random.duration(in: keeping.measuresEvery)) { [weak self] in
      self?.measureNow()
      self?.scheduleUse()
    }
  }

  /// Somebody uses it at this moment.
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

  // MARK: The link

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

  /// Hangs up after so long, unless something else comes. One that is always there stays.
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
