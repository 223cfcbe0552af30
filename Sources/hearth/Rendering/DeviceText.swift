// Wearables as text: the table, and the page of one.

import EventLoop
import Health
import HubProtocol
import Reasons
import StoreDocuments

/// Whether a wearable is present: heard lately, linked, or connecting. Absent and paused ones are not.
func isPresent(_ device: DeviceDocument) -> Bool { DeviceDocument.isHere(device.state) }

/// Whether a person has to fix a trouble, or to look for the wearable.
func needsPerson(_ device: DeviceDocument) -> Bool { device.state == .attention || device.state == .missing }

/// Whether there are alerts that are not acknowledged.
func hasAlerts(_ device: DeviceDocument) -> Bool { device.alerts?.isEmpty == false }

func renderTable(
  _ devices: [DeviceDocument], _ time: HubTime, _ style: Style, verbose: Bool = false
) -> String {
  if devices.isEmpty { return "no wearable is enrolled or heard; let one join with: hearth enroll open\n" }
  let now = time.now
  // Wearables that only stream have no items to fetch.
  let areVisited = devices.contains { $0.memoryFree != nil || $0.lastVisit != nil || $0.visit != nil }
  let kind = max(8, devices.map { columns(harmless($0.kind)) }.max() ?? 8)
  let names = devices.map { columns(harmless($0.name, limit: 512)) }.max() ?? 0
  var others = kind + (areVisited ? 60 : 39)
  // A narrow terminal has no room for the signal beside names of more than a few letters; hearth device NAME shows it.
  let hasSignal = style.width.map { names + others <= $0 } ?? true
  if !hasSignal { others -= 6 }
  let name = room(for: devices.map(\.name), least: 8, others: others, style)
  var head = "\(cell("NAME", name))  \(cell("KIND", kind))  \(cell("SEEN", 6, right: true))"
  head += (hasSignal ? "  RSSI" : "") + "   BATT"
  if areVisited { head += "     FREE  LAST VISIT" }
  var text = line(head + "  STATE")
  var asides = ""
  for device in devices {
    var cells = [
      cell(device.name, name), cell(device.kind, kind),
      cell(age(device.lastSeen, now).map(shortSpan) ?? "-", 6, right: true),
    ]
    if hasSignal { cells.append(cell(device.rssi.map { "\($0)" } ?? "-", 4, right: true)) }
    cells.append(cell(batteryText(device, now), 5, right: true))
    if areVisited { cells += [cell(freeText(device), 7, right: true), cell(lastVisitText(device, time), 10)] }
    var state = stateText(device, now)
    // For an absent wearable, only lasting troubles count.
    if let code = device.reason?.code, isPresent(device) || device.state == .missing || staysWhileAway(code),
      !includes(state, code)
    {
      state += " \(code)"
    }
    for code in Set((device.alerts ?? []).map(\.reason.code)).sorted() { state += " \(code)" }
    if let asked = device.requestedProfile, let got = device.effectiveProfile, asked != got {
      state += "*"
      asides += line("* requested \(asked), effective \(got) (hearth link \(device.name))")
    }
    let row = line((cells + [state]).joined(separator: "  "))
    text += needsPerson(device) || hasAlerts(device) ? style.attention(String(row.dropLast())) + "\n" : row
    if verbose {
      let firmware = device.firmware.map { "firmware \($0)" }
      let parts = ["\(device.address) \(device.addressType)", device.manufacturer, device.model, firmware]
      text += line("  " + parts.compactMap { $0 }.joined(separator: "   "))
    }
  }
  if devices.contains(where: { batteryText($0, now).hasSuffix("~") }) {
    asides += "~ battery read longer than a day ago\n"
  }
  return text + asides + (devices.contains { $0.lastVisit != nil } ? zoneLine(time) : "")
}

/// Whether a trouble lasts while the wearable is away: it holds items that cannot be read.
func staysWhileAway(_ code: String) -> Bool { [Reason.itemLocked, .itemDefective].contains { $0.code == code } }

/// Activity of a wearable in few words.
func stateText(_ device: DeviceDocument, _ now: WallTime) -> String {
  let state = linkText(device, now)
  return device.measuring == true ? "\(state), measuring" : state
}

private func linkText(_ device: DeviceDocument, _ now: WallTime) -> String {
  switch device.state {
  case .live: return device.heartRate.map { "live, \($0) bpm" } ?? "live"
  case .linked: return age(device.lastValueAt, now).map { "connected, silent \(shortSpan($0))" } ?? "connected"
  case .heard: return device.advertisedHeartRate.map { "near, advertises \($0) bpm" } ?? "near"
  case .candidate: return "not enrolled"
  case .due:
    return wait(device.queued?.notBefore, now).flatMap { $0 > 0 ? "visit in \(shortSpan($0))" : nil } ?? "visit due"
  case .absent: return "away"
  case .paused: return age(device.pausedSince, now).map { "paused for \(shortSpan($0))" } ?? "paused"
  case .visiting: return device.visit.map { doingWord($0) + ($0.percent.map { " \($0) %" } ?? "") } ?? "visiting"
  case .attention:
    let what = device.reason.map { "\($0.code) \($0.sentence)" } ?? "needs attention"
    return what + (device.heartRate.map { ", live, \($0) bpm" } ?? "")
  case .waiting:
    let when = device.coolsOff ? "when seen" : wait(device.nextTry, now).map { "next try in \(shortSpan($0))" }
    return [device.reason?.code, when].compactMap { $0 }.joined(separator: " ").nonEmpty ?? "waiting"
  default: return device.state.rawValue
  }
}

func render(_ device: DeviceDocument, _ time: HubTime, _ style: Style, verbose: Bool = false) -> String {
  let now = time.now
  let state = stateText(device, now)
  var text =
    """
    \(harmless(device.name))   \(harmless(device.kind))   \
    \(needsPerson(device) ? style.attention(harmless(state, limit: 256)) : harmless(state, limit: 256))\n
    """
  func row(_ label: String, _ value: String?) {
    if let value, !value.isEmpty { text += line("\(cell(label, 14)) \(value)") }
  }
  row("address", "\(device.address) (\(device.addressType))")
  row("enrolled", device.enrolled ? "yes" : "no: the hub never connects to it")
  row(
    "driver",
    device.driver.map { driver in
      harmless(driver) + (device.nextDriver.map { "; with its next link \(harmless($0))" } ?? "")
    })
  row("seen", age(device.lastSeen, now).map { "\(span($0)) ago" } ?? "never since it is remembered")
  if device.enrolled { row("may be away", absenceText(device)) }
  if device.pausedSince != nil { row("collected", pauseText(device, now)) }
  row("signal", device.rssi.map { "\($0) dBm" })
  let charge = device.batteryCharge.flatMap { $0 == .enough ? nil : ", \($0)" } ?? ""
  row(
    "battery",
    device.battery.map { "\($0) %\(charge)" + (age(device.batteryAt, now).map { ", read \(span($0)) ago" } ?? "") })
  if device.heartRate == nil { row("last value", age(device.lastValueAt, now).map { "\(span($0)) ago" }) }
  row(
    "heart rate",
    device.heartRate.map { "\($0) bpm" + (age(device.heartRateAt, now).map { ", \(span($0)) ago" } ?? "") })
  row(
    "advertises",
    device.advertisedHeartRate.map { rate in
      "\(rate) bpm" + (age(device.advertisedHeartRateAt, now).map { ", \(span($0)) ago" } ?? "")
    })
  row("training", device.training.map { trainingText($0) })
  if device.listens != nil || device.listenChoice != nil { row("advertised", listenText(device)) }
  row("linked", age(device.linkedSince, now).map { "for \(span($0))" })
  if let link = profiles(device) { row("link", link) }
  row(
    "memory",
    device.memoryFree.map { free in "\(size(free)) free" + (device.memoryTotal.map { " of \(size($0))" } ?? "") })
  if device.memoryFree != nil || device.lastVisit != nil || device.eraseChoice != nil {
    row("erased", eraseText(device))
  }
  row(
    "last visit",
    device.lastVisit.map { visit in
      "\(visit.number), \(outcomeText(visit)), \(visit.itemsDone) of \(counted(visit.itemsListed, "item"))"
        + (age(visit.ended, now).map { ", \(span($0)) ago" } ?? "")
    })
  row(
    "queue",
    device.queued.map { queued in
      queued.why + (wait(queued.notBefore, now).flatMap { $0 > 0 ? ", in \(span($0))" : nil } ?? "")
    })
  row("not taken", device.leftOut.map { "\($0.joined(separator: ", ")), by order" })
  row("slot", device.slotWait.map { slotText($0, now) })
  row(
    "next try",
    device.coolsOff
      ? "when it was away and is heard again, or: hearth visit now \(device.name)"
      : wait(device.nextTry, now).map { "in \(span($0))" })
  row("maker", device.manufacturer)
  row("model", device.model)
  row("firmware", device.firmware)
  row("serial", device.serialNumber)
  row("system id", device.systemId)
  row("product", device.pnpId)
  row("worn on", device.bodyLocation)
  row("charging", device.charging)
  row("not served", device.notServed)
  for one in device.oddities ?? [] {
    row("odd values", "\(grouped(one.count)) × \(one.what)" + (age(one.lastAt, now).map { ", \(span($0)) ago" } ?? ""))
  }
  for one in capabilityRows(device) { row(one.label, one.value) }
  row("wearer", device.wearer)
  if let visit = device.visit { text += renderRunning(visit, now: now, style) }
  if let reason = device.reason { text += render(reason) }
  for alert in device.alerts ?? [] { text += render(alert.reason) }
  for one in device.muted ?? [] {
    row("muted", "\(one.code) \(one.mutedUntil.map { "until \(time.text($0)): " } ?? "")\(one.sentence)")
  }
  if verbose { text += counterLines("count", device.counters) }
  return text
}

func renderErasing(_ device: DeviceDocument) -> String { "\(harmless(device.name)): erased \(eraseText(device))\n" }

func renderListening(_ device: DeviceDocument) -> String {
  "\(harmless(device.name)): what it advertises: \(listenText(device))\n"
}

func renderAbsence(_ device: DeviceDocument) -> String {
  "\(harmless(device.name)): may be away \(absenceText(device))\n"
}

private func absenceText(_ device: DeviceDocument) -> String {
  (device.absentAfterS.map { "for \(span($0)); then it is missing" } ?? "for ever")
    + (device.absentChoiceS == nil ? "" : " (an operator's choice)")
}

private func listenText(_ device: DeviceDocument) -> String {
  let rule =
    switch device.listens {
    case true?: "kept while it has no link"
    case false?: "not kept"
    case nil: "no format that the hub knows"
    }
  return rule + (device.listenChoice == nil ? "" : " (an operator's choice)")
}

private func eraseText(_ device: DeviceDocument) -> String {
  let rule =
    switch device.erase {
    case "yes": "once verified and durable"
    case "ask": "only in a visit by request"
    case "order": "only when you order it: hearth action \(harmless(device.name)) records-remove"
    case "none": "never: it stores no data to remove"
    default: "never"
    }
  return rule + (device.eraseChoice == nil ? "" : " (an operator's choice)")
}

private func profiles(_ device: DeviceDocument) -> String? {
  guard let asked = device.requestedProfile else { return nil }
  guard let got = device.effectiveProfile, got != asked else { return asked }
  return "requested \(asked), effective \(got)"
}

// MARK: - Enrolment

func render(_ enrolment: EnrolmentDocument, _ style: Style) -> String {
  var text: String
  if enrolment.open {
    text = line("window open \(enrolment.secondsLeft ?? 0) s; hold one wearable close to the hub")
  } else {
    switch enrolment.mode {
    case .all: text = line("open to all: every wearable the hub recognises joins by itself")
    case .window: text = line("closed; open a window with: hearth enroll open")
    default: text = line("closed by the configuration (enroll.mode)")
    }
  }
  for candidate in enrolment.candidates {
    let near =
      candidate.near ? "near -> \(harmless(candidate.proposedName))" : "too far (needs \(enrolment.nearRssi) dBm)"
    let signal = candidate.rssi.map { "\($0) dBm" } ?? "- dBm"
    text += line(
      """
       \(cell(candidate.letter, 2)) \(cell(candidate.name, 18))  \(cell(candidate.kind, 14))  \
      \(cell(signal, 8, right: true))  \(near)
      """
    )
  }
  if enrolment.open {
    let letter = enrolment.candidates.first { $0.near }?.letter ?? "A"
    text +=
      enrolment.candidates.isEmpty
      ? "no new wearable is heard yet; look again with: hearth enroll list\n"
      : line("accept with: hearth enroll accept \(letter) [--name NAME]")
  }
  return text
}

func renderAccepted(_ device: DeviceDocument) -> String {
  line("\(device.name) is enrolled: \(device.kind), \(device.address)")
    + "the hub connects to it as soon as it is its turn; see: hearth devices\n"
}

extension String {
  fileprivate var nonEmpty: String? { isEmpty ? nil : self }
}
