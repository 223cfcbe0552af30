// Try of a stranger: a short link over which the stranger must show what a wearable of its kind has. The try stores,
// pairs, sets and confirms no data.

import Bluetooth
import EventLoop
import Health
import Logging
import Wearable

/// A link with a wearable that has no record. The caller decides what follows.
@LoopActor
final class Trial {
  enum Outcome: Equatable {
    /// The stranger has what its driver needs, and sent a plausible value.
    case value
    /// The stranger has what its driver needs. Values come only by a visit, from its memory, or over an encrypted link.
    case services
    /// Trial without a link, with other services than advertised, or no value in time.
    case nothing
  }

  /// Time for connecting, at the first try: in it the hub hears an advertiser of 1.28 s once. Doubled after the first
  /// and the second failure, for wearables that advertise seldom.
  nonisolated static let connectLimit: Duration = .seconds(2)
  /// Time from the link to the value. Some forty round trips at a foreground interval take two seconds, and a heart
  /// rate comes once a second.
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
  ///   - failures: number of failed tries so far.
  ///   - onLink: called when the radio is free for others, with or without a link.
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

  /// Ends the try, as an enrolled wearable needs its slot.
  func end() {
    isOver = true
    client?.close(immediately: true)
  }

  // MARK: Services and values

  /// The characteristics that the driver needs, if all are there; else nil.
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
    // Services that all wearables have identify no family. A wearable of a family without live values is examined at
    // its first visit.
    let common = [BluetoothUUID(0x180A), BluetoothUUID(0x180F)]
    if !sources.isEmpty, found.allSatisfy({ common.contains($0.source.service) }) { return nil }
    let wantsOne = sources.contains { $0.need == .alternative }
    let hasOne = found.contains { $0.source.need != .optional }
    return wantsOne && !hasOne ? nil : found
  }

  /// Subscribes until a value comes. Sources that the wearable deletes once they are confirmed are left out, as a visit
  /// must store them.
  ///
  /// - Returns: whether a value came in time.
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
        // A refusal of one characteristic is no reason to give up the others.
        guard isRefusal(error) else { throw error }
      }
    }
    let step: Duration = .milliseconds(100)
    while !sink.hasValue, client.isOpen { if (try? await context.loop.sleep(for: step)) == nil { break } }
    return sink.hasValue
  }

  private func isRefusal(_ error: GATTError) -> Bool { if case .refused = error { true } else { false } }

  /// The outcome for services without a value: whether values may come by other ways.
  private var needsMore: Outcome {
    if isOver { return .nothing }
    let keeps = driver.liveSources.contains { $0.isKept } || !driver.capabilities.recorded.isEmpty
    return keeps || driver.pairing == .required || driver.pairing == .whereRefused ? .services : .nothing
  }
}

/// Waits for a value that was measured. A battery level does not count, as every device has one.
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
