// How long an uplink waits before it tries the broker again.

internal import EventLoop
internal import Reasons

enum RetryPause {
  /// At first after a second, at last every minute; a refusal is not mended in seconds.
  ///
  /// - Parameters:
  ///   - failures: in a row, this one included.
  ///   - takeovers: how often another client of this name took the session.
  static func after(_ reason: Reason, failures: Int, takeovers: Int) -> Duration {
    switch reason {
    case .uplinkSessionTaken: .seconds(min(300, 5 << min(takeovers, 6)))
    case .uplinkUnacknowledged: .seconds(5)
    case .uplinkBrokerRefuses, .uplinkCertificate: .seconds(min(60, 1 << min(failures + 1, 6)))
    default: .seconds(min(60, 1 << min(failures - 1, 6)))
    }
  }
}
