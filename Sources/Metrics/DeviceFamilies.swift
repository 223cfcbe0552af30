// Metrics of each enrolled wearable: its condition, never its values or its wearer. Every account of the machine can
// read the file.

internal import EventLoop
internal import Hub

extension MetricsSnapshot {
  /// A closure for each family, because each has a line for each of 512 wearables.
  static let deviceFamilies: [@Sendable (MetricsSnapshot) -> MetricFamily] = [
    {
      $0.each(
        .gauge("hearth_device_info", "An enrolled wearable, its kind, model and firmware if known; always 1."),
        ("kind", \.kind), ("model", { $0.model ?? "" }), ("firmware", { $0.firmware ?? "" })
      ) { _ in .truth(true) }
    },
    {
      $0.each(
        .gauge("hearth_device_state", "What a wearable is doing, as hearth devices says it; always 1."),
        ("state", \.state.rawValue)
      ) { _ in .truth(true) }
    },
    {
      $0.each(.gauge("hearth_device_attention", "1 while a person has to act.")) { .truth($0.state.needsPerson) }
    },
    {
      $0.aged("hearth_device_seen_age_seconds", "Since a wearable was heard, or its link ended.", \.lastSeen)
    },
    {
      $0.aged("hearth_device_value_age_seconds", "Since a live value of a wearable came last.", \.lastValue)
    },
    {
      $0.aged("hearth_device_visit_age_seconds", "Since the last visit of a wearable ended.") { $0.lastVisit?.ended }
    },
    {
      $0.each(
        .gauge(
          "hearth_device_battery_ratio", unit: .ratio, "How full a wearable's battery was when it was read, 0 to 1.")
      ) { $0.battery.map { .number(Double($0) / 100) } }
    },
    {
      $0.aged("hearth_device_battery_age_seconds", "Since a wearable's battery was read.", \.batteryRead)
    },
    {
      $0.each(.gauge("hearth_device_rssi_dbm", "Signal strength of a wearable.")) { $0.rssi.map { .whole($0) } }
    },
    {
      $0.each(
        .gauge("hearth_device_memory_free_bytes", unit: .bytes, "Free memory of a wearable, if it reports it.")
      ) { $0.memoryFree.map { .whole($0) } }
    },
    { $0.counted("hearth_device_link_attempts", "Tries to link a wearable since start.", "attempts") },
    { $0.counted("hearth_device_links_made", "Links made to a wearable since start.", "links") },
    { $0.counted("hearth_device_links_lost", "Links to a wearable that ended by themselves since start.", "losses") },
    { $0.counted("hearth_device_samples", "Live samples of a wearable since start.", "samples") },
    {
      $0.counted(
        "hearth_device_values_dropped",
        "Values of a wearable that were not kept since start: malformed, impossible, too many, above its share.",
        "malformed_values", "impossible", "too_many", "over_share")
    },
  ]

  /// A line for each wearable that has a value. A label without a text is left out.
  private func each(
    _ family: MetricFamily, _ more: (name: String, text: (WearableSnapshot) -> String)...,
    value: (WearableSnapshot) -> MetricValue?
  ) -> MetricFamily {
    family.adding(devices) { device in
      value(device).map { value in
        let labels = more.map { ($0.name, $0.text(device)) }.filter { !$0.1.isEmpty }
        return MetricSample(labels: [("device", device.name)] + labels, value: value)
      }
    }
  }

  private func aged(_ name: String, _ help: String, _ time: (WearableSnapshot) -> WallTime?) -> MetricFamily {
    each(.gauge(name, unit: .seconds, help)) { device in time(device).map { .age($0, wall) } }
  }

  private func counted(_ name: String, _ help: String, _ counters: String...) -> MetricFamily {
    each(.counter(name, help)) { device in
      let found = device.counters.filter { counters.contains($0.name) }
      return found.isEmpty ? nil : .count(found.reduce(0 as UInt64) { $0 &+ $1.value })
    }
  }
}
