// What schedules need of sessions.

import Reasons

extension ScheduleKeeper.Sessions {
  static func of(_ keeper: SessionKeeper) -> ScheduleKeeper.Sessions {
    ScheduleKeeper.Sessions(
      measure: { which, order throws(HearthError) in
        try await keeper.measure(which, order, isWanted: { true }) { _ in }
      },
      isBusy: { $0.measurement != nil }, isOnBody: { _ in nil })
  }
}
