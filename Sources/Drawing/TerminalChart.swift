// Curve in a terminal: braille or ASCII, with its axes.

public import CivilTime

/// Style of a drawing in a terminal.
public struct ChartStyle: Sendable {
  /// Columns of a line, at least 20.
  public var width: Int
  /// Rows of a curve without its time axis. With nine rows and five marks, every second row has a mark.
  public var height: Int
  /// True: only ASCII characters.
  public var isASCII: Bool

  /// `width` is held to 20 to 1,000 columns, `height` to 2 to 100 lines.
  public init(width: Int = 80, height: Int = 9, isASCII: Bool = false) {
    self.width = min(max(width, 20), 1000)
    self.height = min(max(height, 2), 100)
    self.isASCII = isASCII
  }

  /// Tells whether only ASCII is drawn: if the terminal's locale is not UTF-8, or the terminal is dumb.
  public static func isASCII(asked: Bool, isUnicode: Bool, term: String?) -> Bool {
    asked || !isUnicode || term == "dumb"
  }
}

/// Curve with axes, in lines of at most `style.width` columns.
public struct TerminalChart {
  private let style: ChartStyle
  private let time: TimeAxis
  private let values: NumberAxis
  private let labels: [String]
  private let span: Range<Int64>
  private let unit: String

  /// Dot columns of a curve in `style`, for `CurveColumns`. This is the largest width, with labels of one digit.
  public static func columns(_ style: ChartStyle) -> Int { (style.width - 3) * (style.isASCII ? 1 : 2) }

  /// - Parameters:
  ///   - low, high: range for the value axis; nil: there are no values.
  ///   - unit: unit of the values, printed above their axis; may be empty.
  public init(
    _ span: Range<Int64>, low: Double?, high: Double?, unit: String, zone: TimeZoneRules, style: ChartStyle
  ) {
    self.style = style
    self.span = span
    self.unit = unit
    values = NumberAxis(from: low ?? 0, to: high ?? 1, marks: max(1, style.height / 2))
    labels = values.marks.map { [values] in values.label($0) }
    let gutter = (labels.map(\.count).max() ?? 1) + 2
    // Width of `14:30:05` and two blanks.
    time = TimeAxis(span, zone: zone, room: max(1, (style.width - gutter) / 10))
  }

  private var gutter: Int { (labels.map(\.count).max() ?? 1) + 2 }
  /// Columns of the curve itself.
  public var plotWidth: Int { max(8, style.width - gutter) }

  /// The lines of the drawing, without trailing blanks.
  ///
  /// - Parameter bridge: longest time between two values, microseconds, that a line crosses; a longer gap stays blank.
  public func draw(_ curve: CurveColumns, bridge: Int64) -> [String] {
    var canvas = DotCanvas(columns: plotWidth, rows: style.height, isASCII: style.isASCII)
    func x(_ time: Int64) -> Int {
      min(canvas.width - 1, Int(self.time.place(time) * Double(canvas.width)))
    }
    func y(_ value: Double) -> Int { Int((values.place(value) * Double(canvas.height - 1)).rounded()) }
    for run in curve.runs(bridge: bridge) {
      var before: CurveColumns.Column?
      for index in run {
        guard let column = curve.columns[index] else { continue }
        if let before {
          canvas.line(x(before.last.time), y(before.last.value), x(column.first.time), y(column.first.value))
        }
        let middle = x(column.first.time)
        canvas.line(middle, y(column.low), middle, y(column.high))
        canvas.set(x(column.last.time), y(column.last.value))
        before = column
      }
    }
    var lines = unit.isEmpty ? [] : [String(repeating: " ", count: max(0, gutter - 1 - unit.count)) + unit]
    let axis = style.isASCII ? "|" : "┤"
    for (row, text) in canvas.text.enumerated() {
      let label = self.label(ofRow: row)
      let mark = label.isEmpty ? (style.isASCII ? "|" : "│") : axis
      lines.append(Self.trimmed(Self.right(label, gutter - 2) + " " + mark + text))
    }
    return lines + axisLines(indent: gutter - 1)
  }

  /// Label of a row of the canvas; empty without a mark.
  private func label(ofRow row: Int) -> String {
    let last = Double(style.height - 1)
    for (mark, label) in zip(values.marks, labels) where Int(((1 - values.place(mark)) * last).rounded()) == row {
      return label
    }
    return ""
  }

  /// The time axis with its labels; the first label starts below its mark.
  private func axisLines(indent: Int) -> [String] {
    var axis = Array(repeating: style.isASCII ? "-" : "─", count: plotWidth)
    var labels = Array(repeating: " ", count: indent + 1 + plotWidth)
    var free = 0
    for mark in time.marks {
      let column = min(plotWidth - 1, Int(time.place(mark.time) * Double(plotWidth)))
      let start = indent + 1 + column
      guard start >= free, start + mark.label.count <= labels.count else { continue }
      axis[column] = style.isASCII ? "+" : "┬"
      for (offset, letter) in mark.label.enumerated() { labels[start + offset] = String(letter) }
      free = start + mark.label.count + 2
    }
    let corner = style.isASCII ? "+" : "└"
    return [
      String(repeating: " ", count: indent) + corner + axis.joined(), Self.trimmed(labels.joined()),
    ]
  }

  private static func right(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
  }

  static func trimmed(_ text: String) -> String {
    var end = text[...]
    while end.last == " " { end.removeLast() }
    return String(end)
  }
}
