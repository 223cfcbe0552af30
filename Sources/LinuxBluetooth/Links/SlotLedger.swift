// How many links there are, as the kernel says, and how many there may be.

import Bluetooth
import EventLoop

/// The links of the controller, whoever made them, and the limit learned from its refusals.
struct SlotLedger: Sendable {
  /// Cheap dongles carry 5, the chips of Raspberry Pis about 7. A controller at its limit may drop links instead of
  /// refusing one.
  static let defaultSlots = 5
  static let slotRange = 1...64
  /// How long a refusal is believed: a passing shortage (ENOMEM) must not cost a hub a slot for ever.
  static let memory: Duration = .seconds(3600)

  private let configured: Int
  private var learned: (limit: Int, until: Instant)?
  private(set) var links: Set<BluetoothAddress> = []

  init(_ limit: SlotLimit) {
    switch limit {
    case .learn: configured = Self.defaultSlots
    case .fixed(let count): configured = min(max(count, Self.slotRange.lowerBound), Self.slotRange.upperBound)
    }
  }

  var count: Int { links.count }

  func slots(at now: Instant) -> Int {
    if let learned, now < learned.until { return min(configured, learned.limit) }
    return configured
  }

  /// What the controller was found to carry, as long as it is believed.
  func learnedLimit(at now: Instant) -> Int? {
    if let learned, now < learned.until, learned.limit < configured { return learned.limit }
    return nil
  }

  /// Takes over what was learned before.
  mutating func believe(_ limit: Int, at now: Instant) {
    if Self.slotRange.contains(limit) { learned = (limit, now + Self.memory) }
  }

  func isFull(at now: Instant) -> Bool { count >= slots(at: now) }

  mutating func connected(_ address: BluetoothAddress) { links.insert(address) }
  mutating func disconnected(_ address: BluetoothAddress) { links.remove(address) }
  /// Replaces the ledger by the kernel's list.
  mutating func rebuild(_ addresses: [BluetoothAddress]) { links = Set(addresses) }

  /// The controller refused one more link: it carries as many as there are. With none at all it says nothing about
  /// slots.
  mutating func refused(at now: Instant) {
    if links.isEmpty { return }
    learned = (min(count, slots(at: now)), now + Self.memory)
  }

  /// Another controller.
  mutating func forget() {
    links = []
    learned = nil
  }
}
