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
        OVERVIEW: Asks a Hearth hub how it is, who is there and what it measured.

        A hub visits the wearables that joined it (straps, insoles, bands), fetches
        what they recorded, and listens to what they send live. Everything is in its
        store, on its SD card.

        hearth alone: is all well? hearth watch: the same, live. hearth explain CODE:
        what a code such as H2102 means. hearth doctor: is this machine as it should
        be.

        With the daemon (hearthd) down, store, export, items, measurements, days,
        coverage, report, events, visits and custody read the store themselves.

        hearth --hub gym-a,gym-b status asks several hubs over SSH, side by side; also
        devices, events, doctor and all else that only asks. The exit code is then the
        worst of all, in this order: 3 (also for a hub that does not answer), 4, 2, 7,
        6, 5, 1.

        Exit codes: 0 fine, 1 answered but something needs attention, 2 usage, 3 daemon
        not running (with an answer from the store where there is one), 4 not allowed,
        5 no such thing, 6 busy, 7 refused because data would be lost.

        USAGE: hearth [--socket <path>] [--store <path>] [--config <file>] [--hub <a,b,c> ...] \
        [--within <time>] [--ssh-config <file>] [--json] [--no-input] [--verbose] <subcommand>

        OPTIONS OF EVERY COMMAND:
          --socket <path>         The socket of the hub's daemon. Default:
                                  HEARTH_SOCKET, else the configuration's.
          --store <path>          Read the store in this folder; no daemon is asked.
          --config <file>         Take socket and store from this configuration file.
          --hub <a,b,c>           Ask these hubs over SSH, by their names in
                                  ~/.ssh/config; sockets and files are theirs.
          --within <time>         With --hub: wait so long for all of them, 1s to 10m.
                                  Default: 60s.
          --ssh-config <file>     With --hub: settings of ssh, in place of
                                  ~/.ssh/config.
          --json                  Print one JSON document; exports and live values one
                                  object a line.
          --no-input              Never ask.
          -v, --verbose           Also print addresses and counters.

        OPTIONS:
          --version               Show the version.
          -h, --help              Show help information.

        SUBCOMMANDS:
          status (default)        Is the hub fine, and if not, what next.
          watch                   The hub on a full screen, as it changes; keys are
                                  told there.
          devices                 The wearables: which are here, what each does, which
                                  needs someone.
          device                  One wearable: show it, rename it, forget it, say
                                  whether it is emptied.
          live                    Values as they come, until Ctrl-C.
          enroll                  Let wearables join this hub; it connects to no others.
          visits                  Visits, in which the hub fetches what wearables
                                  recorded: now, next, last.
          visit                   Ask for a visit.
          sync                    Fetch what a wearable keeps now, all of it or some
                                  kinds of data.
          custody                 What a wearable recorded, item by item: fetched,
                                  verified, safe here, erased there.
          link                    The connection to one wearable: timing asked for,
                                  got, and told by it.
          clock                   The hub's clock, and how far the wearables' clocks
                                  are off.
          radio                   The Bluetooth radio: is it well, how many
                                  connections, what restarted it.
          pair                    Wearables that want to pair and wait for a person's
                                  answer.
          recordings              What a wearable records in its own memory; begin,
                                  end, let it begin by itself.
          settings                What is ordered of a wearable, and what it says of
                                  itself.
          monitor                 How a wearable measures by itself: asked, got, device
                                  says.
          measure                 Measure vital signs of what a wearable sends, or let
                                  it measure one thing now.
          training                Begin or end a training of a strap.
          action                  What can be asked of a wearable; ask it.
          alerts                  Limits of live values, and what was beyond them; no
                                  medical alarm.
          mute                    Mute a trouble for a while, or list what is muted.
          unmute                  Show a muted trouble again.
          wearer                  Who wears what, since when and from when on.
          store                   How full, how old, how well; look into it, check it,
                                  purge it.
          export                  Samples, wearable by wearable and series by series.
          items                   Measured values of a wearable or a person, in order
                                  of time.
          measurements            Measurements of vital signs of a wearable or a person.
          days                    What each local day of a wearable, or of a person,
                                  was like.
          coverage                What of a time there are values for, and why the rest
                                  is empty.
          report                  A day of a wearable as one page of HTML, to look at
                                  and to print.
          uplink                  How far the rows of this hub have come on their way
                                  to the message broker.
          update                  The hub's version: which runs, take a newer one, go
                                  back to the one before.
          events                  What happened, the newest last.
          log                     What the daemon said, line by line, from the journal;
                                  -f goes on.
          access                  Who has read what was measured, the newest last.
          bond                    Wearables paired with this hub (bonded): list their
                                  keys, take them to another hub.
          backup                  Write everything that cannot be measured again into a
                                  file that only a passphrase opens.
          restore                 Make this fresh hub what another was, from its backup.
          led                     What the lights say.
          config                  The configuration: check a file, show what holds.
          setup                   Tell a fresh hub its name, place, zone, lights, who
                                  may join and who may ask.
          doctor                  Check this hub from unit to card: what is not as it
                                  should be, and what to type.
          explain                 What a code such as H2102 means, and what to do.
          version                 The version of this program.

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
      ["export", "--no-confirm"], ["export", "--format", "edf"], ["export", "--anonymous", "--format", "csv"],
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
