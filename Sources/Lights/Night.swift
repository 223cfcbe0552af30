// Hours in which the LEDs are dimmed or off.

/// Whether the LEDs are dimmed or off.
public enum NightState: String, Sendable {
  case day, dimmed
  /// LEDs off, but for trouble and what a person asked for.
  case off
  /// LEDs at night, if the board has no dimmer.
  case cannotDim = "cannot_dim"
}

/// Period between two times of day, usually over midnight, in the hub's time zone.
public struct NightHours: Sendable, Hashable {
  /// Minutes since 00:00, 0 to 1439; `from` differs from `to`.
  public let from: Int
  /// End in minutes after 00:00, 0 to 1439.
  public let to: Int

  /// 22:00 to 07:00.
  public static let usual = NightHours(from: 22 * 60, to: 7 * 60)

  private init(from: Int, to: Int) {
    self.from = from
    self.to = to
  }

  /// Parses exactly the form `22:00-07:00`; nil for any other text, and for a night without length.
  public init?(text: String) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, let from = Self.minutes(parts[0]), let to = Self.minutes(parts[1]), from != to else {
      return nil
    }
    self.init(from: from, to: to)
  }

  /// Both times, as in `22:00-07:00`.
  public var text: String { "\(Self.clock(from))-\(Self.clock(to))" }

  /// - Parameter second: second of the local day; any number, reduced to one day.
  public func contains(second: Int) -> Bool {
    let minute = Self.reduced(second) / 60
    return from < to ? (from..<to).contains(minute) : minute >= from || minute < to
  }

  /// Seconds until night next begins or ends: 1 to 86,400.
  public func secondsUntilChange(second: Int) -> Int {
    let now = Self.reduced(second)
    return [from, to].map { edge in
      let left = edge * 60 - now
      return left > 0 ? left : left + 86_400
    }.min() ?? 86_400
  }

  private static func reduced(_ second: Int) -> Int { (second % 86_400 + 86_400) % 86_400 }

  private static func minutes(_ text: Substring) -> Int? {
    let digits = Array(text.utf8)
    guard digits.count == 5, digits[2] == UInt8(ascii: ":") else { return nil }
    let numbers = [digits[0], digits[1], digits[3], digits[4]].map { Int($0) - 0x30 }
    guard numbers.allSatisfy({ (0...9).contains($0) }) else { return nil }
    let (hour, minute) = (numbers[0] * 10 + numbers[1], numbers[2] * 10 + numbers[3])
    return hour < 24 && minute < 60 ? hour * 60 + minute : nil
  }

  private static func clock(_ minutes: Int) -> String {
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "\(two(minutes / 60)):\(two(minutes % 60))"
  }
}
