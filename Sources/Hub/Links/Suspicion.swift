// Why a device that answers over a link failed the identity check.

import Bluetooth
import Reasons

/// Reason why a device failed the identity check, and what followed for the link.
struct Suspicion {
  let trouble: HearthError
  /// The link's error; nil: the hub ends the link.
  var link: LinkError?
}
