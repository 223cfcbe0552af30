// Metrics as text: two forms that differ in one line of each counter.
//
// OpenMetrics 1.0 names a counter without the `_total` of its values in `# TYPE` and `# HELP`. The text format 0.0.4 of
// Prometheus, which node_exporter's textfile collector and `promtool check metrics` read, names it with it; read as
// that, OpenMetrics gives counters without kind and help. Everything else is in both: `# UNIT` and `# EOF` are comments
// to the older format.

/// How counters are named in the lines that describe them.
public enum MetricsForm: Sendable { case prometheus, openMetrics }

/// Collects families; pure.
public struct MetricsText: Sendable {
  /// UTF-8.
  public private(set) var bytes: [UInt8] = []
  private let form: MetricsForm

  /// Bytes of a label's text before it is escaped: names have 32, adapters and kinds fewer.
  static let labelLimit = 128

  public init(_ form: MetricsForm) { self.form = form }

  /// One with no value is left out; so is a second value with the same labels, for which a reader would refuse the
  /// whole file.
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
        // Only read as OpenMetrics, whose families have no suffix.
        if let unit = family.unit { put("# UNIT \(family.name) \(unit.rawValue)\n") }
      }
      put("\(value)\(labels) \(number)\n")
    }
  }

  public mutating func end() { put("# EOF\n") }

  private mutating func put(_ text: String) { bytes.append(contentsOf: text.utf8) }

  private static func text(of labels: [(name: String, text: String)]) -> String {
    if labels.isEmpty { return "" }
    return "{\(labels.map { "\($0.name)=\"\(escaped(cut($0.text)))\"" }.joined(separator: ","))}"
  }

  /// By whole scalars.
  private static func cut(_ text: String) -> Substring.UnicodeScalarView {
    var used = 0
    return text.unicodeScalars.prefix { scalar in
      used += UTF8.width(scalar)
      return used <= labelLimit
    }
  }

  private static func escaped(_ text: String) -> String { escaped(text.unicodeScalars[...]) }

  /// `\`, `"` and the end of a line as both formats want them; what else no terminal should get is a question mark.
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
