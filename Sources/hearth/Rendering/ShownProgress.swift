// A line of progress on standard output during a stream of the hub.

/// Drawn from the handler of a stream, which cannot throw errors of the terminal. An error ends the stream, and is
/// thrown afterwards.
struct ShownProgress {
  private let isQuiet: Bool
  private var line = ProgressLine(isTerminal: Terminal.isCapable(1), width: (Terminal.width(1) ?? 80) - 1)
  private var failure: (any Error)?

  init(isQuiet: Bool) { self.isQuiet = isQuiet }

  /// - Returns: false if writing failed.
  mutating func show(_ text: (inout ProgressLine) -> String) -> Bool {
    if isQuiet { return true }
    do {
      try Output.standard.write(text(&line))
      try Output.standard.flush()
      return true
    } catch {
      failure = error
      return false
    }
  }

  mutating func end() throws {
    if let failure { throw failure }
    if !isQuiet { try Output.standard.write(line.end()) }
  }
}
