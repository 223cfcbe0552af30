// How a run is judged, and how a failed one is shown again.

import EventLoop
import Foundation
import Hub
import RingStore
import Simulation
import Testing

/// `HEARTH_SEED` replays one run of the tests that take a seed.
let seedFromEnvironment = ProcessInfo.processInfo.environment["HEARTH_SEED"].flatMap { UInt64($0) }
/// Whether searches take as long as they may: `board/check --slow`.
let isAtLength = ProcessInfo.processInfo.environment["HEARTH_AT_LENGTH"] != nil

/// Compares the stopped hub's store with the truth and reports everything that is wrong, with the line that replays it.
@LoopActor
@discardableResult
func judge(_ hub: SimulatedHub, _ filter: String, sourceLocation: SourceLocation = #_sourceLocation) async throws
  -> StoreCheck
{
  let check = StoreCheck(try await hub.storedSamples(), hub)
  let violations = hub.watch.violations + check.violations
  let replay =
    "seed \(hub.world.seed); replay: HEARTH_SEED=\(hub.world.seed) swift test --filter SimulationTests.\(filter)"
  #expect(violations.isEmpty, "\(violations.joined(separator: "\n"))\n\(replay)", sourceLocation: sourceLocation)
  #expect(check.matched > 0, "nothing was compared; \(replay)", sourceLocation: sourceLocation)
  return check
}
