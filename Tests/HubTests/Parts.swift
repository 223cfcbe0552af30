// Components of a hub without a hub: a store, a radio that is never started, virtual time.

import Bluetooth
import EventLoop
import Foundation
import Logging
import Reasons
import RingStore
import Testing
import Wearable

@testable import Hub

@LoopActor
final class Parts {
  let loop: VirtualLoop
  let radio: LaneRadio
  let store: Store
  let context: HubContext
  let registry: Registry
  let live: LiveValues
  let presence: PresenceMonitor
  let absence: AbsenceWatch
  let bonds: Bonds
  let links: LinkKeeper
  let lane: Lane
  let pairing: Pairing
  let enrolment: EnrolmentKeeper
  let status: HubStatus
  let orders: VisitOrders
  let profiles: Profiles
  /// What was raised, by name.
  private(set) var raised: [String] = []
  /// What was logged.
  let lines = LoggedLines()
  private let directory: String

  init(
    _ loop: VirtualLoop, _ driver: RecorderDriver, _ prepare: (inout HearthOptions) -> Void,
    disk: any DiskLane = InlineDiskLane()
  ) throws {
    self.loop = loop
    directory = NSTemporaryDirectory() + "hearth-parts-\(UUID().uuidString)"
    store = try Store.open(
      StoreOptions(path: directory, sizeBytes: StoreOptions.minimumSize), loop: loop, disk: disk)
    radio = LaneRadio(loop)
    radio.state = .ready
    var options = HearthOptions()
    prepare(&options)
    let logger = lines.logger
    context = HubContext(options, loop: loop, radio: radio, store: store, logger: logger, drivers: [driver.declared])
    registry = Registry(context)
    live = LiveValues(context, registry)
    presence = PresenceMonitor(context, registry, live)
    absence = AbsenceWatch(context, registry, presence)
    bonds = Bonds(context, registry, presence)
    links = LinkKeeper(context: context, registry: registry, presence: presence)
    let planner = LanePlanner(context: context, registry: registry, presence: presence)
    lane = Lane(context, registry, planner, live, bonds, SlotKeeper(context, registry, links))
    pairing = Pairing(context, registry, presence, bonds)
    enrolment = EnrolmentKeeper(context, registry, presence, bonds, pairing, lane, links)
    status = HubStatus(context, registry, presence, absence, lane, pairing, enrolment, nil)
    let orders = VisitOrders(context, registry)
    self.orders = orders
    let profiles = Profiles(context, registry, lane)
    self.profiles = profiles
    registry.onAdmit = { [unowned presence, unowned profiles] wearable in
      profiles.admit(wearable)
      presence.prepare(wearable)
    }
    registry.onRemoved = { [unowned orders] wearable, why in orders.end(of: wearable, why) }
    context.changes.onLink = { [weak profiles] wearable, news in profiles?.note(news, of: wearable) }
    context.changes.onFailed = { [weak orders] wearable, trouble, isGivenUp in
      if isGivenUp { orders?.end(of: wearable, trouble) }
    }
    context.changes.listen { [weak self] change in self?.raised.append("\(change)".prefix { $0 != "(" }.description) }
  }

  func forgetRaised() { raised = [] }

  static func address(_ number: UInt64) -> BluetoothAddress {
    BluetoothAddress(value: 0xC0_0000_0000_00 | number, kind: .leRandom)
  }

  func enrol(_ number: UInt64, _ name: String) async throws -> EnrolledWearable {
    let address = Self.address(number)
    let record = try await store.enrol(
      name: name, addressValue: address.value, addressKind: address.kind.rawValue, driver: "recorder", kind: "Recorder")
    return try #require(registry.admit(record))
  }

  /// Advertises the recorder's service once, or whatever `data` says.
  func hear(_ number: UInt64, rssi: Int8 = -50, isConnectable: Bool = true, data: [UInt8] = [3, 3, 0xF0, 0xFF]) {
    presence.hear(
      Advertisement(
        address: Self.address(number), rssi: rssi, isConnectable: isConnectable, data: data,
        time: loop.now))
  }

  func close() async {
    await store.close()
    try? FileManager.default.removeItem(atPath: directory)
  }
}

func withParts(
  _ driver: RecorderDriver = RecorderDriver(),
  _ prepare: @escaping @Sendable (inout HearthOptions) -> Void = { _ in },
  _ body: @escaping @LoopActor (Parts) async throws -> Void
) throws {
  try VirtualLoop.run { loop in
    let parts = try Parts(loop, driver, prepare)
    try await body(parts)
    await parts.close()
  }
}

@LoopActor
func refusal<Value>(_ body: () async throws(HearthError) -> Value) async -> Reason? {
  do throws(HearthError) { _ = try await body() } catch { return error.reason }
  return nil
}
