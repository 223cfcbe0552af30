// Whether wearables of a driver store data.

import Wearable

extension WearableDriver {
  /// Whether it stores data that can be fetched. A wearable that does not only streams, and is linked while it is
  /// present. So is one that may be of either kind, until its link shows more.
  var holdsData: Bool { !capabilities.recorded.isEmpty && !(self is any MixedDriver) }
}
