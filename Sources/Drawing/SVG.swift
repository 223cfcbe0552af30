// Shapes as SVG text: every text in it is escaped, every number has a digit behind the point at most.

/// What a text is in HTML and SVG, also within quotes: never a tag, an entity or an attribute.
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

/// A drawing of a fixed size in units of its own.
public struct SVGDrawing: Sendable {
  public enum Anchor: String, Sendable { case start, middle, end }

  public let width: Double
  public let height: Double
  private var shapes = ""

  public init(width: Double, height: Double) {
    self.width = width
    self.height = height
  }

  /// The element with all its shapes, and its name for who cannot see it.
  public func element(named label: String) -> String {
    """
    <svg viewBox="0 0 \(Self.text(width)) \(Self.text(height))" role="img" aria-label="\(escaped(label))">\
    \(shapes)</svg>
    """
  }

  /// The same with another drawing beneath, both from the upper left corner on.
  public func element(named label: String, below other: SVGDrawing) -> String {
    var whole = self
    whole.shapes = other.shapes + shapes
    return whole.element(named: label)
  }

  /// - Parameter kind: class of the style sheet; so everywhere here.
  public mutating func line(_ kind: String, _ x0: Double, _ y0: Double, _ x1: Double, _ y1: Double) {
    shapes +=
      "<line class=\"\(escaped(kind))\" x1=\"\(Self.text(x0))\" y1=\"\(Self.text(y0))\""
      + " x2=\"\(Self.text(x1))\" y2=\"\(Self.text(y1))\"/>"
  }

  /// Nothing where it has no area.
  public mutating func rectangle(_ kind: String, _ x: Double, _ y: Double, _ width: Double, _ height: Double) {
    guard width > 0, height > 0 else { return }
    shapes +=
      "<rect class=\"\(escaped(kind))\" x=\"\(Self.text(x))\" y=\"\(Self.text(y))\""
      + " width=\"\(Self.text(max(width, 0.1)))\" height=\"\(Self.text(height))\"/>"
  }

  public mutating func text(_ kind: String, _ x: Double, _ y: Double, _ text: String, _ anchor: Anchor = .start) {
    shapes +=
      "<text class=\"\(escaped(kind))\" x=\"\(Self.text(x))\" y=\"\(Self.text(y))\""
      + " text-anchor=\"\(anchor.rawValue)\">\(escaped(text))</text>"
  }

  /// Lines from point to point, each of `strokes` apart from the others. One of a single point is a dot.
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

  /// A coordinate: what is no number, or beyond any page, is 0.
  static func text(_ value: Double) -> String {
    guard value.isFinite, abs(value) < 1e6 else { return "0" }
    let text = NumberAxis.text(value, 1)
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }
}
