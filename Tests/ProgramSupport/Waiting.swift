// Waits of tests that run a program of their own at real speed.

import Foundation
import Testing

/// Bound of a wait, in seconds. Only keeps a test from hanging: a busy machine may need much of it.
package let patience: Double = 180

/// Polls ten times a second until a condition holds. Records what was seen last if `patience` ends first.
package func waitUntil(_ what: String, saw: () throws -> String, _ condition: () throws -> Bool) throws {
  let end = Date() + patience
  while Date() < end {
    if try condition() { return }
    usleep(100_000)
  }
  let last = try saw()
  Issue.record("not within \(Int(patience)) s: \(what). Seen last: \(last)")
}

/// Polls until the output of `hearth ARGUMENTS` holds a text.
package func waitUntil(_ daemon: RunningDaemon, _ arguments: String..., says text: String) throws {
  try waitUntil(
    "hearth \(arguments.joined(separator: " ")) says \(text)", saw: { try daemon.hearth(arguments: arguments).output }
  ) { try daemon.hearth(arguments: arguments).output.contains(text) }
}
