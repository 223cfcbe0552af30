// Available data of a wearable, with a row for each kind of it.

import HubProtocol

/// Rows of a wearable's page: a label and its names. A single row names all data that it does not have, so that users
/// need not search for it.
func capabilityRows(_ device: DeviceDocument) -> [(label: String, value: String)] {
  guard device.enrolled else { return [] }
  guard let all = device.capabilities else {
    return [("can", "not known yet: it says so over a link")]
  }
  if all.isEmpty { return [("can", "no feature that this hub uses")] }
  func with(_ word: String, without other: String? = nil) -> [String] {
    all.filter { one in one.can.contains(word) && !(other.map { one.can.contains($0) } ?? false) }.map(\.series)
  }
  let live = with("live", without: "streamed")
  let came = Set(all.filter { $0.came == true }.map(\.series))
  let things: [(label: String, lacking: String, series: [String])] = [
    ("sends", "live values", live),
    ("when ordered", "values by order", with("streamed")),
    ("measures", "measuring by order", with("on_demand")),
    ("records", "recordings", with("recorded")),
    ("keeps", "a history", with("history")),
    ("by itself", "measuring by itself", all.filter { $0.can.contains("monitoring") }.map(monitored)),
    ("denser mode", "a denser mode", with("denser")),
    ("at rest", "values at rest", with("resting")),
    ("warns at rest", "warnings at rest", with("rest_alert")),
    ("warns in sport", "warnings in sport", with("exercise_alert")),
  ]
  let lacking = things.filter { $0.series.isEmpty }.map(\.lacking)
  // The model can send these series, but this wearable may not.
  let sent = listed("sends", live.filter(came.contains)) + listed("none came of", live.filter { !came.contains($0) })
  return sent + things.dropFirst().flatMap { listed($0.label, $0.series) } + listed("has no", lacking)
}

/// Names in as many rows as they need: 64 of 80 columns are left beside the label.
func listed(_ label: String, _ names: [String]) -> [(label: String, value: String)] {
  var rows: [(label: String, value: String)] = []
  for name in names {
    if let last = rows.last, last.value.utf8.count + name.utf8.count <= 61 {
      rows[rows.count - 1].value += ", " + name
    } else {
      if !rows.isEmpty { rows[rows.count - 1].value += "," }
      rows.append((rows.isEmpty ? label : "", name))
    }
  }
  return rows
}

/// `heart_rate (how often can be ordered)`
private func monitored(_ one: DeviceDocument.Capabilities) -> String {
  switch (one.can.contains("monitoring_window"), one.can.contains("monitoring_interval")) {
  case (true, true): one.series + " (when and how often can be ordered)"
  case (true, false): one.series + " (when can be ordered)"
  case (false, true): one.series + " (how often can be ordered)"
  case (false, false): one.series
  }
}
