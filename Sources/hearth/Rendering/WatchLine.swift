// Lines of a full-screen view: harmless text with attributes, never wider than the screen.

import HubProtocol

/// Attribute of a piece of a line. The number is its SGR parameter in escape sequences.
enum Paint: UInt8 {
  case plain = 0
  case bold = 1
  case faint = 2
  case good = 32
  case attention = 33

  /// Whether `NO_COLOR` switches it off: only colours, not bold and faint.
  var isColour: Bool { rawValue >= 30 }
}

/// A line of a screen.
struct WatchLine: Equatable {
  struct Piece: Equatable {
    var text: String
    var paint: Paint
  }
  private(set) var pieces: [Piece] = []
  private(set) var width = 0

  init(_ text: String = "", _ paint: Paint = .plain) { add(text, paint) }

  /// Appends text in which characters that could control a terminal become `?`. Pieces are only made here.
  mutating func add(_ text: String, _ paint: Paint = .plain) {
    if text.isEmpty { return }
    let safe = harmless(text, limit: 1024)
    pieces.append(Piece(text: safe, paint: paint))
    width += columns(safe)
  }

  var text: String { pieces.map(\.text).joined() }

  /// Adds blanks up to a column.
  mutating func pad(to column: Int) { add(String(repeating: " ", count: max(0, column - width))) }

  /// Clips to at most `limit` columns, with `~` in the last one if text is left out.
  func clipped(to limit: Int) -> WatchLine {
    if width <= limit { return self }
    var line = WatchLine()
    for piece in pieces {
      if line.width + columns(piece.text) < limit {
        line.add(piece.text, piece.paint)
        continue
      }
      line.add(shortened(piece.text + "  ", limit - line.width), piece.paint)
      return line
    }
    return line
  }
}

/// Content of the terminal, so that only differences are sent.
struct WatchScreen {
  private struct Glyph: Equatable {
    /// A character with its combining marks; empty behind a wide one.
    var text: String
    var paint: Paint
  }
  private var rows: [[Glyph]] = []
  private var columnCount = 0
  private let isColoured: Bool

  init(isColoured: Bool) { self.isColoured = isColoured }

  /// The terminal's content is unknown: the next frame is sent as a whole.
  mutating func forget() { rows = [] }

  /// Sequences that make the terminal show `lines`; empty if it already does.
  ///
  /// A line that is ASCII before and after is sent from its first to its last difference. Terminals disagree about the
  /// width of some other characters, so that a line with one is sent as a whole.
  mutating func repaint(_ lines: [WatchLine], width: Int) -> String {
    let new = lines.map { Self.glyphs($0, width) }
    var text = ""
    if rows.count != new.count || columnCount != width {
      text = "\u{1B}[0m\u{1B}[2J"
      rows = new.map { _ in Self.glyphs(WatchLine(), width) }
      columnCount = width
    }
    for (index, row) in new.enumerated() where row != rows[index] {
      let old = rows[index]
      var range = 0..<width
      if isPlain(old), isPlain(row) {
        let first = (0..<width).first { old[$0] != row[$0] } ?? 0
        let last = (0..<width).last { old[$0] != row[$0] } ?? 0
        range = first..<last + 1
      }
      text += "\u{1B}[\(index + 1);\(range.lowerBound + 1)H" + painted(row[range], toEnd: range.upperBound == width)
    }
    rows = new
    return text
  }

  private func isPlain(_ row: [Glyph]) -> Bool { row.allSatisfy { $0.text.utf8.count == 1 } }

  /// Blanks at the end of a line are sent as one sequence.
  private func painted(_ glyphs: ArraySlice<Glyph>, toEnd: Bool) -> String {
    var glyphs = glyphs
    let blank = Glyph(text: " ", paint: .plain)
    var erases = false
    if toEnd, glyphs.suffix(4).count == 4, glyphs.suffix(4).allSatisfy({ $0 == blank }) {
      while glyphs.last == blank { glyphs.removeLast() }
      erases = true
    }
    var text = ""
    var paint = Paint.plain
    for glyph in glyphs {
      let wanted = glyph.paint.isColour && !isColoured ? .plain : glyph.paint
      if wanted != paint {
        text += paint == .plain ? "" : "\u{1B}[0m"
        text += wanted == .plain ? "" : "\u{1B}[\(wanted.rawValue)m"
        paint = wanted
      }
      text += glyph.text
    }
    if paint != .plain { text += "\u{1B}[0m" }
    return text + (erases ? "\u{1B}[K" : "")
  }

  /// Returns as many glyphs as the screen has columns.
  private static func glyphs(_ line: WatchLine, _ width: Int) -> [Glyph] {
    var row: [Glyph] = []
    row.reserveCapacity(width)
    for piece in line.clipped(to: width).pieces {
      for character in piece.text {
        let text = String(character)
        let size = columns(text)
        row.append(Glyph(text: text, paint: piece.paint))
        for _ in 0..<max(0, size - 1) { row.append(Glyph(text: "", paint: piece.paint)) }
      }
    }
    while row.count < width { row.append(Glyph(text: " ", paint: .plain)) }
    return Array(row.prefix(width))
  }
}
