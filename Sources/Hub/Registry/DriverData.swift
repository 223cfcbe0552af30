// Whether a wearable of a driver keeps data.

import Wearable

extension WearableDriver {
  /// It keeps data that can be fetched. What does not is only listened to, and linked while it is present; so is, until
  /// its link shows more, what may be of either kind.
  var holdsData: Bool { !capabilities.recorded.isEmpty && !(self is any MixedDriver) }
}
