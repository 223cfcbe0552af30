// hearth settings NAME set: one subcommand for each kind of order.

import ArgumentParser
import CivilTime
import Glibc
import Health
import HubProtocol
import Reasons

extension SettingsCommand {
  /// Sends one order and shows all of them.
  fileprivate func order(_ parameters: Methods.OrdersSet.Parameters) throws {
    try order { client, _ in try client.ordersSet(parameters).orders }
  }

  func order(_ change: (ControlClient, Session) throws -> OrdersDocument) throws {
    let session = try Session(root.options)
    try session.show({ try change($0, session) }) { render($0, $2, in: $1) }
  }

  struct Order: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "set", abstract: "Order something of it until it is ordered otherwise; none takes an order back.",
      usage: """
        hearth settings <name> set streams|rates|features-off LIST|none
        hearth settings <name> set <setting> VALUE|none
        hearth settings <name> set measure "every=4h seconds=60"|none
        hearth settings <name> set phases LIST|all|none
        hearth settings <name> set visit-at "07:00,19:00"|never|none
        hearth settings <name> set secret [none] [--generate] [--secret-file <file>]
        """,
      subcommands: [
        Streams.self, Rates.self, FeaturesOff.self, Measure.self, Phases.self, VisitAt.self, Secret.self, Setting.self,
      ],
      defaultSubcommand: Setting.self)

    struct Streams: ParsableCommand {
      static let configuration = CommandConfiguration(
        abstract: "What is sent live while it is linked.", usage: "hearth settings <name> set streams LIST|none")
      @ParentCommand var settings: SettingsCommand

      @Argument(help: "Series with commas between, such as acc,ecg; none.", completion: .series)
      var list: String

      func validate() throws { for name in names(list) { try require(series: name) } }

      func run() throws { try settings.order(.init(name: settings.name, streams: names(list))) }
    }

    struct Rates: ParsableCommand {
      static let configuration = CommandConfiguration(
        abstract: "How fast it streams; what is not named follows the link.",
        usage: "hearth settings <name> set rates LIST|none")
      @ParentCommand var settings: SettingsCommand

      @Argument(help: "Samples a second, such as ecg=130,acc=50; none: all follow the link.")
      var list: String

      func validate() throws { _ = try rates() }

      func run() throws { try settings.order(.init(name: settings.name, rates: OrderedMap(rates()))) }

      private func rates() throws -> [(name: String, value: Int)] {
        try names(list).map { word in
          let parts = word.split(separator: "=", maxSplits: 1)
          if parts.count == 2 { try require(series: String(parts[0])) }
          guard parts.count == 2, let rate = Int(parts[1]), rate > 0 else {
            throw ValidationError(
              "a rate is a series and its samples a second, such as acc=50, not '\(harmless(word))'")
          }
          return (String(parts[0]), rate)
        }
      }
    }

    struct FeaturesOff: ParsableCommand {
      static let configuration = CommandConfiguration(
        abstract: "What is switched off at each visit.", usage: "hearth settings <name> set features-off LIST|none")
      @ParentCommand var settings: SettingsCommand

      @Argument(help: "Features with commas between, such as telemetry,usb; none.")
      var list: String

      func run() throws { try settings.order(.init(name: settings.name, switchedOff: names(list))) }
    }

    struct Measure: ParsableCommand {
      static let configuration = CommandConfiguration(
        abstract: "When the hub measures its vital signs by itself.",
        usage: "hearth settings <name> set measure \"every=4h seconds=60 between=07:00-22:00\"|none",
        discussion: """
          every=4h seconds=60 between=07:00-22:00: at 07:00, 11:00, 15:00 and 19:00 of each day; what is away, off the \
          body or busy then is left out.
          """)
      @ParentCommand var settings: SettingsCommand

      @Argument(help: "every=15m to 24h, seconds=20 to 180, between=07:00-22:00; none.")
      var words: [String] = []

      /// What the hub takes is told by the hub: the words alone are checked here.
      func validate() throws {
        let isOrder = parts.allSatisfy { word in
          ["every=", "seconds=", "between="].contains { word.hasPrefix($0) }
        }
        if parts.isEmpty || parts != ["none"] && !isOrder {
          throw ValidationError(
            """
            set measure takes every=15m to 24h, seconds=20 to 180 (60 where nothing is said), between=07:00-22:00; or \
            none
            """)
        }
      }

      private var parts: [Substring] { words.flatMap { $0.split(separator: " ") } }

      func run() throws { try settings.order(.init(name: settings.name, measure: parts.joined(separator: " "))) }
    }

    struct Phases: ParsableCommand {
      static let configuration = CommandConfiguration(
        abstract: "What visits bring that the hub makes by itself.",
        usage: "hearth settings <name> set phases LIST|all|none",
        discussion: "The rest stays on the wearable until hearth sync asks for it.")
      @ParentCommand var settings: SettingsCommand

      @Argument(help: "Phases with commas between, such as sleep,activity; all; none: as configured (lane.phases).")
      var list: String?

      func validate() throws {
        if words(list).isEmpty {
          throw wrong(
            "phases", "phases with commas between, all, or none (as configured)", such: "all", of: settings.name)
        }
      }

      func run() throws { try settings.order(.init(name: settings.name, phases: words(list))) }
    }

    struct VisitAt: ParsableCommand {
      static let configuration = CommandConfiguration(
        abstract: "When it is visited, however fresh its data is.",
        usage: "hearth settings <name> set visit-at \"07:00,19:00\"|never|none")
      @ParentCommand var settings: SettingsCommand

      @Argument(help: "Times of day with commas between; never; none: as configured (lane.visit_at).")
      var times: String?

      func validate() throws {
        let times = words(times)
        let isWord = times == ["none"] || times == ["never"]
        if times.isEmpty || !isWord && !times.allSatisfy(isTime) {
          throw wrong(
            "visit-at", "times of day with commas between, never, or none (as configured)", such: "07:00,19:00",
            of: settings.name)
        }
      }

      /// `07:00`, without seconds.
      private func isTime(_ word: String) -> Bool { word.utf8.count == 5 && CivilMoment.timeOfDay(word) != nil }

      func run() throws { try settings.order(.init(name: settings.name, visitAt: words(times))) }
    }

    struct Setting: ParsableCommand {
      static let configuration = CommandConfiguration(
        abstract: "A setting that the wearable keeps itself.", usage: "hearth settings <name> set <setting> VALUE|none",
        discussion: """
          Such as worn chest, ant-plus on: --orders lists those of this wearable and what each may be; none puts back \
          what it was before.
          """)
      @ParentCommand var settings: SettingsCommand

      @Argument(help: "Its name.")
      var setting: String

      @Argument(help: "What it shall be; none.")
      var value: String

      func run() throws { try settings.order(.init(name: settings.name, settings: Texts([(setting, value)]))) }
    }
  }
}

// MARK: - Words

/// With commas between; none of them for `none`.
private func names(_ list: String) -> [String] {
  list == "none" ? [] : list.split(separator: ",").map { String($0) }
}

/// With commas or blanks between them.
private func words(_ list: String?) -> [String] {
  list?.split { $0 == "," || $0 == " " }.map { String($0) } ?? []
}

/// What a key takes, with a line that can be typed.
private func wrong(_ key: String, _ what: String, such value: String, of name: String) -> ValidationError {
  ValidationError("set \(key) takes \(what); for example: hearth settings \(harmless(name)) set \(key) \(value)")
}

private func require(series name: String) throws {
  if Series(name: name) == nil {
    throw ValidationError(
      """
      no series is called '\(harmless(name))'\(hint(nearMiss(name, among: Series.all.map(\.name)))); there are acc, \
      ecg, ppg, ppi, skin_temperature and others
      """)
  }
}
