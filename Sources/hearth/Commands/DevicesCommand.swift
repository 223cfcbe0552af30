// List of wearables, in a chosen order.

import ArgumentParser
import HubProtocol

struct DevicesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "devices", abstract: "List wearables with state and battery, and which need attention.",
    discussion: """
      A '!' marks a low or critical battery, a '~' a reading that is older than a day. -v adds a line with address, \
      model and firmware.

      hearth devices --by battery     the emptiest battery first
      """)
  @ParentCommand var root: HearthCommand

  @Flag(help: "Only wearables that are heard or linked now.")
  var present = false

  @Option(
    help: ArgumentHelp(
      """
      name; battery (emptiest first), memory (fullest first) or signal (weakest first), unknown ones last; seen \
      (longest away first); or state (those that need attention first).
      """, valueName: "order"))
  var by: DeviceOrder = .name

  func run() throws {
    let session = try Session(root.options)
    let client = try session.connect()
    var devices = try client.devices().devices
    let time = try session.time(client)
    if present { devices.removeAll { !isPresent($0) } }
    let shown = by.sorted(devices)
    try session.show(JSON(encoding: shown)) {
      renderTable(shown, time, $0, verbose: root.options.verbose)
    }
  }
}

/// Orders of a list of wearables, for people and for scripts.
enum DeviceOrder: String, ExpressibleByArgument, CaseIterable {
  case name, battery, memory, signal, seen, state

  /// States in their order: those that need attention first, absent wearables last.
  private static let states: [Words.DeviceCondition] = [
    .attention, .missing, .waiting, .visiting, .identifying, .connecting, .due, .linked, .live, .heard, .paused,
    .candidate, .absent,
  ]

  /// Free share of the memory in parts per million. If the total is unknown, such wearables come last, by free bytes.
  private static func freeShare(_ device: DeviceDocument) -> Int {
    guard let free = device.memoryFree else { return .max }
    guard let total = device.memoryTotal, total > 0 else { return 1_000_000 + max(0, min(free, .max / 2)) }
    return Int(min(1, max(0, Double(free) / Double(total))) * 1_000_000)
  }

  /// A stable sort: ties keep the order of enrolled wearables by name, then candidates.
  func sorted(_ devices: [DeviceDocument]) -> [DeviceDocument] {
    func ordered(_ key: (DeviceDocument) -> (Int, String)) -> [DeviceDocument] {
      devices.enumerated().map { (key: key($0.element), place: $0.offset, device: $0.element) }
        .sorted { ($0.key.0, $0.key.1, $0.place) < ($1.key.0, $1.key.1, $1.place) }.map(\.device)
    }
    switch self {
    case .name: return devices
    case .battery: return ordered { ($0.battery ?? .max, "") }
    case .memory: return ordered { (Self.freeShare($0), "") }
    case .signal: return ordered { ($0.rssi ?? .max, "") }
    // Times of a document sort as text. A wearable that was never seen has been away the longest.
    case .seen: return ordered { (0, $0.lastSeen ?? "") }
    case .state: return ordered { (Self.states.firstIndex(of: $0.state) ?? .max, "") }
    }
  }
}
