// Cost of reading hostile wearables: memory, and the longest turn of the loop.

import ArgumentParser
import EventLoop
import Glibc

/// Data of imitations of each family, read and passed on as in a visit, without radio and store.
struct HostileBench: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "hostile",
    abstract: "Measure what hostile wearables of each family cost: memory, and the longest turn of the loop.",
    discussion:
      """
      Each hostile wearable is read in turns of the hub's own event loop, and its data is forwarded. Memory is \
      resident memory before, at the peak and after, without the bytes that the wearable serves. Fails above 4 MB, \
      and above 20 ms a turn in each of five runs; with --strict above 5 ms.
      """
  )

  @Flag(help: "Fail for a turn above 5 ms: only on an idle machine.") var strict = false
  @Option(help: "Only those with names that begin with this.") var only = ""

  /// Number of runs for a turn. A busy machine may delay one: the shortest of a few runs counts.
  private static let runs = 5

  func run() throws {
    Heap.keepSmall()
    let cases = (HostileFiles.all + HostileBands.all + HostileRecords.all + HostileInsoles.all + HostileNames.all)
      .filter { $0.name.hasPrefix(only) }
    let bound = strict ? Duration.milliseconds(5) : .milliseconds(20)
    var isBounded = true
    for hostile in cases {
      // Allocations that happen once.
      _ = try cost(of: hostile)
      var least = try cost(of: hostile)
      for _ in 1..<Self.runs {
        let again = try cost(of: hostile)
        if again.longest < least.longest { least = again }
      }
      print(least.line(hostile.name))
      if least.peak - least.before > 4 << 10 || least.longest > bound { isBounded = false }
    }
    if !isBounded { throw ExitCode.failure }
  }

  private func cost(of hostile: HostileCase) throws -> HostileCost {
    let (bytes, read) = hostile.make()
    var cost = HostileCost(bytes: bytes)
    Heap.giveBack()
    cost.before = try HostileCost.resident("VmRSS")
    try HostileCost.forgetPeak()
    let (outcome, turns) = try EpollLoop.run { loop in
      let outcome = try await read()
      // After these yields the turn in which it ended is over.
      for _ in 0..<2 { await Task.yield() }
      return (outcome, loop.statistics)
    }
    (cost.outcome, cost.turns, cost.longest) = (outcome, turns.turns.count, turns.longestTurn)
    cost.peak = try HostileCost.resident("VmHWM")
    Heap.giveBack()
    cost.after = try HostileCost.resident("VmRSS")
    return cost
  }
}
