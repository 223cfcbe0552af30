import EventLoop
import Foundation
import Logging
import Reasons
import Synchronization
import Testing

@testable import Control
@testable import HubProtocol

/// A folder that goes away with the test.
final class Scratch: Sendable {
  let path: String
  var socket: String { path + "/hub.sock" }

  init() throws {
    var template = Array("/tmp/hearth-control-XXXXXX".utf8CString)
    guard let made = mkdtemp(&template) else { throw POSIXError(.EIO) }
    path = String(cString: made)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }
}

/// Lines of the log, for tests that read it.
final class LogLines: Sendable {
  private let lines = Mutex<[String]>([])
  var all: [String] { lines.withLock { $0 } }

  var logger: Logger {
    var logger = Logger(label: "test") { _ in Handler(lines: self) }
    logger.logLevel = .trace
    return logger
  }

  fileprivate func append(_ line: String) { lines.withLock { $0.append(line) } }

  private struct Handler: LogHandler {
    let lines: LogLines
    var metadata = Logger.Metadata()
    var logLevel = Logger.Level.trace
    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }
    func log(event: LogEvent) { lines.append("\(event.message) \(event.metadata ?? [:])") }
  }
}

/// Runs a server with a fake hub on a loop, and `client` on a thread of its own; then `after` on the loop again.
func serve<T: Sendable, U: Sendable>(
  prepare: @escaping @LoopActor (FakeHub, ControlServer) -> Void = { _, _ in },
  client: @escaping @Sendable (String) throws -> T, log: LogLines = LogLines(),
  after: @escaping @LoopActor (FakeHub, ControlServer, T) async throws -> U
) throws -> U {
  let scratch = try Scratch()
  let path = scratch.socket
  return try EpollLoop.run { loop in
    let hub = FakeHub()
    let server = try ControlServer(loop: loop, service: hub, stored: hub, path: path, logger: log.logger)
    prepare(hub, server)
    let thread = DiskThread()
    defer {
      thread.shutDown()
      server.stop()
    }
    let result = try await thread.perform { try client(path) }
    return try await after(hub, server, result)
  }
}

func serve<T: Sendable>(
  prepare: @escaping @LoopActor (FakeHub, ControlServer) -> Void = { _, _ in },
  client: @escaping @Sendable (String) throws -> T
) throws -> T {
  try serve(prepare: prepare, client: client) { _, _, result in result }
}

/// A client that sends whatever bytes it likes.
/// Used by one thread at a time.
final class RawClient: @unchecked Sendable {
  let descriptor: Int32
  private var input: [UInt8] = []

  init(_ path: String) throws {
    descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    let address = try #require(UnixAddress(path))
    guard address.connect(descriptor) == 0 else { throw POSIXError(.ECONNREFUSED) }
    var patience = timeval(tv_sec: 30, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
  }

  deinit { close(descriptor) }

  func send(_ bytes: [UInt8]) {
    var sent = 0
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress! + sent, bytes.count - sent, Int32(MSG_NOSIGNAL))
      }
      if count <= 0 { return }
      sent += count
    }
  }

  func send(_ text: String) { send(Array(text.utf8) + [0]) }

  /// The next message; nil at the end of the stream. Five seconds of silence are a failure.
  func receive() throws -> String? {
    while true {
      if let end = input.firstIndex(of: 0) {
        defer { input.removeFirst(end + 1) }
        return String(decoding: input[..<end], as: UTF8.self)
      }
      var buffer = [UInt8](repeating: 0, count: 65_536)
      let count = recv(descriptor, &buffer, buffer.count, 0)
      if count == 0 { return nil }
      if count < 0 {
        if errno == ECONNRESET { return nil }
        throw POSIXError(.ETIMEDOUT)
      }
      input += buffer[..<count]
    }
  }
}
