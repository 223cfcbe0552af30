// How long the loop delays other tasks at full load: insoles with full memories, straps that stream, a store on a disk.

import ArgumentParser
import Bluetooth
import BotzTwin
import Drivers
import EventLoop
import Health
import Hub
import Logging
import RingStore
import Simulation
import StrapTwin

/// Real time, the daemon's own loop and disk thread, simulated air. The turns include the simulation of the wearables:
/// an upper bound.
struct LoopLoad: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "loop", abstract: "Measure turns of the event loop under full load: p50, p99 and the longest.",
    discussion:
      """
      Insoles are fetched one after the other while straps stream, until all is in the store or the time is over.
      """
  )

  @Option(help: "Number of insoles with a file.") var insoles = 3
  @Option(help: "Number of straps that stream.") var straps = 8
  @Option(help: ArgumentHelp("Kilobytes on each insole, at most 7,000.", valueName: "kB")) var kilobytes = 1000
  @Option(help: ArgumentHelp("Longest time.", valueName: "s")) var seconds = 240
  @Option var seed: UInt64 = 1

  func validate() throws {
    guard (0...16).contains(insoles), (0...16).contains(straps), (1...7000).contains(kilobytes),
      (1...3600).contains(seconds)
    else {
      throw ValidationError("insoles and straps: 0 to 16, --kilobytes: 1 to 7000, --seconds: 1 to 3600")
    }
  }

  func run() throws {
    let text = try EpollLoop.run { loop in try await measure(loop) }
    print(text)
  }

  @LoopActor
  private func measure(_ loop: EpollLoop) async throws -> String {
    let scratch = ScratchDirectory()
    defer { withExtendedLifetime(scratch) {} }
    let disk = DiskThread()
    defer { disk.shutDown() }
    let store = try Store.open(
      StoreOptions(path: "\(scratch.path)/store", sizeBytes: 512 << 20, bootID: BootID(high: 1, low: 2)), loop: loop,
      disk: disk)
    let world = VirtualWorld(loop: loop, seed: seed)
    var radioOptions = VirtualRadioOptions()
    radioOptions.slots = insoles + straps + 2
    let hub = Hearth(
      HearthOptions(), loop: loop, radio: try await populate(world, store, radioOptions), store: store, lights: nil,
      logger: Logger(label: "hub", factory: { _ in SwiftLogNoOpLogHandler() }), drivers: Drivers.registry)
    hub.start()
    let wanted = insoles
    let end = loop.now + .seconds(Int64(seconds))
    while loop.now < end, try whole(store) < wanted || wanted == 0 { try await loop.sleep(for: .seconds(1)) }
    let (loopStatistics, status, done) = (loop.statistics, store.status, try whole(store))
    await hub.stop()
    await store.close()
    return line(loopStatistics, status, done)
  }

  @LoopActor
  private func populate(_ world: VirtualWorld, _ store: Store, _ options: VirtualRadioOptions) async throws
    -> VirtualRadio
  {
    for number in 0..<insoles {
      var traits = InsoleTraits()
      // A record of 26 bytes is written each second of a session.
      traits.files = .sessions([kilobytes * 1000 / 26])
      traits.rssi = -50
      let insole = world.add(.always) { VirtualInsole($0, address: $1, random: $2, traits: traits) }
      _ = try await store.enrol(
        name: "insole-\(number + 1)", addressValue: insole.address.value, addressKind: insole.address.kind.rawValue,
        driver: "botz", kind: "insole")
    }
    for number in 0..<straps {
      let strap = world.addStrap(.always)
      _ = try await store.enrol(
        name: "strap-\(number + 1)", addressValue: strap.address.value, addressKind: strap.address.kind.rawValue,
        driver: "heart-rate", kind: "HR strap")
    }
    return VirtualRadio(world, options: options)
  }

  /// Insoles with all data in the store.
  @LoopActor
  private func whole(_ store: Store) throws -> Int {
    try store.wearables.filter { $0.driver == "botz" }.count { wearable in
      let records = try store.custody(of: wearable.id)
      return !records.isEmpty && records.allSatisfy { $0.durableAt != nil }
    }
  }

  private func line(_ loop: LoopStatistics, _ store: StoreStatus, _ done: Int) -> String {
    func milliseconds(_ time: Duration) -> String { decimals(time.inSeconds * 1000, 3) }
    return
      """
      {"schema":"io.hearth.bench.loop/1","insoles":\(done),"kilobytes":\(kilobytes),"straps":\(straps),"samples":\
      \(store.samples),
      """
        + """
        "turns":\(loop.turns.count),"turn_p50_ms":\(milliseconds(loop.turns.quantile(0.5))),"turn_p99_ms":\
        \(milliseconds(loop.turns.quantile(0.99))),
        """
          + """
          "turn_p999_ms":\(milliseconds(loop.turns.quantile(0.999))),"longest_turn_ms":\
          \(milliseconds(loop.longestTurn)),"stalls":\(loop.stalls)}
          """
  }
}
