// An open link to a peer that is a few lines of a test. It needs no radio and no loop, and its clock moves only during
// waits.

import CivilTime
import EventLoop
import Foundation
import Health
import Reasons
import RingStore
import StateCodec
import Testing
import Wearable

@testable import Bluetooth

/// What is on the other end. Throwing `VisitTrouble` is a refusal, or the end of the link.
@LoopActor
protocol LinkPeer: AnyObject {
  var database: GATTDatabase { get }
  func read(_ characteristic: GATTCharacteristic) throws(VisitTrouble) -> [UInt8]
  /// What says more of a characteristic.
  func read(_ descriptor: GATTDescriptor) throws(VisitTrouble) -> [UInt8]
  func write(_ characteristic: GATTCharacteristic, _ value: [UInt8]) throws(VisitTrouble)
  /// Notifications that follow come through `ScriptedLink.notify`.
  func command(_ characteristic: GATTCharacteristic, _ value: [UInt8]) throws(VisitTrouble)
  /// Time has passed.
  func settled(_ duration: Duration)
}

extension LinkPeer {
  func read(_ descriptor: GATTDescriptor) throws(VisitTrouble) -> [UInt8] { [] }
  func settled(_ duration: Duration) {}
}

@LoopActor
final class ScriptedLink: WearableLink {
  let address = BluetoothAddress(value: 0xC0FF_EE00_0001, kind: .lePublic)
  var mtu = 121
  var database: GATTDatabase { peer.database }
  var isSecured = false
  var orders = WearableOrders()
  var wish = SyncSelection()
  var known = KnownWearable()
  var zone = TimeZoneRules.utc
  /// What a session had remembered.
  var memory = RememberedStates()
  var hubTime: HubTime {
    HubTime(wall: WallTime(microseconds: wall + now / 1000), monotonic: now, isTrusted: isTrusted, boot: boot)
  }

  /// Monotonic, ns.
  private(set) var now: Int64 = 1_000_000_000
  /// Wall clock at monotonic zero, µs.
  var wall: Int64 = 1_795_255_200_000_000
  var isTrusted = true
  /// Of the hub's machine.
  var boot: String? = "1-2"
  /// What one request takes, ns.
  var requestTime: Int64 = 30_000_000
  /// The link ends at this request, counted from 0.
  var endsAt: Int?
  private(set) var requests = 0

  private(set) var notes: [String] = []
  private(set) var progress = 0
  private(set) var disturbances = 0
  private(set) var secured = 0
  /// Every write, in order: characteristic and value.
  private(set) var written: [(characteristic: BluetoothUUID, value: [UInt8])] = []

  private let peer: any LinkPeer
  private var inboxes: [UInt16: Inbox] = [:]

  init(_ peer: any LinkPeer) { self.peer = peer }

  /// The peer notifies a value.
  func notify(_ characteristic: GATTCharacteristic, _ value: [UInt8]) {
    if value.count <= mtu - 3 { inboxes[characteristic.valueHandle]?.put(value) }
  }

  private func request() throws(VisitTrouble) {
    if let endsAt, requests >= endsAt { throw .link(.closed(.linkLost)) }
    requests += 1
    pass(requestTime)
  }

  /// Time passes without a request.
  func wait(_ duration: Duration) { pass(duration.wholeNanoseconds) }

  private func pass(_ nanoseconds: Int64) {
    now += nanoseconds
    peer.settled(.nanoseconds(nanoseconds))
  }

  func remembered<S: RememberedState>(_ kind: S.Type) -> S? { memory[kind] }
  func remember<S: RememberedState>(_ state: S) throws(VisitTrouble) {
    do throws(HearthError) { try memory.keep(state) } catch { throw .needsAttention(error.reason, error.detail) }
  }
  func forget<S: RememberedState>(_ kind: S.Type) { memory.forget(kind) }

  /// What an earlier version of the driver remembered, as text.
  func takeOver(_ notes: [String: String], _ driver: any WearableDriver) {
    var notes = notes
    driver.formerNotes?.takeOver(&notes, into: &memory)
  }

  func read(_ characteristic: GATTCharacteristic) async throws(VisitTrouble) -> [UInt8] {
    try request()
    return try peer.read(characteristic)
  }

  func read(_ descriptor: GATTDescriptor) async throws(VisitTrouble) -> [UInt8] {
    try request()
    return try peer.read(descriptor)
  }

  func write(_ characteristic: GATTCharacteristic, _ value: [UInt8]) async throws(VisitTrouble) {
    try request()
    written.append((characteristic.uuid, value))
    try peer.write(characteristic, value)
  }

  func writeCommand(_ characteristic: GATTCharacteristic, _ value: [UInt8]) async throws(VisitTrouble) {
    try request()
    if value.count > mtu - 3 { Issue.record("a command that does not fit the MTU") }
    written.append((characteristic.uuid, value))
    try peer.command(characteristic, value)
  }

  func subscribe(_ characteristic: GATTCharacteristic, into inbox: Inbox) async throws(VisitTrouble) {
    try request()
    inboxes[characteristic.valueHandle] = inbox
  }

  func next(from inbox: Inbox, within: Duration) async throws(VisitTrouble) -> [UInt8] {
    if let value = inbox.take() { return value }
    if let endsAt, requests >= endsAt { throw .link(.closed(.linkLost)) }
    pass(max(1, within.wholeNanoseconds))
    if let value = inbox.take() { return value }
    throw .silent(what: "a value")
  }

  func settle(for duration: Duration) async throws(VisitTrouble) {
    if duration > .seconds(30) { Issue.record("a wait of \(duration)") }
    if let endsAt, requests >= endsAt { throw .link(.closed(.linkLost)) }
    pass(duration.wholeNanoseconds)
  }

  func secure() async throws(VisitTrouble) {
    try request()
    secured += 1
    isSecured = true
  }

  func profileWasDisturbed(settlesAfter after: Duration) { disturbances += 1 }
  /// Called when bytes of payload came.
  var onProgress: (() -> Void)?
  func noteProgress(bytes: Int) {
    progress += bytes
    onProgress?()
  }
  func note(_ oddity: String) { notes.append(oddity) }
}

extension GATTDatabase {
  /// Handles as a server would give them out.
  static func made(of services: [GATTServiceDefinition]) -> GATTDatabase {
    var builder = GATTDatabaseBuilder()
    var handle: UInt16 = 1
    var starts: [UInt16] = []
    for service in services {
      let size = service.characteristics.reduce(UInt16(1)) { $0 + $1.size }
      try! builder.addService(service.uuid, handle, handle + size - 1)
      starts.append(handle)
      handle += size
    }
    for (index, service) in services.enumerated() {
      var next = starts[index] + 1
      for characteristic in service.characteristics {
        try! builder.addCharacteristic(
          characteristic.uuid, characteristic.properties, declaration: next, value: next + 1, service: index)
        next += characteristic.size
      }
      for (place, characteristic) in builder.services[index].characteristics.enumerated() {
        let notifies = service.characteristics[place].notifies
        let types =
          (notifies ? [.clientCharacteristicConfiguration] : [])
          + service.characteristics[place].descriptors.map(\.uuid)
        for (number, type) in types.enumerated() {
          try! builder.addDescriptor(
            type, characteristic.valueHandle + 1 + UInt16(number), service: index, characteristic: place)
        }
      }
    }
    return builder.database
  }
}

extension GATTCharacteristicDefinition {
  fileprivate var notifies: Bool { !properties.isDisjoint(with: [.notify, .indicate]) }
  /// Handles.
  fileprivate var size: UInt16 { (notifies ? 3 : 2) + UInt16(descriptors.count) }
}

/// Keeps what a fetch brings.
@LoopActor
final class CollectingSink: ByteSink {
  private(set) var bytes: [UInt8]
  private(set) var starts: [(mark: String, size: Int?)] = []
  /// The turn is over after so many bytes more.
  var slice: Int?
  /// What it said last.
  private(set) var taking = Taking.more

  init(_ kept: [UInt8] = []) { bytes = kept }

  var offset: Int { bytes.count }

  func take(_ bytes: RawBytes) async throws(VisitTrouble) -> Taking {
    self.bytes += Array(bytes)
    taking = slice.map { self.bytes.count >= $0 } == true ? .enough : .more
    return taking
  }

  func startOver(mark: String, size: Int?) async throws(VisitTrouble) {
    guard starts.count < 3 else { throw .framing("it changes all the time") }
    starts.append((mark, size))
    bytes = []
  }
}

/// Keeps what an item is decoded to.
final class CollectingItems: ItemSink {
  private(set) var items: [(series: Series, values: [Int64], time: Int64)] = []
  /// Of each item, in the same order.
  private(set) var bytes: [[UInt8]] = []
  private(set) var manual: [Bool] = []
  private(set) var doubted: [Bool] = []
  private(set) var sure: [Bool] = []
  private(set) var anomalies: [String] = []
  private(set) var refused: [Series: Int] = [:]

  func refuse(_ series: Series, _ count: Int) { refused[series, default: 0] += count }

  func append(
    _ series: Series, _ values: [Int64], bytes: [UInt8], at deviceTime: Int64, kind: SampleKind, isManual: Bool
  ) { append(series, values, bytes: bytes, at: deviceTime, kind: kind, isManual: isManual, isLowQuality: false) }

  func append(
    _ series: Series, _ values: [Int64], bytes: [UInt8], at deviceTime: Int64, kind: SampleKind, isManual: Bool,
    isLowQuality: Bool
  ) {
    items.append((series, values, deviceTime))
    self.bytes.append(bytes)
    manual.append(isManual)
    doubted.append(isLowQuality)
    sure.append(true)
  }
  func append(
    _ series: Series, _ values: [Int64], bytes: [UInt8], at deviceTime: Int64, kind: SampleKind, isManual: Bool,
    isTimeSure: Bool
  ) {
    append(series, values, bytes: bytes, at: deviceTime, kind: kind, isManual: isManual)
    sure[sure.count - 1] = isTimeSure
  }
  func noteAnomaly(_ what: StaticString) { anomalies.append("\(what)") }
}

/// A store in a folder that goes away.
@LoopActor
final class ScratchStore {
  let store: Store
  private let path: String
  let wearable = WearableID(number: 1)

  init(_ loop: VirtualLoop) throws {
    path = NSTemporaryDirectory() + "hearth-drivers-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    let boot = BootID(high: 1, low: 2)
    store = try Store.open(
      StoreOptions(path: path + "/store", sizeBytes: 16 << 20, bootID: boot), loop: loop, disk: InlineDiskLane())
  }

  /// Makes an item durable as one part, with one sample of its bytes.
  func receipt(_ item: HeldItem) async throws -> Receipt {
    let part = try #require(item.part(1, of: 1))
    var batch = FetchedBatch(
      wearable: wearable, part: part, visit: VisitRecord(number: 1, wearable: wearable, began: VirtualLoop.morning))
    try batch.append(.raw, [1], bytes: Array(item.id.utf8), at: VirtualLoop.morning)
    return try await store.commit(batch)
  }

  func close() async {
    await store.close()
    try? FileManager.default.removeItem(atPath: path)
  }
}

/// Runs a body on the loop, in virtual time.
func onLoop(_ body: @escaping @LoopActor (VirtualLoop) async throws -> Void) throws {
  try VirtualLoop.run { loop in try await body(loop) }
}

extension HeldItem {
  /// As the hub would know it in a later visit.
  func known(fetched: Int? = nil, isDurable: Bool = true, isErased: Bool = false) -> KnownItem {
    KnownItem(id: id, mark: mark, size: size, fetched: fetched ?? size ?? 0, isDurable: isDurable, isErased: isErased)
  }
}
