import ArgumentParser
import Foundation
import Health
import Testing

@testable import hearth

@Suite("The help of the command line")
struct CLIHelpTests {
  @Test("hearth --help names every command, the options of all and the exit codes")
  func help() {
    #expect(
      HearthCommand.helpMessage(columns: 80) == """
        OVERVIEW: Show and operate a Hearth hub: wearables, samples, store and radio.

        A hub visits its enrolled wearables (straps, insoles, bands), fetches their
        recordings and listens to their live values. All samples are in its store, on
        its SD card.

        hearth                   whether all is well, and the next step
        hearth watch             the same on a full screen, updated live
        hearth explain H2102     what a code means, and what to do
        hearth explain battery   commands and codes for a word
        hearth doctor            checks of this machine, with fixes

        Without the daemon (hearthd), these commands read the store themselves: store,
        export, items, measurements, days, coverage, report, events, visits, custody,
        access and bond.

        --hub runs a command that only reads on several hubs over SSH, in parallel.
        Examples are status, devices, events and doctor:

        hearth --hub gym-a,gym-b status

        The exit code is then the most severe of all, in this order: 3, 4, 2, 7, 6, 5,
        1. A hub that does not answer counts as 3.

        Exit codes: 0 fine. 1 answered, but something needs attention. 2 wrong usage. 3
        the daemon does not run (with an answer from the store, if there is one). 4 not
        allowed. 5 not found. 6 busy. 7 refused because data would be lost.

        USAGE: hearth [--socket <path>] [--store <path>] [--config <file>] [--hub <a,b,c> ...] \
        [--within <time>] [--ssh-config <file>] [--json] [--no-input] [--verbose] <subcommand>

        OPTIONS OF EVERY COMMAND:
          --socket <path>         Socket of the hub's daemon. Default: HEARTH_SOCKET,
                                  else the configuration's.
          --store <path>          Read the store in this folder instead of asking the
                                  daemon.
          --config <file>         Read the paths of socket and store from this
                                  configuration file.
          --hub <a,b,c>           Run on these hubs over SSH (names in ~/.ssh/config).
                                  Sockets and files are theirs.
          --within <time>         With --hub: timeout for all of them, 1s to 10m.
                                  Default: 60s.
          --ssh-config <file>     With --hub: settings of ssh, in place of
                                  ~/.ssh/config.
          --json                  Print one JSON document; exports and live values
                                  print one object a line.
          --no-input              Never ask for input or agreement.
          -v, --verbose           Also print addresses and counters.

        OPTIONS:
          --version               Show the version.
          -h, --help              Show help information.

        SUBCOMMANDS:
          status (default)        Show whether the hub is well, and the next step.
          watch                   Show the hub on a full screen, updated live; ? lists
                                  its keys.
          devices                 List wearables with state and battery, and which need
                                  attention.
          device                  Show one wearable; rename, pause or forget it; choose
                                  erasing and listening.
          live                    Stream live values until Ctrl-C.
          enroll                  Enrol wearables: open the window, list candidates,
                                  accept one.
          visits                  Show visits, in which the hub fetches recordings:
                                  running, queued, past.
          visit                   Request a visit of a wearable.
          sync                    Fetch recorded data from a wearable now (sync): all
                                  of it or some kinds.
          custody                 Show custody of items: fetched, verified, durable
                                  here, erased on the wearable.
          link                    Show the link to a wearable with its connection
                                  parameters; set its profile.
          clock                   Show the hub's clock and zone, and the clock error
                                  (drift) of each wearable.
          radio                   Show or reset the Bluetooth radio (adapter): state,
                                  connections, resets.
          pair                    List and answer pairing requests that wait for a
                                  person.
          recordings              Show, start and stop recordings in a wearable's own
                                  memory; set triggers.
          settings                Show the orders for a wearable (settings) and its own
                                  report; change orders.
          monitor                 Show or order how a wearable measures by itself
                                  (monitoring).
          measure                 Measure vital signs now, or one series that a band
                                  measures on request.
          training                Begin or end a training (exercise) of a strap.
          action                  List the actions that a wearable offers, or run one.
          alerts                  Set limits of live values and list alerts; not a
                                  medical alarm.
          mute                    Mute a trouble for a while, or list muted troubles.
          unmute                  Unmute a trouble: show it again.
          wearer                  Manage wearers (persons) and the assignment of
                                  wearables to them.
          store                   Show how full, old and healthy the store is; peek
                                  into it, verify it, purge it.
          export                  Export samples as CSV or JSON lines (NDJSON), by
                                  wearable and series.
          items                   List measured values (items) of a wearable or a
                                  person, in order of time.
          measurements            List measurements of vital signs of a wearable or a
                                  person.
          days                    Show daily summaries of a wearable or a person:
                                  steps, heart rate, sleep.
          coverage                Show which times have values (coverage), with a
                                  reason for each gap.
          report                  Write a report: a day of a wearable or a person as
                                  one printable page of HTML.
          uplink                  Show how far this hub's rows were sent to the message
                                  broker (uplink).
          update                  Show the hub's version; update it, or roll back to
                                  the one before.
          events                  List events of the hub, newest last: lost links,
                                  failed visits, restarts.
          log                     Show the daemon's log from the journal, decoded line
                                  by line; -f follows it.
          access                  Show the access log: each user that read measured
                                  values, newest last.
          bond                    List the bonds (keys of paired wearables); move them
                                  to another hub, or delete one.
          backup                  Back up everything that cannot be measured again,
                                  sealed with a passphrase.
          restore                 Restore the backup of another hub on this fresh hub.
          led                     Show what the LEDs (lights) say, or find this box by
                                  them.
          config                  Check a configuration file, or show the settings in
                                  force.
          setup                   Set up a fresh hub: name, place, zone, lights,
                                  enrolment and users.
          doctor                  Check this machine from systemd unit to SD card, with
                                  a fix for each problem.
          explain                 Explain a code such as H2102, or find commands and
                                  codes by a word.
          version                 Print the version of this program.

          See 'hearth help <subcommand>' for detailed help.
        """)
  }

  @Test(
    "options of all commands are taken before, between and after the words of a command",
    arguments: [
      ["--json", "--socket", "/s", "enroll", "open"], ["enroll", "--json", "--socket", "/s", "open"],
      ["enroll", "open", "--socket", "/s", "--json"],
      ["--socket=/s", "enroll", "open", "--json", "--for", "60s"],
    ])
  func globalOptions(arguments: [String]) throws {
    let command = try #require(try HearthCommand.parseAsRoot(arguments) as? EnrollCommand.Open)
    #expect(command.root.options.json)
    #expect(command.root.options.socket == "/s")
  }

  @Test(
    "wrong arguments are usage errors",
    arguments: [
      ["device"], ["device", "a", "paint"], ["device", "a", "rename"], ["device", "a", "forget", "b"],
      ["device", "a", "--yes"], ["device", "a", "forget", "--yes-lose", "many"],
      ["radio", "recover", "--yes-lose", "1"],
      ["device", "a", "erase"], ["device", "a", "erase", "now"], ["device", "a", "listen", "yes"],
      ["live", "--seconds", "0"],
      ["export", "--format", "xml"], ["enroll", "open", "--for", "0s"], ["enroll", "open", "--for", "2h"],
      ["enroll", "open", "--for", "99999999999999999999s"],
      ["enroll", "accept"], ["explain"], ["--sockett", "/s"], ["store", "peek", "a"],
      ["store", "peek", "a", "b", "--count", "0"],
      ["store", "peek", "a", "b", "--count", "1001"], ["store", "purge", "--yes-lose", "-1"],
      ["store", "purge", "--yes-lose", "many"], ["export", "--cursor", "a", "--since", "2h"],
      ["export", "--no-confirm"], ["export", "--format", "edf"], ["export", "--anonymous"],
      ["export", "--format", "fhir", "--cursor", "a"], ["days"],
      ["days", "a", "steps", "--today"], ["days", "a", "--today", "--since", "2d"],
      ["days", "a", "--today", "--tables"], ["days", "a", "--today", "--day", "today"],
      ["days", "a", "--day", "today", "--since", "2d"], ["items", "a"], ["items", "a", "b", "--kind", "rest"],
      ["items", "a", "b", "--manual", "--automatic"], ["items", "a", "b", "--count", "1001"],
      ["items", "a", "b", "--after", "noon"], ["visits", "-n", "0"], ["visits", "-n", "1001"], ["visits", "a", "b"],
      ["visit", "now"], ["custody"],
      ["training"], ["training", "a"], ["training", "a", "pause"], ["training", "a", "begin", "b"],
      ["mute", "H9999"], ["mute", "--until", "07:00"], ["mute", "H2109", "--until", "07:00", "--for", "2h"],
      ["mute", "H2109", "--for", "soon"], ["unmute"], ["device", "a", "pause", "now"], ["device", "a", "--for", "2h"],
      ["settings", "a", "set", "visit-at", "7:00"], ["settings", "a", "set", "visit-at", "24:00"],
      ["settings", "a", "set", "phases"],
      ["alerts", "a", "set"], ["alerts", "a", "set", "rest-above"], ["alerts", "a", "set", "rest-above", "many"],
      ["alerts", "a", "set", "exercise", "maybe"], ["alerts", "a", "ignore"], ["alerts", "a", "acknowledge", "b"],
      ["monitor"], ["monitor", "a", "heart_rate"], ["monitor", "a", "pulse", "on"],
      ["monitor", "a", "heart_rate", "maybe"],
      ["monitor", "a", "heart_rate", "every=x"], ["monitor", "a", "heart_rate", "between=08:00"],
      ["monitor", "a", "heart_rate", "on", "none"], ["monitor", "a", "heart_rate", "on", "--now"],
      ["monitor", "a", "heart_rate", "max-hr=many"],
      ["link"], ["link", "a", "set"], ["link", "a", "set", "asleep"], ["link", "a", "idle"],
      ["link", "a", "set", "idle", "x"], ["link", "a", "--central"], ["link", "a", "set", "auto", "--central"],
      ["radio", "explode"],
      ["pair", "answer", "a"], ["pair", "answer", "a", "maybe"], ["pair", "answer", "a", "12345"],
      ["pair", "answer", "a", "1234567"],
      ["pair", "answer", "a", "12345a"], ["action"], ["recordings"], ["recordings", "a", "start"],
      ["recordings", "a", "stop", "acc", "ppg"], ["recordings", "a", "status", "acc"], ["recordings", "a", "paint"],
      ["settings"], ["settings", "a", "streams"], ["settings", "a", "set", "streams"],
      ["settings", "a", "paint", "red"], ["settings", "a", "set", "worn"], ["settings", "a", "--generate"],
      ["settings", "a", "set", "rates"],
      ["settings", "a", "set", "rates", "acc"], ["settings", "a", "set", "rates", "acc=0"],
      ["settings", "a", "set", "rates", "acc=fast"], ["settings", "a", "set", "rates", "acc=50,=2"],
      ["settings", "a", "set", "secret", "00112233445566778899AABBCCDDEEFF"],
      ["settings", "a", "set", "secret", "--generate", "--secret-file", "-"],
      ["settings", "a", "set", "streams", "acc", "--generate"], ["wearer", "add"], ["wearer", "assign", "a"],
      ["wearer", "body", "a", "--height", "tall"], ["wearer", "body", "a", "--height", "20"],
      ["wearer", "body", "a", "--born", "1980-02-30"],
      ["wearer", "body", "a", "--sex", "m"], ["wearer", "body", "a", "--vo2max", "96"],
      ["wearer", "body", "a", "--training", "a-lot"],
      ["wearer", "body", "a", "--typical-day", "lying"], ["wearer", "body", "a", "--forget", "shoes"],
      ["wearer", "body", "a", "--height", "171", "--forget", "height"], ["wearer", "body", "a", "--sleep-goal", "299"],
      ["settings", "a", "set", "streams", "acc,smell"], ["settings", "a", "set", "rates", "smell=50"],
    ])
  func usage(arguments: [String]) {
    #expect(throws: (any Error).self) { try HearthCommand.parseAsRoot(arguments) }
  }

  @Test("what is to be forgotten of a body is named as its options are, and asked for as the socket calls it")
  func forgottenFacts() throws {
    let command = try #require(
      try HearthCommand.parseAsRoot(["wearer", "body", "a", "--weight", "62", "--forget", "height,vo2max,max-hr"])
        as? WearerCommand.Body)
    #expect(try command.forgotten() == ["height_cm", "vo2_max", "maximum_heart_rate"])
    let all = "born,sex,height,weight,max-hr,resting-hr,vo2max,training,typical-day,sleep-goal"
    let rest = try #require(
      try HearthCommand.parseAsRoot(["wearer", "body", "a", "--forget", all]) as? WearerCommand.Body)
    #expect(try rest.forgotten() == BodyFacts.Part.allCases.map(\.rawValue))
  }

  @Test(
    "the help of each command names its words",
    arguments: [
      ("visits", "USAGE: hearth visits [<name>] [-n <n>]"), ("visit now", "USAGE: hearth visit now <name> [--wait]"),
      ("custody", "USAGE: hearth custody <name> [--last]"),
      ("link", "USAGE: hearth link <name>\n       hearth link <name> set foreground|background|idle|auto [--central]"),
      ("device", "USAGE: hearth device <name>\n       hearth device <name> rename <new-name>\n"),
      ("device erase", "USAGE: hearth device <name> erase yes|no|ask|auto\n"),
      ("settings set phases", "USAGE: hearth settings <name> set phases LIST|all|none\n"),
      ("clock", "USAGE: hearth clock [<name>]"), ("radio", "USAGE: hearth radio <subcommand>"),
      ("pair answer", "USAGE: hearth pair answer <name> <answer>"),
      ("action", "USAGE: hearth action <name> [<action> [<words> ...]]"),
      ("recordings", "USAGE: hearth recordings <name> [status"),
      ("settings", "USAGE: hearth settings <name> [--orders]"),
      ("wearer assign", "USAGE: hearth wearer assign <name> <wearer> [--from <time>]"),
      ("wearer body", "USAGE: hearth wearer body <wearer> [--born <yyyy-mm-dd>]"),
    ])
  func helpOfCommands(words: String, usage: String) {
    let types: [String: any ParsableCommand.Type] = [
      "visits": VisitsCommand.self, "visit now": VisitCommand.Now.self, "custody": CustodyCommand.self,
      "device": DeviceCommand.self, "device erase": DeviceCommand.Erase.self,
      "settings set phases": SettingsCommand.Order.Phases.self, "link": LinkCommand.self, "clock": ClockCommand.self,
      "radio": RadioCommand.self, "pair answer": PairCommand.Answer.self, "action": ActionCommand.self,
      "recordings": RecordingsCommand.self, "settings": SettingsCommand.self,
      "wearer assign": WearerCommand.Assign.self, "wearer body": WearerCommand.Body.self,
    ]
    let text = types[words].map { HearthCommand.helpMessage(for: $0, columns: 80) } ?? ""
    #expect(text.contains(usage), "\(text)")
    #expect(text.split(separator: "\n").allSatisfy { $0.count <= 80 })
  }

  @Test("a word that is no command is found behind options, and known ones are left alone")
  func unknownCommands() {
    #expect(HearthCommand.unknownCommand(["statsu"]) == "statsu")
    #expect(HearthCommand.unknownCommand(["--json", "--socket", "status", "devces", "x"]) == "devces")
    for known in [
      [], ["--json"], ["status"], ["help", "device"], ["--config", "x", "device", "paint"],
      ["--config=x", "live", "y"], ["--generate-completion-script", "bash"],
    ] {
      #expect(HearthCommand.unknownCommand(known) == nil)
    }
  }
}
