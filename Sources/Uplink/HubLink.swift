// Connection to the daemon that never blocks the loop: one call after another, or one stream.

public import EventLoop
internal import Glibc
public import HubProtocol
public import Reasons

/// Calls to the daemon that the streams need. Tests have their own implementation.
@LoopActor
public protocol HubCalling: AnyObject {
  /// Returns the parameters of the only reply.
  func call(_ method: String, _ parameters: JSON) async throws(HearthError) -> JSON
  /// Calls with `more` and passes on the parameters of each reply. The next reply is read when `body` has returned.
  /// Returns with the last reply.
  func stream(
    _ method: String, _ parameters: JSON, _ body: @LoopActor (JSON) async throws(HearthError) -> Void
  ) async throws(HearthError)
  /// Closes the connection; waiting calls fail as if the daemon had hung up. Idempotent.
  func close()
}

/// Implementation over the daemon's UNIX socket.
@LoopActor
public final class HubLink: HubCalling {
  /// An export page takes milliseconds; a daemon that verifies its store takes longer.
  public nonisolated static let patience: Duration = .seconds(30)
  private nonisolated static let readSize = 32 << 10

  private let loop: EpollLoop
  private let path: String
  private var descriptor: Int32
  private var watch: Watch?
  private var input: [UInt8] = []
  private var searched = 0
  private var output: [UInt8] = []
  private var waiter: CheckedContinuation<Result<[UInt8], HearthError>, Never>?
  private var timer: LoopTimer?
  private var failure: HearthError?

  /// - Throws: `uplinkHubSilent` if no daemon answers, or it refuses this user.
  public init(_ loop: EpollLoop, path: String) throws(HearthError) {
    (self.loop, self.path) = (loop, path)
    guard let address = UnixAddress(path) else {
      throw HearthError(.socketUnavailable, "'\(harmless(path))' is no path of 1 to 107 bytes")
    }
    let made = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
    if made < 0 { throw HearthError(.uplinkHubSilent, String(cString: strerror(errno))) }
    if address.connect(made) != 0 {
      let code = errno
      Glibc.close(made)
      throw HearthError(.uplinkHubSilent, "\(path): \(String(cString: strerror(code)))")
    }
    descriptor = made
    watch = loop.watch(made, for: .readable) { [weak self] readiness in self?.ready(readiness) }
  }

  /// Closes the socket.
  public func close() {
    if descriptor < 0 { return }
    watch?.end()
    watch = nil
    Glibc.close(descriptor)
    descriptor = -1
    input = []
    output = []
    fail(HearthError(.uplinkHubSilent, "the connection to \(path) was closed"))
  }

  /// Makes one call and waits for its reply.
  ///
  /// - Throws: the refusal of the hub, or a broken connection.
  public func call(_ method: String, _ parameters: JSON) async throws(HearthError) -> JSON {
    send(VarlinkCall("\(InterfaceText.name).\(method)", parameters))
    return try await reply(to: method, patience: Self.patience).parameters
  }

  /// Makes one call and passes each reply to `body`.
  ///
  /// - Throws: the refusal of the hub, or a broken connection.
  public func stream(
    _ method: String, _ parameters: JSON, _ body: @LoopActor (JSON) async throws(HearthError) -> Void
  ) async throws(HearthError) {
    send(VarlinkCall("\(InterfaceText.name).\(method)", parameters, more: true))
    while true {
      let reply = try await reply(to: method, patience: nil)
      try await body(reply.parameters)
      if !reply.continues { return }
    }
  }

  // MARK: Messages

  private func send(_ call: VarlinkCall) {
    output += call.message
    output.append(0)
    flush()
  }

  private func reply(to method: String, patience: Duration?) async throws(HearthError) -> (
    parameters: JSON, continues: Bool
  ) {
    try VarlinkReply.read(try await message(to: method, patience).get(), to: method)
  }

  private func message(to method: String, _ patience: Duration?) async -> Result<[UInt8], HearthError> {
    if let message = take() { return .success(message) }
    if let failure { return .failure(failure) }
    watch?.update(output.isEmpty ? .readable : [.readable, .writable])
    if let patience {
      timer = loop.schedule(after: patience) { [weak self] in
        guard let self else { return }
        timer = nil
        fail(HearthError(.uplinkHubSilent, "the daemon did not answer \(method) within \(Int(patience.inSeconds)) s"))
      }
    }
    return await withCheckedContinuation { waiter = $0 }
  }

  private func take() -> [UInt8]? {
    guard let end = input.firstZero(from: searched) else {
      searched = input.count
      return nil
    }
    let message = Array(input[..<end])
    input.removeFirst(end + 1)
    if input.isEmpty { input = [] }
    searched = 0
    return message
  }

  private func ready(_ readiness: Readiness) {
    if readiness.contains(.writable) { flush() }
    // Without a waiting call the socket is not read, which makes the daemon pause.
    if waiter == nil, !readiness.contains(.hungUp) {
      watch?.update(output.isEmpty ? [] : .writable)
      return
    }
    for _ in 0..<16 {
      let count = input.receive(from: descriptor, upTo: Self.readSize)
      if count > 0 {
        if input.count > VarlinkLimits.reply {
          return fail(HearthError(.controlMalformed, "an answer longer than \(VarlinkLimits.reply) bytes"))
        }
        if count < Self.readSize { break }
        continue
      }
      if count < 0, errno == EINTR { continue }
      if count < 0, errno == EAGAIN { break }
      deliver()
      watch?.end()
      watch = nil
      return fail(HearthError(.uplinkHubSilent, "the daemon at \(path) hung up"))
    }
    deliver()
  }

  private func deliver() {
    guard waiter != nil, let message = take() else { return }
    finish(.success(message))
  }

  private func fail(_ error: HearthError) {
    failure = failure ?? error
    finish(.failure(error))
  }

  private func finish(_ result: Result<[UInt8], HearthError>) {
    if let timer { loop.cancel(timer) }
    timer = nil
    let waiting = waiter
    waiter = nil
    waiting?.resume(returning: result)
  }

  private func flush() {
    while !output.isEmpty, descriptor >= 0 {
      let count = output.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, output.count, Int32(MSG_NOSIGNAL))
      }
      if count < 0 {
        if errno == EINTR { continue }
        if errno == EAGAIN { return }
        // The daemon's reply before it hung up explains more than the failed write.
        output = []
        return
      }
      output.removeFirst(count)
    }
  }
}
