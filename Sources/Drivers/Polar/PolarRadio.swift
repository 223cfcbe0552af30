// The switches of the wearable's radio, as ordered.

import Bluetooth
import EventLoop
import Wearable

/// Switches that let other receivers hear the wearable. Ordered ones are set and read back at each visit, and restored
/// when the order ends. The feature configuration service needs no sync, and without an order it is not queried.
@LoopActor
final class PolarRadio {
  private let link: any WearableLink
  /// nil if the wearable does not have the service.
  private let client: Polar.FeatureClient?
  /// Refusals of this visit, for people.
  private(set) var refused: [String] = []

  init(_ link: any WearableLink) {
    self.link = link
    client = Polar.FeatureClient(link)
  }

  func keep() async throws(VisitTrouble) {
    refused = []
    var before = link.remembered(PolarRadioBefore.self)?.before ?? PolarBefore()
    let concerned = Polar.Switch.orderable.filter {
      link.orders.settings[$0.name] != nil || before.values[$0.name] != nil
    }
    if concerned.isEmpty { return }
    do throws(VisitTrouble) {
      guard let client else { throw .unsupported("its radio has no switches") }
      let features = try await client.readFeatures()
      for one in concerned {
        let ordered = link.orders.settings[one.name]
        let wanted = ordered ?? before.values[one.name] ?? ""
        if features.contains(one.feature), !wanted.isEmpty {
          if ordered != nil, before.values[one.name] == nil {
            // Stored before any change, so that a lost link does not lose the earlier value.
            before.keep(one.name, try await client.isOn(one).map { $0 ? "on" : "off" })
            try link.remember(PolarRadioBefore(before))
          }
          if try await !client.set(one, to: wanted == "on") {
            let what = "\(one.name) stays \(wanted == "on" ? "off" : "on")"
            // Restoring the earlier value is tried once, as no order asks for it.
            if ordered == nil { link.note(what) } else { refused.append(what) }
          }
        } else if ordered != nil {
          refused.append("\(one.name): it has no such switch")
        }
        if ordered == nil { before.forget(one.name) }
      }
    } catch {
      switch error {
      // An unresponsive radio service must not prevent the fetch.
      case .silent(let what), .framing(let what): refused.append("its radio does not answer: \(what)")
      default:
        guard let why = error.refusal else { throw error }
        refused.append(why)
      }
    }
    try link.remember(PolarRadioBefore(before))
    // A failed restoration is not reported; the next visit repeats it.
    if concerned.allSatisfy({ link.orders.settings[$0.name] == nil }) { refused = [] }
  }

  /// The wearable's switches and their states; empty if it has no such service, or does not answer.
  func report() async throws(VisitTrouble) -> [(name: String, isOn: Bool)] {
    guard let client else { return [] }
    var states: [(name: String, isOn: Bool)] = []
    do throws(VisitTrouble) {
      let features = try await client.readFeatures()
      for one in Polar.Switch.allCases where features.contains(one.feature) {
        if let isOn = try await client.isOn(one) { states.append((one.name, isOn)) }
      }
      if features.contains(.securityMode), let isOn = try await client.ask(.askSecurityMode).isOn {
        states.append(("security", isOn))
      }
    } catch {
      switch error {
      case .silent, .framing, .unsupported, .refused: link.note("its radio does not answer")
      default: throw error
      }
    }
    return states
  }
}
