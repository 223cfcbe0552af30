// The connection of schedules to sessions.

import Reasons

extension ScheduleKeeper.Sessions {
  static func of(_ keeper: SessionKeeper) -> ScheduleKeeper.Sessions {
    ScheduleKeeper.Sessions(
      measure: { which, order throws(HearthError) in
        try await keeper.measure(which, order, isByHand: false, isWanted: { true }) { _ in }
      },
      isBusy: { keeper.isBusy($0) }, isOnBody: { keeper.isOnBody($0) })
  }
}
