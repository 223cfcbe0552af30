// Another program took the adapter: who it was, since when, and when the hub had it again.

public import EventLoop

/// A time in which another program had the adapter, told when the hub has it again.
public struct RadioTakeover: Sendable, Equatable {
  /// Since when the hub did not hear.
  public let since: Instant
  /// For people, such as "bluetoothd (process 417)".
  public let program: String
}

extension Adapter {
  func checkDaemons() {
    if loop.now < nextDaemonCheck { return }
    nextDaemonCheck = loop.now + timing.daemonCheck
    formerDaemons = bluetoothDaemons
    bluetoothDaemons = kernel.bluetoothDaemons()
  }

  /// The same now, where something happened that they may have done.
  func lookForDaemons() {
    nextDaemonCheck = loop.now
    checkDaemons()
  }

  /// Somebody else changed what we rely on.
  func interfered() {
    noteTakeover()
    alarm.raise(.interference)
  }

  /// From here on the hub does not hear. Only the first sign counts.
  func noteTakeover() {
    if takenSince == nil { takenSince = loop.now }
  }

  /// Who did it, as far as anybody can tell: a bluetoothd that runs, or one that ran until now.
  var culprit: String {
    let processes = bluetoothDaemons.isEmpty ? formerDaemons : bluetoothDaemons
    if processes.isEmpty { return "another program" }
    let names = processes.map { "\($0)" }.joined(separator: ", ")
    return bluetoothDaemons.isEmpty ? "bluetoothd (process \(names), ended)" : "bluetoothd (process \(names))"
  }

  /// The adapter serves again.
  func tellTakeover() {
    guard let since = takenSince else { return }
    takenSince = nil
    lookForDaemons()
    onTakenOver?(RadioTakeover(since: since, program: culprit))
  }
}
