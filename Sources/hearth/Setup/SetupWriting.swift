// Steps that write a set-up. Until the last step the old configuration is complete, and after it the new one is.

import Configuration
import Reasons

/// Steps in their order. Tests stop between every two, as a power cut would.
enum SetupStep: CaseIterable, Sendable {
  /// Step only at boot: the answers are recorded. From here all steps are carried out, in this start or the next one.
  case remembered
  case drafted, kept
  /// Step once for each user.
  case joined
  case written
  /// Steps only at boot.
  case done, told, copied, removed, forgotten
}

struct SetupWriting {
  let machine: SetupMachine
  /// Called after each step. An error other than `HearthError` stops everything at this point.
  var reached: (SetupStep) throws -> Void = { _ in }

  /// - Throws: `setupNotWritten`, `setupUserUnknown`; the configuration is then unchanged.
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
