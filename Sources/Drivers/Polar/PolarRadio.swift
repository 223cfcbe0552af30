// The switches of the wearable's radio, as people ordered them.

import Bluetooth
import EventLoop
import Wearable

/// Whether others may hear the wearable beside the hub: turned and read back at each visit where it is ordered, and as
/// it was before when nobody orders it any more. Asked of the feature configuration service, which needs no sync;
/// nothing ordered, nothing asked.
@LoopActor
final class PolarRadio {
  private let link: any WearableLink
  /// nil: it has no such service.
  private let client: Polar.FeatureClient?
  /// What it did not take in this visit, for people.
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
            // Before anything is changed, so that a link that is lost in between forgets nothing.
            before.keep(one.name, try await client.isOn(one).map { $0 ? "on" : "off" })
            try link.remember(PolarRadioBefore(before))
          }
          if try await !client.set(one, to: wanted == "on") {
            let what = "\(one.name) stays \(wanted == "on" ? "off" : "on")"
            // What was before is nobody's order: it is tried once.
            if ordered == nil { link.note(what) } else { refused.append(what) }
          }
        } else if ordered != nil {
          refused.append("\(one.name): it has no such switch")
        }
        if ordered == nil { before.forget(one.name) }
      }
    } catch {
      switch error {
      // A side of it that is mute is no reason to leave its data where they are.
      case .silent(let what), .framing(let what): refused.append("its radio does not answer: \(what)")
      default:
        guard let why = error.refusal else { throw error }
        refused.append(why)
      }
    }
    try link.remember(PolarRadioBefore(before))
    // Nobody misses what nobody orders: what was before is put back with the next visit.
    if concerned.allSatisfy({ link.orders.settings[$0.name] == nil }) { refused = [] }
  }

  /// Which switches there are and how they are; none where it has no such service, or does not answer.
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
