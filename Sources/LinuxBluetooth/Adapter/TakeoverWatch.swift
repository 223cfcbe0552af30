// Detection of another program that took the adapter: which one, since when, until when.

public import EventLoop

/// Period in which another program had the adapter; reported when the hub has it again.
public struct RadioTakeover: Sendable, Equatable {
  /// Time since which the hub received no advertisements.
  public let since: Instant
  /// Text for an operator, such as "bluetoothd (process 417)".
  public let program: String
}

@LoopActor
final class TakeoverWatch {
  private let means: AdapterMeans
  /// Process numbers of running bluetoothd at the last check.
  private(set) var daemons: [Int32] = []
  /// The same at the check before.
  private var formerDaemons: [Int32] = []
  private(set) var nextCheck: Instant
  /// Time since which another program has been changing the adapter.
  private var takenSince: Instant?
  var onTakenOver: (@LoopActor (RadioTakeover) -> Void)?

  init(_ means: AdapterMeans) {
    self.means = means
    nextCheck = means.loop.now
  }

  /// Searches for bluetoothd if the check is due.
  func check() {
    if means.loop.now < nextCheck { return }
    nextCheck = means.loop.now + means.timing.daemonCheck
    formerDaemons = daemons
    daemons = means.kernel.bluetoothDaemons()
  }

  /// Searches now, after an event that bluetoothd may have caused.
  func look() {
    nextCheck = means.loop.now
    check()
  }

  /// Notes that the hub receives no advertisements from now on. Only the first sign counts.
  func note() {
    if takenSince == nil { takenSince = means.loop.now }
  }

  /// The program responsible, as far as can be known: a running bluetoothd, or one that ran until now.
  var culprit: String {
    let processes = daemons.isEmpty ? formerDaemons : daemons
    if processes.isEmpty { return "another program" }
    let names = processes.map { "\($0)" }.joined(separator: ", ")
    return daemons.isEmpty ? "bluetoothd (process \(names), ended)" : "bluetoothd (process \(names))"
  }

  /// Called when the adapter serves again.
  func tell() {
    guard let since = takenSince else { return }
    takenSince = nil
    look()
    onTakenOver?(RadioTakeover(since: since, program: culprit))
  }
}
