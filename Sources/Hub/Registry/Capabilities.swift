// Capabilities of an enrolled wearable, as it announced them.

import Health
import StateCodec
import Wearable

extension EnrolledWearable {
  /// Announced capabilities, as far as its driver supports them. Nil: unknown, as it had no link yet, or has another
  /// firmware since.
  var capabilities: WearableCapabilities? {
    guard let driver else { return nil }
    let known = known(nil)
    return capabilityMemory.capabilities(driver, known)
  }

  /// Notes what it announced over its link, once all of it is known.
  ///
  /// - Returns: whether it differs from the stored state.
  func noteAnnounced(_ decoder: any LiveDecoder, _ session: (any WearableSession)?) -> Bool {
    guard let driver, var table = decoder.announced else { return false }
    if let announcing = session?.announcing {
      guard let further = announcing.announced else { return false }
      table = table.union(further)
    }
    let news = AnnouncedCapabilities(driver: driver.id, firmware: known(nil).firmware, table)
    if capabilityMemory.announced == news { return false }
    capabilityMemory.learn(news)
    remember(news)
    return true
  }
}
