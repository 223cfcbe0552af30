import Testing

@testable import Metrics

/// What the text of some families is.
func text(_ form: MetricsForm, _ families: MetricFamily...) -> String {
  var text = MetricsText(form)
  for family in families { text.add(family) }
  text.end()
  return String(decoding: text.bytes, as: UTF8.self)
}

@Suite("Metrics as text")
struct MetricsTextTests {
  private let families = [
    MetricFamily.gauge("hearth_store_used_bytes", unit: .bytes, "Pages that hold something.").adding(.count(4096)),
    MetricFamily.counter("hearth_visits", "Visits by outcome.")
      .adding(.count(3), ("outcome", "done")).adding(.count(0), ("outcome", "busy")),
    MetricFamily.counter("hearth_process_cpu_seconds", unit: .seconds, "Processor time.").adding(.number(1.25)),
  ]

  @Test("as node_exporter and promtool read it, a counter is described under the name of its values")
  func prometheus() {
    #expect(
      text(.prometheus, families[0], families[1], families[2]) == """
        # HELP hearth_store_used_bytes Pages that hold something.
        # TYPE hearth_store_used_bytes gauge
        # UNIT hearth_store_used_bytes bytes
        hearth_store_used_bytes 4096
        # HELP hearth_visits_total Visits by outcome.
        # TYPE hearth_visits_total counter
        hearth_visits_total{outcome="done"} 3
        hearth_visits_total{outcome="busy"} 0
        # HELP hearth_process_cpu_seconds_total Processor time.
        # TYPE hearth_process_cpu_seconds_total counter
        # UNIT hearth_process_cpu_seconds seconds
        hearth_process_cpu_seconds_total 1.25
        # EOF

        """)
  }

  @Test("as OpenMetrics, a counter is described without the suffix of its values")
  func openMetrics() {
    #expect(
      text(.openMetrics, families[1], families[2]) == """
        # HELP hearth_visits Visits by outcome.
        # TYPE hearth_visits counter
        hearth_visits_total{outcome="done"} 3
        hearth_visits_total{outcome="busy"} 0
        # HELP hearth_process_cpu_seconds Processor time.
        # TYPE hearth_process_cpu_seconds counter
        # UNIT hearth_process_cpu_seconds seconds
        hearth_process_cpu_seconds_total 1.25
        # EOF

        """)
  }

  @Test(
    "no name breaks out of its quotes or its line",
    arguments: [
      ("strap-07", "strap-07"),
      (#"a"} 9"#, #"a\"} 9"#),
      ("a\nhearth_up 1", #"a\nhearth_up 1"#),
      (#"back\slash\"#, #"back\\slash\\"#),
      ("a\r\u{1B}[2J\0\u{85}b", "a??[2J??b"),
      ("\r\n", #"?\n"#),
      ("Zoë 🏃", "Zoë 🏃"),
      ("", ""),
    ])
  func escaped(name: String, expected: String) {
    let found = text(.prometheus, .gauge("hearth_device_info", "A wearable.").adding(.count(1), ("device", name)))
    #expect(found.contains("\nhearth_device_info{device=\"\(expected)\"} 1\n# EOF\n"), "\(found)")
    #expect(found.split(separator: "\n").count == 4)
  }

  @Test("a label is cut at 128 bytes, between two scalars")
  func cut() {
    for (letter, count) in [("a", 128), ("ë", 64), ("🏃", 32)] {
      let name = String(repeating: letter, count: 300)
      let found = text(.prometheus, .gauge("hearth_device_info", "A wearable.").adding(.count(1), ("device", name)))
      #expect(found.contains("{device=\"\(String(repeating: letter, count: count))\"}"))
    }
  }

  @Test("what is no number, what is there twice and what has no value is left out")
  func leftOut() {
    let family = MetricFamily.gauge("hearth_x", "Help.")
      .adding(.number(.nan), ("device", "a")).adding(.number(.infinity), ("device", "b"))
      .adding(.number(0.1), ("device", "c")).adding(.number(7), ("device", "c")).adding(nil, ("device", "d"))
    #expect(text(.prometheus, family).split(separator: "\n").dropFirst(2) == [#"hearth_x{device="c"} 0.1"#, "# EOF"])
    #expect(text(.prometheus, .gauge("hearth_x", "Help.").adding(.number(.nan))) == "# EOF\n")
  }

  @Test("a whole number has no point, and the largest count keeps each digit")
  func numbers() {
    #expect(MetricValue.number(15).text == "15")
    #expect(MetricValue.number(-0.5).text == "-0.5")
    #expect(MetricValue.number(0.000_02).text == "2e-05")
    #expect(MetricValue.number(1e300).text == "1e+300")
    #expect(MetricValue.count(.max).text == "18446744073709551615")
    #expect(MetricValue.whole(-62).text == "-62")
    #expect(MetricValue.whole(.min).text == "-9.223372036854776e+18")
  }
}
