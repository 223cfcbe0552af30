// Why what answers over a link is not believed to be the wearable.

import Bluetooth
import Reasons

/// Why what answers is not believed, and what followed for the link.
struct Suspicion {
  let trouble: HearthError
  /// How its link failed; nil: the hub ends it.
  var link: LinkError?
}
