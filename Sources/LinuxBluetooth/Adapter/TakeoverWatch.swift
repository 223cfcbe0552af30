// Another program took the adapter: which it was, since when, and when the hub had it again.

public import EventLoop

/// A time in which another program had the adapter, told when the hub has it again.
public struct RadioTakeover: Sendable, Equatable {
  /// Since when the hub did not hear.
  public let since: Instant
  /// For people, such as "bluetoothd (process 417)".
  public let program: String
}

@LoopActor
final class TakeoverWatch {
  private let means: AdapterMeans
  /// Process numbers of running bluetoothd, as of the last look.
  private(set) var daemons: [Int32] = []
  /// Those that were there at the look before.
  private var formerDaemons: [Int32] = []
  private(set) var nextCheck: Instant
  /// Another program changes the adapter, since then.
  private var takenSince: Instant?
  var onTakenOver: (@LoopActor (RadioTakeover) -> Void)?

  init(_ means: AdapterMeans) {
    self.means = means
    nextCheck = means.loop.now
  }

  /// Looks for bluetoothd if it is time to.
  func check() {
    if means.loop.now < nextCheck { return }
    nextCheck = means.loop.now + means.timing.daemonCheck
    formerDaemons = daemons
    daemons = means.kernel.bluetoothDaemons()
  }

  /// The same now, after something that they may have done.
  func look() {
    nextCheck = means.loop.now
    check()
  }

  /// From here on the hub does not hear. Only the first sign counts.
  func note() {
    if takenSince == nil { takenSince = means.loop.now }
  }

  /// Which program did it, as far as can be known: a bluetoothd that runs, or one that ran until now.
  var culprit: String {
    let processes = daemons.isEmpty ? formerDaemons : daemons
    if processes.isEmpty { return "another program" }
    let names = processes.map { "\($0)" }.joined(separator: ", ")
    return daemons.isEmpty ? "bluetoothd (process \(names), ended)" : "bluetoothd (process \(names))"
  }

  /// The adapter serves again.
  func tell() {
    guard let since = takenSince else { return }
    takenSince = nil
    look()
    onTakenOver?(RadioTakeover(since: since, program: culprit))
  }
}
