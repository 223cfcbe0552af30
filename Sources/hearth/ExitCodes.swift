// What a script learns without reading.

import Reasons

/// 0 fine · 1 answered, but something needs attention · 2 usage · 3 daemon not running · 4 not allowed · 5 no such
/// thing · 6 busy, try later · 7 refused because data would be lost. Of several hubs: `worstExit`.
func exitStatus(of reason: Reason) -> Int32 {
  switch reason {
  case .controlBadParameter, .timeNotUnderstood, .requestUnsupported, .enrolNameInvalid, .wearerNameInvalid,
    .bondPassphraseMissing, .terminalMissing, .backupNotConfigured, .setupUnasked,
    .fleetNotForMany:
    2
  case .daemonDown, .fleetUnreachable, .uplinkDown: 3
  case .controlNotAllowed, .controlRoleMissing, .storeUnwritable, .storeUnreadable: 4
  case .noSuchWearable, .noSuchWearer, .noSuchAssignment, .enrolNotHeard, .pairingUnknown, .noSuchBond, .storeAbsent,
    .lightsBoardUnknown, .updateNotKept:
    5
  case .controlTooManyClients, .storeInUse, .visitBusy, .assignmentTaken, .requestNotDone, .requestUntimely,
    .syncRunning, .backupInterrupted, .uplinkOrderRefused,
    .wearerStillWears:
    6
  case .purgeCountDiffers, .erasureCountDiffers, .agreementMissing, .restoreRefused: 7
  default: 1
  }
}
