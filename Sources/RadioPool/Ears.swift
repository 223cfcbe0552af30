// Deduplication of advertisements: one that several adapters heard is reported once, with a single RSSI.

import Bluetooth
import EventLoop

/// Signal strengths of each advertiser at each adapter of a pool. Bounded: there are two generations of advertisers.
/// When the younger one is full, the older one is dropped, however many advertisers a room invents.
struct Ears: Sendable {
  /// Reports of one advertising event reach the hub within this time. The event takes 10 ms at most (Core
  /// specification, volume 6, part B, 4.4.2.2), and a common USB adapter forwards 16 bytes a millisecond. The fastest
  /// legal interval is 20 ms (4.4.2.2); known wearables advertise every 100 ms or less often.
  static let sameEvent: Duration = .milliseconds(30)
  /// Difference in dB by which another adapter must be louder before its RSSI is reported instead.
  static let margin = 6.0
  /// An adapter that received no advertisement of a wearable for this long counts as not hearing it. That is about
  /// three advertisements at the longest supported interval (10.24 s).
  static let memory: Duration = .seconds(30)
  /// Advertisers in a generation.
  static let generation = 512

  private struct Level: Sendable {
    /// Smoothed, dBm.
    var loudness: Double
    var at: Instant
  }

  private struct Told: Sendable {
    var place: Int
    var at: Instant
    var data: [UInt8]
  }

  private struct Heard: Sendable {
    /// Levels by adapter number; adapters that never heard it are nil or missing at the end.
    var levels: [Level?] = []
    /// Number of the adapter with the reported RSSI.
    var ear: Int
    var advertisement: Told?
    var response: Told?
  }

  private var young: [BluetoothAddress: Heard] = [:]
  private var old: [BluetoothAddress: Heard] = [:]
  /// Reports dropped because another adapter had already reported the event.
  private(set) var repeated: UInt64 = 0

  /// Takes a report of one adapter.
  ///
  /// - Returns: the advertisement to report; nil: another adapter reported the same advertising event.
  mutating func take(_ heard: Advertisement, at place: Int) -> Advertisement? {
    var entry = remove(heard.address) ?? Heard(ear: place)
    defer { keep(entry, heard.address) }
    let loudness = note(heard, at: place, in: &entry)
    let told = Told(place: place, at: heard.time, data: heard.data)
    let before = heard.isScanResponse ? entry.response : entry.advertisement
    if let before, before.place != place, heard.time - before.at < Self.sameEvent, before.data == heard.data {
      repeated += 1
      return nil
    }
    if heard.isScanResponse { entry.response = told } else { entry.advertisement = told }
    return Advertisement(
      address: heard.address, rssi: loudness, isConnectable: heard.isConnectable, isScanResponse: heard.isScanResponse,
      data: heard.data, time: heard.time)
  }

  /// Signal strength of a wearable at an adapter, dBm; nil: not heard.
  func loudness(of address: BluetoothAddress, at place: Int, _ now: Instant) -> Double? {
    guard let levels = (young[address] ?? old[address])?.levels, levels.indices.contains(place),
      let level = levels[place], now - level.at < Self.memory
    else { return nil }
    return level.loudness
  }

  /// The RSSI to report: the adapter's own if it is the reference, otherwise the reference adapter's latest.
  private func note(_ heard: Advertisement, at place: Int, in entry: inout Heard) -> Int8? {
    guard let rssi = heard.rssi else { return nil }
    while entry.levels.count <= place { entry.levels.append(nil) }
    var level = entry.levels[place] ?? Level(loudness: Double(rssi), at: heard.time)
    if heard.time - level.at > Self.memory { level.loudness = Double(rssi) }
    level.loudness += (Double(rssi) - level.loudness) / 4
    level.at = heard.time
    entry.levels[place] = level
    if entry.ear == place { return rssi }
    guard entry.levels.indices.contains(entry.ear), let ear = entry.levels[entry.ear],
      heard.time - ear.at < Self.memory / 3, level.loudness < ear.loudness + Self.margin
    else {
      entry.ear = place
      return rssi
    }
    return Int8(ear.loudness.rounded())
  }

  private mutating func remove(_ address: BluetoothAddress) -> Heard? {
    if let entry = young.removeValue(forKey: address) { return entry }
    return old.removeValue(forKey: address)
  }

  private mutating func keep(_ entry: Heard, _ address: BluetoothAddress) {
    if young.count >= Self.generation {
      old = young
      young = [:]
    }
    young[address] = entry
  }
}
