// Wearers: persons, their body data, and the assignment of wearables to them.

import ArgumentParser
import CivilTime
import Health
import HubProtocol
import Reasons
import RingStore
import StoreDocuments

struct WearerCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "wearer", abstract: "Manage wearers (persons) and the assignment of wearables to them.",
    discussion: """
      Every sample belongs to the person that wore its wearable when it was measured. Assignments may begin in the \
      past or in the future. Wearables that compute with body data get those of their wearer at their next visit.

      hearth wearer add Ada                 enter a person
      hearth wearer assign strap-07 Ada     from now on
      hearth wearer history strap-07        all assignments of a wearable
      """,
    subcommands: [
      List.self, Add.self, Rename.self, Set.self, Retire.self, Assign.self, Unassign.self, Correct.self, History.self,
      Body.self,
      Erase.self,
    ], defaultSubcommand: List.self)

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "List all persons and what they wear.")
    @ParentCommand var root: HearthCommand

    func run() throws {
      let session = try Session(root.options)
      let wearers = try session.connect().wearers().wearers
      try session.show(["schema": "io.hearth.wearers/1", "wearers": JSON(encoding: wearers)]) {
        renderTable(wearers, $0)
      }
    }
  }

  struct Add: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Enter a person: a name, a bed, a pseudonym.")
    @ParentCommand var root: HearthCommand

    @Argument(help: "Name of the person: 1 to 64 bytes of plain text on one line.")
    var name: String

    func run() throws { try show(root) { try $0.wearerAdd(.init(name: name)).wearer } }
  }

  struct Rename: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Rename a wearer; the samples stay with the wearer.")
    @ParentCommand var root: HearthCommand

    @Argument(help: "Name or number of the wearer.", completion: .wearers)
    var wearer: String

    @Argument(help: "Name of the person: 1 to 64 bytes of plain text on one line.")
    var newName: String

    func run() throws { try show(root) { try $0.wearerRename(.init(wearer: wearer, newName: newName)).wearer } }
  }

  struct Set: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Set the site's own identifier of a person.",
      usage: "hearth wearer set <wearer> id <identifier>|none",
      discussion: """
        Examples are the number of a member or of a patient. Hubs with the same identifier treat the person as one, \
        even if names differ. From then on hearth-uplink makes the pseudonym from the identifier. If it sends names, \
        it sends the identifier itself. none removes it.

        hearth wearer set Ada id M-4711
        """)
    @ParentCommand var root: HearthCommand

    @Argument(help: "Name or number of the wearer.", completion: .wearers)
    var wearer: String

    @Argument(help: ArgumentHelp("id: the house's own number.", valueName: "id"), completion: .list(["id"]))
    var what: String

    @Argument(help: ArgumentHelp("1 to 64 bytes of plain text, such as M-4711.", valueName: "identifier"))
    var value: String

    func validate() throws {
      if what != "id" { throw ValidationError("hearth wearer set takes id, not '\(harmless(what))'") }
    }

    func run() throws {
      try show(root) { try $0.wearerSet(.init(wearer: wearer, id: value == "none" ? nil : value)).wearer }
    }
  }

  struct Retire: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Retire a wearer: assign no wearables from now on.",
      discussion: """
        Assignments of the past stay. What the person wears now stays assigned until it is assigned to another.

        hearth wearer retire Ada
        """)
    @ParentCommand var root: HearthCommand

    @Argument(help: "Name or number of the wearer.", completion: .wearers)
    var wearer: String

    func run() throws { try show(root) { try $0.wearerRetire(.init(wearer: wearer)).wearer } }
  }

  struct Assign: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Assign a wearable to a wearer, from a time on.")
    @ParentCommand var root: HearthCommand

    @Argument(help: "Name or address of the wearable.", completion: .wearables)
    var name: String

    @Argument(help: "Name or number of the wearer.", completion: .wearers)
    var wearer: String

    @OptionGroup var from: FromOption

    func run() throws { try assign(name, to: wearer, from.from, root) }
  }

  struct Unassign: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "End the assignment of a wearable, from a time on.")
    @ParentCommand var root: HearthCommand

    @Argument(help: "Name or address of the wearable.", completion: .wearables)
    var name: String

    @OptionGroup var from: FromOption

    func run() throws { try assign(name, to: nil, from.from, root) }
  }

  struct History: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "List past, present and future wearers of a wearable.")
    @ParentCommand var root: HearthCommand

    @Argument(help: "Name or address of the wearable.", completion: .wearables)
    var name: String

    func run() throws {
      try Session(root.options).show({ try $0.assignments(.init(name: name)).assignments }) { render($0, $1, $2) }
    }
  }

  struct Body: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Enter body data of a wearer; what is not given stays as it is.",
      usage: """
        hearth wearer body <wearer> [--born <yyyy-mm-dd>] [--sex female|male]
        [--height <cm>] [--weight <kg>] [--max-hr <bpm>] [--resting-hr <bpm>]
        [--vo2max <ml/kg/min>] [--training <how-much>] [--typical-day <how>]
        [--sleep-goal <minutes>] [--take-off yes|no] [--forget <what,what>]
        """,
      discussion: """
        A wearable that already knows its wearer gets these values and keeps its others. A new one needs birth date, \
        sex, height and weight first. A forgotten value counts as never entered: wearables keep theirs. The next \
        wearer's known values replace the old ones. The rest goes back to the values from before the hub, or to the \
        vendor's default; hearth settings NAME says which. With --take-off yes, wearables forget the body when no \
        person wears them any more.

        hearth wearer body Ada --born 1980-05-17 --sex female --height 171 --weight 62
        """)
    @ParentCommand var root: HearthCommand

    @Argument(help: "Name or number of the wearer.", completion: .wearers)
    var wearer: String

    @Option(help: ArgumentHelp("Day of birth, such as 1980-05-17.", valueName: "yyyy-mm-dd"))
    var born: String?

    @Option(help: "Sex of the person: female or male.")
    var sex: String?

    @Option(help: ArgumentHelp("Height in cm, 90 to 240.", valueName: "cm"))
    var height: Int?

    @Option(help: ArgumentHelp("Weight in kg, 15 to 300.", valueName: "kg"))
    var weight: Int?

    @Option(name: .customLong("max-hr"), help: ArgumentHelp("Highest heart rate in bpm, 100 to 240.", valueName: "bpm"))
    var maximumHeartRate: Int?

    @Option(name: .customLong("resting-hr"), help: ArgumentHelp("Heart rate at rest, 20 to 120.", valueName: "bpm"))
    var restingHeartRate: Int?

    @Option(name: .customLong("vo2max"), help: ArgumentHelp("Highest oxygen uptake, 10 to 95.", valueName: "ml/kg/min"))
    var vo2Max: Int?

    @Option(help: ArgumentHelp("Training background: \(BodyFacts.TrainingBackground.choices).", valueName: "how-much"))
    var training: String?

    @Option(help: ArgumentHelp("Typical day without training: \(BodyFacts.TypicalDay.choices).", valueName: "how"))
    var typicalDay: String?

    @Option(help: ArgumentHelp("Goal of sleep in minutes, 300 to 660, such as 480.", valueName: "minutes"))
    var sleepGoal: Int?

    @Option(
      help: ArgumentHelp("Whether wearables forget the body when no person wears them any more.", valueName: "yes|no"))
    var takeOff: String?

    @Option(help: ArgumentHelp("Options to take back, such as height,vo2max.", valueName: "what,what"))
    var forget: String?

    /// Values by the name of their option.
    private var parts: [(option: String, part: BodyFacts.Part, isGiven: Bool)] {
      [
        ("born", .born, born != nil), ("sex", .sex, sex != nil), ("height", .height, height != nil),
        ("weight", .weight, weight != nil), ("max-hr", .maximumHeartRate, maximumHeartRate != nil),
        ("resting-hr", .restingHeartRate, restingHeartRate != nil), ("vo2max", .vo2Max, vo2Max != nil),
        ("training", .trainingBackground, training != nil), ("typical-day", .typicalDay, typicalDay != nil),
        ("sleep-goal", .sleepGoal, sleepGoal != nil),
      ]
    }

    /// Values to forget, with their names on the socket; nil without any.
    func forgotten() throws -> [String]? {
      try forget?.split(separator: ",", omittingEmptySubsequences: false).map { word in
        guard let found = parts.first(where: { $0.option == word }) else {
          let all = parts.map(\.option).joined(separator: ",")
          throw ValidationError("--forget takes \(all), not '\(harmless(String(word)))'")
        }
        if found.isGiven { throw ValidationError("--\(word) cannot be given and forgotten at once") }
        return found.part.rawValue
      }
    }

    func validate() throws {
      _ = try forgotten()
      let numbers = [
        ("--height", height, BodyFacts.heights), ("--weight", weight, BodyFacts.weights),
        ("--max-hr", maximumHeartRate, BodyFacts.maximumHeartRates),
        ("--resting-hr", restingHeartRate, BodyFacts.restingHeartRates), ("--vo2max", vo2Max, BodyFacts.vo2Maxima),
        ("--sleep-goal", sleepGoal, BodyFacts.sleepGoals),
      ]
      for case (let option, let value?, let range) in numbers where !range.contains(value) {
        throw ValidationError("\(option) takes \(range.lowerBound) to \(range.upperBound), not \(value)")
      }
      if let born, LocalDate(text: born) == nil {
        throw ValidationError("--born takes a date such as 1980-05-17, not '\(harmless(born))'")
      }
      if let sex, BodyFacts.Sex(name: sex) == nil {
        throw ValidationError("--sex takes female or male, not '\(harmless(sex))'")
      }
      if let training, BodyFacts.TrainingBackground(name: training) == nil {
        throw ValidationError("--training takes \(BodyFacts.TrainingBackground.choices), not '\(harmless(training))'")
      }
      if let takeOff, takeOff != "yes", takeOff != "no" {
        throw ValidationError("--take-off takes yes or no, not '\(harmless(takeOff))'")
      }
      if let typicalDay, BodyFacts.TypicalDay(name: typicalDay) == nil {
        throw ValidationError("--typical-day takes \(BodyFacts.TypicalDay.choices), not '\(harmless(typicalDay))'")
      }
    }

    func run() throws {
      let parameters = Methods.WearerBody.Parameters(
        wearer: wearer, born: born, sex: sex, heightCm: height, weightKg: weight, maximumHeartRate: maximumHeartRate,
        restingHeartRate: restingHeartRate, vo2Max: vo2Max, trainingBackground: training, typicalDay: typicalDay,
        sleepGoalMinutes: sleepGoal, takeOff: takeOff.map { $0 == "yes" }, forget: try forgotten())
      try show(root) { try $0.wearerBody(parameters).wearer }
    }
  }

  private static func show(
    _ root: HearthCommand, _ order: (ControlClient) throws -> WearerDocument
  ) throws {
    let session = try Session(root.options)
    let wearer = try order(session.connect())
    try session.show(JSON(encoding: wearer)) { render(wearer, $0) }
  }

  private static func assign(_ name: String, to wearer: String?, _ from: String?, _ root: HearthCommand) throws {
    try checkTime("--from", from)
    let session = try Session(root.options)
    let client = try session.connect()
    let time = try session.time(client)
    let from = try time.time(from, of: "--from")?.rfc3339
    let found = try client.assign(.init(name: name, wearer: wearer, from: from)).assignments
    // The time of the answer, so that an assignment from now on does not count as a future one.
    let now = try session.time(client)
    try session.show(JSON(encoding: found)) { render(found, now, $0) }
  }
}

struct FromOption: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "\(HubTime.forms), in the hub's zone; a date means its start. Default: now.", valueName: "time"))
  var from: String?
}
