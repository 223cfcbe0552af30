// Card of a measurement of vital signs, and table of several, in plain words. Each value has its confidence.

import HubProtocol
import StoreDocuments

/// Renders the known facts of a measurement.
func measurementCard(_ record: VitalsRecordDocument, _ time: HubTime, _ style: Style) -> String {
  let person = record.person ?? record.wearer
  let title = "\(record.device)   \(time.text(record.start)), \(VitalWords.seconds(record.actualS)) of measuring"
  var text = style.bold(String(line(title + (person.map { ", \($0)" } ?? ", no person named")).dropLast())) + "\n"
  text += line("\(VitalWords.basis(record.basis)); \(VitalWords.ending(record))")
  if let person = record.person, let wearer = record.wearer, person != wearer {
    text += line("the wearable was \(wearer)'s then, as it is known now")
  }
  if record.results.isEmpty {
    text += "no results\n"
  } else {
    let names = max(18, record.results.map { VitalWords.name($0.name).count }.max() ?? 0)
    let values = max(5, record.results.map { columns(VitalWords.value($0)) }.max() ?? 0)
    text += line(
      [cell("", names), cell("VALUE", values), cell("CONFIDENCE", 10), cell("FROM", 6, right: true), "METHOD"]
        .joined(separator: "  "))
    for result in record.results {
      let cells = [
        cell(VitalWords.name(result.name), names), cell(VitalWords.value(result), values),
        cell(result.confidence, 10), cell(VitalWords.seconds(result.windowS), 6, right: true),
        cell(result.method, 6),
      ]
      text += line((cells + [VitalWords.remarks(result.flags)]).joined(separator: "  "))
    }
  }
  if !record.notReported.isEmpty {
    text += "not reported:\n"
    for missing in record.notReported {
      text += line("  \(cell(VitalWords.name(missing.name), 24))  \(VitalWords.reason(missing.reason))")
    }
  }
  return text + line("signal: \(quality(record))") + "No medical device.\n"
}

private func quality(_ record: VitalsRecordDocument) -> String {
  // A sensor with a single reading has no signal over time.
  if record.coverage == 0, record.intervals == 0, !record.results.isEmpty { return "one reading" }
  var parts: [String] = []
  if record.basis != .rate { parts.append("\(VitalWords.percent(record.artefactShare)) artefacts") }
  parts.append("\(VitalWords.percent(record.coverage)) of the time covered")
  if !record.gaps.isEmpty {
    let longest = record.gaps.map(\.lengthS).max() ?? 0
    parts.append("\(counted(record.gaps.count, "gap")), the longest \(VitalWords.decimal(longest, 1)) s")
  }
  if record.intervals > 0 { parts.append("\(counted(record.intervals, "interval")) kept") }
  if record.leftOut > 0 { parts.append("\(grouped(record.leftOut)) for which there was no room") }
  return parts.joined(separator: ", ")
}

/// A line for each measurement.
func render(_ found: VitalsRecordsDocument, _ time: HubTime, _ style: Style) -> String {
  let rest = found.unreadable > 0 ? line("\(counted(found.unreadable, "record")) cannot be read by this program") : ""
  if found.records.isEmpty { return line("\(found.name)   no measurements") + rest }
  let title = "\(found.name)   \(counted(found.records.count, "measurement")), times in \(found.zone)"
  var text = style.bold(String(line(title).dropLast())) + "\n"
  let hasDevice = found.records.contains { $0.device != found.name }
  let hasPerson = found.records.contains { ($0.person ?? $0.wearer) != nil && ($0.person ?? $0.wearer) != found.name }
  func row(_ start: String, _ device: String, _ person: String, _ cells: [String], _ end: String) -> String {
    let widths = [6, 5, 5]
    let numbers = zip(cells, widths).map { cell($0, $1, right: true) }
    let names = (hasDevice ? [cell(device, 12)] : []) + (hasPerson ? [cell(person, 12)] : [])
    let words = zip(cells.dropFirst(3), [9, 10]).map { cell($0, $1) }
    return line(([cell(start, 19)] + names + numbers + words + [end]).joined(separator: "  "))
  }
  text += row("START", "FROM", "PERSON", ["LENGTH", "PULSE", "RMSSD", "STRESS", "CONFIDENCE"], "END")
  for record in found.records {
    func value(_ name: String) -> VitalValueDocument? { record.results.first { $0.name == name } }
    let told = [value("pulse_rate"), value("rmssd"), value("stress_level")].compactMap { $0 }
    text += row(
      time.text(record.start), record.device, record.person ?? record.wearer ?? "-",
      [
        VitalWords.seconds(record.actualS), value("pulse_rate").map { VitalWords.bare($0) } ?? "-",
        value("rmssd").map { VitalWords.bare($0) } ?? "-", value("stress_level").map { VitalWords.bare($0) } ?? "-",
        VitalWords.lowest(told.map(\.confidence)),
      ], VitalWords.shortEnding(record))
  }
  return text + rest + line("pulse in bpm, RMSSD in ms; all of the newest: hearth measurements \(found.name) --last")
    + "No medical device.\n"
}
