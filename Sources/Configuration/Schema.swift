// All keys that a file may contain. Every key has an effect: a key without one would be a false promise to the
// operator.

import CivilTime
internal import Health
internal import Lights
internal import Reasons
internal import SettingsText

typealias Key = SettingKey<Configuration>

extension SettingKey<Configuration> {
  /// A bound for the rings of one series. If it is not set, the default bound applies.
  init<Value: Sendable>(
    _ path: String, of series: Series, _ rule: any WritableKeyPath<Configuration.RingRule, Value?> & Sendable,
    _ ring: any KeyPath<Configuration.Ring, Value> & Sendable, _ kind: Kind<Value>
  ) {
    self.init(
      path: path, expects: kind.expects, words: kind.words,
      apply: { text, folder, configuration in
        guard let value = kind.parse(text, folder) else { return false }
        configuration.store.rings[series, default: Configuration.RingRule()][keyPath: rule] = .some(value)
        return true
      },
      show: { kind.show($0.store.ring(of: series)[keyPath: ring]) },
      isListed: { $0.store.rings[series]?[keyPath: rule] != nil })
  }
}

enum Schema {
  static let keys: [Key] = keysOfHub + keysOfProfiles + keysOfStore + keysOfRings + keysOfParts

  private static let keysOfHub: [Key] = [
    Key("hub.name", \.hub.name, .name),
    Key("hub.preset", \.hub.preset, .choice()),
    Key("hub.timezone", \.hub.timeZone, .timeZone),
    Key("radio.adapter", \.radio.adapter, .adapter),
    Key("radio.adapters", \.radio.adapters, .adapters),
    Key("radio.listen", \.radio.listen, .listening),
    Key("radio.slots", \.radio.slots, .slots),
    Key("radio.unblock_rfkill", \.radio.unblocksRFKill, .truth),
    // Below ten seconds, a scan that pauses for a connection attempt would look like a dead radio.
    Key("radio.watchdog", \.radio.watchdog, .duration(.seconds(20)...(.seconds(3600)), example: "90s")),
    Key("radio.reboot", \.radio.reboot, .choice()),
    Key("radio.advertised_values", \.radio.keepsAdvertisedValues, .truth),
    Key("enroll.mode", \.enrolment.mode, .choice()),
    // Range of RSSI in HCI events (Core specification, volume 4, part E, 7.7.65.2).
    Key("enroll.near_rssi", \.enrolment.nearRSSI, .number(-127...20, "a level in dBm")),
    Key("enroll.window", \.enrolment.window, .duration(.seconds(1)...(.seconds(3600)), example: "120s")),
    Key("enroll.pairing", \.enrolment.pairing, .choice()),
    Key("lane.slice", \.lane.slice, .duration(.seconds(1)...(.seconds(3600)), example: "45s")),
    // Visits cost the wearable's battery: more often than every half minute, a stream would be better.
    Key("lane.visit_bound", \.lane.visitBound, .duration(.seconds(30)...(.seconds(86_400)), example: "15m")),
    Key("lane.fresh", \.lane.fresh, .duration(.seconds(0)...(.seconds(86_400)), example: "2m")),
    Key("lane.visit_at", \.lane.visitAt, .timesOfDay(atMost: 8)),
    Key("lane.phases", \.lane.phases, .phases),
    Key("lane.erase", \.lane.erase, .choice()),
    // The lower end gives even the slowest advertiser enough time to be heard.
    Key(
      "lane.absent_after", \.lane.absentAfter,
      Kind<Duration>.duration(.seconds(300)...(.seconds(365 * 86_400)), example: "25h").orNone),
    Key("battery.low", \.battery.low, Kind<Int>.percent.orNone),
    Key("battery.critical", \.battery.critical, Kind<Int>.percent.orNone),
  ]

  private static let keysOfStore: [Key] = [
    Key("store.path", \.store.path, .path(limit: 1024)),
    Key("store.secrets_key", \.store.secretsKey, Kind<String>.path(limit: 1024).orNone),
    Key("store.size", \.store.size, .bytes(1_000_000...1_000_000_000_000, example: "1500MB")),
    // A commit costs at least one flush of the card: ten a second is for tests only. An hour is a lot to lose.
    Key("store.commit.every", \.store.commitEvery, .duration(.milliseconds(100)...(.seconds(3600)), example: "15s")),
    Key("store.commit.bytes", \.store.commitBytes, .bytes(64...1_000_000, example: "4KB")),
    Key("store.share", \.store.share, Kind<Int>.percent.orNone),
    Key(
      "store.budget_per_day", \.store.budgetPerDay,
      Kind<Int>.bytes(1_000_000...1_000_000_000_000, example: "150MB").orNone),
    Key(
      "store.export_within", \.store.exportWithin,
      Kind<Duration>.duration(.seconds(3600)...(.seconds(365 * 86_400)), example: "6h").orNone),
    Key("store.wait_for", \.store.waitFor, .cursors(atMost: 8)),
  ]

  private static let keysOfRings: [Key] =
    [
      Key("store.rings.default.quota", \.store.ring.quota, quota),
      Key("store.rings.default.keep", \.store.ring.keep, keep),
      Key("store.rings.default.evict", \.store.ring.whenFull, .choice()),
    ]
    + Series.all.flatMap { series -> [Key] in
      [
        Key("store.rings.\(series.name).quota", of: series, \.quota, \.quota, quota),
        Key("store.rings.\(series.name).keep", of: series, \.keep, \.keep, keep),
        Key("store.rings.\(series.name).evict", of: series, \.whenFull, \.whenFull, .choice()),
      ]
    }

  /// The size of a wearable's ring. The lower end holds some chunks: a smaller ring would do little but evict.
  private static let quota = Kind<Int>.bytes(100_000...1_000_000_000_000, example: "150MB").orNone
  /// The age of samples in a ring. Whole chunks are deleted, which may span hours, so less than an hour is refused.
  private static let keep = Kind<Duration>.duration(.seconds(3600)...(.seconds(3650 * 86_400)), example: "30d").orNone

  private static let keysOfParts: [Key] = [
    Key("backup.to", \.backup.to, Kind<String>.path(limit: 1024).orNone),
    // The timer runs every hour.
    Key("backup.every", \.backup.every, .duration(.seconds(3600)...(.seconds(365 * 86_400)), example: "1d")),
    Key("backup.passphrase_file", \.backup.passphraseFile, Kind<String>.path(limit: 1024).orNone),
    Key("backup.keep", \.backup.keep, .number(1...1000, "a number of files from 1 to 1000")),
    Key("backup.samples", \.backup.samples, .truth),
    Key("lights.board", \.lights.board, .board),
    Key("lights.boards", \.lights.boards, .path(limit: 1024)),
    Key("lights.night", \.lights.night, Kind<NightHours>.night.orNone),
    Key("lights.off", \.lights.off, Kind<NightHours>.night.orNone),
    // The kernel's sun_path has 108 bytes, including the final zero.
    Key("control.socket", \.control.socket, .path(limit: 107)),
    Key("access.read", \.roles.read, .group),
    Key("access.operate", \.roles.operate, .group),
    Key("access.administer", \.roles.administer, .group),
    Key("log.level", \.log.level, .choice()),
    Key("metrics.file", \.metrics.file, Kind<String>.metricsFile.orNone),
    Key("metrics.format", \.metrics.format, .choice()),
  ]

  static let schema = SettingsSchema(keys)
  typealias Setting = SettingsSchema<Configuration>.Setting
}

// MARK: - Kinds with one use

extension Kind<Configuration.Adapter> {
  static let adapter = Kind(
    expects: "auto, usb, uart or the address of an adapter", words: ["auto", "usb", "uart"],
    parse: { text, _ in
      switch text {
      case "auto": .automatic
      case "usb": .usb
      case "uart": .uart
      default: isAddress(text) ? .address(text.uppercased()) : nil
      }
    },
    show: { adapter in
      switch adapter {
      case .automatic: "auto"
      case .usb: "usb"
      case .uart: "uart"
      case .address(let address): address
      }
    })

  fileprivate static func isAddress(_ text: String) -> Bool {
    let parts = text.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    return parts.count == 6
      && parts.allSatisfy { part in
        part.count == 2
          && part.allSatisfy { (0x30...0x39).contains($0) || (0x41...0x46).contains($0) || (0x61...0x66).contains($0) }
      }
  }
}

extension Kind<[String]> {
  /// Names of export cursors, separated by blanks; `any` for an empty list.
  static func cursors(atMost limit: Int) -> Kind {
    let one = Kind<String>.name
    return Kind(
      expects: "any, or at most \(limit) names of export cursors such as uplink",
      words: ["any"],
      parse: { text, folder in
        if text == "any" { return [] }
        let names = text.split(separator: " ").compactMap { one.parse(String($0), folder) }
        let isWhole = names.count == text.split(separator: " ").count && Set(names).count == names.count
        return isWhole && (1...limit).contains(names.count) ? names : nil
      }, show: { $0.isEmpty ? "any" : $0.joined(separator: " ") })
  }
}

extension Kind<Configuration.Adapters> {
  private static let exclusion = "not:"

  static let adapters = Kind(
    expects: "auto, or at most \(Configuration.Adapters.limit) of usb, uart, addresses and not:ADDRESS",
    words: ["auto", "usb", "uart"],
    parse: { text, folder in
      var adapters = Configuration.Adapters()
      if text == "auto" { return adapters }
      let rules = text.split(separator: " ")
      if rules.isEmpty || rules.count > Configuration.Adapters.limit { return nil }
      for rule in rules {
        if rule.hasPrefix(exclusion) {
          let address = String(rule.dropFirst(exclusion.utf8.count))
          guard Kind<Configuration.Adapter>.isAddress(address) else { return nil }
          adapters.excluded.append(address.uppercased())
        } else if let adapter = Kind<Configuration.Adapter>.adapter.parse(String(rule), folder), adapter != .automatic {
          adapters.named.append(adapter)
        } else {
          return nil
        }
      }
      return adapters
    },
    show: { adapters in
      let rules = adapters.named.map { Kind<Configuration.Adapter>.adapter.show($0) }
      let shown = (rules + adapters.excluded.map { exclusion + $0 }).joined(separator: " ")
      return shown.isEmpty ? "auto" : shown
    })
}

extension Kind<Configuration.Listening> {
  static let listening = Kind(
    expects: "auto, never or the address of an adapter", words: ["auto", "never"],
    parse: { text, _ in
      switch text {
      case "auto": .automatic
      case "never": .never
      default: Kind<Configuration.Adapter>.isAddress(text) ? .address(text.uppercased()) : nil
      }
    },
    show: { listening in
      switch listening {
      case .automatic: "auto"
      case .never: "never"
      case .address(let address): address
      }
    })
}

extension Kind<String> {
  /// A known time zone. Unknown names are refused, because days would silently begin at another time.
  static let timeZone = Kind(
    expects: "local, UTC or a zone that this machine knows, such as Europe/Berlin", words: ["local", "UTC"],
    parse: { text, _ in text == "local" || TimeZoneRules.named(text) != nil ? text : nil }, show: { $0 })
}

extension Kind<Int?> {
  static let slots = Kind(
    expects: "learn, or a number from 1 to 32", words: ["learn"],
    parse: { text, _ in
      if text == "learn" { return .some(nil) }
      guard let number = wholeNumber(text), (1...32).contains(number) else { return nil }
      return number
    }, show: { $0.map { "\($0)" } ?? "learn" })
}

extension Kind<Set<String>?> {
  /// Names of phases, separated by spaces, or `all`.
  static let phases = Kind(
    expects: "all, or some of these with spaces between: \(Phases.names.joined(separator: ", "))",
    words: ["all"] + Phases.names,
    parse: { text, _ in
      if text == "all" { return .some(nil) }
      let names = text.split(separator: " ").map { String($0) }
      return names.isEmpty || names.contains { !Phases.names.contains($0) } ? nil : .some(Set(names))
    }, show: { $0.map { $0.sorted().joined(separator: " ") } ?? "all" })
}

extension Kind<NightHours> {
  static let night = Kind(
    expects: "two times of day such as 22:00-07:00", parse: { text, _ in NightHours(text: text) }, show: \.text)
}

extension Kind<Configuration.Board> {
  static let board = Kind(
    expects: "none, terminal, the name of a board file or a path", words: ["none", "terminal"],
    parse: { text, folder in
      switch text {
      case "none": Configuration.Board.none
      case "terminal": .terminal
      default:
        text.contains("/")
          ? Kind<String>.path(limit: 1024).parse(text, folder).map { .file($0) }
          : isPlainName(text) ? .named(text) : nil
      }
    },
    show: { board in
      switch board {
      case .none: "none"
      case .terminal: "terminal"
      case .file(let path): path
      case .named(let name): name
      }
    })
}
