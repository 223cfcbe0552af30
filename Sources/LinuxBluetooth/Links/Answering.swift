// Detection whether the wearables or the controller fail to respond.

import Bluetooth
import EventLoop

/// Wearables that were linked, and those of them that do not respond although they are heard.
struct Answering {
  /// Wearables that did not respond since the last link was made.
  private var unanswering: Set<BluetoothAddress> = []
  private var everLinked: Set<BluetoothAddress> = []
  /// Links that the controller refused, one after the other, although it had slots.
  private var refusals = 0
  private var refused: Set<BluetoothAddress> = []
  private var refusedAt: Instant?

  /// Number of wearables that were linked before, are heard and do not respond, with no link made in between. From this
  /// number on the controller is suspected instead.
  private static let suspicious = 3
  private static let memoryLimit = 1024  // more than are enrolled

  /// Number of links refused in a row that makes the controller suspect. A controller that disagrees with the kernel
  /// about its state (Command Disallowed) refuses once or twice.
  private static let refusing = 4
  /// Age at which refusals are forgotten.
  private static let refusalMemory: Duration = .seconds(120)

  /// Notes that the controller refused a link although it had slots.
  ///
  /// - Parameter hasLinks: the controller carries other links, which a recovery would end; then one wearable alone is
  ///   no proof.
  /// - Returns: whether the controller is faulty.
  mutating func refused(_ address: BluetoothAddress, hasLinks: Bool, at now: Instant) -> Bool {
    if let last = refusedAt, now - last > Self.refusalMemory { (refusals, refused) = (0, []) }
    refusedAt = now
    refusals += 1
    refused.insert(address)
    if refusals < Self.refusing || hasLinks && refused.count < Self.suspicious { return false }
    (refusals, refused) = (0, [])
    return true
  }

  mutating func linked(_ address: BluetoothAddress) {
    unanswering.removeAll()
    (refusals, refused) = (0, [])
    if everLinked.count < Self.memoryLimit { everLinked.insert(address) }
  }

  /// - Returns: whether the controller is suspected. Wearables that were never linked do not count: there may be many,
  ///   and each restart of the scan costs all others.
  mutating func timedOut(_ address: BluetoothAddress) -> Bool {
    guard everLinked.remove(address) != nil else { return false }
    unanswering.insert(address)
    if unanswering.count < Self.suspicious { return false }
    unanswering.removeAll()
    return true
  }
}
