// Connection parameters that the insole requests after a profile was written.

public import Bluetooth

extension Botz {
  /// Requested parameter sets.
  public enum AskedParameters {
    /// Parameters after a profile was written. Those of idle break the specification's rule on the timeout, so that
    /// profile is never sent.
    public static func profile(_ profile: LinkProfile) -> ConnectionParameters {
      switch profile {
      case .foreground: .foreground
      case .background: .background
      case .idle: ConnectionParameters(minimumInterval: 160, maximumInterval: 400, latency: 10, timeout: 1000)
      }
    }
  }
}
