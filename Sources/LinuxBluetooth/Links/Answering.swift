// Is it the wearables that do not answer, or the controller?

import Bluetooth
import EventLoop

/// Who was linked, and who of them no longer answers though it is heard.
struct Answering {
  /// Did not answer since the last link was made.
  private var unanswering: Set<BluetoothAddress> = []
  private var everLinked: Set<BluetoothAddress> = []
  /// Links that the controller refused to make, one after the other, for no want of slots.
  private var refusals = 0
  private var refused: Set<BluetoothAddress> = []
  private var refusedAt: Instant?

  /// So many wearables that were linked before, are heard and do not answer, with no link made between: the controller
  /// is suspected instead.
  private static let suspicious = 3
  private static let memoryLimit = 1024  // more than are enrolled

  /// So many links refused, with none made between: a controller that disagrees with the kernel about what it is doing
  /// (Command Disallowed) does so once or twice.
  private static let refusing = 4
  /// Refusals of before are forgotten.
  private static let refusalMemory: Duration = .seconds(120)

  /// The controller refused to make a link, and not because it is full.
  ///
  /// - Parameter hasLinks: it carries others, which a recovery would end: then one wearable alone proves nothing.
  /// - Returns: whether it is the controller that is sick.
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

  /// - Returns: whether the controller is suspected. Who never answered may be many, and each restart of the scan costs
  ///   all others.
  mutating func timedOut(_ address: BluetoothAddress) -> Bool {
    guard everLinked.remove(address) != nil else { return false }
    unanswering.insert(address)
    if unanswering.count < Self.suspicious { return false }
    unanswering.removeAll()
    return true
  }
}
