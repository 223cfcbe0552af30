// Connection parameters in a file: times with units. Each profile is checked as a whole, because only the combination
// of its parameters is legal or not.

public import Bluetooth
internal import Reasons
internal import SettingsText

extension Configuration {
  /// The connection parameters that the hub requests in each profile.
  public struct Profiles: Sendable, Equatable {
    /// Profile for a person that waits for values.
    public var foreground = Profile(.foreground)
    /// Profile for a link that stays.
    public var background = Profile(.background)
    /// Profile that saves the most power.
    public var idle = Profile(.idle)

    /// Configured connection parameters of a profile, in Bluetooth's units.
    public subscript(profile: LinkProfile) -> ConnectionParameters {
      switch profile {
      case .foreground: foreground.parameters
      case .background: background.parameters
      case .idle: idle.parameters
      }
    }
  }

  /// Parameters of one profile.
  public struct Profile: Sendable, Equatable {
    /// Connection interval, least and most, in units of 1.25 ms.
    var interval: ClosedRange<UInt16>
    /// Peripheral latency, in connection events.
    var latency: Int
    /// Supervision timeout; `parameters` rounds it up to steps of 10 ms.
    var timeout: Duration

    init(_ profile: LinkProfile) {
      let parameters = profile.parameters
      interval = parameters.minimumInterval...parameters.maximumInterval
      latency = Int(parameters.latency)
      timeout = .milliseconds(Int(parameters.timeout) * 10)
    }

    /// The parameters in Bluetooth's units. The timeout is rounded up to steps of 10 ms, the safe side.
    public var parameters: ConnectionParameters {
      let milliseconds = timeout.components.seconds * 1000 + timeout.components.attoseconds / 1_000_000_000_000_000
      return ConnectionParameters(
        minimumInterval: interval.lowerBound, maximumInterval: interval.upperBound, latency: UInt16(clamping: latency),
        timeout: UInt16(clamping: (milliseconds + 9) / 10))
    }
  }

  /// Refuses profiles with an illegal combination of parameters.
  ///
  /// - Parameter settings: the settings of all files, in order. The error names the last line about the profile.
  /// - Throws: `configBadValue` for the first such profile.
  func checkProfiles(_ settings: [(file: String, setting: Schema.Setting)]) throws(HearthError) {
    for profile in LinkProfile.allCases {
      guard let defect = profiles[profile].defect else { continue }
      let path = "profiles.\(profile.name)"
      // The defaults are legal, so a file must have set a value.
      guard let (file, setting) = settings.last(where: { $0.setting.key.path.hasPrefix(path + ".") }) else { continue }
      throw HearthError(.configBadValue, "\(file):\(setting.mark.line):\(setting.mark.column): \(path): \(defect)")
    }
  }
}

extension Schema {
  static let keysOfProfiles: [Key] = [
    Key("profiles.foreground.interval", \.profiles.foreground.interval, .interval),
    Key("profiles.foreground.latency", \.profiles.foreground.latency, latency),
    Key("profiles.foreground.timeout", \.profiles.foreground.timeout, timeout),
    Key("profiles.background.interval", \.profiles.background.interval, .interval),
    Key("profiles.background.latency", \.profiles.background.latency, latency),
    Key("profiles.background.timeout", \.profiles.background.timeout, timeout),
    Key("profiles.idle.interval", \.profiles.idle.interval, .interval),
    Key("profiles.idle.latency", \.profiles.idle.latency, latency),
    Key("profiles.idle.timeout", \.profiles.idle.timeout, timeout),
  ]

  // Ranges of the Core specification, volume 6, part B, 4.5.1 and 4.5.2.
  private static let latency = Kind<Int>.number(0...499, "a number of connection events")
  private static let timeout = Kind<Duration>.duration(.milliseconds(100)...(.seconds(32)), example: "4s")
}

extension Kind<ClosedRange<UInt16>> {
  /// A range such as `15ms..30ms`, or a single interval.
  static let interval = Kind(
    expects: "an interval such as 15ms..30ms, from 7.5ms to 4s in steps of 1.25ms",
    parse: { text, _ in
      let ends = parts(of: text[...]).map { units($0) }
      guard ends.count <= 2, let first = ends[0], let last = ends[ends.count - 1], first <= last else { return nil }
      return first...last
    },
    show: { interval in
      interval.lowerBound == interval.upperBound
        ? text(interval.lowerBound) : "\(text(interval.lowerBound))..\(text(interval.upperBound))"
    })

  /// The parts between double dots. The library's own split at a text would link its regular expressions, 1.3 MB.
  private static func parts(of text: Substring) -> [Substring] {
    var (parts, rest): ([Substring], Substring) = ([], text)
    while let dots = rest.indices.first(where: { rest[$0...].hasPrefix("..") }) {
      parts.append(rest[..<dots])
      rest = rest[dots...].dropFirst(2)
    }
    return parts + [rest]
  }

  /// An interval in units of 1.25 ms; nil if it is invalid, not a whole number of units, or not from 6 to 3200.
  private static func units(_ text: Substring) -> UInt16? {
    let isSeconds = text.hasSuffix("s") && !text.hasSuffix("ms")
    guard text.hasSuffix("s"), let number = hundredths(text.dropLast(isSeconds ? 1 : 2)) else { return nil }
    let all = isSeconds ? number * 1000 : number
    guard all % 125 == 0, (6...3200).contains(all / 125) else { return nil }
    return UInt16(all / 125)
  }

  /// A decimal number in hundredths: at most two decimals, and at most 10,000 before the point.
  private static func hundredths(_ text: Substring) -> Int? {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count <= 2, parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy { (0x30...0x39).contains($0) } })
    else { return nil }
    guard let whole = Int(parts[0]), whole <= 10_000 else { return nil }
    if parts.count == 1 { return whole * 100 }
    guard parts[1].utf8.count <= 2, let fraction = Int(parts[1]) else { return nil }
    return whole * 100 + (parts[1].utf8.count == 1 ? fraction * 10 : fraction)
  }

  /// The text of an interval: `15ms`, `7.5ms`, `11.25ms`.
  private static func text(_ units: UInt16) -> String {
    let hundredths = Int(units) * 125
    let rest = hundredths % 100
    let decimals = rest == 0 ? "" : rest % 10 == 0 ? ".\(rest / 10)" : ".\(rest)"
    return "\(hundredths / 100)\(decimals)ms"
  }
}
