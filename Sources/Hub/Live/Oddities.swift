// Oddities of a wearable's values: what the hub left out, or took although it was odd; why, how often, and when last.

import Bluetooth
import EventLoop
import Health
import Wearable

/// Oddities of one wearable since the hub started, by reason.
struct Oddities {
  enum Key: Equatable {
    /// A decoder's remark, by the address of its static text.
    case noted(UInt)
    case malformed(BluetoothUUID, DecodeError)
    /// A value that no wearable can have measured.
    case impossible(Series)
  }

  struct Entry {
    let key: Key
    let what: String
    var count: UInt64
    var last: Instant
  }

  /// Limit of reasons, more than any wearable was seen to have.
  static let limit = 32

  private(set) var entries: [Entry] = []

  /// Counts one; allocates memory only for the first of a kind.
  ///
  /// - Returns: its text if it is the first of its kind.
  mutating func note(_ key: Key, at time: Instant) -> String? { note(key, 1, at: time) { Self.text(key) } }

  /// Counts a decoder's remark this many times.
  mutating func note(_ what: StaticString, _ count: UInt64 = 1, at time: Instant) -> String? {
    guard what.hasPointerRepresentation else { return nil }
    return note(.noted(UInt(bitPattern: what.utf8Start)), count, at: time) { "\(what)" }
  }

  private mutating func note(_ key: Key, _ count: UInt64, at time: Instant, _ text: () -> String) -> String? {
    if let place = entries.firstIndex(where: { $0.key == key }) {
      entries[place].count &+= count
      entries[place].last = time
      return nil
    }
    guard entries.count < Self.limit else { return nil }
    let what = text()
    entries.append(Entry(key: key, what: what, count: count, last: time))
    return what
  }

  private static func text(_ key: Key) -> String {
    switch key {
    case .noted: ""
    case .malformed(let characteristic, let error): "a value of \(characteristic) that is \(error.rawValue), left out"
    case .impossible(let series): "\(series.name) beyond what is possible, left out"
    }
  }
}

/// Oddities of one fetched item.
struct OddTally {
  private(set) var list: [(what: StaticString, count: UInt64)] = []

  mutating func note(_ what: StaticString) {
    guard what.hasPointerRepresentation else { return }
    if let place = list.firstIndex(where: { $0.what.utf8Start == what.utf8Start }) {
      list[place].count += 1
    } else if list.count < Oddities.limit {
      list.append((what, 1))
    }
  }
}
