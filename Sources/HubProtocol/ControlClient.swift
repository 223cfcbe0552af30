// Client of the control socket, for the command line: one call after another, blocking.

internal import Glibc
public import JSONText
public import Reasons

/// A connection to a hub. Calls block the thread, so it must not be used on an event loop.
public final class ControlClient {
  /// Timeout in milliseconds. A hub answers within milliseconds, an enrolment after its commit; a longer silence means
  /// a hang.
  public static let patience: Int32 = 10_000

  private let descriptor: Int32
  private let path: String
  /// Interface of the methods: the hub's, or that of a program beside it.
  private let interface: String
  private var input: [UInt8] = []
  private var searched = 0

  /// - Parameter interface: nil: the hub's.
  /// - Throws: `daemonDown` without a listener, `controlNotAllowed` if the file's mode forbids it, `socketUnavailable`
  ///   for a path that cannot be a socket.
  public init(path: String, interface: String? = nil) throws(HearthError) {
    self.interface = interface ?? InterfaceText.name
    guard let address = UnixAddress(path) else {
      throw HearthError(.socketUnavailable, "'\(harmless(path))' is no path of 1 to 107 bytes")
    }
    self.path = path
    descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    if descriptor < 0 { throw HearthError(.socketUnavailable, String(cString: strerror(errno))) }
    // A hanging daemon accepts no connection. Connecting and sending have the same timeout as an answer.
    var limit = timeval(tv_sec: Int(Self.patience / 1000), tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    if address.connect(descriptor) == 0 { return }
    let code = errno
    switch code {
    case EACCES, EPERM: throw HearthError(.controlNotAllowed, "\(path) does not admit this user")
    case EAGAIN: throw HearthError(.daemonDown, "the daemon at \(path) did not answer within \(Self.patience / 1000) s")
    case ENOENT, ECONNREFUSED: throw HearthError(.daemonDown, "no daemon answers at \(path)")
    default: throw HearthError(.daemonDown, "\(path): \(String(cString: strerror(code)))")
    }
  }

  deinit { close(descriptor) }

  /// Returns the parameters of the only reply. `patience`: timeout in seconds, for calls that take longer.
  ///
  /// - Throws: the reason of a refused call; `controlUnknownMethod` or `controlBadParameter` if the hub does not know a
  ///   method or a parameter. `controlMalformed` for an answer that is not understood or too long. `daemonDown` if
  ///   the daemon hung up or did not answer in time.
  public func call(_ method: String, _ parameters: JSON = [:], patience: Int32? = nil) throws(HearthError) -> JSON {
    try send(VarlinkCall("\(interface).\(method)", parameters))
    return try reply(to: method, patience: patience.map { $0 * 1000 } ?? Self.patience).parameters
  }

  /// Returns the only reply. `patience`: as in `call`.
  ///
  /// - Throws: as the other `call`; `controlMalformed` also for a reply of another form.
  public func call<Method: HubMethod>(_ method: Method.Type, _ parameters: Method.Parameters, patience: Int32? = nil)
    throws(HearthError) -> Method.Reply
  {
    try Self.reply(of: method, try call(method.name, Self.members(parameters), patience: patience))
  }

  /// Passes each reply to `body`, as the other `stream` does.
  ///
  /// - Throws: as `call`, or the error of `body`; `controlMalformed` also for a reply of another form.
  public func stream<Method: HubMethod>(
    _ method: Method.Type, _ parameters: Method.Parameters, tick: Int32? = nil, pause: () -> Bool = { true },
    _ body: (Method.Reply) throws(HearthError) -> Bool
  ) throws(HearthError) {
    try stream(method.name, Self.members(parameters), tick: tick, pause: pause) { json throws(HearthError) in
      try body(try Self.reply(of: method, json))
    }
  }

  /// Leaves out nil members, as an older hub refuses parameters that it does not know.
  static func members(_ parameters: some Encodable) -> JSON {
    guard case .object(let members) = JSON(encoding: parameters) else { return [:] }
    return .object(members.filter { $0.value != .null })
  }

  private static func reply<Method: HubMethod>(of method: Method.Type, _ json: JSON) throws(HearthError) -> Method.Reply
  {
    do throws(JSONMismatch) { return try json.decoded() } catch {
      throw HearthError(
        .controlMalformed, "the answer to \(method.name) is not understood: \(error.path) is not \(error.expected)")
    }
  }

  /// Returns the document under `key` of the only reply.
  ///
  /// - Throws: as `call`; `controlMalformed` also for a document of another form.
  public func fetch<T: Decodable>(_ key: String, of method: String, _ parameters: JSON = [:], patience: Int32? = nil)
    throws(HearthError) -> T
  {
    try Self.document(try call(method, parameters, patience: patience), key, method)
  }

  /// Passes the parameters of each reply to `body` until the last reply, or until `body` returns false; then the client
  /// cannot be used any more. `pause` is called about every `tick` milliseconds during silence, and its result has the
  /// same meaning. Without a tick, the timeout of an answer applies.
  ///
  /// - Throws: as `call`, or the error of `body`.
  public func stream(
    _ method: String, _ parameters: JSON, tick: Int32? = nil, pause: () -> Bool = { true },
    _ body: (JSON) throws(HearthError) -> Bool
  ) throws(HearthError) {
    try send(VarlinkCall("\(interface).\(method)", parameters, more: true))
    while true {
      if let tick {
        while try !isReady(tick) { if !pause() { return } }
      }
      let reply = try reply(to: method, patience: Self.patience)
      if try !body(reply.parameters) || !reply.continues { return }
    }
  }

  // MARK: Streams of somebody who waits for other things too

  /// Descriptor that is readable if `arrived` has data.
  public var wakes: Int32 { descriptor }

  /// Requests a stream; its replies are read by `arrived`.
  ///
  /// - Throws: never: `arrived` reports a failed request.
  public func begin(_ method: String, _ parameters: JSON = [:]) throws(HearthError) {
    try send(VarlinkCall("\(interface).\(method)", parameters, more: true))
  }

  /// Returns the parameters of replies that are complete by now. Call it when `wakes` is readable: it never blocks.
  ///
  /// - Throws: as `call`; `daemonDown` if the daemon closed the connection, also at the end of the stream.
  public func arrived(of method: String) throws(HearthError) -> [JSON] {
    if try isReady(0) { try receive() }
    var replies: [JSON] = []
    while input.firstZero(from: searched) != nil {
      let reply = try reply(to: method, patience: 0)
      replies.append(reply.parameters)
      if !reply.continues { throw HearthError(.daemonDown, "the daemon at \(path) ended the stream") }
    }
    if input.count > VarlinkLimits.reply {
      throw HearthError(.controlMalformed, "an answer longer than \(VarlinkLimits.reply) bytes")
    }
    searched = input.count
    return replies
  }

  /// Decodes a member of a reply.
  ///
  /// - Throws: `controlMalformed` for a wrong form.
  public static func document<T: Decodable>(_ reply: JSON, _ key: String, _ method: String) throws(HearthError) -> T {
    do throws(JSONMismatch) {
      return try (reply[key] ?? .null).decoded(T.self)
    } catch {
      throw HearthError(
        .controlMalformed, "the answer to \(method) is not understood: \(key).\(error.path) is not \(error.expected)")
    }
  }

  // MARK: Messages

  private func send(_ call: VarlinkCall) throws(HearthError) {
    let message = call.message + [0]
    var sent = 0
    while sent < message.count {
      let count = message.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress.map { $0 + sent }, message.count - sent, Int32(MSG_NOSIGNAL))
      }
      if count < 0, errno == EINTR { continue }
      // The last message of the daemon (too many clients) explains more than the failed write.
      if count < 0 { break }
      sent += count
    }
  }

  private func reply(to method: String, patience: Int32) throws(HearthError) -> (parameters: JSON, continues: Bool) {
    try VarlinkReply.read(try message(patience), to: method)
  }

  private func message(_ patience: Int32) throws(HearthError) -> [UInt8] {
    while true {
      if let end = input.firstZero(from: searched) {
        let message = Array(input[..<end])
        input.removeFirst(end + 1)
        searched = 0
        return message
      }
      searched = input.count
      if input.count > VarlinkLimits.reply {
        throw HearthError(.controlMalformed, "an answer longer than \(VarlinkLimits.reply) bytes")
      }
      if try !isReady(patience) {
        throw HearthError(.daemonDown, "the daemon at \(path) did not answer within \(patience / 1000) s")
      }
      try receive()
    }
  }

  private func receive() throws(HearthError) {
    let count = input.receive(from: descriptor, upTo: 64 << 10)
    let code = errno
    if count > 0 || count < 0 && code == EINTR { return }
    throw HearthError(.daemonDown, "the daemon at \(path) hung up")
  }

  private func isReady(_ milliseconds: Int32) throws(HearthError) -> Bool {
    if input.firstZero(from: searched) != nil { return true }
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    while true {
      let count = poll(&entry, 1, milliseconds)
      if count >= 0 { return count > 0 }
      if errno != EINTR { throw HearthError(.daemonDown, "\(path): \(String(cString: strerror(errno)))") }
    }
  }
}
