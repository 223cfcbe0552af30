// Back-off before the next connection to the broker.

internal import EventLoop
internal import Reasons

enum RetryPause {
  /// First after a second, later every minute; a refusal does not pass within seconds.
  ///
  /// - Parameters:
  ///   - failures: failures in a row, including this one.
  ///   - takeovers: how often another client of this name took the session over.
  static func after(_ reason: Reason, failures: Int, takeovers: Int) -> Duration {
    switch reason {
    case .uplinkSessionTaken: .seconds(min(300, 5 << min(takeovers, 6)))
    case .uplinkUnacknowledged: .seconds(5)
    case .uplinkBrokerRefuses, .uplinkCertificate: .seconds(min(60, 1 << min(failures + 1, 6)))
    default: .seconds(min(60, 1 << min(failures - 1, 6)))
    }
  }
}
