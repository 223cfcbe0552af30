// The whole hub in a simulated world: wearables, people, a radio that fails, restarts and operators, all from one seed.

import ArgumentParser
import CivilTime
import EventLoop
import Glibc
import Health
import Reasons
import Simulation

struct HearthSim: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract:
      "Run the whole hub in a simulated world: no sample lost, doubled, starved or erased too early.",
    discussion: """
      The same seed and options give the same run on any machine. A violation prints the seed, the last events and \
      the line that replays it. If HEARTH_COMMIT is set, the report repeats it.

      hearth-sim run --population ward --days 3 --seed 7

      Exit codes: 0 no violation. 1 a violation. 64 arguments refused.
      """,
    version: hearthVersion)

  @Option(help: "Seed of everything random.")
  var seed: UInt64 = 1
  @Option(help: ArgumentHelp("Number of visits to simulate.", valueName: "n"))
  var visits: Int = 1000
  @Option(
    help: ArgumentHelp(
      "Number of wearables, or of hostile peers: 1 to 64. Default: 10, and 40 hostile ones.", valueName: "n"))
  var wearables: Int?
  @Option(help: ArgumentHelp("Number of adapters of the hub: 1 to 8, for mixed.", valueName: "n"))
  var adapters: Int = 1
  @Option(
    help:
      """
      Insoles and straps (mixed). Straps, sensors, bands and watches of Polar (polar). Cuffs, thermometers, \
      oximeters and other health sensors (ward). Bands of each family that the hub knows, beside straps, insoles and \
      Polar's (bands). Straps that lose their links beside peers that want the hub's time, until a hundred losses \
      are over (hostile). Polar, ward and bands run for days instead of visits.
      """
  )
  var population: Population = .mixed
  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp("Bands: only these families, without other wearables.", valueName: "family"))
  var families: [Family] = []
  @Option(help: ArgumentHelp("Number of days to simulate, for polar, ward or bands.", valueName: "n"))
  var days: Int = 30
  @Option(
    help: ArgumentHelp(
      "The hub's time zone, for polar, bands and ward; wearables of polar and bands come from several.",
      valueName: "zone"))
  var zone: String = "UTC"
  @Option(
    help: ArgumentHelp(
      "Day on the morning of which polar, ward and bands begin, such as 2026-10-23.", valueName: "date"))
  var from: String?
  @Option(help: "Faults: none, gym or all.")
  var faults: FaultChoice = .all
  @Option(help: ArgumentHelp("Repeat with this many seeds, counted up from the first.", valueName: "n"))
  var runs: Int = 1
  @Flag(help: "Measure the lane instead: all wearables are present and full of files, without faults.")
  var efficiency = false
  @Option(
    help: ArgumentHelp(
      """
      Draw this many new seeds, each with its own population, faults and size; the line that replays it is printed \
      with each.
      """,
      valueName: "fresh:n"))
  var seeds: String?
  @Option(
    name: .customLong("for"),
    help: ArgumentHelp("Begin no further run of new seeds after this time.", valueName: "seconds"))
  var time: Int?
  @Flag(help: .hidden)
  var brief = false
  @Flag(help: "Print the hub's log as it comes.")
  var verbose = false
  @Flag(help: "Print one JSON object per run.")
  var json = false

  enum Population: String, ExpressibleByArgument, CaseIterable { case mixed, polar, ward, bands, hostile }
  /// Families of bands, by driver.
  enum Family: String, ExpressibleByArgument, CaseIterable, Sendable {
    case fitCloud = "fitcloud"
    case next = "topstep-next"
    case moyoung
  }
  enum FaultChoice: String, ExpressibleByArgument, CaseIterable {
    case none, gym, all

    var plan: FaultPlan {
      switch self {
      case .none: FaultPlan()
      case .gym: .gym
      case .all: .all
      }
    }
  }

  func validate() throws {
    if let wearables, !(1...64).contains(wearables) {
      throw ValidationError("--wearables takes 1 to 64, not \(wearables)")
    }
    if !(1...8).contains(adapters) { throw ValidationError("--adapters takes 1 to 8, not \(adapters)") }
    if !(1...100_000_000).contains(visits) { throw ValidationError("--visits takes 1 to 100,000,000, not \(visits)") }
    if !(1...366).contains(days) { throw ValidationError("--days takes 1 to 366, not \(days)") }
    if TimeZoneRules.named(zone) == nil { throw ValidationError("--zone: this machine knows no '\(zone)'") }
    if let from, LocalDate(text: from) == nil {
      throw ValidationError("--from takes a date as 2026-10-23, not '\(from)'")
    }
    if let seeds, FreshSeeds(seeds) == nil {
      throw ValidationError("--seeds takes fresh:1 to fresh:1000000, not \(seeds)")
    }
    if seeds != nil, population != .mixed, population != .bands {
      throw ValidationError("--seeds draws its populations; beside them there is --population bands")
    }
    if let time, seeds == nil || time < 1 { throw ValidationError("--for takes seconds, and goes with --seeds") }
    if !(1...100_000).contains(runs) { throw ValidationError("--runs takes 1 to 100,000, not \(runs)") }
  }

  func run() throws {
    if let seeds = seeds.flatMap(FreshSeeds.init) { return try runFresh(seeds) }
    var hasFailed = false
    var sieges: SiegeOutcome?
    for number in 0..<UInt64(runs) {
      let options = TrialOptions(
        seed: seed &+ number, visits: visits, wearables: wearables ?? (population == .hostile ? 40 : 10),
        faults: faults,
        measuresLane: efficiency, adapters: adapters,
        population: population, days: days, zone: zone, families: families,
        from: from.flatMap { LocalDate(text: $0) })
      let began = Self.seconds()
      // Made here, so that a run without an end can still be reported.
      let tail = verbose ? EventTail { print($0) } : EventTail()
      var report: TrialReport
      do {
        report = try VirtualLoop.run(wall: options.morning, limit: .seconds(86_400 * 365 * 50)) { loop in
          switch options.population {
          case .mixed: try await Trial(loop, options, tail).run()
          case .polar where options.measuresLane: try await PolarLane(loop, options, tail).run()
          case .polar: try await PolarMonth(loop, options, tail).run()
          case .ward: try await WardMonth(loop, options, tail).run()
          case .bands: try await BandMonth(loop, options, tail).run()
          case .hostile: try await Siege(loop, options, nil, tail).run()
          }
        }
      } catch {
        report = TrialReport(options: options)
        report.violations = ["the run came to no end: \(error)"]
        report.tail = tail.lines
      }
      report.realSeconds = Self.seconds() - began
      print(json ? report.json : brief ? report.brief : report.text)
      fflush(nil)
      if !report.violations.isEmpty { hasFailed = true }
      if let siege = report.siege { sieges = sieges.map { $0.with(siege) } ?? siege }
    }
    if let sieges, runs > 1 {
      let violations = sieges.violations(isWhole: true)
      if !json { print(([sieges.sum(runs)] + violations.map { "  VIOLATION: \($0)" }).joined(separator: "\n")) }
      if !violations.isEmpty { hasFailed = true }
    }
    if hasFailed { throw ExitCode(1) }
  }

  /// Limit of a run; the longest takes a minute.
  private static let freshLimit: UInt = 900

  private func runFresh(_ seeds: FreshSeeds) throws {
    let began = Self.seconds()
    var sum = FreshSum()
    while sum.runs < seeds.count, time.map({ Self.seconds() - began < Double($0) }) ?? true {
      let replay = TrialReport(options: FreshSeeds.draw(FreshSeeds.newSeed(), bands: population == .bands)).replay
      // Printed before the run, so that this line is there whatever happens.
      print(replay, terminator: "")
      fflush(nil)
      let (output, failure) = ChildRun.run(
        replay.split(separator: " ").dropFirst().map(String.init) + ["--brief"], processorSeconds: Self.freshLimit)
      print(sum.note(output, failure, replay))
      fflush(nil)
    }
    print(sum.text(seconds: Self.seconds() - began))
    if !sum.failed.isEmpty || !sum.objections.isEmpty { throw ExitCode(1) }
  }

  /// Returns seconds only for the report: the run itself does not read it.
  private static func seconds() -> Double {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    return Double(now.tv_sec) + Double(now.tv_nsec) / 1e9
  }
}
