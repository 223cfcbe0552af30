// The choice of Bluetooth adapters, if a hub has several.

extension Configuration {
  /// Rules for the adapters that serve together.
  public struct Adapters: Sendable, Equatable {
    /// Maximum number of rules: a hub has at most eight radios.
    public static let limit = 8
    /// Adapters that serve, each named by one of these rules; empty: every LE adapter.
    public var named: [Adapter] = []
    /// Public addresses of adapters that are left to other programs, upper case.
    public var excluded: [String] = []

    /// A hub with one adapter.
    public init() {}
  }

  /// The adapter of several that makes no links, so that it receives all advertisements.
  public enum Listening: Sendable, Equatable {
    /// From three adapters on, one at a time, as long as the others have slots.
    case automatic
    /// No adapter: all make links.
    case never
    /// The adapter with this address, upper case.
    case address(String)
  }
}
