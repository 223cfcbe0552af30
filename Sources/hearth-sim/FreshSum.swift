// Sums over many runs of new seeds.

/// Counts runs and their results.
struct FreshSum {
  /// Prefix of the line of numbers in a run's output.
  static let mark = "sum: "

  private(set) var runs = 0
  /// Successful runs since the last failure.
  private(set) var inARow = 0
  /// The command lines that replay failed runs.
  private(set) var failed: [String] = []
  /// Numbers of a run, in this order:
  /// - visits, samples, kills;
  /// - fetched values, and those in doubt;
  /// - clocks that were set or lost, and values excused by them;
  /// - values from before the first reading;
  /// - live values lost to kills;
  /// - commands that crossed a beginning on the air;
  /// - live values by a clock of a moment ago.
  private var numbers = [Int](repeating: 0, count: 11)

  /// - Returns: the text to print after the replay line.
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

  /// Objections to too many excuses, if there is enough data. At most one of twenty values of Polar's wearables is
  /// excused, as few clocks are set by others or lost.
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
