// Commands for several hubs: those that only read and end by themselves. The type of the parsed command and its
// arguments decide. A command that is not listed here is for one hub.

import ArgumentParser

/// Ways in which the answers of several hubs are combined.
enum FleetKind: Sendable, Hashable {
  /// A line for each hub.
  case status
  /// A line for each wearable.
  case devices
  /// The text of each hub under its name.
  case text
  /// The same; with `--json` it prints an object on each line.
  case lines
}

/// Kind of a command; nil if it changes data, asks a person or a wearable, streams, fills a screen or writes a file.
func fleetKind(of command: any ParsableCommand) -> FleetKind? {
  switch command {
  case is StatusCommand: .status
  case is DevicesCommand: .devices
  case is VisitsCommand, is CustodyCommand, is ClockCommand: .text
  case is DeviceCommand.Show, is LinkCommand.Show, is AlertsCommand.Show: .text
  case is RadioCommand.Show, is PairCommand.List, is EnrollCommand.List: .text
  // A wearable's own report may need a visit; the orders are known.
  case let command as SettingsCommand.Show: command.orders ? .text : nil
  case let command as MonitorCommand: command.order.isEmpty && !command.now ? .text : nil
  case let command as MuteCommand: command.code == nil ? .text : nil
  case let command as SyncCommand: command.last ? .text : nil
  case is WearerCommand.List, is WearerCommand.History: .text
  case is StoreCommand.Show, is StoreCommand.Peek, is StoreCommand.Verify: .text
  case is ItemsCommand, is MeasurementsCommand, is CoverageCommand, is AccessCommand, is BondCommand.List: .text
  case let command as DaysCommand: command.today ? nil : .text
  case is UpdateCommand.Show, is UplinkCommand.Show: .text
  case is EventsCommand: .text
  // Standard input of a hub is empty, and a log that is followed has no end.
  case let command as LogCommand: command.follow || command.file == "-" ? nil : .lines
  case is LedCommand.Explain, is LedCommand.Legend, is ConfigCommand.Check, is ConfigCommand.Show: .text
  case is DoctorCommand, is ExplainCommand, is VersionCommand: .text
  default: nil
  }
}

extension HearthCommand {
  /// Name of a command, such as `store purge`; nil for types that are no command of this program.
  static func path(to type: any ParsableCommand.Type) -> String? {
    func search(_ parent: any ParsableCommand.Type, _ words: [String]) -> [String]? {
      if parent == type { return words }
      for child in parent.configuration.subcommands {
        if let found = search(child, words + [child._commandName]) { return found }
      }
      return nil
    }
    return search(HearthCommand.self, [])?.joined(separator: " ")
  }
}
