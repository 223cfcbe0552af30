// Cost of an advertisement, from the radio to presence, lane and journal.

import ArgumentParser
import Bluetooth
import Drivers
import EventLoop
import Hub
import Logging
import RingStore
import Simulation

/// The hub among strangers with constant advertisements, and enrolled wearables that advertise a heart rate once a
/// second. Time is virtual, processor time is real.
struct HearBench: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "hear",
    abstract: "Measure the cost of an advertisement, unknown or of an enrolled wearable: ns on one core.")

  @Option(help: "Number of unknown wearables; more than 512 advertisers are not remembered.") var strangers = 400
  @Option(help: "Number of enrolled wearables.") var enrolled = 40
  @Option(help: "Seconds of virtual time.") var seconds = 300

  /// Advertisements of each per second.
  private static let rate = 4

  func validate() throws {
    guard (1...2000).contains(strangers), (1...100).contains(enrolled), (1...100_000).contains(seconds) else {
      throw ValidationError("--strangers: 1 to 2000, --enrolled: 1 to 100, --seconds: 1 to 100000")
    }
  }

  func run() throws {
    let command = self
    for keepsValues in [false, true] {
      let cost = try VirtualLoop.run { loop in try await command.measure(loop, keepsValues) }
      print(
        """
        advertised values \(keepsValues ? "kept" : "not kept"): \(cost.stranger) ns a stranger's advertisement, \
        \(cost.enrolled) ns an enrolled one's
        """
      )
    }
  }

  @LoopActor
  private func measure(_ loop: VirtualLoop, _ keepsValues: Bool) async throws -> (stranger: Int, enrolled: Int) {
    let scratch = ScratchDirectory()
    defer { withExtendedLifetime(scratch) {} }
    let store = try Store.open(
      StoreOptions(path: "\(scratch.path)/store", bootID: BootID(high: 1, low: 2)), loop: loop, disk: InlineDiskLane())
    let addresses = (0..<UInt64(enrolled + strangers)).map {
      BluetoothAddress(value: 0xC000_0000_0000 | $0, kind: .leRandom)
    }
    // Values are taken from the air only of a wearable that has shown its family over a link.
    var shown = WearableFacts()
    shown["manufacturer"] = "Polar Electro Oy"
    for (number, address) in addresses.prefix(enrolled).enumerated() {
      _ = try await store.enrol(
        name: "strap-\(number)", addressValue: address.value, addressKind: address.kind.rawValue, driver: "polar-strap",
        kind: "HR strap", facts: shown)
    }
    var options = HearthOptions()
    options.keepsAdvertisedValues = keepsValues
    let radio = DescriptorRadio(loop)
    let quiet = Logger(label: "hearth-bench") { _ in SwiftLogNoOpLogHandler() }
    let hub = Hearth(
      options, loop: loop, radio: radio, store: store, lights: nil, logger: quiet, drivers: Drivers.registry)
    hub.start()
    // The hub leaves out first values within two seconds of its start.
    try await loop.sleep(for: .seconds(3))
    var spent = (stranger: Duration.zero, enrolled: Duration.zero)
    let clock = ContinuousClock()
    for second in 0..<seconds {
      let block: [UInt8] = [
        7, 0xFF, 0x6B, 0x00, 0x22 | UInt8(second & 7) << 2, 0, 60 + UInt8(second & 63), 60 + UInt8(second & 63),
      ]
      for _ in 0..<Self.rate {
        spent.enrolled += clock.measure {
          for address in addresses.prefix(enrolled) { tell(radio, address, [2, 1, 6] + block, loop) }
        }
        spent.stranger += clock.measure {
          for address in addresses.dropFirst(enrolled) { tell(radio, address, [2, 1, 6, 3, 3, 0x0D, 0x18], loop) }
        }
        try await loop.sleep(for: .seconds(1) / Self.rate)
      }
    }
    try await store.flush()
    let kept = hub.wearables().reduce(0) { sum, wearable in
      sum + (wearable.counters.first { $0.name == "advertised" }?.value ?? 0)
    }
    guard kept == (keepsValues ? enrolled * seconds : 0) else { throw BenchFailure("\(kept) values were kept") }
    await hub.stop()
    await store.close()
    func each(_ time: Duration, _ count: Int) -> Int { Int(time / .nanoseconds(1)) / (count * Self.rate * seconds) }
    return (each(spent.stranger, strangers), each(spent.enrolled, enrolled))
  }

  /// Advertises the wearables. All are connectable and no slot is free, so all enrolled ones wait for the lane.
  @LoopActor
  private func tell(_ radio: DescriptorRadio, _ address: BluetoothAddress, _ data: [UInt8], _ loop: VirtualLoop) {
    radio.onAdvertisement?(Advertisement(address: address, rssi: -60, isConnectable: true, data: data, time: loop.now))
  }
}
