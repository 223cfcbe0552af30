// A training that the hub derives from heart rates, as text.

import EventLoop
import HubProtocol
import StoreDocuments

/// The answer of `hearth training`.
func render(_ effort: EffortDocument, _ time: HubTime, _ style: Style) -> String {
  let name = harmless(effort.device)
  guard effort.ends != nil else {
    return "\(name): a training has begun; end it with: hearth training \(name) end\n"
  }
  var text = style.bold(name) + "   training, \(effortOrigin(effort))\n"
  func row(_ label: String, _ value: String?) { if let value { text += line("\(cell(label, 14)) \(value)") } }
  row("from", effortSpan(effort, time))
  row("active", clock(effort.activeS))
  if effort.knownS < effort.lengthS { row("with values", clock(effort.knownS)) }
  row("heart rate", effortRates(effort))
  row("zones", effortZones(effort))
  row("energy", effortEnergy(effort))
  return text
}

/// Row of `hearth device`: duration, and the time in zones.
func effortText(_ effort: EffortDocument) -> String {
  let parts = [
    "for \(clock(effort.lengthS))", effortRates(effort), effortZones(effort), effortEnergy(effort),
    effortOrigin(effort),
  ]
  return parts.compactMap { $0 }.joined(separator: "; ")
}

private func effortOrigin(_ effort: EffortDocument) -> String {
  effort.origin == "ordered" ? "as ordered" : "found by the hub"
}

private func effortSpan(_ effort: EffortDocument, _ time: HubTime) -> String {
  func minute(_ text: String?) -> String { text.flatMap { WallTime(rfc3339: $0) }.map { time.minute($0) } ?? "?" }
  return "\(minute(effort.begins)) to \(minute(effort.ends)), \(clock(effort.lengthS))"
}

private func effortRates(_ effort: EffortDocument) -> String? {
  guard let mean = effort.meanHeartRate, let highest = effort.highestHeartRate else { return nil }
  return "mean \(number(mean.rounded())), highest \(highest) bpm"
}

/// `zone 1 2:10, 3 25:00`: zones with any time.
private func effortZones(_ effort: EffortDocument) -> String? {
  guard let zones = effort.zonesS else { return nil }
  let parts = zones.enumerated().filter { $0.element >= 1 }.map { "\($0.offset + 1) \(clock($0.element))" }
  return parts.isEmpty ? nil : "zone " + parts.joined(separator: ", ")
}

private func effortEnergy(_ effort: EffortDocument) -> String? {
  guard let energy = effort.caloriesKcal else { return nil }
  return "\(number(energy.rounded())) kcal" + (effort.extrapolated ? ", extrapolated" : "")
}

/// `25:03`, `1:02:03`
private func clock(_ seconds: Double) -> String {
  let whole = Int(min(max(seconds, 0), 1e9))
  func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
  let (hours, minutes) = (whole / 3600, whole / 60 % 60)
  return hours > 0 ? "\(hours):\(two(minutes)):\(two(whole % 60))" : "\(minutes):\(two(whole % 60))"
}
