// Signals as events. They must be blocked before any thread is made, so that only the loop receives them.

internal import CLinux
internal import Glibc

/// Signals that a daemon handles.
public enum DaemonSignal: Int32, CaseIterable, Sendable {
  case hangUp = 1
  case interrupt = 2
  case terminate = 15
}

/// Delivers SIGHUP, SIGINT and SIGTERM to the loop through a signalfd.
@LoopActor
public final class SignalWatch {
  private let descriptor: Int32
  private var watch: Watch?

  /// Blocks the signals and delivers them to `handler`.
  ///
  /// - Throws: a system call that failed.
  public init(_ loop: EpollLoop, _ handler: @escaping @LoopActor (DaemonSignal) -> Void) throws(HearthLoopError) {
    var set = sigset_t()
    sigemptyset(&set)
    for signal in DaemonSignal.allCases { sigaddset(&set, signal.rawValue) }
    pthread_sigmask(SIG_BLOCK, &set, nil)
    let descriptor = signalfd(-1, &set, Int32(SFD_NONBLOCK | SFD_CLOEXEC))
    if descriptor < 0 { throw HearthLoopError(call: "signalfd", errno: errno) }
    self.descriptor = descriptor
    watch = loop.watch(descriptor, for: .readable) { _ in
      var info = signalfd_siginfo()
      while read(descriptor, &info, MemoryLayout<signalfd_siginfo>.size) == MemoryLayout<signalfd_siginfo>.size {
        if let signal = DaemonSignal(rawValue: Int32(bitPattern: info.ssi_signo)) { handler(signal) }
      }
    }
  }

  /// Ends the delivery.
  public func end() {
    guard let watch else { return }
    watch.end()
    self.watch = nil
    close(descriptor)
  }
}
