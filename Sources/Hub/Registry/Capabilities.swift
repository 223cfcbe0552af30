// What can be had of an enrolled wearable, by what it announced.

import Health
import StateCodec
import Wearable

extension EnrolledWearable {
  /// What can be had of it: what it announced, as far as its driver carries it out. Nil: not known, as it had no link
  /// yet, or has another driver or other firmware since.
  var capabilities: WearableCapabilities? {
    guard let driver else { return nil }
    let known = known(nil)
    return capabilityMemory.capabilities(driver, known)
  }

  /// Notes what it announced over its link, once all of it is known.
  ///
  /// - Returns: it is other than is kept.
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
