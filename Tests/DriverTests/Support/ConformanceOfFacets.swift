// What a driver declares beside the core, checked against what it then says: a facet that is declared has something to
// offer, and what is not declared is refused by the hub (ConformanceOfOrders).

import Bluetooth
import Health
import Wearable

extension ConformanceKit {
  /// Facets that are declared and empty, or that contradict what the driver can do.
  static func facetFaults(_ driver: any WearableDriver) -> [String] {
    let unknown = KnownWearable(), live = Set(driver.capabilities.live)
    var faults: [String] = []
    func empty(_ facet: String) { faults.append("\(driver.id) declares \(facet) and has none") }
    if let it = driver.configurable, it.settings(of: unknown).isEmpty, it.switches.isEmpty { empty("settings") }
    // Of a model that is not known a family may name more than its kind has; the hub refuses that.
    if let it = driver.streaming, live.isDisjoint(with: it.streams(of: unknown) ?? driver.capabilities.live) { empty("streams") }
    if let it = driver.rated, live.isDisjoint(with: it.rates(of: unknown).keys) { empty("rates") }
    if let it = driver.encrypting, let why = it.secretRefusal(for: unknown) { faults.append("\(driver.id) declares encryption and refuses it: \(why)") }
    if let it = driver.advertisedValues, it.makeListener() == nil { empty("advertised values") }
    if let it = driver.paced, it.writePaces.isEmpty || it.writePaces.contains(where: { $0.pause <= .zero }) { empty("paces") }
    if let it = driver.successor, it.extends.isEmpty { empty("drivers that it extends") }
    if let it = driver.quirky, it.quirks.isEmpty { empty("quirks") }
    if (driver.clocked != nil) != driver.capabilities.contains(.timeRead) { faults.append("\(driver.id) reads a clock and does not say what it shows, or the other way round") }
    if driver.linked != nil, driver.capabilities.recorded.isEmpty { faults.append("\(driver.id) records nothing, and is linked anyway") }
    return faults
  }
}
