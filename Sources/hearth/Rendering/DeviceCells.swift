// Cells of the table of wearables: battery, free memory and last visit in a few columns.

import EventLoop
import HubProtocol
import StoreDocuments

/// `81 %`; `18 %!` if it is low or critical; `41 %~` for a reading that is older than a day.
func batteryText(_ device: DeviceDocument, _ now: WallTime) -> String {
  guard let percent = device.battery else { return "-" }
  let isOld = age(device.batteryAt, now).map { $0 > 86_400 } ?? false
  let isLow = device.batteryCharge == .low || device.batteryCharge == .critical
  return "\(percent) %" + (isLow ? "!" : isOld ? "~" : "")
}

/// `9.1 MB`; `2.3 MB!` with less than a fifth left.
func freeText(_ device: DeviceDocument) -> String {
  guard let free = device.memoryFree else { return "-" }
  return size(free) + (device.memoryTotal.map { free < $0 / 5 } ?? false ? "!" : "")
}

/// `now`, `14:02 ok`, `20 Nov cut`
func lastVisitText(_ device: DeviceDocument, _ hub: HubTime) -> String {
  if device.visit != nil { return "now" }
  guard let visit = device.lastVisit, let time = hub.short(visit.ended ?? visit.began) else {
    return "-"
  }
  let word: String =
    switch visit.outcome {
    case .done?: "ok"
    case .interrupted?: "cut"
    case .sliceOver?: "part"
    case .busy?: "busy"
    default: "not"
    }
  // Minutes are precise enough for a narrow column.
  return "\(time.contains(":") ? String(time.prefix(5)) : time) \(word)"
}
