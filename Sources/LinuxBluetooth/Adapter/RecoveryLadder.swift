// Reset ladder: the next rung for a silent controller, the rungs tried, and limits for those that must stay rare.

import EventLoop

/// Resets of a controller, the gentlest first.
enum Rung: UInt8, Sendable, CaseIterable {
  /// Register the monitor again, start and end a discovery.
  case scanRestart
  /// Set Powered 0, then 1.
  case powerCycle
  /// HCIDEVRESET.
  case reset
  /// HCIDEVDOWN, then HCIDEVUP.
  case downUp
  /// Reset the USB port, or unbind and bind the UART's driver.
  case bus
  /// End the daemon; systemd restarts it.
  case restart
  /// Reboot the machine.
  case reboot

  func name(on bus: AdapterBus) -> String {
    switch self {
    case .scanRestart: "scan restart"
    case .powerCycle: "power off and on"
    case .reset: "HCI reset"
    case .downUp: "down and up"
    case .bus: bus == .uart ? "UART rebind" : "USB reset"
    case .restart: "restart of hearthd"
    case .reboot: "reboot"
    }
  }
}

/// Rungs of one adapter, with their counts since start.
struct RecoveryLadder: Sendable {
  private(set) var counts: [Rung: UInt64] = [:]
  /// Rung being tried, or tried last.
  private(set) var current: Rung?

  /// Rungs for an adapter on this bus that the daemon can run itself, after the restart of the scan.
  static func rungs(on bus: AdapterBus) -> [Rung] {
    bus == .usb || bus == .uart ? [.powerCycle, .reset, .downUp, .bus] : [.powerCycle, .reset, .downUp]
  }

  /// Rung for a controller that was silent `silences` times in a row, 1 or more. After the last rung they start again:
  /// a controller may recover at any time, and a dead one is not harmed.
  static func rung(_ silences: Int, on bus: AdapterBus) -> Rung {
    let rungs = rungs(on: bus)
    return rungs[(max(silences, 1) - 1) % rungs.count]
  }

  /// Whether every rung was tried and the controller was silent again.
  static func isExhausted(_ silences: Int, on bus: AdapterBus) -> Bool { silences > rungs(on: bus).count }

  mutating func tried(_ rung: Rung) {
    counts[rung, default: 0] += 1
    current = rung
  }
}

/// Times at which the daemon ended or the machine was rebooted to revive the radio. Stored in a file, so that neither
/// becomes a loop.
///
/// Each line is `restart SECONDS` or `reboot SECONDS`, UNIX time. Unparsable lines are ignored. A time in the future,
/// as after a clock jump, counts as recent.
struct RecoveryStamps: Sendable, Equatable {
  private static let limit = 64
  private static let day: Int64 = 86_400
  /// Restarts of the daemon: rare enough to spare storage and lights, frequent enough to outlast a driver's bad hour.
  private static let restartInterval: Int64 = 3600
  private static let restartsPerDay = 6

  private(set) var entries: [(rung: Rung, seconds: Int64)] = []

  init(_ text: String) {
    for line in text.split(separator: "\n").suffix(Self.limit) {
      let words = line.split(separator: " ")
      guard words.count == 2, let seconds = Int64(words[1]), let rung = Self.words.first(where: { $0.1 == words[0] })?.0
      else { continue }
      entries.append((rung, seconds))
    }
  }

  private static let words: [(Rung, String)] = [(.restart, "restart"), (.reboot, "reboot")]

  var text: String {
    entries.map { entry in "\(Self.words.first { $0.0 == entry.rung }?.1 ?? "") \(entry.seconds)\n" }.joined()
  }

  /// Whether one more is allowed at this time.
  func allows(_ rung: Rung, at seconds: Int64, rebootsPerDay: Int) -> Bool {
    switch rung {
    case .restart:
      count(.restart, within: Self.restartInterval, of: seconds) == 0
        && count(.restart, within: Self.day, of: seconds) < Self.restartsPerDay
    case .reboot: count(.reboot, within: Self.day, of: seconds) < rebootsPerDay
    default: true
    }
  }

  mutating func add(_ rung: Rung, at seconds: Int64) {
    entries.append((rung, seconds))
    if entries.count > Self.limit { entries.removeFirst() }
  }

  private func count(_ rung: Rung, within span: Int64, of seconds: Int64) -> Int {
    entries.count {
      $0.rung == rung && ($0.seconds > seconds || $0.seconds > seconds.subtractingReportingOverflow(span).partialValue)
    }
  }

  static func == (a: RecoveryStamps, b: RecoveryStamps) -> Bool { a.text == b.text }
}
