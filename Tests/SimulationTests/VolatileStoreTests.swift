// The whole hub above a store that does not outlive the power, beside wearables of every family. A command that erases
// data on a wearable is never sent, whatever form it has.

import BandTwin
import BotzTwin
import EventLoop
import Hub
import PolarTwin
import RingStore
import Simulation
import StrapTwin
import Testing

@Suite("A store in memory, and wearables that would forget", .serialized)
struct VolatileStoreTests {
  private static let memory = StoreMedium(kind: .memory, text: "tmpfs at /run, which is memory")
  private static let card = StoreMedium(kind: .lasting, text: "ext4 at /")

  /// Serves one wearable for so long, above memory or a card.
  ///
  /// - Returns: how many samples were stored.
  @LoopActor
  private func serve(
    _ world: VirtualWorld, _ wearable: VirtualPeripheral, _ driver: String, onCard: Bool, for length: Duration,
    _ work: @LoopActor (SimulatedHub) async throws -> Void = { _ in }
  ) async throws -> Int {
    var options = SimulatedHubOptions()
    options.hub.pairing = .always
    let hub = SimulatedHub(world, options: options)
    try await hub.start { store in
      store.note(onCard ? Self.card : Self.memory)
      _ = try await store.enrol(
        name: "one", addressValue: wearable.address.value, addressKind: wearable.address.kind.rawValue, driver: driver,
        kind: "wearable")
    }
    try await work(hub)
    try await world.loop.sleep(for: length)
    await hub.stop()
    return try await hub.storedSamples().count
  }

  @Test("FitCloud bands get no verdict that their history is complete", arguments: [true, false])
  func fitCloud(onCard: Bool) throws {
    try VirtualLoop.run { loop in
      let world = VirtualWorld(loop: loop, seed: seedFromEnvironment ?? 1851)
      let band = world.addFitCloud()
      let stored = try await serve(world, band, "fitcloud", onCard: onCard, for: .seconds(3 * 3600))
      #expect(stored > 0 && band.ledger.confirmed.isEmpty != onCard)
    }
  }

  @Test("bands that keep what was fetched are fetched from as ever", arguments: ["moyoung", "topstep-next"])
  func others(driver: String) throws {
    try VirtualLoop.run { loop in
      let world = VirtualWorld(loop: loop, seed: seedFromEnvironment ?? 1852)
      let band: VirtualBand =
        driver == "moyoung"
        ? world.add {
          VirtualMoyoungBand($0, address: $1, random: $2, traits: BandTraits(seed: 1, each: 0), make: .number(0))
        }
        : world.addNextBand()
      let stored = try await serve(world, band, driver, onCard: false, for: .seconds(3 * 3600))
      #expect(stored > 0 && band.ledger.confirmed.isEmpty)
    }
  }

  @Test("records behind a record access control point are not deleted", arguments: [true, false])
  func records(onCard: Bool) throws {
    try VirtualLoop.run { loop in
      let world = VirtualWorld(loop: loop, seed: seedFromEnvironment ?? 1853)
      let keeper = world.add { RecordKeeper($0, address: $1, random: $2, kind: .oximeter, ahead: 0) }
      for minute in 1...40 { keeper.measure(at: loop.wall.microseconds - Int64(minute) * 60_000_000) }
      let stored = try await serve(world, keeper, "heart-rate", onCard: onCard, for: .seconds(1800)) { hub in
        try await loop.sleep(for: .seconds(1200))
        _ = try await hub.hearth.perform("records-remove", on: "one")
        _ = try hub.hearth.visitNow("one")
      }
      #expect(stored > 0 && keeper.deleted == (onCard ? 40 : 0))
    }
  }

  @Test("insoles get no order to erase their flash", arguments: [true, false])
  func insoles(onCard: Bool) throws {
    try VirtualLoop.run { loop in
      let world = VirtualWorld(loop: loop, seed: seedFromEnvironment ?? 1854)
      var traits = InsoleTraits()
      traits.files = .sessions([60, 90])
      let insole = world.add { [traits] in VirtualInsole($0, address: $1, random: $2, traits: traits) }
      let stored = try await serve(world, insole, "botz", onCard: onCard, for: .seconds(3600))
      #expect(stored > 0 && (insole.eraseCommands > 0) == onCard)
    }
  }

  @Test("files of a Polar band stay on it", arguments: [true, false])
  func polar(onCard: Bool) throws {
    try VirtualLoop.run { loop in
      let world = VirtualWorld(loop: loop, seed: seedFromEnvironment ?? 1855)
      let band = world.add {
        VirtualPolar($0, address: $1, random: $2, traits: .of(.band360) { $0.daysBefore = 7 })
      }
      let before = PolarHouseTests.old(band).count
      let stored = try await serve(world, band, "polar", onCard: onCard, for: .seconds(900))
      let left = PolarHouseTests.old(band).count
      #expect(stored > 0 && (left < before) == onCard)
    }
  }

  @Test("H4015: readings that a cuff keeps until they are confirmed are not confirmed", arguments: [true, false])
  func cuff(onCard: Bool) throws {
    try VirtualLoop.run { loop in
      let world = VirtualWorld(loop: loop, seed: seedFromEnvironment ?? 1856)
      let cuff = world.addCuff { $0.keeping.measuresEvery = .seconds(240)...(.seconds(300)) }
      let stored = try await serve(world, cuff, "heart-rate", onCard: onCard, for: .seconds(3600))
      #expect(stored > 0 && cuff.ledger.confirmed.isEmpty != onCard)
    }
  }
}
