// Settings that a wearable keeps by itself and that people may order: as data, so that a hub can refuse what makes no
// sense before anything is asked.

/// A setting of a wearable, for people to choose from.
public struct WearableSetting: Sendable, Hashable {
  public enum Choice: Sendable, Hashable {
    /// One of these: lower case, digits and `-`, in an order for people; never `none`, which takes an order back.
    case words([String])
    case number(ClosedRange<Int>, unit: String)
  }

  /// `training-sensitivity`: lower case, digits and `-`.
  public let name: String
  /// One sentence.
  public let summary: String
  public let choice: Choice

  public init(_ name: String, _ choice: Choice, _ summary: String) {
    self.name = name
    self.choice = choice
    self.summary = summary
  }

  /// Whether a value is one that may be ordered. A number is written as people do: without a sign or zeros before it.
  public func takes(_ value: String) -> Bool {
    switch choice {
    case .words(let words): words.contains(value)
    case .number(let range, _): Int(value).map { range.contains($0) && "\($0)" == value } ?? false
    }
  }

  /// For people: `on, off`, `0 to 100`, `0 to 86400 s`.
  public var choiceText: String {
    switch choice {
    case .words(let words): words.joined(separator: ", ")
    case .number(let range, let unit): "\(range.lowerBound) to \(range.upperBound)" + (unit.isEmpty ? "" : " \(unit)")
    }
  }
}
