// Settings of a wearable that people may order, as data, so that the hub can refuse invalid orders before any request.

/// Setting of a wearable, for a list of choices.
public struct WearableSetting: Sendable, Hashable {
  /// Values that a setting accepts.
  public enum Choice: Sendable, Hashable {
    /// Any of these words: lower case, digits and `-`, in an order for display; never `none`, which cancels an order.
    case words([String])
    case number(ClosedRange<Int>, unit: String)
  }

  /// `training-sensitivity`: lower case, digits and `-`.
  public let name: String
  /// Description in a sentence.
  public let summary: String
  /// Values that it accepts.
  public let choice: Choice

  /// A setting by name, with its description.
  public init(_ name: String, _ choice: Choice, _ summary: String) {
    self.name = name
    self.choice = choice
    self.summary = summary
  }

  /// Whether a value may be ordered. A number has no sign and no leading zeros.
  public func takes(_ value: String) -> Bool {
    switch choice {
    case .words(let words): words.contains(value)
    case .number(let range, _): Int(value).map { range.contains($0) && "\($0)" == value } ?? false
    }
  }

  /// Text for display: `on, off`, `0 to 100`, `0 to 86400 s`.
  public var choiceText: String {
    switch choice {
    case .words(let words): words.joined(separator: ", ")
    case .number(let range, let unit): "\(range.lowerBound) to \(range.upperBound)" + (unit.isEmpty ? "" : " \(unit)")
    }
  }
}
