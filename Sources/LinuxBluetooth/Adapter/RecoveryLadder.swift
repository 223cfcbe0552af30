// Which rung comes next for a controller that is silent, what was tried, and what may never be tried too often.

import EventLoop

/// What can be done to a controller, from the gentlest.
enum Rung: UInt8, Sendable, CaseIterable {
  /// Monitor anew, a discovery begun and ended.
  case scanRestart
  /// Set Powered 0, then 1.
  case powerCycle
  /// HCIDEVRESET.
  case reset
  /// HCIDEVDOWN, then HCIDEVUP.
  case downUp
  /// The USB port reset, or the UART's driver taken off and put on again.
  case bus
  /// The daemon ends; systemd starts it again.
  case restart
  /// The machine starts again.
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

/// The rungs of one adapter, and the counts since start.
struct RecoveryLadder: Sendable {
  private(set) var counts: [Rung: UInt64] = [:]
  /// Being tried, or tried last.
  private(set) var current: Rung?

  /// What can be done to an adapter on this bus while the daemon lives, after the restart of the scan.
  static func rungs(on bus: AdapterBus) -> [Rung] {
    bus == .usb || bus == .uart ? [.powerCycle, .reset, .downUp, .bus] : [.powerCycle, .reset, .downUp]
  }

  /// The rung for a controller that was silent `silences` times in a row, 1 or more. Past the last one they begin anew:
  /// a controller may come to its senses any time, and one that is dead is not harmed.
  static func rung(_ silences: Int, on bus: AdapterBus) -> Rung {
    let rungs = rungs(on: bus)
    return rungs[(max(silences, 1) - 1) % rungs.count]
  }

  /// Every rung was tried, and the controller was silent again.
  static func isExhausted(_ silences: Int, on bus: AdapterBus) -> Bool { silences > rungs(on: bus).count }

  mutating func tried(_ rung: Rung) {
    counts[rung, default: 0] += 1
    current = rung
  }
}

/// When the daemon ended or the machine was started anew for the radio's sake: kept in a file, so that neither becomes
/// a loop.
///
/// One line each, `restart SECONDS` or `reboot SECONDS`, UNIX time. What cannot be read counts as nothing; a time in
/// the future, as a clock that jumped leaves it, counts as recent.
struct RecoveryStamps: Sendable, Equatable {
  private static let limit = 64
  private static let day: Int64 = 86_400
  /// Restarts of the daemon: seldom enough to leave what is stored and lit alone, often enough to get over a driver's
  /// bad hour.
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

  /// Whether one more is within bounds at this time.
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
