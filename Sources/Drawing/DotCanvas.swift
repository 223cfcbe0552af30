// Dots in the cells of a terminal: two by four in a braille cell, one by three in ASCII.

/// Field of dots that is rendered as lines of text.
struct DotCanvas {
  let columns: Int
  let rows: Int
  let isASCII: Bool
  /// Bits of each cell.
  private var cells: [UInt8]

  init(columns: Int, rows: Int, isASCII: Bool) {
    self.columns = columns
    self.rows = rows
    self.isASCII = isASCII
    cells = [UInt8](repeating: 0, count: columns * rows)
  }

  var width: Int { columns * (isASCII ? 1 : 2) }
  var height: Int { rows * (isASCII ? 3 : 4) }

  /// Bits of U+2800 and following: the left and the right column of dots from the top down (Unicode 16, section 21.1).
  private static let braille: [[UInt8]] = [[0x01, 0x02, 0x04, 0x40], [0x08, 0x10, 0x20, 0x80]]

  /// Sets a dot, counted from the left and from the bottom; ignored if outside.
  mutating func set(_ x: Int, _ y: Int) {
    guard x >= 0, x < width, y >= 0, y < height else { return }
    let down = height - 1 - y
    if isASCII {
      cells[down / 3 * columns + x] |= 1 << UInt8(down % 3)
    } else {
      cells[down / 4 * columns + x / 2] |= Self.braille[x % 2][down % 4]
    }
  }

  /// Draws a straight line of dots.
  mutating func line(_ x0: Int, _ y0: Int, _ x1: Int, _ y1: Int) {
    let steps = max(abs(x1 - x0), abs(y1 - y0), 1)
    for step in 0...steps {
      let part = Double(step) / Double(steps)
      set(
        Int((Double(x0) + Double(x1 - x0) * part).rounded()), Int((Double(y0) + Double(y1 - y0) * part).rounded()))
    }
  }

  /// Rows of text from the top down, each as wide as the canvas.
  var text: [String] {
    (0..<rows).map { row in
      var text = ""
      for bits in cells[(row * columns)..<((row + 1) * columns)] {
        text.unicodeScalars.append(
          isASCII ? Self.ascii(bits) : bits == 0 ? " " : Unicode.Scalar(0x2800 + UInt32(bits)) ?? " ")
      }
      return text
    }
  }

  /// Upper, middle, lower third; more than one of them gives a vertical stroke.
  private static func ascii(_ bits: UInt8) -> Unicode.Scalar {
    switch bits {
    case 0: " "
    case 1: "'"
    case 2: "-"
    case 4: "."
    default: "|"
    }
  }
}
