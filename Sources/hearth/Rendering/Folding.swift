// Folding of lines to the width of the terminal. The rest of a long line goes on below, indented; no text is cut.

import Glibc
import HubProtocol

enum Terminal {
  /// Whether a descriptor is a terminal that can redraw a line and show colour.
  static func isCapable(_ descriptor: Int32) -> Bool {
    isatty(descriptor) == 1 && getenv("TERM").map { String(cString: $0) } != "dumb"
  }

  /// Columns: `COLUMNS`, else the terminal's size, else 80. nil for a file, a pipe or a dumb terminal, which get whole
  /// lines.
  static func width(_ descriptor: Int32) -> Int? {
    if !isCapable(descriptor) { return nil }
    if let text = getenv("COLUMNS"), let columns = Int(String(cString: text)), range.contains(columns) {
      return columns
    }
    var size = winsize()
    if ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, range.contains(Int(size.ws_col)) { return Int(size.ws_col) }
    return 80
  }

  /// Narrower terminals cannot show a table, and wider ones do not exist.
  private static let range = 20...1000
}

/// Folds `text` into lines of at most `width` columns; nil: unchanged. A line breaks between cells, which two blanks
/// separate. It breaks within a cell only if the cell alone is too wide. A word is never broken.
func folded(_ text: String, _ width: Int?) -> String {
  guard let width else { return text }
  return text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
    shownColumns(line) <= width ? String(line) : fold(line, width)
  }.joined(separator: "\n")
}

private func fold(_ line: Substring, _ width: Int) -> String {
  let leading = line.prefix { $0 == " " }.count
  // Below the text of a labelled line; below an indented line a little further in.
  let indent = String(repeating: " ", count: min(leading == 0 ? 7 : leading + 2, width / 2))
  var lines: [String] = []
  var current = ""
  var used = 0
  func isFresh() -> Bool { lines.isEmpty ? used <= leading : used <= indent.count }
  func place(_ word: Substring, after gap: Int) {
    let size = shownColumns(word)
    if !isFresh(), used + gap + size > width {
      while current.hasSuffix(" ") { current.removeLast() }
      lines.append(current)
      current = indent
      used = indent.count
    } else {
      current += String(repeating: " ", count: gap)
      used += gap
    }
    current += word
    used += size
  }
  for (gap, cell) in cells(line) {
    let size = shownColumns(cell)
    let isWide = size > width - indent.count
    for (blanks, word) in isWide ? words(cell, after: gap) : [(gap, cell)] { place(word, after: blanks) }
  }
  lines.append(current)
  return lines.joined(separator: "\n")
}

/// Cells of a line, each with the blanks before it.
private func cells(_ line: Substring) -> [(gap: Int, cell: Substring)] {
  var found: [(gap: Int, cell: Substring)] = []
  var rest = line
  while !rest.isEmpty {
    let gap = rest.prefix { $0 == " " }.count
    rest = rest.dropFirst(gap)
    var end = rest.startIndex
    while end < rest.endIndex, !rest[end...].hasPrefix("  ") { end = rest.index(after: end) }
    if end > rest.startIndex { found.append((gap, rest[..<end])) }
    rest = rest[end...]
  }
  return found
}

private func words(_ cell: Substring, after gap: Int) -> [(gap: Int, word: Substring)] {
  cell.split(separator: " ").enumerated().map { (gap: $0 == 0 ? gap : 1, word: $1) }
}

/// Columns without escape sequences.
private func shownColumns(_ text: Substring) -> Int {
  var plain = ""
  var isPaint = false
  for scalar in text.unicodeScalars {
    if scalar == "\u{1B}" { isPaint = true }
    if !isPaint { plain.unicodeScalars.append(scalar) }
    if isPaint, scalar == "m" { isPaint = false }
  }
  return columns(plain)
}
