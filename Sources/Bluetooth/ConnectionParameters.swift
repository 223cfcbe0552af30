// Connection parameters: how often the two ends of a link talk, and the rules that make the numbers legal.

public import EventLoop

/// Parameters to request for a link: intervals in units of 1.25 ms, supervision timeout in units of 10 ms.
public struct ConnectionParameters: Sendable, Hashable {
  /// 6...3200 (7.5 ms to 4 s).
  public let minimumInterval: UInt16
  /// 6...3200, not below the minimum.
  public let maximumInterval: UInt16
  /// Connection events a wearable may sleep through: 0...499.
  public let latency: UInt16
  /// 10...3200 (100 ms to 32 s).
  public let timeout: UInt16

  /// Intervals in units of 1.25 ms, `latency` in connection events, `timeout` in units of 10 ms.
  public init(minimumInterval: UInt16, maximumInterval: UInt16, latency: UInt16, timeout: UInt16) {
    self.minimumInterval = minimumInterval
    self.maximumInterval = maximumInterval
    self.latency = latency
    self.timeout = timeout
  }

  /// 15 to 30 ms, no latency, 4 s. Every link starts with this, so that discovery is quick whatever the previous link
  /// used.
  public static let foreground = ConnectionParameters(
    minimumInterval: 12, maximumInterval: 24, latency: 0, timeout: 400)
  /// 50 to 100 ms, latency 4, 6 s.
  public static let background = ConnectionParameters(
    minimumInterval: 40, maximumInterval: 80, latency: 4, timeout: 600)
  /// 200 to 450 ms, latency 10, 10 s. These are the nearest legal numbers to 500 ms, for which the timeout would be a
  /// second too short.
  public static let idle = ConnectionParameters(minimumInterval: 160, maximumInterval: 360, latency: 10, timeout: 1000)

  /// Reason why the parameters are illegal, or nil. The last rule is stricter than the kernel's, which allows equality
  /// there. The kernel silently skips parameters that it rejects, so the hub checks them before it sends them.
  public var defect: String? {
    if minimumInterval < 6 || minimumInterval > 3200 { return "minimum interval \(minimumInterval) is not in 6...3200" }
    if maximumInterval < 6 || maximumInterval > 3200 { return "maximum interval \(maximumInterval) is not in 6...3200" }
    if minimumInterval > maximumInterval {
      return "minimum interval \(minimumInterval) is above the maximum \(maximumInterval)"
    }
    if latency > 499 { return "latency \(latency) is above 499" }
    if timeout < 10 || timeout > 3200 { return "timeout \(timeout) is not in 10...3200" }
    // Core specification, volume 6, part B, 4.5.2: timeout > (1 + latency) * interval * 2. In quarters of a
    // millisecond: 40 and 5.
    let silence = (1 + Int(latency)) * Int(maximumInterval) * 5 * 2
    if Int(timeout) * 40 <= silence {
      return "timeout \(Int(timeout) * 10) ms does not exceed \(silence / 4) ms, twice the longest silence"
    }
    return nil
  }
}

/// Preset of connection parameters. The raw values are those of wearables that have a profile characteristic.
public enum LinkProfile: UInt8, Sendable, Hashable, CaseIterable {
  /// A fetch or a measurement is running, or an operator watches.
  case foreground = 0
  /// Routine live collection.
  case background = 1
  /// The last request on the link was five minutes ago.
  case idle = 2

  /// Name in settings, documents and the log.
  public var name: String {
    switch self {
    case .foreground: "foreground"
    case .background: "background"
    case .idle: "idle"
    }
  }

  /// The profile of this name; nil: unknown name.
  public init?(name: String) {
    guard let found = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = found
  }

  /// Parameters that the hub requests for this profile. Always legal.
  public var parameters: ConnectionParameters {
    switch self {
    case .foreground: .foreground
    case .background: .background
    case .idle: .idle
    }
  }
}

/// Parameters that a link runs with, as far as the hub can know.
public struct EffectiveParameters: Sendable, Hashable {
  /// Origin of the parameters in effect.
  public enum Source: String, Sendable, Hashable {
    /// The controller reported them in an event of its own.
    case observed
    /// The wearable requested them and the kernel agreed.
    case askedByWearable = "asked_by_wearable"
    /// The requested parameters; without CAP_NET_RAW the hub cannot confirm them.
    case assumed
  }
  /// Connection interval in units of 1.25 ms. For `askedByWearable` and `assumed` it is the upper end of the range.
  public let interval: UInt16
  /// Peripheral latency, in connection events.
  public let latency: UInt16
  /// Supervision timeout in units of 10 ms.
  public let timeout: UInt16
  /// Origin of these parameters.
  public let source: Source
  /// Time from which they apply.
  public let since: Instant

  /// `interval` in units of 1.25 ms, `latency` in connection events, `timeout` in units of 10 ms.
  public init(interval: UInt16, latency: UInt16, timeout: UInt16, source: Source, since: Instant) {
    self.interval = interval
    self.latency = latency
    self.timeout = timeout
    self.source = source
    self.since = since
  }

  /// Whether these numbers satisfy the request `wanted`.
  public func satisfies(_ wanted: ConnectionParameters) -> Bool {
    (wanted.minimumInterval...wanted.maximumInterval).contains(interval) && latency == wanted.latency
      && timeout == wanted.timeout
  }
}
