// Notes of stores before format 4, as text: conversion into states when a hub first starts with such a store; no other
// code reads them.

import Bluetooth
import Custody
import Health
import RingStore
import StateCodec
import Wearable

enum OldNotes {
  /// Prefix of the names of drivers' notes.
  private static let driverPrefix = "driver."

  /// Converts the notes that hub and driver know into states. A senseless note is deleted, an unknown one stays.
  ///
  /// - Returns: whether the record changed, and should be written.
  static func takeOver(_ record: inout WearableRecord, _ driver: (any WearableDriver)?) -> Bool {
    if record.notes.isEmpty { return false }
    let before = record.notes
    takeOver(hubNotesOf: &record)
    if let driver { takeOver(notesOf: driver, &record) }
    return record.notes != before
  }

  private static func takeOver(notesOf driver: any WearableDriver, _ record: inout WearableRecord) {
    var own: [String: String] = [:]
    for (name, text) in record.notes where name.hasPrefix(driverPrefix) {
      own[String(name.dropFirst(driverPrefix.count))] = text
    }
    let all = own
    driver.formerNotes?.takeOver(&own, into: &record.driverState)
    for name in all.keys where own[name] == nil { record.notes[driverPrefix + name] = nil }
  }

  private static func takeOver(hubNotesOf record: inout WearableRecord) {
    func take(_ name: String) -> String? { record.notes.removeValue(forKey: name) }
    var orders = KeptOrders(WearableOrders())
    orders.streams = words(take("orders.streams")).compactMap { Series(name: $0) }
    for (name, rate) in pairs(words(take("orders.rates"))) {
      if let series = Series(name: name), let hertz = UInt32(rate) { orders.rates.append((series, hertz)) }
    }
    orders.switchedOff = words(take("orders.off"))
    orders.settings = pairs(words(take("orders.settings")) + words(take("orders.settings-2")))
    keep(orders, in: &record)
    if let isOn = take("listen").flatMap({ ["on": true, "off": false][$0] }) {
      keep(ListeningChoice(isOn: isOn), in: &record)
    }
    var erasing = ErasingNotes()
    erasing.choice = take("erase").flatMap { EraseChoice(rawValue: $0) }
    erasing.period = take("erase.called").flatMap { period($0) }
    keep(erasing, in: &record)
    if let text = take("advertising"), text.hasSuffix(" ms"), let milliseconds = UInt32(text.dropLast(3)) {
      keep(AdvertisingInterval(milliseconds: milliseconds), in: &record)
    }
    if let name = take("advertised_name"), !name.isEmpty { keep(AdvertisedName(name), in: &record) }
    if take("link.kept") != nil { keep(EarlyLink(), in: &record) }
    if let choice = take("link.override").flatMap({ profile($0) }) { keep(choice, in: &record) }
    if let refusal = take("profile.idle").flatMap({ refusal($0) }) { keep(refusal, in: &record) }
  }

  /// An existing state is newer. 24 notes of 120 bytes fit.
  private static func keep<S: RememberedState>(_ state: S, in record: inout WearableRecord) {
    if record.hubState[S.self] == nil { _ = try? record.hubState.keep(state) }
  }

  /// `acc,ppg`
  private static func words(_ note: String?) -> [String] { note?.split(separator: ",").map { String($0) } ?? [] }

  /// `acc=52`
  private static func pairs(_ words: [String]) -> [(String, String)] {
    words.compactMap { word in
      let parts = word.split(separator: "=", maxSplits: 1)
      return parts.count == 2 ? (String(parts[0]), String(parts[1])) : nil
    }
  }

  /// `idle`, or `idle central`
  private static func profile(_ text: String) -> ProfileChoice? {
    let words = text.split(separator: " ")
    guard let first = words.first, let profile = LinkProfile(name: String(first)) else { return nil }
    return ProfileChoice(profile: profile, isByCentral: words.dropFirst().first == "central")
  }

  /// `refused fw 001.07.01`
  private static func refusal(_ text: String) -> IdleRefusal? {
    let words = text.split(separator: " ", maxSplits: 2)
    guard words.count == 3, words[1] == "fw" else { return nil }
    return IdleRefusal(String(words[0]), firmware: String(words[2]))
  }

  /// `1793491200 1793577600 4f1c22aa 2 811c9dc5 !a0b1c2d3`: boot, start, firmware, failures in a row, removals; `!`
  /// before ineffective ones.
  private static func period(_ text: String) -> ErasingNotes.Period? {
    let words = text.split(separator: " ")
    guard words.count >= 4, let began = Int64(words[1]), let failures = Int(words[3]),
      (0...ErasingNotes.callLimit).contains(failures)
    else { return nil }
    var period = ErasingNotes.Period(
      booted: Int64(words[0]), began: began, firmware: UInt32(words[2], radix: 16), failures: failures)
    for word in words.dropFirst(4).prefix(ErasingNotes.callLimit) {
      let isIneffective = word.hasPrefix("!")
      guard let digest = UInt32(isIneffective ? word.dropFirst() : word, radix: 16) else { return nil }
      period.calls.append(ErasingNotes.Period.Call(removal: RemovalID(digest: digest), wasIneffective: isIneffective))
    }
    return period
  }
}
