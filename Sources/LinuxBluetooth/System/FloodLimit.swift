// Rate limit for advertisements, per device and in total; the excess is dropped and counted. Fixed memory.

import Bluetooth
import EventLoop

/// Token buckets per address in a table of fixed size, which evicts the address heard longest ago, and one bucket for
/// all.
struct FloodLimit {
  /// A wearable advertises up to ten times a second; presence, name and signal strength need far less.
  static let perAddress = Bucket.Rate(perSecond: 5, burst: 5)
  /// Capacity of the hub in a full room: 100 devices twice a second.
  static let global = Bucket.Rate(perSecond: 200, burst: 200)
  /// Devices in one room, including those that change their address. 512 entries take about 30 KB.
  static let capacity = 512

  /// Parameter requests that one wearable may make. Each legal request is a command to the controller, and while they
  /// follow each other no other link is made. Wearables that request parameters at all do so about three times in the
  /// first minute.
  static let parameterRequests = Bucket.Rate(perSecond: 1, burst: 12)

  /// Bucket with tokens in thousandths, so that integer arithmetic fills slowly without loss.
  struct Bucket {
    struct Rate: Sendable {
      let perSecond: Int64
      let burst: Int64
    }
    private var tokens: Int64
    private var filled: Instant

    init(_ rate: Rate, now: Instant) {
      tokens = rate.burst * 1000
      filled = now
    }

    var isEmpty: Bool { tokens < 1000 }

    mutating func fill(_ rate: Rate, now: Instant) {
      let milliseconds = (now.nanoseconds - filled.nanoseconds) / 1_000_000
      if milliseconds <= 0 { return }
      tokens =
        milliseconds > 1_000_000 ? rate.burst * 1000 : min(rate.burst * 1000, tokens + milliseconds * rate.perSecond)
      filled = Instant(nanoseconds: filled.nanoseconds + milliseconds * 1_000_000)
    }

    mutating func take() { tokens -= 1000 }

    /// Takes a token, if there is one.
    mutating func admits(_ rate: Rate, now: Instant) -> Bool {
      fill(rate, now: now)
      if isEmpty { return false }
      take()
      return true
    }
  }

  private struct Entry {
    var address: BluetoothAddress
    var bucket: Bucket
    /// Neighbours in the order of their last advertisements.
    var newer: Int
    var older: Int
  }

  private static let none = -1
  private var slots: [BluetoothAddress: Int] = [:]
  private var entries: [Entry] = []
  private var newest = none
  private var oldest = none
  private var all: Bucket

  init(now: Instant) {
    all = Bucket(Self.global, now: now)
    slots.reserveCapacity(Self.capacity)
    entries.reserveCapacity(Self.capacity)
  }

  var count: Int { entries.count }

  /// Whether one more advertisement of this address may pass now.
  mutating func admits(_ address: BluetoothAddress, at now: Instant) -> Bool {
    let slot = touch(address, now)
    entries[slot].bucket.fill(Self.perAddress, now: now)
    all.fill(Self.global, now: now)
    if entries[slot].bucket.isEmpty || all.isEmpty { return false }
    entries[slot].bucket.take()
    all.take()
    return true
  }

  /// The address's slot, now the newest; evicts the oldest if the table is full.
  private mutating func touch(_ address: BluetoothAddress, _ now: Instant) -> Int {
    let slot: Int
    if let known = slots[address] {
      if known == newest { return known }
      slot = known
      unlink(slot)
    } else if entries.count < Self.capacity {
      slot = entries.count
      entries.append(
        Entry(address: address, bucket: Bucket(Self.perAddress, now: now), newer: Self.none, older: Self.none))
      slots[address] = slot
    } else {
      slot = oldest
      unlink(slot)
      slots[entries[slot].address] = nil
      slots[address] = slot
      entries[slot] = Entry(
        address: address, bucket: Bucket(Self.perAddress, now: now), newer: Self.none, older: Self.none)
    }
    entries[slot].newer = Self.none
    entries[slot].older = newest
    if newest != Self.none { entries[newest].newer = slot }
    newest = slot
    if oldest == Self.none { oldest = slot }
    return slot
  }

  private mutating func unlink(_ slot: Int) {
    let (newer, older) = (entries[slot].newer, entries[slot].older)
    if newer == Self.none { newest = older } else { entries[newer].older = older }
    if older == Self.none { oldest = newer } else { entries[older].newer = newer }
  }
}
