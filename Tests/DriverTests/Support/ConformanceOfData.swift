// What a driver says about itself, checked against itself: capabilities, profiles, quirks.

import Bluetooth
import Health
import Wearable

extension ConformanceKit {
  /// Everything at once, for one driver beside those it must live with.
  static func faults(of exhibit: Exhibit, among drivers: [any WearableDriver]) throws -> [String] {
    let strangers =
      ScanResults.generated(drivers, besides: exhibit.scanResults, count: 500, seed: 1) + exhibit.scanResults
    var faults =
      repeatedIDs(drivers) + incompleteData(exhibit.driver) + ambiguous(drivers, strangers)
      + unsteadyRecognition(drivers, strangers)
    faults +=
      capabilityFaults(exhibit.driver) + facetFaults(exhibit.driver) + profileFaults(exhibit.driver)
      + quirkFaults(exhibit.driver)
    faults += extensionFaults(exhibit.driver, among: drivers)
    if exhibit.scanResults.isEmpty { faults.append("\(exhibit.driver.id) shows no advertiser it claims") }
    for scanResult in exhibit.scanResults where recognise(scanResult, among: drivers)?.driver.id != exhibit.driver.id {
      faults.append("\(exhibit.driver.id) is not chosen for \(scanResult.name ?? "a nameless one")")
    }
    for (index, source) in exhibit.driver.liveSources.enumerated() {
      faults += misbehaviour(exhibit.driver, source, count: 2000, seed: 0x4558_4842 + UInt64(index))
    }
    return faults + (try sessionFaults(exhibit))
  }

  /// Capabilities that are missing, or that have no implementation.
  static func capabilityFaults(_ driver: any WearableDriver) -> [String] {
    let capabilities = driver.capabilities
    var faults: [String] = []
    if capabilities.list.isEmpty { faults.append("\(driver.id) says nothing of what it can do") }
    if capabilities.contains(.connectionProfile) != (driver.profiled != nil) {
      faults.append("\(driver.id): a connection profile without its characteristic, or the other way round")
    }
    if capabilities.contains(.pairingRequired) != (driver.pairing == .required) {
      faults.append("\(driver.id): pairing is required, or is it not?")
    }
    if capabilities.contains(.erase), capabilities.recorded.isEmpty, !capabilities.contains(.files) {
      faults.append("\(driver.id) erases what it does not record")
    }
    if capabilities.contains(.timeSet), !capabilities.contains(.timeRead), !isClockUnreadable(driver) {
      faults.append("\(driver.id) sets a clock that it cannot read back, and no quirk says so")
    }
    return faults
  }

  /// A quirk `clock-unreadable` says that its clock is set and cannot be read.
  static func isClockUnreadable(_ driver: any WearableDriver) -> Bool {
    !driver.capabilities.contains(.timeRead) && driver.quirky?.quirks.contains { $0.id == "clock-unreadable" } == true
  }

  /// Drivers that it says it extends, and of which it does less: a wearable that moves would lose something.
  static func extensionFaults(_ driver: any WearableDriver, among drivers: [any WearableDriver]) -> [String] {
    (driver.successor?.extends ?? []).sorted().flatMap { id -> [String] in
      guard id != driver.id, let base = drivers.first(where: { $0.id == id }) else {
        return ["\(driver.id) extends \(id), which is no other driver"]
      }
      var faults: [String] = []
      let heard = Set(driver.liveSources.map(\.characteristic))
      for source in base.liveSources where !heard.contains(source.characteristic) {
        faults.append("\(driver.id) does not listen to \(source.characteristic), as \(id) does")
      }
      for capability in base.capabilities.list where !driver.capabilities.contains(capability) {
        faults.append("\(driver.id) cannot \(capability), as \(id) can")
      }
      if base.advertisedValues?.makeListener() != nil, driver.advertisedValues?.makeListener() == nil {
        faults.append("\(driver.id) hears no advertisements, as \(id) does")
      }
      return faults
    }
  }

  /// Profiles that are incomplete, or illegal without a quirk `<profile>-illegal` that says so.
  static func profileFaults(_ driver: any WearableDriver) -> [String] {
    var faults: [String] = []
    for profile in LinkProfile.allCases where profile.parameters.defect != nil {
      faults.append("the hub's own \(profile.name) is illegal")
    }
    guard let characteristic = driver.profiled?.profileCharacteristic else { return faults }
    if characteristic.codes.isEmpty { faults.append("\(driver.id) has no profile to write") }
    if Set(characteristic.codes.values).count != characteristic.codes.count {
      faults.append("\(driver.id): two profiles of one code")
    }
    for (profile, parameters) in characteristic.published {
      if characteristic.codes[profile] == nil {
        faults.append("\(driver.id) publishes \(profile.name) and has no code for it")
      }
      let isMarked = driver.quirky?.quirks.contains { $0.id == profile.name + "-illegal" } ?? false
      if (parameters.defect != nil) != isMarked {
        faults.append("\(driver.id): \(profile.name) is \(parameters.defect ?? "legal, though a quirk says it is not")")
      }
    }
    if characteristic.patience <= .zero || characteristic.deferral < .zero {
      faults.append("\(driver.id) gives a profile no time")
    }
    return faults
  }

  /// Quirks without a name, an effect or a source.
  static func quirkFaults(_ driver: any WearableDriver) -> [String] {
    let quirks = driver.quirky?.quirks ?? []
    var faults: [String] = []
    if Set(quirks.map(\.id)).count != quirks.count { faults.append("\(driver.id) has two quirks of one name") }
    let allowed = Set("abcdefghijklmnopqrstuvwxyz0123456789-")
    for quirk in quirks {
      if quirk.id.isEmpty || !quirk.id.allSatisfy(allowed.contains) {
        faults.append("\(driver.id): '\(quirk.id)' is no name of a quirk")
      }
      if quirk.source.isEmpty || quirk.effect.isEmpty || quirk.affects.isEmpty {
        faults.append("\(driver.id): \(quirk.id) lacks its source, its effect or whom it affects")
      }
    }
    return faults
  }
}
