// Who is known: the table and the page of one.

import Control
import EventLoop
import Reasons

/// A wearable is present unless it is absent: heard lately, linked, or on its way.
func isPresent(_ device: DeviceDocument) -> Bool { device.state != "absent" }

func renderTable(_ devices: [DeviceDocument], now: WallTime, _ style: Style, verbose: Bool = false) -> String {
  if devices.isEmpty { return "nobody is enrolled and nobody is heard; let someone join with: hearth enroll open\n" }
  let name = min(20, max(8, devices.map { columns(harmless($0.name)) }.max() ?? 8))
  let kind = min(15, max(8, devices.map { columns(harmless($0.kind)) }.max() ?? 8))
  var text = line("\(cell("NAME", name))  \(cell("KIND", kind))  \(cell("SEEN", 6, right: true))  RSSI   BATT  STATE")
  for device in devices {
    let cells = [
      cell(device.name, name), cell(device.kind, kind), cell(age(device.lastSeen, now).map(shortSpan) ?? "-", 6, right: true),
      cell(device.rssi.map { "\($0)" } ?? "-", 4, right: true), cell(device.battery.map { "\($0) %" } ?? "-", 5, right: true),
      stateText(device, now),
    ]
    let row = line(cells.joined(separator: "  "))
    text += device.state == "attention" ? style.attention(String(row.dropLast())) + "\n" : row
    if verbose { text += line("  \(device.address) \(device.addressType)") }
  }
  return text
}

/// What it is doing, in few words.
func stateText(_ device: DeviceDocument, _ now: WallTime) -> String {
  switch device.state {
  case "live": device.heartRate.map { "live, \($0) bpm" } ?? "live"
  case "candidate": "not enrolled"
  case "due": "due"
  case "attention": device.reason.map { "\($0.code) \($0.sentence)" } ?? "needs attention"
  case "waiting":
    [device.reason?.code, wait(device.nextTry, now).map { "next try in \(shortSpan($0))" }].compactMap { $0 }.joined(separator: " ").nonEmpty
      ?? "waiting"
  default: device.state
  }
}

func render(_ device: DeviceDocument, now: WallTime, _ style: Style, verbose: Bool = false) -> String {
  let state = stateText(device, now)
  var text = "\(shortened(device.name, 40))   \(shortened(device.kind, 30))   \(device.state == "attention" ? style.attention(shortened(state, 60)) : shortened(state, 60))\n"
  func row(_ label: String, _ value: String?) {
    if let value, !value.isEmpty { text += line("\(cell(label, 14)) \(value)") }
  }
  row("address", "\(device.address) (\(device.addressType))")
  row("enrolled", device.enrolled ? "yes" : "no: the hub never connects to it")
  row("seen", age(device.lastSeen, now).map { "\(span($0)) ago" } ?? "not since the hub started")
  row("signal", device.rssi.map { "\($0) dBm" })
  row("battery", device.battery.map { "\($0) %" })
  row("heart rate", device.heartRate.map { "\($0) bpm" + (age(device.heartRateAt, now).map { ", \(span($0)) ago" } ?? "") })
  row("linked", age(device.linkedSince, now).map { "for \(span($0))" })
  row("next try", wait(device.nextTry, now).map { "in \(span($0))" })
  row("maker", device.manufacturer)
  row("model", device.model)
  row("firmware", device.firmware)
  row("serial", device.serialNumber)
  row("worn on", device.bodyLocation)
  if let reason = device.reason { text += render(reason) }
  if verbose { text += counterLines("count", device.counters) }
  return text
}

// MARK: - Enrolment

func render(_ enrolment: EnrolmentDocument, _ style: Style) -> String {
  var text: String
  if enrolment.open {
    text = line("window open \(enrolment.secondsLeft ?? 0) s; hold one wearable close to the hub")
  } else {
    switch enrolment.mode {
    case "all": text = line("open to all: every wearable the hub recognises joins by itself")
    case "window": text = line("closed; open a window with: hearth enroll open")
    default: text = line("closed by the configuration (enroll.mode)")
    }
  }
  for candidate in enrolment.candidates {
    let near = candidate.near ? "near -> \(shortened(candidate.proposedName, 20))" : "too far (needs \(enrolment.nearRssi) dBm)"
    let signal = candidate.rssi.map { "\($0) dBm" } ?? "- dBm"
    text += line(" \(cell(candidate.letter, 2)) \(cell(candidate.name, 18))  \(cell(candidate.kind, 14))  \(cell(signal, 8, right: true))  \(near)")
  }
  if enrolment.open {
    let letter = enrolment.candidates.first { $0.near }?.letter ?? "A"
    text += enrolment.candidates.isEmpty ? "nobody new is heard yet; look again with: hearth enroll list\n" : line("accept with: hearth enroll accept \(letter) [--name NAME]")
  }
  return text
}

func renderAccepted(_ device: DeviceDocument) -> String {
  line("\(device.name) is enrolled: \(device.kind), \(device.address)") + "the hub connects to it as soon as it is its turn; see: hearth devices\n"
}

extension String {
  fileprivate var nonEmpty: String? { isEmpty ? nil : self }
}
