// A hub with its store, its test radio and its recorders, in virtual time. The hub may be killed and started again on
// the same disk.

import Bluetooth
import EventLoop
import Foundation
import Health
import Hub
import Logging
import Reasons
import RingStore
import Testing
import Wearable

@LoopActor
final class LaneHouse {
  let loop: VirtualLoop
  let directory: String
  var driver: RecorderDriver
  var options = HearthOptions()
  var twins: [RecorderTwin]
  private(set) var radio: LaneRadio
  private(set) var store: Store
  private(set) var hearth: Hearth
  private var lives = 0

  static let boot = BootID(high: 1, low: 2)

  /// - Parameter prepare: changes options before the hub starts.
  init(
    _ loop: VirtualLoop, _ twins: [RecorderTwin], driver: RecorderDriver = RecorderDriver(), storeBytes: Int = 64 << 20,
    refuses: Bool = false, prepare: (inout HearthOptions) -> Void = { _ in }
  ) async throws {
    self.loop = loop
    self.twins = twins
    self.driver = driver
    prepare(&options)
    directory = NSTemporaryDirectory() + "hearth-lane-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    store = try Self.open("\(directory)/0", loop, storeBytes, refuses)
    radio = LaneRadio(loop)
    for (number, twin) in twins.enumerated() {
      // As if it had been started 10,000 s ago, with its clock at zero.
      twin.clockOffset = 10_000_000_000 - loop.wall.microseconds
      let address = radio.add(UInt64(number), twin)
      _ = try await store.enrol(
        name: "recorder-\(number)", addressValue: address.value, addressKind: address.kind.rawValue, driver: driver.id,
        kind: "Recorder")
    }
    hearth = Self.hub(options, loop, radio, store, driver)
  }

  private static func open(_ path: String, _ loop: any Loop, _ bytes: Int, _ refuses: Bool = false) throws -> Store {
    var options = StoreOptions(path: path, sizeBytes: bytes, commitEvery: .seconds(15), commitBytes: 4096, bootID: boot)
    // A single chunk, and then no more.
    if refuses { options.retention[Series.heartRate.id] = Retention(quota: 1, whenFull: .refuse) }
    return try Store.open(options, loop: loop, disk: InlineDiskLane())
  }

  private static func hub(
    _ options: HearthOptions, _ loop: any Loop, _ radio: LaneRadio, _ store: Store, _ driver: RecorderDriver
  ) -> Hearth {
    Hearth(
      options, loop: loop, radio: radio, store: store, lights: nil,
      logger: Logger(label: "hub", factory: { _ in SwiftLogNoOpLogHandler() }),
      drivers: [driver.declared] + driver.others)
  }

  func start() { hearth.start() }

  /// The power goes: links end, memory is gone, the disk has what was committed. A new hub opens a copy of it.
  func killAndRestart() throws {
    lives += 1
    for bearer in radio.bearers { bearer.close(immediately: true) }
    // What the dead hub's radio would have said goes nowhere.
    radio.onAdvertisement = nil
    radio.onStateChange = nil
    radio.isQuiet = true
    graveyard.append((hearth, store))
    try FileManager.default.createDirectory(atPath: "\(directory)/\(lives)", withIntermediateDirectories: true)
    for file in ["data.mdb", "journal.log", "secrets.key"] {
      try FileManager.default.copyItem(
        atPath: "\(directory)/\(lives - 1)/\(file)", toPath: "\(directory)/\(lives)/\(file)")
    }
    store = try Self.open("\(directory)/\(lives)", loop, 64 << 20)
    let old = radio
    radio = LaneRadio(loop)
    radio.twins = old.twins
    hearth = Self.hub(options, loop, radio, store, driver)
    hearth.start()
  }

  /// SIGTERM, and a hub on the same disk.
  ///
  /// - Parameter isQuiet: true if no wearable advertises to the new one.
  func stopAndRestart(isQuiet: Bool = false) async throws {
    await hearth.stop()
    await store.close()
    let old = radio
    old.isQuiet = true
    store = try Self.open("\(directory)/\(lives)", loop, 64 << 20)
    radio = LaneRadio(loop)
    radio.twins = old.twins
    radio.isQuiet = isQuiet
    hearth = Self.hub(options, loop, radio, store, driver)
    hearth.start()
  }

  private var graveyard: [(Hearth, Store)] = []

  func stop() async {
    await hearth.stop()
    await store.close()
    try? FileManager.default.removeItem(atPath: directory)
  }

  /// Lets time pass until it is true, at most so long.
  func wait(_ limit: Duration = .seconds(600), until isTrue: () throws -> Bool) async throws {
    let end = loop.now + limit
    while try !isTrue() {
      guard loop.now < end else {
        Issue.record("it did not come true in \(limit)")
        return
      }
      try await loop.sleep(for: .milliseconds(10))
    }
  }

  func pass(_ time: Duration) async throws { try await loop.sleep(for: time) }

  func custody(_ number: Int = 0) throws -> [CustodyRecord] { try store.custody(of: store.wearables[number].id) }
  func visits(_ number: Int = 0) throws -> [VisitRecord] {
    try store.recentVisits(1000).filter { $0.wearable == store.wearables[number].id }
  }

  /// Everything that is stored of a series.
  func samples(_ series: Series) async throws -> [StoredSample] {
    var all: [StoredSample] = []
    let session = try await store.export(SampleQuery())
    while let page = try await session.next(limit: 10_000) { all += page.samples.filter { $0.series == series } }
    return all
  }

  /// Everything that is stored of a series, as values.
  func values(_ series: Series = .heartRate) async throws -> [(time: Int64, value: Int64)] {
    var all: [(Int64, Int64)] = []
    let session = try await store.export(SampleQuery())
    while let page = try await session.next(limit: 10_000) {
      for sample in page.samples where sample.series == series { all.append((sample.time.microseconds, sample.value)) }
    }
    return all
  }
}

/// Runs a conversation with a house of recorders in virtual time.
func inHouse(
  _ driver: RecorderDriver = RecorderDriver(), recorders: Int = 1, profile: GATTProperties? = nil,
  storeBytes: Int = 64 << 20, refuses: Bool = false,
  prepare: @escaping @Sendable (inout HearthOptions) -> Void = { _ in },
  files: @escaping @LoopActor ([RecorderTwin]) -> Void = { _ in },
  _ body: @escaping @LoopActor (LaneHouse, RecorderTwin) async throws -> Void
) throws {
  try VirtualLoop.run { loop in
    let twins = (0..<recorders).map { _ in RecorderTwin(loop, profile: profile) }
    files(twins)
    let house = try await LaneHouse(
      loop, twins, driver: driver, storeBytes: storeBytes, refuses: refuses, prepare: prepare)
    try await body(house, twins[0])
    await house.stop()
  }
}
