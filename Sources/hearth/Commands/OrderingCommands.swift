// hearth settings NAME set: one subcommand for each kind of order.

import ArgumentParser
import CivilTime
import Glibc
import Health
import HubProtocol
import Reasons

extension SettingsCommand {
  /// Sends an order and shows all of them.
  fileprivate func order(_ parameters: Methods.OrdersSet.Parameters) throws {
    try order { client, _ in try client.ordersSet(parameters).orders }
  }

  func order(_ change: (ControlClient, Session) throws -> OrdersDocument) throws {
    let session = try Session(root.options)
    try session.show({ try change($0, session) }) { render($0, $2, in: $1) }
  }

  struct Order: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "set", abstract: "Set an order, which lasts until it is changed; none takes it back.",
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
        abstract: "Choose the series that are streamed live over the link.",
        usage: "hearth settings <name> set streams LIST|none",
        discussion: """
          hearth settings band-07 set streams acc,ppi
          """)
      @ParentCommand var settings: SettingsCommand

      @Argument(help: "Series with commas between, such as acc,ecg.", completion: .series)
      var list: String

      func validate() throws { for name in names(list) { try require(series: name) } }

      func run() throws { try settings.order(.init(name: settings.name, streams: names(list))) }
    }

    struct Rates: ParsableCommand {
      static let configuration = CommandConfiguration(
        abstract: "Set sample rates of streams; series not named follow the link.",
        usage: "hearth settings <name> set rates LIST|none",
        discussion: """
          hearth settings strap-07 set rates ecg=130,acc=50
          """)
      @ParentCommand var settings: SettingsCommand

      @Argument(help: "Series with samples a second (Hz), such as ecg=130,acc=50.")
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
        abstract: "Choose features that each visit switches off.",
        usage: "hearth settings <name> set features-off LIST|none",
        discussion: """
          hearth settings band-07 set features-off telemetry
          """)
      @ParentCommand var settings: SettingsCommand

      @Argument(help: "Features with commas between, such as telemetry,usb.")
      var list: String

      func run() throws { try settings.order(.init(name: settings.name, switchedOff: names(list))) }
    }

    struct Measure: ParsableCommand {
      static let configuration = CommandConfiguration(
        abstract: "Set when the hub measures vital signs of the wearable by itself.",
        usage: "hearth settings <name> set measure \"every=4h seconds=60 between=07:00-22:00\"|none",
        discussion: """
          every=4h seconds=60 between=07:00-22:00 measures at 07:00, 11:00, 15:00 and 19:00 of each day. A wearable \
          that is away, off the body or busy then is skipped.

          hearth settings strap-07 set measure every=4h seconds=60
          """)
      @ParentCommand var settings: SettingsCommand

      @Argument(help: "every=15m to 24h, seconds=20 to 180, between=07:00-22:00.")
      var words: [String] = []

      /// Checks only the words. The hub checks their values.
      func validate() throws {
        let isOrder = parts.allSatisfy { word in
          ["every=", "seconds=", "between="].contains { word.hasPrefix($0) }
        }
        if parts.isEmpty || parts != ["none"] && !isOrder {
          throw ValidationError(
            """
            set measure takes every=15m to 24h, seconds=20 to 180 (60 by default), between=07:00-22:00; or \
            none
            """)
        }
      }

      private var parts: [Substring] { words.flatMap { $0.split(separator: " ") } }

      func run() throws { try settings.order(.init(name: settings.name, measure: parts.joined(separator: " "))) }
    }

    struct Phases: ParsableCommand {
      static let configuration = CommandConfiguration(
        abstract: "Choose the phases (kinds of data) of visits that the hub makes by itself.",
        usage: "hearth settings <name> set phases LIST|all|none",
        discussion: """
          The rest stays on the wearable until hearth sync asks for it.

          hearth settings band-07 set phases sleep,activity
          """)
      @ParentCommand var settings: SettingsCommand

      @Argument(
        help: "Phases with commas between, such as sleep,activity; or all. Default: as configured (lane.phases).")
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
        abstract: "Set times of day for visits, even if the data is fresh.",
        usage: "hearth settings <name> set visit-at \"07:00,19:00\"|never|none",
        discussion: """
          hearth settings band-07 set visit-at 07:00,19:00
          """)
      @ParentCommand var settings: SettingsCommand

      @Argument(help: "Times of day with commas between, or never. Default: as configured (lane.visit_at).")
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
        abstract: "Order a setting that the wearable keeps itself.",
        usage: "hearth settings <name> set <setting> VALUE|none",
        discussion: """
          Examples are worn chest and ant-plus on. --orders lists the settings of this wearable with their possible \
          values. none restores the value from before.

          hearth settings strap-07 set ant-plus on
          """)
      @ParentCommand var settings: SettingsCommand

      @Argument(help: "Setting, such as worn or ant-plus; --orders lists those of the wearable.")
      var setting: String

      @Argument(help: "Value that --orders lists for it, such as on.")
      var value: String

      func run() throws { try settings.order(.init(name: settings.name, settings: Texts([(setting, value)]))) }
    }
  }
}

// MARK: - Words

/// Names with commas between; empty for `none`.
private func names(_ list: String) -> [String] {
  list == "none" ? [] : list.split(separator: ",").map { String($0) }
}

/// Words with commas or blanks between.
private func words(_ list: String?) -> [String] {
  list?.split { $0 == "," || $0 == " " }.map { String($0) } ?? []
}

/// Error with the possible values, and a line to type.
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
