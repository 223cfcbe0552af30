// One try of a stranger: a short link over which it has to show what a wearable of its kind shows. Nothing is stored,
// paired, set or confirmed.

import Bluetooth
import EventLoop
import Health
import Logging
import Wearable

/// A link with somebody who has no record. Makes none: what follows is its caller's business.
@LoopActor
final class Trial {
  enum Outcome: Equatable {
    /// It has what its driver needs, and a value of it came that can be.
    case value
    /// It has what its driver needs; a value comes only with a visit, from its memory, or over an encrypted link.
    case services
    /// No link, or not what it advertised, or no value in time.
    case nothing
  }

  /// From asking the radio to the link, at the first try: an advertiser of 1.28 s is heard once in it. Doubled after a
  /// failure and once more after the second, for those that advertise seldom.
  nonisolated static let connectLimit: Duration = .seconds(2)
  /// From the link to the value: some forty round trips at a foreground interval are two seconds, and a heart rate
  /// comes once a second.
  nonisolated static let valueLimit: Duration = .seconds(5)

  private let context: HubContext
  private let driver: any WearableDriver
  private var client: GATTClient?
  private var isOver = false

  init(_ context: HubContext, _ driver: any WearableDriver) {
    self.context = context
    self.driver = driver
  }

  /// - Parameters:
  ///   - failures: tries of it that came to nothing.
  ///   - onLink: the radio is free for others, whether there is a link or not.
  func run(_ address: BluetoothAddress, after failures: Int, onLink: @LoopActor () -> Void) async -> Outcome {
    let loop = context.loop
    let bearer: any Bearer
    do throws(LinkError) {
      bearer = try await context.connector.connect(
        to: address, for: .trial, deadline: loop.now + Self.connectLimit * (1 << min(failures, 2)),
        parameters: context.options.parameters(of: .foreground), onTaken: { [weak self] in self?.end() })
    } catch {
      onLink()
      return .nothing
    }
    onLink()
    defer { context.connector.left(address, .trial) }
    let client = GATTClient(bearer, loop: loop, floodGuard: context.options.floodGuard)
    self.client = client
    let timer = loop.schedule(after: Self.valueLimit) { client.close(immediately: true) }
    defer {
      loop.cancel(timer)
      client.close(immediately: true)
    }
    if isOver { return .nothing }
    do throws(GATTError) {
      let database = try await client.open(cache: nil)
      guard let sources = served(by: database) else { return .nothing }
      if try await listen(to: sources, database, client) { return .value }
    } catch { return isRefusal(error) ? needsMore : .nothing }
    return needsMore
  }

  /// Somebody who is enrolled needs what it holds.
  func end() {
    isOver = true
    client?.close(immediately: true)
  }

  // MARK: What it shows

  /// What the driver needs, where all of it is there; else nil.
  private func served(by database: GATTDatabase) -> [(source: LiveSource, characteristic: GATTCharacteristic)]? {
    var found: [(source: LiveSource, characteristic: GATTCharacteristic)] = []
    let sources = driver.liveSources(in: database)
    for source in sources {
      if let characteristic = database.characteristic(source.characteristic, in: source.service) {
        found.append((source, characteristic))
      } else if source.isRequired {
        return nil
      }
    }
    // What everything has is no sign of a family. One of a family without live values shows itself when it is visited.
    let common = [BluetoothUUID(0x180A), BluetoothUUID(0x180F)]
    if !sources.isEmpty, found.allSatisfy({ common.contains($0.source.service) }) { return nil }
    let wantsOne = sources.contains { $0.need == .alternative }
    let hasOne = found.contains { $0.source.need != .optional }
    return wantsOne && !hasOne ? nil : found
  }

  /// Listens to what is notified until a value comes. What its wearable forgets once it is confirmed is left alone: it
  /// is a visit's to keep.
  ///
  /// - Returns: one came before the time was up.
  private func listen(
    to sources: [(source: LiveSource, characteristic: GATTCharacteristic)], _ database: GATTDatabase,
    _ client: GATTClient
  ) async throws(GATTError) -> Bool {
    let sink = TrialSink()
    let decoder = driver.makeDecoder()
    decoder.begin(database)
    for (source, characteristic) in sources where source.mode != .read && !source.isKept && !sink.hasValue {
      guard !characteristic.properties.isDisjoint(with: [.notify, .indicate]) else { continue }
      do throws(GATTError) {
        try await client.subscribe(characteristic) { value in try? decoder.decode(source, value, into: sink) }
      } catch {
        // One that is refused is no reason to give up the others.
        guard isRefusal(error) else { throw error }
      }
    }
    let step: Duration = .milliseconds(100)
    while !sink.hasValue, client.isOpen { if (try? await context.loop.sleep(for: step)) == nil { break } }
    return sink.hasValue
  }

  private func isRefusal(_ error: GATTError) -> Bool { if case .refused = error { true } else { false } }

  /// Of one that showed its services and no value: whether it may have values all the same.
  private var needsMore: Outcome {
    if isOver { return .nothing }
    let keeps = driver.liveSources.contains { $0.isKept } || !driver.capabilities.recorded.isEmpty
    return keeps || driver.pairing == .required || driver.pairing == .whereRefused ? .services : .nothing
  }
}

/// Looks whether a value comes that a wearable can have measured. The charge of a battery is none: everything has one.
private final class TrialSink: SampleSink {
  private(set) var hasValue = false

  func append(_ sample: Sample) {
    if sample.series != .battery, sample.series.canBe(sample.value) { hasValue = true }
  }
  func append(_ series: Series, values: UnsafeBufferPointer<Int64>) { if series.canBe(values) { hasValue = true } }
  func append(_ series: Series, values: UnsafeBufferPointer<Int64>, bytes: RawBytes, ago: Int64) {
    if series.canBe(values) { hasValue = true }
  }
  func noteAnomaly(_ what: StaticString) {}
}
