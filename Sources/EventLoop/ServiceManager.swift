// Notifications to systemd (sd_notify(3)): datagrams of NAME=VALUE lines to the socket in NOTIFY_SOCKET.

internal import CLinux
internal import Glibc

/// Readiness, status and watchdog messages. Has no effect without a service manager.
@LoopActor
public final class ServiceManager {
  private let socketPath: String?
  private let descriptor: Int32
  /// Half of WATCHDOG_USEC, as sd_watchdog_enabled(3) recommends; nil when no watchdog is armed for this process.
  public let watchdogInterval: Duration?

  /// Connects to the socket of NOTIFY_SOCKET, if it is set.
  public init() {
    socketPath = getenv("NOTIFY_SOCKET").map { String(cString: $0) }
    descriptor =
      socketPath == nil
      ? -1 : socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
    let microseconds = getenv("WATCHDOG_USEC").flatMap { Int64(String(cString: $0)) } ?? 0
    let process = getenv("WATCHDOG_PID").flatMap { pid_t(String(cString: $0)) }
    let armed = microseconds > 0 && (process == nil || process == getpid())
    watchdogInterval = armed ? .microseconds(microseconds / 2) : nil
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Reports that the daemon serves.
  public func ready(_ status: String) { send("READY=1\nSTATUS=\(status)") }
  /// Reports a status line.
  public func status(_ status: String) { send("STATUS=\(status)") }
  /// Reports that the configuration is being reloaded.
  public func reloading(at now: Instant) { send("RELOADING=1\nMONOTONIC_USEC=\(now.nanoseconds / 1000)") }
  /// Extends the start timeout: systemd waits for `patience` from now. From any thread.
  public nonisolated func starting(_ status: String, patience: Duration) {
    let (seconds, _) = patience.components
    send("EXTEND_TIMEOUT_USEC=\(seconds * 1_000_000)\nSTATUS=\(status)")
  }
  /// Reports that the daemon stops.
  public func stopping() { send("STOPPING=1") }
  /// Resets the watchdog.
  public func aliveSign() { send("WATCHDOG=1") }

  private nonisolated func send(_ message: String) {
    guard descriptor >= 0, let socketPath else { return }
    guard let (target, length) = unixAddress(socketPath) else { return }
    var address = target
    var text = Array(message.utf8)
    withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        _ = sendto(descriptor, &text, text.count, Int32(MSG_NOSIGNAL), address, length)
      }
    }
  }
}

/// UNIX socket address; nil if the path is empty or does not fit (107 bytes). A leading `@` means the abstract
/// namespace.
func unixAddress(_ path: String) -> (sockaddr_un, socklen_t)? {
  var bytes = Array(path.utf8)
  var address = sockaddr_un()
  let capacity = MemoryLayout.size(ofValue: address.sun_path)
  if bytes.isEmpty || bytes.count >= capacity { return nil }
  if bytes[0] == UInt8(ascii: "@") { bytes[0] = 0 }
  address.sun_family = sa_family_t(AF_UNIX)
  withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
  let abstract = bytes[0] == 0
  return (address, socklen_t(MemoryLayout<sa_family_t>.size + bytes.count + (abstract ? 0 : 1)))
}
