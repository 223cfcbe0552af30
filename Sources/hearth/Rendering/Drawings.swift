// Settings of drawings: their width, and whether they may use more than ASCII.

import ArgumentParser
import Drawing
import Glibc

/// Options of commands that draw curves and bars.
struct DrawingOptions: ParsableArguments {
  @Flag(help: "Draw in ASCII only, as for a locale without UTF-8 or with TERM=dumb.")
  var ascii = false

  /// Chart as wide as the terminal, or 80 columns in a pipe.
  func chart(_ style: Style, height: Int = 9) -> ChartStyle {
    let term = getenv("TERM").map { String(cString: $0) }
    return ChartStyle(
      width: style.width ?? 80, height: height,
      isASCII: ChartStyle.isASCII(asked: ascii, isUnicode: isUnicode(), term: term))
  }
}

/// Whether standard output accepts more than ASCII, by its locale.
func isUnicode() -> Bool {
  for name in ["LC_ALL", "LC_CTYPE", "LANG"] {
    guard let value = getenv(name).map({ String(cString: $0).uppercased() }), !value.isEmpty else { continue }
    return includes(value, "UTF-8") || includes(value, "UTF8")
  }
  return false
}

/// Hours of an axis of time in `width` columns, each label beginning at its time.
func timeLabels(_ axis: TimeAxis, width: Int) -> String {
  var text = ""
  for mark in axis.marks {
    let column = Int(axis.place(mark.time) * Double(width))
    guard text.isEmpty ? column >= 0 : column >= text.count + 2, column + mark.label.count <= width else { continue }
    text += String(repeating: " ", count: column - text.count) + mark.label
  }
  return text
}
