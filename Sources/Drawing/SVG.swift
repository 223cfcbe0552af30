// Shapes as SVG text. All text is escaped, and numbers have at most one decimal.

/// Escapes a text for HTML and SVG, also within quotes: it can never become a tag, an entity or an attribute.
public func escaped(_ text: String) -> String {
  var safe = ""
  for scalar in text.unicodeScalars {
    switch scalar {
    case "&": safe += "&amp;"
    case "<": safe += "&lt;"
    case ">": safe += "&gt;"
    case "\"": safe += "&quot;"
    case "'": safe += "&#39;"
    default: safe.unicodeScalars.append(scalar)
    }
  }
  return safe
}

/// Drawing of a fixed size in its own units.
public struct SVGDrawing: Sendable {
  /// Point of a text that its position refers to.
  public enum Anchor: String, Sendable { case start, middle, end }

  /// Width in pixels.
  public let width: Double
  /// Height in pixels.
  public let height: Double
  private var shapes = ""

  /// An empty drawing; sizes in pixels.
  public init(width: Double, height: Double) {
    self.width = width
    self.height = height
  }

  /// The SVG element with all shapes, and its label for screen readers.
  public func element(named label: String) -> String {
    """
    <svg viewBox="0 0 \(Self.text(width)) \(Self.text(height))" role="img" aria-label="\(escaped(label))">\
    \(shapes)</svg>
    """
  }

  /// The same, drawn above another drawing; both start at the upper left corner.
  public func element(named label: String, below other: SVGDrawing) -> String {
    var whole = self
    whole.shapes = other.shapes + shapes
    return whole.element(named: label)
  }

  /// - Parameter kind: class of the style sheet, as in all functions here.
  public mutating func line(_ kind: String, _ x0: Double, _ y0: Double, _ x1: Double, _ y1: Double) {
    shapes +=
      "<line class=\"\(escaped(kind))\" x1=\"\(Self.text(x0))\" y1=\"\(Self.text(y0))\""
      + " x2=\"\(Self.text(x1))\" y2=\"\(Self.text(y1))\"/>"
  }

  /// Draws a rectangle; without area it is left out.
  public mutating func rectangle(_ kind: String, _ x: Double, _ y: Double, _ width: Double, _ height: Double) {
    guard width > 0, height > 0 else { return }
    shapes +=
      "<rect class=\"\(escaped(kind))\" x=\"\(Self.text(x))\" y=\"\(Self.text(y))\""
      + " width=\"\(Self.text(max(width, 0.1)))\" height=\"\(Self.text(height))\"/>"
  }

  /// Adds a text at a position. `kind` is its CSS class; the text is escaped.
  public mutating func text(_ kind: String, _ x: Double, _ y: Double, _ text: String, _ anchor: Anchor = .start) {
    shapes +=
      "<text class=\"\(escaped(kind))\" x=\"\(Self.text(x))\" y=\"\(Self.text(y))\""
      + " text-anchor=\"\(anchor.rawValue)\">\(escaped(text))</text>"
  }

  /// Draws polylines, separate from each other. A single point becomes a dot.
  public mutating func strokes(_ kind: String, _ strokes: [[(x: Double, y: Double)]]) {
    var path = ""
    for stroke in strokes {
      for (index, point) in stroke.enumerated() {
        path += "\(index == 0 ? "M" : "L")\(Self.text(point.x)) \(Self.text(point.y))"
      }
      // Round caps make a dot of it.
      if stroke.count == 1 { path += "h0.1" }
    }
    if !path.isEmpty { shapes += "<path class=\"\(escaped(kind))\" d=\"\(path)\"/>" }
  }

  /// Coordinate as text: 0 for values that are not finite or beyond any page.
  static func text(_ value: Double) -> String {
    guard value.isFinite, abs(value) < 1e6 else { return "0" }
    let text = NumberAxis.text(value, 1)
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }
}
