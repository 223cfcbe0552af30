// How many links there are, as the kernel says, and how many there may be.

import Bluetooth
import EventLoop

/// What a controller was found to carry, kept over restarts.
public struct LearnedSlots: Sendable, Hashable {
  /// So many links it had at once, and kept them.
  public var carried: Int
  /// One more than this it refused, or paid for with another link; nil: that never happened.
  public var limit: Int?

  public init(carried: Int, limit: Int? = nil) {
    self.carried = carried
    self.limit = limit
  }
}

/// The links of the controller, whoever made them, and the limit learned from what it did with them.
///
/// Where the number is to be learned it begins at 5 and climbs: whenever every slot is taken and what was tried last
/// has held for `steady`, there is one more to be tried. A refusal ends the climb, and so does a link that falls soon
/// after one more was made: some controllers drop one instead of refusing. A refusal is believed for an hour, a link
/// that fell for two minutes, as a person may have left; twice as long each time the same end is found again.
struct SlotLedger: Sendable {
  /// Cheap dongles carry 5, the chips of Raspberry Pis about 7 (NOTES.md, "Slots").
  static let defaultSlots = 5
  static let slotRange = 1...64
  /// A climb ends here: no controller that is sold for USB is known to carry more than 20, and no hub serves more
  /// wearables.
  static let ceiling = 32
  /// One more that was made has held for so long: longer than the supervision timeout of any link of ours (6 s), after
  /// which a link that the controller no longer serves is told to be lost.
  static let steady: Duration = .seconds(8)
  /// How long a limit is believed at first: a passing shortage (ENOMEM) must not cost a hub a slot for ever.
  static let memory: Duration = .seconds(3600)
  /// The same of a link that fell when one more was made, and of a refusal far below what was carried.
  static let doubt: Duration = .seconds(120)
  static let shortage: Duration = .seconds(60)
  /// And at last.
  static let longestMemory: Duration = .seconds(7 * 86_400)

  /// The upper bound; nil: it is learned.
  private let configured: Int?
  /// So many the controller had at once and kept.
  private var carried = 0
  private var learned: (limit: Int, until: Instant)?
  private var belief = Self.memory
  private(set) var links: Set<BluetoothAddress> = []
  /// One more than it ever carried was made then.
  private var triedAt: Instant?
  /// How long one more had held before a link of it was ended by the hub or its wearable, and when that was: visits of
  /// seconds, one after the other, would else end each try.
  private var heldBefore: (time: Duration, until: Instant)?

  init(_ limit: SlotLimit) {
    switch limit {
    case .learn: configured = nil
    case .fixed(let count): configured = min(max(count, Self.slotRange.lowerBound), Self.slotRange.upperBound)
    }
  }

  var count: Int { links.count }

  func slots(at now: Instant) -> Int {
    let limit = believedLimit(at: now)
    if let configured { return min(configured, limit ?? configured) }
    let known = max(Self.defaultSlots, carried)
    if let limit { return min(limit, Self.ceiling) }
    return min(count >= known && !isTrying(now) ? max(known, count) + 1 : max(known, count), Self.ceiling)
  }

  /// One more was made, and has to hold yet.
  private func isTrying(_ now: Instant) -> Bool { held(now).map { $0 < Self.steady } ?? false }

  /// How long one more has held, with what it held just before; nil: none is there.
  private func held(_ now: Instant) -> Duration? {
    triedAt.map { now - $0 + (isResumed($0) ? heldBefore?.time ?? .zero : .zero) }
  }

  /// A try goes on that ended so shortly before.
  private func isResumed(_ moment: Instant) -> Bool {
    heldBefore.map { moment - $0.until < Self.steady } ?? false
  }

  /// There will be one more before long, where one holds that was made lately.
  func climbs(at now: Instant) -> Bool {
    configured == nil && believedLimit(at: now) == nil && count < Self.ceiling && isTrying(now)
  }

  private func believedLimit(at now: Instant) -> Int? {
    learned.flatMap { now < $0.until ? $0.limit : nil }
  }

  /// What was learned, as long as it is believed; nil: nothing but what is assumed or configured.
  func learned(at now: Instant) -> LearnedSlots? {
    let limit = believedLimit(at: now).flatMap { $0 < (configured ?? Self.ceiling) ? $0 : nil }
    let hasClimbed = configured == nil && carried > Self.defaultSlots
    return limit != nil || hasClimbed ? LearnedSlots(carried: hasClimbed ? carried : 0, limit: limit) : nil
  }

  /// Takes over what was learned before.
  mutating func believe(_ slots: LearnedSlots, at now: Instant) {
    if (0...Self.ceiling).contains(slots.carried) { carried = slots.carried }
    if let limit = slots.limit, Self.slotRange.contains(limit) { learned = (limit, now + Self.memory) }
  }

  func isFull(at now: Instant) -> Bool { count >= slots(at: now) }

  mutating func connected(_ address: BluetoothAddress, at now: Instant) {
    settle(now)
    guard links.insert(address).inserted else { return }
    if configured == nil, count > max(Self.defaultSlots, carried) { triedAt = now }
  }

  /// - Parameter isLost: nobody ended it.
  mutating func disconnected(_ address: BluetoothAddress, isLost: Bool, at now: Instant) {
    settle(now)
    guard links.remove(address) != nil else { return }
    if !isLost {
      if let held = held(now) { heldBefore = (held, now) }
      triedAt = nil
      return
    }
    // One more was made, and one fell: which of them is all the same. It may have been a person who left.
    if triedAt != nil || isResumed(now) { end(at: max(Self.defaultSlots, carried), now, believed: Self.doubt) }
    (triedAt, heldBefore) = (nil, nil)
  }

  /// Replaces the ledger by the kernel's list.
  mutating func rebuild(_ addresses: [BluetoothAddress]) { links = Set(addresses) }

  /// What was tried and has held is carried.
  mutating func settle(_ now: Instant) {
    guard let held = held(now), held >= Self.steady else { return }
    (triedAt, heldBefore) = (nil, nil)
    carried = max(carried, min(count, Self.ceiling))
    belief = Self.memory
  }

  /// The controller refused one more link: it carries as many as there are. With none at all it says nothing about
  /// slots.
  mutating func refused(at now: Instant) {
    settle(now)
    if links.isEmpty { return }
    (triedAt, heldBefore) = (nil, nil)
    // Far below what it carried it is a shortage that passes.
    if count < carried {
      learned = (count, now + Self.shortage)
    } else {
      end(at: min(count, slots(at: now)), now, believed: Self.memory)
    }
  }

  private mutating func end(at limit: Int, _ now: Instant, believed first: Duration) {
    let isAgain = learned.map { $0.limit == limit } ?? false
    belief = isAgain ? min(belief * 2, Self.longestMemory) : first
    learned = (limit, now + belief)
    carried = min(carried, limit)
  }

  /// When what is believed of a limit ends; nil: none is.
  func forgetsAt(_ now: Instant) -> Instant? { learned.flatMap { now < $0.until ? $0.until : nil } }

  /// Another controller.
  mutating func forget() {
    let limit: SlotLimit = configured.map { .fixed($0) } ?? .learn
    self = SlotLedger(limit)
  }
}
