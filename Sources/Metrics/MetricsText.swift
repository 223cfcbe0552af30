// Metrics as text: two formats that differ in one line of each counter.
//
// OpenMetrics 1.0 names a counter without the `_total` of its values in `# TYPE` and `# HELP`. The text format 0.0.4 of
// Prometheus names it with `_total`; node_exporter's textfile collector and `promtool check metrics` read this one. A
// Prometheus reader would get counters without kind and help from OpenMetrics. Everything else is in both: `# UNIT` and
// `# EOF` are comments in the older format.

/// Naming of counters in the lines that describe them.
public enum MetricsForm: Sendable { case prometheus, openMetrics }

/// Collects families; pure.
public struct MetricsText: Sendable {
  /// UTF-8.
  public private(set) var bytes: [UInt8] = []
  private let form: MetricsForm

  /// Longest label text in bytes before escaping: names have 32, adapters and kinds fewer.
  static let labelLimit = 128

  /// An empty text.
  public init(_ form: MetricsForm) { self.form = form }

  /// Adds a family. A family without values is left out. So is a second value with the same labels, because a reader
  /// would refuse the whole file.
  public mutating func add(_ family: MetricFamily) {
    let value = family.kind == .counter ? family.name + "_total" : family.name
    let described = form == .prometheus ? value : family.name
    var lines: Set<String> = []
    for sample in family.samples {
      guard let number = sample.value.text else { continue }
      let labels = Self.text(of: sample.labels)
      guard lines.insert(labels).inserted else { continue }
      if lines.count == 1 {
        put("# HELP \(described) \(Self.escaped(family.help))\n# TYPE \(described) \(family.kind.rawValue)\n")
        // Only read as OpenMetrics, in which family names have no suffix.
        if let unit = family.unit { put("# UNIT \(family.name) \(unit.rawValue)\n") }
      }
      put("\(value)\(labels) \(number)\n")
    }
  }

  /// Adds the last line.
  public mutating func end() { put("# EOF\n") }

  private mutating func put(_ text: String) { bytes.append(contentsOf: text.utf8) }

  private static func text(of labels: [(name: String, text: String)]) -> String {
    if labels.isEmpty { return "" }
    return "{\(labels.map { "\($0.name)=\"\(escaped(cut($0.text)))\"" }.joined(separator: ","))}"
  }

  /// Cuts between scalars.
  private static func cut(_ text: String) -> Substring.UnicodeScalarView {
    var used = 0
    return text.unicodeScalars.prefix { scalar in
      used += UTF8.width(scalar)
      return used <= labelLimit
    }
  }

  private static func escaped(_ text: String) -> String { escaped(text.unicodeScalars[...]) }

  /// Escapes `\`, `"` and line ends as both formats require; other characters unsafe for a terminal become question
  /// marks.
  private static func escaped(_ text: Substring.UnicodeScalarView) -> String {
    var result = ""
    for scalar in text {
      switch scalar {
      case "\\": result += "\\\\"
      case "\"": result += "\\\""
      case "\n": result += "\\n"
      case "\0"..."\u{1F}", "\u{7F}"..."\u{9F}": result += "?"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
