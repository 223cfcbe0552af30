// What calls order of the visits that the hub makes by itself.

import Hub
import HubProtocol
import Reasons
import Wearable

/// Change as a call gave it. Of each: nil: it did not; `.some(nil)`: as configured.
struct CollectionChange {
  /// Names of the phases to collect; empty: all.
  var phases: [String]??
  /// Minutes after midnight; empty: never.
  var visitAt: [Int]??

  var isEmpty: Bool { phases == nil && visitAt == nil }

  /// Names for the log: `phases sleep steps`.
  var names: [String] = []
}

extension CollectionChange {
  init(phases: [String]?, visitAt times: [String]?) throws(VarlinkError) {
    if let phases {
      if phases.isEmpty { throw .invalidParameter("phases") }
      names.append("phases \(phases.joined(separator: " "))")
      self.phases = phases == [HubInterface.noOrder] ? .some(nil) : phases == ["all"] ? [] : phases
    }
    if let times {
      if times.isEmpty { throw .invalidParameter("visit_at") }
      names.append("visit_at \(times.joined(separator: " "))")
      let minutes = times.compactMap { MonitoringWindow.minute($0) }
      if times == [HubInterface.noOrder] {
        visitAt = .some(nil)
      } else if times == ["never"] {
        visitAt = []
      } else if minutes.count == times.count, minutes.allSatisfy({ $0 < 1440 }) {
        visitAt = minutes
      } else {
        throw .invalidParameter("visit_at")
      }
    }
  }
}

extension HubInterface {
  func ordersDocument(of name: String, _ orders: OrdersSnapshot) throws(HearthError) -> OrdersDocument {
    OrdersDocument(orders, try service.schedule(of: name), try service.collection(of: name))
  }
}

extension OrdersDocument.Collection {
  /// nil: the wearable stores no data.
  init?(_ found: CollectionSnapshot) {
    if found.phases.isEmpty { return nil }
    var ordered: [String]?
    switch found.phaseChoice {
    case nil: break
    case .all: ordered = ["all"]
    case .only(let names): ordered = found.phases.filter(names.contains)
    }
    self.init(
      phases: found.phases, leftOut: found.leftOut, ordered: ordered,
      visitAt: found.visitAt.map { MonitoringWindow.text($0) }, ownTimes: found.hasOwnTimes)
  }
}
