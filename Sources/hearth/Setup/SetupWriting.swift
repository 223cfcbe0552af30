// What a set-up writes, step by step. Before the last step the configuration is the old one, whole; after it, the new
// one.

import Configuration
import Reasons

/// What is done one after another. Tests stop between each two, as a power cut would.
enum SetupStep: CaseIterable, Sendable {
  /// At boot alone: the answers are remembered, and from here on all of it happens, in this start or in the next.
  case remembered
  case drafted, kept
  /// Once for each user.
  case joined
  case written
  /// At boot alone.
  case done, told, copied, removed, forgotten
}

struct SetupWriting {
  let machine: SetupMachine
  /// Called when a step is done. What it throws, other than a `HearthError`, ends everything where it is.
  var reached: (SetupStep) throws -> Void = { _ in }

  /// - Throws: `setupNotWritten`, `setupUserUnknown`: then nothing has changed.
  func apply(_ plan: SetupPlan) throws {
    let path = plan.draft.path
    let draft = path + ".setup"
    if plan.draft.isChanged {
      let old = plan.draft.before == nil ? nil : path
      try SetupFiles.write(plan.draft.text, to: draft, like: old)
      try reached(.drafted)
      if let before = plan.draft.before {
        try SetupFiles.replace(plan.keptPath, with: before, mode: 0o644, like: path)
        try reached(.kept)
      }
    }
    var joined: [String] = []
    do {
      for user in plan.joining {
        try machine.join(user, plan.group)
        joined.append(user)
        try reached(.joined)
      }
      if plan.draft.isChanged { try SetupFiles.rename(draft, to: path) }
    } catch let error as HearthError {
      for user in joined { machine.leave(user, plan.group) }
      try? SetupFiles.remove(draft)
      throw error
    }
    try reached(.written)
  }
}
