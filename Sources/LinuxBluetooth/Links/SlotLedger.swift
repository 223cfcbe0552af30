// Number of links as the kernel reports it, and the learned limit (slots).

import Bluetooth
import EventLoop

/// Capacity that a controller showed, stored over restarts.
public struct LearnedSlots: Sendable, Hashable {
  /// Number of links it had at once and kept.
  public var carried: Int
  /// Number of links at which it refused one more, or lost another link for it; nil: that never happened.
  public var limit: Int?

  /// A capacity: most links `carried`, and the limit, if one was hit.
  public init(carried: Int, limit: Int? = nil) {
    self.carried = carried
    self.limit = limit
  }
}

/// Links of the controller, whichever process made them, and the limit learned from its behaviour.
///
/// A learned limit starts at 5 and climbs. Whenever every slot is taken and the newest link has held for `steady`, the
/// limit rises by one. A refusal ends the climb. So does a link that drops soon after one more was made, because some
/// controllers drop one instead of refusing. A refusal is believed for an hour; a dropped link for two minutes, as its
/// wearer may have left. The time doubles each time the same limit is found again.
struct SlotLedger: Sendable {
  /// Cheap dongles carry 5, the chips of Raspberry Pis about 7 (NOTES.md, "Slots").
  static let defaultSlots = 5
  static let slotRange = 1...64
  /// Upper end of a climb: no USB controller on sale is known to carry more than 20, and no hub serves more wearables.
  static let ceiling = 32
  /// Time after which a new link counts as carried. It exceeds the supervision timeout of our links (6 s), after which
  /// a link that the controller no longer serves is reported lost.
  static let steady: Duration = .seconds(8)
  /// Time for which a limit is believed at first: a passing shortage (ENOMEM) must not cost a hub a slot for ever.
  static let memory: Duration = .seconds(3600)
  /// The same for a link that dropped when one more was made; `shortage` is for a refusal far below the carried number.
  static let doubt: Duration = .seconds(120)
  static let shortage: Duration = .seconds(60)
  /// Longest time for which a limit is believed.
  static let longestMemory: Duration = .seconds(7 * 86_400)

  /// Configured upper bound; nil: it is learned.
  private let configured: Int?
  /// Number of links that the controller had at once and kept.
  private var carried = 0
  private var learned: (limit: Int, until: Instant)?
  private var belief = Self.memory
  private(set) var links: Set<BluetoothAddress> = []
  /// Time when a link beyond the carried number was made.
  private var triedAt: Instant?
  /// Time for which such a link had held before the hub or its wearable ended a link, and when that was. Otherwise a
  /// series of visits of seconds would end each trial.
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

  /// Whether a link beyond the carried number is on trial.
  private func isTrying(_ now: Instant) -> Bool { held(now).map { $0 < Self.steady } ?? false }

  /// Returns how long the trial has lasted, including one that ended just before; nil without a trial.
  private func held(_ now: Instant) -> Duration? {
    triedAt.map { now - $0 + (isResumed($0) ? heldBefore?.time ?? .zero : .zero) }
  }

  /// Whether a trial continues one that ended just before.
  private func isResumed(_ moment: Instant) -> Bool {
    heldBefore.map { moment - $0.until < Self.steady } ?? false
  }

  /// Whether the limit will soon rise by one, if the newest link holds.
  func climbs(at now: Instant) -> Bool {
    configured == nil && believedLimit(at: now) == nil && count < Self.ceiling && isTrying(now)
  }

  private func believedLimit(at now: Instant) -> Int? {
    learned.flatMap { now < $0.until ? $0.limit : nil }
  }

  /// Learned number of slots, as long as it is believed; nil: the number is the default or configured.
  func learned(at now: Instant) -> LearnedSlots? {
    let limit = believedLimit(at: now).flatMap { $0 < (configured ?? Self.ceiling) ? $0 : nil }
    let hasClimbed = configured == nil && carried > Self.defaultSlots
    return limit != nil || hasClimbed ? LearnedSlots(carried: hasClimbed ? carried : 0, limit: limit) : nil
  }

  /// Adopts what was learned in an earlier run.
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

  /// - Parameter isLost: the link dropped; neither side ended it.
  mutating func disconnected(_ address: BluetoothAddress, isLost: Bool, at now: Instant) {
    settle(now)
    guard links.remove(address) != nil else { return }
    if !isLost {
      if let held = held(now) { heldBefore = (held, now) }
      triedAt = nil
      return
    }
    // A link was added and one dropped; it does not matter which. The wearer may also have left.
    if triedAt != nil || isResumed(now) { end(at: max(Self.defaultSlots, carried), now, believed: Self.doubt) }
    (triedAt, heldBefore) = (nil, nil)
  }

  /// Replaces the ledger by the kernel's list.
  mutating func rebuild(_ addresses: [BluetoothAddress]) { links = Set(addresses) }

  /// Ends a trial that has held: its number of links is carried.
  mutating func settle(_ now: Instant) {
    guard let held = held(now), held >= Self.steady else { return }
    (triedAt, heldBefore) = (nil, nil)
    carried = max(carried, min(count, Self.ceiling))
    belief = Self.memory
  }

  /// Notes that the controller refused one more link: its limit is the present number. A refusal without any link does
  /// not concern slots.
  mutating func refused(at now: Instant) {
    settle(now)
    if links.isEmpty { return }
    (triedAt, heldBefore) = (nil, nil)
    // A refusal far below the carried number is a passing shortage.
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

  /// Time when the belief in a limit ends; nil without a limit.
  func forgetsAt(_ now: Instant) -> Instant? { learned.flatMap { now < $0.until ? $0.until : nil } }

  /// Called for another controller.
  mutating func forget() {
    let limit: SlotLimit = configured.map { .fixed($0) } ?? .learn
    self = SlotLedger(limit)
  }
}
