// A field with an axis of time below and one of values at its left: what a page draws its curves and bars into.

public import CivilTime

/// The place of times and values in a drawing.
public struct SVGPanel: Sendable {
  public let time: TimeAxis
  public let values: NumberAxis?
  /// What is drawn so far; more goes into it.
  public var drawing: SVGDrawing
  /// Edges of the field.
  public let left: Double
  public let right: Double
  public let top: Double
  public let bottom: Double

  /// Below the field: marks and their labels.
  private static let footer = 16.0
  /// Between two labels of times.
  private static let labelWidth = 44.0

  /// - Parameters:
  ///   - values: nil: no axis of values; whoever draws says what stands where.
  ///   - left, right: room for labels beside the field.
  public init(
    _ span: Range<Int64>, zone: TimeZoneRules, values: NumberAxis?, width: Double, height: Double, left: Double = 40,
    right: Double = 8
  ) {
    drawing = SVGDrawing(width: width, height: height)
    self.values = values
    self.left = left
    self.right = width - right
    top = 6
    bottom = height - Self.footer
    time = TimeAxis(span, zone: zone, room: Int(max(1, (width - right - left) / Self.labelWidth)))
    grid()
  }

  public func x(_ moment: Int64) -> Double { left + time.place(moment) * (right - left) }
  public func y(_ value: Double) -> Double { bottom - (values?.place(value) ?? 0) * (bottom - top) }

  private mutating func grid() {
    for mark in values?.marks ?? [] {
      drawing.line("grid", left, y(mark), right, y(mark))
      drawing.text("label", left - 5, y(mark) + 3.5, values?.label(mark) ?? "", .end)
    }
    var free = -Self.labelWidth
    for mark in time.marks {
      drawing.line("grid", x(mark.time), top, x(mark.time), bottom + 3)
      // A label at the right edge would be cut, one too near to the one before would cover it.
      guard x(mark.time) - free >= Self.labelWidth * 0.8, x(mark.time) <= right - 12 else { continue }
      drawing.text("label", max(x(mark.time), left + 12), bottom + 13, mark.label, .middle)
      free = x(mark.time)
    }
    drawing.line("axis", left, bottom, right, bottom)
  }

  /// A band over the whole width, from one value to another, as far as the axis goes.
  public mutating func band(_ kind: String, from low: Double, to high: Double) {
    let (bottom, top) = (y(low), y(high))
    drawing.rectangle(kind, left, top, right - left, bottom - top)
  }

  /// A curve whose gaps are left blank: see `CurveColumns.runs`.
  public mutating func curve(_ kind: String, _ curve: CurveColumns, bridge: Int64) {
    let strokes = curve.runs(bridge: bridge).map { run in
      run.flatMap { index -> [(x: Double, y: Double)] in
        guard let column = curve.columns[index] else { return [] }
        let (from, to) = (x(column.first.time), x(column.last.time))
        var points = [(x: from, y: y(column.first.value))]
        if column.high > column.low {
          // From the earliest to both ends and to the latest, so that the stroke is as high as what it stands for.
          points += [((from + to) / 2, y(column.low)), ((from + to) / 2, y(column.high))]
        }
        if to > from { points.append((to, y(column.last.value))) }
        return points
      }
    }
    drawing.strokes(kind, strokes)
  }

  /// A bar from the axis to a value.
  public mutating func bar(_ kind: String, _ span: Range<Int64>, _ value: Double) {
    let (from, to) = (x(span.lowerBound), x(span.upperBound))
    drawing.rectangle(kind, from + 1, y(value), max(0.5, to - from - 2), bottom - y(value))
  }
}
