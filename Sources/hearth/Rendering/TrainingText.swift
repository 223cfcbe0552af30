// A training that the hub derives from heart rates, as text.

import EventLoop
import HubProtocol
import StoreDocuments

/// The answer of `hearth training`.
func render(_ training: TrainingDocument, _ time: HubTime, _ style: Style) -> String {
  let name = harmless(training.device)
  guard training.ends != nil else {
    return "\(name): a training has begun; end it with: hearth training \(name) end\n"
  }
  var text = style.bold(name) + "   training, \(trainingOrigin(training))\n"
  func row(_ label: String, _ value: String?) { if let value { text += line("\(cell(label, 14)) \(value)") } }
  row("from", trainingSpan(training, time))
  row("active", clock(training.activeS))
  if training.knownS < training.lengthS { row("with values", clock(training.knownS)) }
  row("heart rate", trainingRates(training))
  row("zones", trainingZones(training))
  row("energy", trainingEnergy(training))
  return text
}

/// Row of `hearth device`: duration, and the time in zones.
func trainingText(_ training: TrainingDocument) -> String {
  let parts = [
    "for \(clock(training.lengthS))", trainingRates(training), trainingZones(training), trainingEnergy(training),
    trainingOrigin(training),
  ]
  return parts.compactMap { $0 }.joined(separator: "; ")
}

private func trainingOrigin(_ training: TrainingDocument) -> String {
  training.origin == "ordered" ? "as ordered" : "found by the hub"
}

private func trainingSpan(_ training: TrainingDocument, _ time: HubTime) -> String {
  func minute(_ text: String?) -> String { text.flatMap { WallTime(rfc3339: $0) }.map { time.minute($0) } ?? "?" }
  return "\(minute(training.begins)) to \(minute(training.ends)), \(clock(training.lengthS))"
}

private func trainingRates(_ training: TrainingDocument) -> String? {
  guard let mean = training.meanHeartRate, let highest = training.highestHeartRate else { return nil }
  return "mean \(number(mean.rounded())), highest \(highest) bpm"
}

/// `zone 1 2:10, 3 25:00`: zones with any time.
private func trainingZones(_ training: TrainingDocument) -> String? {
  guard let zones = training.zonesS else { return nil }
  let parts = zones.enumerated().filter { $0.element >= 1 }.map { "\($0.offset + 1) \(clock($0.element))" }
  return parts.isEmpty ? nil : "zone " + parts.joined(separator: ", ")
}

private func trainingEnergy(_ training: TrainingDocument) -> String? {
  guard let energy = training.caloriesKcal else { return nil }
  return "\(number(energy.rounded())) kcal" + (training.extrapolated ? ", extrapolated" : "")
}

/// `25:03`, `1:02:03`
private func clock(_ seconds: Double) -> String {
  let whole = Int(min(max(seconds, 0), 1e9))
  func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
  let (hours, minutes) = (whole / 3600, whole / 60 % 60)
  return hours > 0 ? "\(hours):\(two(minutes)):\(two(whole % 60))" : "\(minutes):\(two(whole % 60))"
}
