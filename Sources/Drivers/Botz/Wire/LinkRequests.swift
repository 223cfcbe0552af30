// What the insole asks of the link after a profile was written.

public import Bluetooth

extension Botz {
  /// The triples the insole asks for.
  public enum AskedParameters {
    /// After a profile was written. That of idle breaks the specification's rule on the timeout: it is never sent.
    public static func profile(_ profile: LinkProfile) -> ConnectionParameters {
      switch profile {
      case .foreground: .foreground
      case .background: .background
      case .idle: ConnectionParameters(minimumInterval: 160, maximumInterval: 400, latency: 10, timeout: 1000)
      }
    }
  }
}
