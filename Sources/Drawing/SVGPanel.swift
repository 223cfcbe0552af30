// Plot area with a time axis below and a value axis at its left, for the curves and bars of a page.

public import CivilTime

/// Mapping of times and values to positions in a drawing.
public struct SVGPanel: Sendable {
  /// Axis of times, from left to right.
  public let time: TimeAxis
  /// Axis of values, from bottom to top; nil: no values.
  public let values: NumberAxis?
  /// Drawing so far; further shapes are added to it.
  public var drawing: SVGDrawing
  /// Left edge of the plot area, in pixels.
  public let left: Double
  /// Right edge in pixels.
  public let right: Double
  /// Upper edge in pixels.
  public let top: Double
  /// Lower edge in pixels.
  public let bottom: Double

  /// Height below the area, for marks and their labels.
  private static let footer = 16.0
  /// Minimum distance between two time labels.
  private static let labelWidth = 44.0

  /// - Parameters:
  ///   - values: nil: no value axis; the caller decides about positions.
  ///   - left, right: space for labels beside the area.
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

  /// Position of a moment, in pixels from the left; microseconds since 1970.
  public func x(_ moment: Int64) -> Double { left + time.place(moment) * (right - left) }
  /// Position of a value, in pixels from the top.
  public func y(_ value: Double) -> Double { bottom - (values?.place(value) ?? 0) * (bottom - top) }

  private mutating func grid() {
    for mark in values?.marks ?? [] {
      drawing.line("grid", left, y(mark), right, y(mark))
      drawing.text("label", left - 5, y(mark) + 3.5, values?.label(mark) ?? "", .end)
    }
    var free = -Self.labelWidth
    for mark in time.marks {
      drawing.line("grid", x(mark.time), top, x(mark.time), bottom + 3)
      // A label at the right edge would be cut off; one too close to the previous would cover it.
      guard x(mark.time) - free >= Self.labelWidth * 0.8, x(mark.time) <= right - 12 else { continue }
      drawing.text("label", max(x(mark.time), left + 12), bottom + 13, mark.label, .middle)
      free = x(mark.time)
    }
    drawing.line("axis", left, bottom, right, bottom)
  }

  /// Draws a band over the whole width, from one value to another, within the axis.
  public mutating func band(_ kind: String, from low: Double, to high: Double) {
    let (bottom, top) = (y(low), y(high))
    drawing.rectangle(kind, left, top, right - left, bottom - top)
  }

  /// Draws a curve; gaps stay blank, see `CurveColumns.runs`.
  public mutating func curve(_ kind: String, _ curve: CurveColumns, bridge: Int64) {
    let strokes = curve.runs(bridge: bridge).map { run in
      run.flatMap { index -> [(x: Double, y: Double)] in
        guard let column = curve.columns[index] else { return [] }
        let (from, to) = (x(column.first.time), x(column.last.time))
        var points = [(x: from, y: y(column.first.value))]
        if column.high > column.low {
          // From the earliest value to both extremes and to the latest, so that the stroke shows the full range.
          points += [((from + to) / 2, y(column.low)), ((from + to) / 2, y(column.high))]
        }
        if to > from { points.append((to, y(column.last.value))) }
        return points
      }
    }
    drawing.strokes(kind, strokes)
  }

  /// Draws a bar from the axis to a value.
  public mutating func bar(_ kind: String, _ span: Range<Int64>, _ value: Double) {
    let (from, to) = (x(span.lowerBound), x(span.upperBound))
    drawing.rectangle(kind, from + 1, y(value), max(0.5, to - from - 2), bottom - y(value))
  }
}
