// The socket file. Created only if no living daemon has the path, and never over a file that is no socket.

internal import CLinux
internal import EventLoop
internal import Glibc
internal import HubProtocol
internal import Reasons

/// A listening socket at a path, and the lock that proves its owner.
///
/// The lock file (`path.lock`, flock) outlives the daemon: a file that is removed while another process waits for its
/// lock would give two owners. The kernel drops the lock itself with the process, so a killed daemon leaves a stale
/// socket and no owner.
@LoopActor
final class ControlSocket {
  /// Connections the kernel queues until the loop accepts them.
  private static let backlog: Int32 = 16

  let descriptor: Int32
  private let lock: Int32
  private let path: String
  private let identity: (device: dev_t, inode: ino_t)

  /// - Throws: `socketInUse` if a living daemon has it, `socketUnavailable` for everything else.
  init(path: String, mode: mode_t = 0o660) throws(HearthError) {
    self.path = path
    guard let address = UnixAddress(path) else {
      throw HearthError(.socketUnavailable, "'\(path)' is no path of 1 to 107 bytes")
    }
    let lock = hearth_open(path + ".lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    if lock < 0 { throw HearthError(.socketUnavailable, "\(path): \(Self.explain(errno, path))") }
    if flock(lock, LOCK_EX | LOCK_NB) != 0 {
      close(lock)
      throw HearthError(.socketInUse, "another daemon owns \(path)")
    }
    do throws(HearthError) {
      try Self.clearStale(path, address)
      (descriptor, identity) = try Self.listen(path, address, mode)
    } catch {
      close(lock)
      throw error
    }
    self.lock = lock
  }

  /// Removes the socket, if it is still ours, and gives up the lock.
  func end() {
    close(descriptor)
    var status = stat()
    if lstat(path, &status) == 0, status.st_dev == identity.device, status.st_ino == identity.inode { unlink(path) }
    close(lock)
  }

  /// Removes a file in the way only if it is a socket that refuses connections: a daemon of another version may not
  /// know the lock.
  private static func clearStale(_ path: String, _ address: UnixAddress) throws(HearthError) {
    var status = stat()
    if lstat(path, &status) != 0 {
      if errno == ENOENT { return }
      throw HearthError(.socketUnavailable, "\(path): \(explain(errno, path))")
    }
    if status.st_mode & S_IFMT != S_IFSOCK {
      throw HearthError(.socketUnavailable, "\(path) is no socket; it is left alone")
    }
    let probe = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
    if probe < 0 { throw HearthError(.socketUnavailable, "\(path): \(explain(errno, path))") }
    defer { close(probe) }
    if address.connect(probe) == 0 || errno == EAGAIN { throw HearthError(.socketInUse, "a daemon answers at \(path)") }
    if errno != ECONNREFUSED { throw HearthError(.socketUnavailable, "\(path): \(explain(errno, path))") }
    if unlink(path) != 0, errno != ENOENT { throw HearthError(.socketUnavailable, "\(path): \(explain(errno, path))") }
  }

  private static func listen(_ path: String, _ address: UnixAddress, _ mode: mode_t) throws(HearthError) -> (
    Int32, (dev_t, ino_t)
  ) {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
    if descriptor < 0 { throw HearthError(.socketUnavailable, "\(path): \(explain(errno, path))") }
    var status = stat()
    // Between bind and chmod no client can connect: the socket does not listen yet.
    if address.bind(descriptor) != 0 || chmod(path, mode) != 0 || lstat(path, &status) != 0
      || Glibc.listen(descriptor, backlog) != 0
    {
      let reason = explain(errno, path)
      close(descriptor)
      throw HearthError(.socketUnavailable, "\(path): \(reason)")
    }
    return (descriptor, (status.st_dev, status.st_ino))
  }

  private static func explain(_ code: Int32, _ path: String) -> String {
    switch code {
    case ENOENT: "its folder does not exist"
    case EACCES, EPERM: "not allowed"
    case EROFS: "its folder is read-only"
    default: String(cString: strerror(code))
    }
  }
}
