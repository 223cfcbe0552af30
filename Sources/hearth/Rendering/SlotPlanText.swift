// Wearables that get a link if all are present, for planning before a class.

import HubProtocol

/// Names of one role in lines of their own: `turns  strap-04, strap-05`.
private func names(_ devices: [SlotPlanDocument.Device], one: String, _ many: String, _ label: String) -> String {
  if devices.isEmpty { return "" }
  let blank = String(repeating: " ", count: 7)
  let list = devices.map { harmless($0.device) }.joined(separator: ", ")
  let text = wrapped("\(counted(devices.count, "wearable")) \(devices.count == 1 ? one : many): \(list)", indent: blank)
  return cell(label, 6) + " " + text.dropFirst(blank.count)
}

/// ` turns of at least 45 s, without a link for 65 s at most`
private func turns(_ devices: [SlotPlanDocument.Device]) -> String {
  let turn = devices.compactMap(\.turnS).min().map { " of at least \(span($0))" } ?? ""
  let gap = devices.compactMap(\.gapS).max().map { ", without a link for \(span($0)) at most" } ?? ""
  return " turns\(turn)\(gap)"
}

/// `7 slots are missing: 2 more adapters of 5 would carry all`
func missingText(_ plan: SlotPlanDocument) -> String {
  let slots = "\(counted(plan.missing, "slot")) \(plan.missing == 1 ? "is" : "are") missing"
  let adapters = "\(counted(plan.missingAdapters, "further adapter")) of 5 links"
  return "\(slots): \(adapters) would carry all"
}

func render(_ plan: SlotPlanDocument, _ style: Style) -> String {
  func of(_ role: Words.SlotRole) -> [SlotPlanDocument.Device] { plan.devices.filter { $0.role == role } }
  let source = sourceWord(plan.slotSource)
  var text = line(
    "slots  \(plan.slots) (\(source)), and \(counted(plan.wanting, "wearable")) to be linked all the time")
  let takers = of(.turns)
  let enough = takers.isEmpty ? "enough for all of them" : "enough in all, but too few on an adapter that some need"
  text += line("       \(plan.missing > 0 ? style.attention(missingText(plan)) : enough)")
  for adapter in plan.listening ?? [] {
    text += line("listen \(harmless(adapter)) has slots only for wearables that are bonded to it")
  }
  if plan.listensInTurn == true { text += line("listen \(listensInTurnText)") }
  text += names(of(.live), one: "keeps its link", "keep their link", "live")
  text += names(takers, one: "takes" + turns(takers), "take" + turns(takers), "turns")
  text += names(
    takers.filter(\.advertises), one: "is shown without a link too, by what it advertises",
    "are shown without a link too, by what they advertise", "heard")
  if !takers.isEmpty { text += line("       between its turns a wearable has no values: hearth coverage says no_slot") }
  text += names(
    of(.visits), one: "needs a slot for visits alone", "need a slot for visits alone", "visits")
  text += names(
    of(.seconds), one: "is on for seconds and has a slot at once", "are on for seconds and have a slot at once", "short"
  )
  text += names(
    of(.unreachable), one: "is bonded to an adapter that does not serve",
    "are bonded to an adapter that does not serve", "bonded")
  text += line("       if all \(plan.devices.count) are here; \(plan.devices.count { $0.present }) are now")
  return text
}
