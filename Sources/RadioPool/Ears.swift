// Who hears whom: an advertisement that several adapters heard is told once, with one loudness.

import Bluetooth
import EventLoop

/// What each adapter of a pool heard of each advertiser. Bounded: of two generations of advertisers the elder is
/// dropped whenever the younger one is full, whatever a room invents.
struct Ears: Sendable {
  /// Reports of one advertising event reach the hub within this time: the event itself takes 10 ms at most (Core
  /// specification, volume 6, part B, 4.4.2.2), and a common stick hands on 16 bytes a millisecond. Wearables advertise
  /// each 20 ms at the quickest (4.4.2.2) and each 100 ms or more as we know them.
  static let sameEvent: Duration = .milliseconds(30)
  /// So much louder another adapter must be before its loudness is the one that is told, in dB.
  static let margin = 6.0
  /// An adapter that has not heard a wearable for so long does not hear it: three advertisements of the slowest kind
  /// that is served (10.24 s is the longest interval).
  static let memory: Duration = .seconds(30)
  /// Advertisers of a generation.
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
    /// By place; places that never heard it are missing at the end, or nil.
    var levels: [Level?] = []
    /// The place whose loudness is told.
    var ear: Int
    var advertisement: Told?
    var response: Told?
  }

  private var young: [BluetoothAddress: Heard] = [:]
  private var old: [BluetoothAddress: Heard] = [:]
  /// Reports of what another adapter had told of already.
  private(set) var repeated: UInt64 = 0

  /// Takes what the adapter at a place heard.
  ///
  /// - Returns: what is to be told; nil: another adapter told of the same advertising event.
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

  /// How loud the adapter at a place hears it, dBm; nil: it does not.
  func loudness(of address: BluetoothAddress, at place: Int, _ now: Instant) -> Double? {
    guard let levels = (young[address] ?? old[address])?.levels, levels.indices.contains(place),
      let level = levels[place], now - level.at < Self.memory
    else { return nil }
    return level.loudness
  }

  /// The loudness to be told: what this adapter heard if it is the one that counts, else what that one heard lately.
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
