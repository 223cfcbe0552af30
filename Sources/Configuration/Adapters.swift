// Which adapters serve, where there are several.

extension Configuration {
  /// Which adapters serve together.
  public struct Adapters: Sendable, Equatable {
    /// So many rules at most: a hub has eight radios.
    public static let limit = 8
    /// Any adapter that one of these names; none: every LE adapter.
    public var named: [Adapter] = []
    /// Public addresses of adapters that are left to others, upper case.
    public var excluded: [String] = []

    public init() {}
  }
}
