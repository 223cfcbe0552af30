// An operator at the hub, acting at the worst moments.

import Bluetooth
import EventLoop
import Health
import Hub
import Reasons
import RingStore
import Simulation

@LoopActor
struct Operator {
  private let hub: SimulatedHub
  private let tail: EventTail

  init(_ hub: SimulatedHub, _ tail: EventTail) {
    self.hub = hub
    self.tail = tail
  }

  /// An action, chosen by a number below 100. The hub may refuse it.
  func act(_ draw: Int, _ who: (name: String, peripheral: VirtualPeripheral, driver: String, kind: String)) async {
    let hearth = hub.hearth
    do throws(HearthError) {
      switch draw {
      case ..<10:
        tail.add("-- operator: locate")
        hearth.locate(true)
      case ..<20:
        tail.add("-- operator: window")
        try hearth.openEnrolment(for: .seconds(60))
      case ..<45:
        tail.add("-- operator: visit now \(who.name)")
        _ = try hearth.visitNow(who.name)
      case ..<60:
        let profile: LinkProfile? = [nil, .foreground, .background, .idle][draw % 4]
        tail.add("-- operator: link of \(who.name) \(profile?.name ?? "by policy")")
        _ = try await hearth.setLink(who.name, profile: profile)
      case ..<65:
        tail.add("-- operator: watches \(who.name)")
        hearth.watch(who.name, for: .seconds(120))
      case ..<67:
        tail.add("-- operator: recover the radio")
        try hearth.recoverRadio()
      case ..<70: try await look(at: who.name)
      case ..<72:
        let streams: Set<Series> = draw == 70 ? [.footPressure, .orientation] : []
        tail.add("-- operator: streams of \(who.name) \(streams.isEmpty ? "none" : "both")")
        _ = try await hearth.orderStreams(who.name, streams)
      case ..<80: try await forget(who.name, purging: draw < 76)
      default: try await takeIn(who.name, who.peripheral)
      }
    } catch { tail.add("-- refused: \(error)") }
  }

  /// Makes all queries about one wearable.
  private func look(at name: String) async throws(HearthError) {
    let hearth = hub.hearth
    _ = hearth.wearables()
    _ = hearth.laneQueue()
    _ = try hearth.visits(20, of: nil)
    _ = try hearth.clocks()
    _ = hearth.bonds()
    _ = try hearth.link(of: name)
    _ = try hearth.custody(of: name, lastVisitOnly: true)
    // Waits for a visit if there is no link, without delaying other actions.
    hub.world.loop.spawn { _ = try? await hearth.actions(of: name) }
  }

  private func forget(_ name: String, purging: Bool) async throws(HearthError) {
    tail.add("-- operator: \(purging ? "forget and purge" : "forget") \(name)")
    try await hub.forget(name, purging: purging)
  }

  /// Enrols a removed wearable again, if it is present.
  private func takeIn(_ name: String, _ peripheral: VirtualPeripheral) async throws(HearthError) {
    let known = hub.store.wearables.contains { $0.addressValue == peripheral.address.value }
    if known { return }
    tail.add("-- operator: enrol \(name)")
    try hub.hearth.openEnrolment(for: .seconds(60))
    _ = try await hub.hearth.accept(peripheral.address.description, name: name)
  }
}
