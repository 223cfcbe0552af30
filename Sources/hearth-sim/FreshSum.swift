// What many runs of new seeds come to.

/// Counts runs and what they tell of themselves.
struct FreshSum {
  /// Begins the line of numbers in what a run prints.
  static let mark = "sum: "

  private(set) var runs = 0
  /// Since the last that failed.
  private(set) var inARow = 0
  /// The lines that replay them.
  private(set) var failed: [String] = []
  /// Visits, samples, kills; values that were fetched, in doubt; clocks that were set or lost and the values that are
  /// excused by them; values from before the first reading; live ones lost to kills; commands that crossed a beginning
  /// on the air; live values by a clock of a moment ago.
  private var numbers = [Int](repeating: 0, count: 11)

  /// - Returns: what is to be said of it, behind the line that replays it.
  mutating func note(_ output: String, _ failure: String?, _ replay: String) -> String {
    runs += 1
    var lines = output.split(separator: "\n")
    if let failure {
      failed.append(replay)
      inARow = 0
      return ": FAILED: \(failure)\n" + lines.joined(separator: "\n")
    }
    inARow += 1
    if let last = lines.last, last.hasPrefix(Self.mark) {
      for (index, word) in last.dropFirst(Self.mark.count).split(separator: " ").enumerated()
      where index < numbers.count { numbers[index] += Int(word) ?? 0 }
      lines.removeLast()
    }
    return ": " + lines.joined(separator: "\n")
  }

  /// Excuses that are too many, where there is enough to tell: of all values that Polar's wearables measured one in
  /// twenty, as few clocks are set by others or lost.
  var objections: [String] {
    let (fetched, excused) = (numbers[3], numbers[6])
    guard fetched >= 50_000_000, excused > fetched / 20 else { return [] }
    return ["\(excused) of \(fetched) values are excused: more than one in twenty"]
  }

  func text(seconds: Double) -> String {
    var text =
      """
      \(runs) new seeds in \(Int(seconds)) s: \(numbers[0]) visits, \(numbers[1]) samples, \(numbers[2]) kills, \
      \(numbers[8]) live values of the last moments before them lost\n
      """
    text +=
      """
      \(numbers[3]) values fetched from Polar's wearables; \(numbers[4]) in doubt, \(numbers[6]) of them at a wrong \
      time for \(numbers[5]) clocks that others set or that were lost; 
      """
    text += "\(numbers[7]) a little further off for a clock that had not been read yet\n"
    text +=
      """
      \(numbers[9]) commands crossed a beginning on the air; \(numbers[10]) live values are by a clock of a moment \
      ago\n
      """
    for objection in objections { text += "VIOLATION: \(objection)\n" }
    if failed.isEmpty { return text + (objections.isEmpty ? "no violation" : "") }
    return text + "\(failed.count) OF \(runs) FAILED, \(inARow) in a row without a violation since; replay:\n"
      + failed.map { "  \($0)" }.joined(separator: "\n")
  }
}
